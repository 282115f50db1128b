//! Texts that look like what their field holds.

use singlet_design::fold;

use super::dice::Dice;
use super::names::{Meaning, meaning, words_of};
use super::story::{
    ALLERGIES, BIOS, COMPANIES, CONTAINERS, DIETS, GROUPS, LISTS, NOTES, NOTICES, PROJECTS, PROMPTS, REASONS,
    SENTENCES, Story, TITLES, Topic,
};
use super::words::{
    ADJECTIVES, CITIES, CURRENCIES, KINDS, LANGUAGES, LAST_NAMES, MEN, STREETS, TARGETS, THINGS, UNITS, WOMEN,
};

/// The relation of an entity's items to their topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Thing,
    /// Somebody answers: a comment.
    Reply,
    /// Somebody who tried it judges: a review, a rating.
    Review,
    /// A line of a conversation.
    Message,
    /// Somebody is told what happened.
    Notice,
    /// Another name.
    Alias,
}

impl Role {
    fn of(entity: &str) -> Role {
        let words = words_of(entity);
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
        match () {
            () if has(&["comment", "reply", "answer"]) => Role::Reply,
            () if has(&["review", "rating", "feedback"]) => Role::Review,
            () if has(&["message"]) => Role::Message,
            () if has(&["notification", "notice", "alert"]) => Role::Notice,
            () if has(&["alias", "synonym"]) => Role::Alias,
            () => Role::Thing,
        }
    }
}

/// Somebody or something that one item is about: its texts agree with each other.
#[derive(Debug)]
pub(super) struct Subject {
    first: &'static str,
    last: &'static str,
    gender: &'static str,
    place: (&'static str, &'static str),
    adjective: &'static str,
    thing: &'static str,
    is_person: bool,
    role: Role,
    entity: Vec<String>,
    pub(super) story: Story,
    /// The item's place among its siblings, from 1.
    pub(super) position: Option<u64>,
}

impl Subject {
    pub(super) fn new(dice: &mut Dice, entity: &str, is_person: bool, story: Story) -> Self {
        let is_woman = dice.chance(50);
        Subject {
            first: dice.pick(if is_woman { WOMEN } else { MEN }),
            last: dice.pick(LAST_NAMES),
            gender: if is_woman { "female" } else { "male" },
            place: CITIES.get(dice.place(CITIES.len())).copied().unwrap_or_default(),
            adjective: dice.pick(ADJECTIVES),
            thing: dice.pick(THINGS),
            is_person,
            role: Role::of(entity),
            entity: words_of(entity),
            story,
            position: None,
        }
    }

    /// A text for a field of this name; `number` keeps it apart from others, and `at` is its place in a list, from 1.
    pub(super) fn text(&self, dice: &mut Dice, field: &str, number: Option<u64>, at: Option<u64>) -> String {
        let (first, last) = (fold(self.first), fold(self.last).replace(' ', ""));
        let digits = number.map(|number| number.to_string()).unwrap_or_default();
        let spaced = if digits.is_empty() { String::new() } else { format!(" {digits}") };
        let position = at.or(self.position);
        match meaning(field, self.is_person) {
            Meaning::Email => format!("{first}.{last}{digits}@example.com"),
            Meaning::Username => format!("{first}_{last}{digits}"),
            Meaning::FirstName => format!("{}{spaced}", self.first),
            Meaning::LastName => format!("{}{spaced}", self.last),
            Meaning::FullName => format!("{} {}{spaced}", self.first, self.last),
            Meaning::ThingName => format!("{}{spaced}", self.name(field)),
            Meaning::Phone => format!("+1555{:07}", dice.below(10_000_000)),
            Meaning::City => format!("{}{spaced}", self.place.0),
            Meaning::Country => self.place.1.to_owned(),
            Meaning::Street => format!("{} {}", dice.between(1, 180), dice.pick(STREETS)),
            Meaning::PostalCode => format!("{:05}", dice.below(100_000)),
            Meaning::Picture => format!("https://images.example.com/{:08x}.jpg", dice.below(1 << 32)),
            Meaning::Address => format!("https://example.com/{}/{:06x}", self.thing, dice.below(1 << 24)),
            Meaning::Title => {
                let title = self.story.name().unwrap_or_else(|| dice.pick(TITLES).to_owned());
                format!("{title}{spaced}")
            }
            Meaning::Prose => self.prose(dice, field, position),
            Meaning::Bio => dice.pick(BIOS).to_owned(),
            Meaning::Reason => dice.pick(REASONS).to_owned(),
            Meaning::Note => dice.pick(NOTES).to_owned(),
            Meaning::Prompt => dice.pick(PROMPTS).to_owned(),
            Meaning::Category => {
                let category = self.story.category().unwrap_or_else(|| dice.pick(KINDS));
                format!("{category}{spaced}")
            }
            Meaning::Cuisine => format!("{}{digits}", self.story.kitchen(dice).0),
            Meaning::Method => format!("{}{digits}", self.story.kitchen(dice).1),
            Meaning::Meal => format!("{}{digits}", self.story.kitchen(dice).2),
            Meaning::Ingredient => format!("{}{spaced}", self.story.ingredient(position, dice).0),
            Meaning::Alias => match self.story.other_name() {
                Some(other) => other.to_owned(),
                None => format!("{} {}{spaced}", dice.pick(ADJECTIVES), dice.pick(THINGS)),
            },
            Meaning::Allergy => dice.pick(ALLERGIES).to_owned(),
            Meaning::Diet => dice.pick(DIETS).to_owned(),
            Meaning::Tag => {
                let tag = self.story.tag(dice).unwrap_or_else(|| dice.pick(THINGS));
                format!("{tag}{digits}")
            }
            Meaning::Target => dice.pick(TARGETS).to_owned(),
            Meaning::Word => format!("{}{digits}", dice.pick(KINDS)),
            Meaning::Amount => self.story.ingredient(position, dice).1.to_owned(),
            Meaning::Duration => format!("{} min", dice.between(1, 9) * 5),
            Meaning::Gender => self.gender.to_owned(),
            Meaning::Unit => match self.story.topic {
                Some(Topic::Dish | Topic::Ingredient) => self.story.ingredient(position, dice).2.to_owned(),
                _ => dice.pick(UNITS).to_owned(),
            },
            Meaning::Currency => dice.pick(CURRENCIES).to_owned(),
            Meaning::Language => dice.pick(LANGUAGES).to_owned(),
            Meaning::Code => {
                let letter =
                    |dice: &mut Dice| char::from(b'A' + u8::try_from(dice.below(26)).unwrap_or_default());
                format!("{}{}-{:05}", letter(dice), letter(dice), dice.below(100_000))
            }
            Meaning::Other => format!("{} {}{spaced}", dice.pick(ADJECTIVES), dice.pick(THINGS)),
        }
    }

