//! The meaning of fields' names.

/// The meaning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Email,
    Username,
    FirstName,
    LastName,
    FullName,
    ThingName,
    Phone,
    City,
    Country,
    Street,
    PostalCode,
    Picture,
    Address,
    Title,
    Prose,
    Bio,
    Reason,
    Note,
    Prompt,
    Category,
    Cuisine,
    Method,
    Meal,
    Ingredient,
    Alias,
    Allergy,
    Diet,
    Tag,
    Target,
    Word,
    Unit,
    Amount,
    Duration,
    Gender,
    Currency,
    Language,
    Code,
    Other,
}

/// The words of a name in any style: `createdAt`, `created_at`, `created-at`.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous = '_';
    for character in name.chars() {
        let begins = previous.is_lowercase() && character.is_uppercase();
        if !character.is_alphanumeric() {
            previous = '_';
            continue;
        }
        match words.last_mut() {
            Some(word) if !begins && previous.is_alphanumeric() => word.extend(character.to_lowercase()),
            _ => words.push(character.to_lowercase().collect()),
        }
        previous = character;
    }
    words
}

/// Returns the meaning of a text field; `person` tells whether its item is a person.
pub(super) fn meaning(name: &str, person: bool) -> Meaning {
    let words = words_of(name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let joined = words.concat();
    match () {
        () if has(&["email", "mail"]) || joined.contains("email") => Meaning::Email,
        () if has(&["username", "handle", "login", "nickname"]) || joined == "username" => Meaning::Username,
        () if has(&["first", "given"]) => Meaning::FirstName,
        () if has(&["last", "surname", "family"]) && has(&["name", "surname"]) => Meaning::LastName,
        () if has(&["phone", "mobile", "tel"]) => Meaning::Phone,
        () if has(&["image", "picture", "photo", "avatar", "thumbnail"]) => Meaning::Picture,
        () if has(&["images", "pictures", "photos"]) => Meaning::Picture,
        () if has(&["url", "link", "website", "uri", "href"]) => Meaning::Address,
        () if has(&["city", "town"]) => Meaning::City,
        () if has(&["country"]) => Meaning::Country,
        () if has(&["street", "address", "line1"]) => Meaning::Street,
        () if has(&["zip", "postal", "postcode"]) => Meaning::PostalCode,
        () if has(&["alias", "aliases", "synonym", "synonyms"]) => Meaning::Alias,
        () if has(&["allergy", "allergies", "allergens"]) => Meaning::Allergy,
        () if has(&["diet", "dietary"]) => Meaning::Diet,
        () if has(&["cuisine", "cuisines"]) => Meaning::Cuisine,
        () if has(&["meal", "meals"]) => Meaning::Meal,
        () if has(&["method", "methods"]) && has(&["cooking", "preparation"]) => Meaning::Method,
        () if has(&["ingredient", "ingredients"]) => Meaning::Ingredient,
        () if has(&["prompt", "question"]) => Meaning::Prompt,
        () if has(&["title", "subject", "headline", "label"]) => Meaning::Title,
        () if has(&["bio", "biography"]) => Meaning::Bio,
        () if has(&["reason"]) => Meaning::Reason,
        () if has(&["note", "notes"]) => Meaning::Note,
        () if has(&["display", "full", "author", "owner"]) && has(&["name", "author", "owner"]) => {
            Meaning::FullName
        }
        () if has(&["name"]) && (person || has(&["user", "customer", "person"])) => Meaning::FullName,
        () if has(&["name"]) => Meaning::ThingName,
        () if has(&[
            "content",
            "caption",
            "body",
            "text",
            "description",
            "comment",
            "message",
            "about",
            "instructions",
            "review",
            "feedback",
            "summary",
            "details",
        ]) =>
        {
            Meaning::Prose
        }
        () if has(&["unit", "units"]) => Meaning::Unit,
        () if has(&["quantity", "amount"]) => Meaning::Amount,
        () if has(&["duration"]) => Meaning::Duration,
        () if has(&["gender", "sex"]) => Meaning::Gender,
        () if has(&["currency"]) => Meaning::Currency,
        () if has(&["language", "lang", "locale"]) => Meaning::Language,
        () if has(&["code", "sku", "number", "reference", "serial", "invoice"]) => Meaning::Code,
        () if has(&["tag", "tags", "hashtag", "hashtags", "topic"]) => Meaning::Tag,
        () if has(&["category", "categories", "genre"]) => Meaning::Category,
        () if has(&["target"]) => Meaning::Target,
        () if has(&["kind", "type", "method"]) => Meaning::Word,
        () => Meaning::Other,
    }
}

/// Whether a number counts what rules or patterns keep, such as `like_count`.
pub(super) fn is_counter(name: &str) -> bool {
    words_of(name).iter().any(|word| matches!(word.as_str(), "count" | "counter" | "total" | "answers"))
}

/// Whether a time lies ahead: `expires_at`, `due_date`.
pub(super) fn is_ahead(name: &str) -> bool {
    let ahead =
        ["expires", "expiry", "expiration", "expire", "until", "due", "end", "ends", "valid", "deadline"];
    let words = words_of(name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    has(&ahead) && !has(&["from", "since", "start", "starts", "begin", "begins"])
}

/// Where a time lies in the life of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeOrder {
    /// It began: `created_at`, `valid_from`.
    First,
    /// Something happened meanwhile: `paid_at`.
    Between,
    /// It changed last: `updated_at`, `last_seen`.
    Last,
}

/// Where a time with this name lies.
pub(super) fn order(name: &str) -> TimeOrder {
    let words = words_of(name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    if has(&["updated", "changed", "modified", "edited", "last", "latest", "ended", "closed", "finished"]) {
        return TimeOrder::Last;
    }
    let first = ["created", "made", "registered", "joined", "opened", "from", "since", "start", "starts"];
    if has(&first) || has(&["started", "begin", "begins", "began"]) {
        return TimeOrder::First;
    }
    TimeOrder::Between
}

/// Whether a day lies a life back.
pub(super) fn is_birth(name: &str) -> bool {
    words_of(name)
        .iter()
        .any(|word| matches!(word.as_str(), "birth" | "birthday" | "birthdate" | "dob" | "born"))
}

/// Whether items with this name are people whom other items are about, and not only their authors: what belongs to the
/// booking of a guest belongs to the guest.
pub(super) fn is_party(entity: &str) -> bool {
    let parties = ["customer", "guest", "client", "patient", "tenant", "passenger", "buyer"];
    words_of(entity).iter().any(|word| parties.contains(&word.as_str()))
}

/// Whether items with this name, or with a field of one of these names, are people.
pub(super) fn is_person<'n>(entity: &str, fields: impl Iterator<Item = &'n str>) -> bool {
    let people =
        ["user", "customer", "person", "member", "author", "employee", "contact", "friend", "profile"];
    let entity = words_of(entity);
    people.iter().any(|word| entity.iter().any(|have| have == word))
        || fields.into_iter().any(|field| matches!(meaning(field, false), Meaning::Email | Meaning::Username))
}