    /// The name of something that isn't a person.
    fn name(&self, field: &str) -> String {
        if let Some(other) = self.story.other_name().filter(|_| self.role == Role::Alias) {
            return other.to_owned();
        }
        let words = words_of(field).into_iter().chain(self.entity.iter().cloned()).collect::<Vec<_>>();
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
        let names = match () {
            () if has(&["group", "team", "family", "household", "club"]) => Some(GROUPS),
            () if has(&["container", "shelf", "storage", "fridge"]) => Some(CONTAINERS),
            () if has(&["company", "organisation", "organization", "tenant", "supplier", "brand"]) => {
                Some(COMPANIES)
            }
            () if has(&["project"]) => Some(PROJECTS),
            () if has(&["list"]) => Some(LISTS),
            () => None,
        };
        match names {
            Some(names) => {
                let place = usize::try_from(self.story.number).unwrap_or_default() % names.len().max(1);
                names.get(place).copied().unwrap_or_default().to_owned()
            }
            None => {
                self.story.name().unwrap_or_else(|| format!("{} {}", capital(self.adjective), self.thing))
            }
        }
    }

    /// Whole sentences.
    fn prose(&self, dice: &mut Dice, field: &str, position: Option<u64>) -> String {
        let words = words_of(field);
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
        if let (Some(at), true) = (position, has(&["description", "instruction", "text"]))
            && let Some(step) =
                usize::try_from(at).ok().and_then(|at| self.story.steps().get(at.checked_sub(1)?))
        {
            return (*step).to_owned();
        }
        let story = self.story;
        let told = match self.role {
            Role::Reply => Some(story.reply(dice, self.position).to_owned()),
            Role::Review => Some(story.review(dice).to_owned()),
            Role::Message => {
                story.message(self.position.unwrap_or_else(|| dice.below(8) + 1)).map(str::to_owned)
            }
            Role::Notice => Some(dice.pick(NOTICES).replace("{}", &format!("{} {}", self.first, self.last))),
            Role::Alias | Role::Thing if has(&["comment", "review", "feedback"]) => {
                Some(story.review(dice).to_owned())
            }
            Role::Alias | Role::Thing if has(&["description", "about", "summary", "details"]) => {
                story.about()
            }
            Role::Alias | Role::Thing => story.caption().or_else(|| story.about()),
        };
        told.unwrap_or_else(|| {
            let first = dice.pick(SENTENCES);
            let second = dice.pick(SENTENCES);
            if dice.chance(50) && first != second { format!("{first} {second}") } else { first.to_owned() }
        })
    }
}

/// The text within bounds of characters: cut at the end, or begun again with spaces between.
pub(super) fn within(text: String, min: Option<u32>, max: Option<u32>) -> String {
    let most = max.map_or(usize::MAX, |max| max as usize);
    let least = min.unwrap_or_default() as usize;
    let length = text.chars().count();
    if length >= least && length <= most {
        return text;
    }
    let filler = if text.is_empty() { "x".to_owned() } else { format!("{text} ") };
    let wanted = length.clamp(least, most.max(least));
    let cut: String = filler.chars().cycle().take(wanted).collect();
    // A space at an end would be lost where keys are folded.
    if cut.ends_with(' ') { format!("{}x", cut.get(..cut.len() - 1).unwrap_or_default()) } else { cut }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect()
}
