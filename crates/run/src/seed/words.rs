//! Words that samples are made of.

pub(super) const FIRST_NAMES: &[&str] = &[
    "Ada", "Linh", "Mateo", "Yuki", "Amara", "Jonas", "Priya", "Lucas", "Zoë", "Minh", "Sofia", "Omar",
    "Hana", "Erik", "Thảo", "Nadia", "Felix", "Aisha", "Björn", "Chloé", "Diego", "Emi", "Farid", "Greta",
    "Hugo", "Ines", "Jamal", "Kaito", "Leila", "Marek", "Nora", "Đức", "Paula", "Quang", "Rosa", "Sven",
    "Tariq", "Uma", "Vera", "Wei",
];
pub(super) const LAST_NAMES: &[&str] = &[
    "Nguyễn",
    "Garcia",
    "Tanaka",
    "Okafor",
    "Müller",
    "Sharma",
    "Silva",
    "Trần",
    "Rossi",
    "Haddad",
    "Sato",
    "Larsen",
    "Phạm",
    "Petrova",
    "Weber",
    "Bello",
    "Lindqvist",
    "Dubois",
    "Morales",
    "Ito",
    "Rahimi",
    "Schmidt",
    "Moreau",
    "Costa",
    "Diallo",
    "Kobayashi",
    "Nazari",
    "Nowak",
    "Berg",
    "Lê",
    "Fischer",
    "Vũ",
    "Romero",
    "Olsen",
    "Aziz",
    "Patel",
    "Novák",
    "Chen",
    "Walker",
    "Kim",
];
pub(super) const CITIES: &[&str] = &[
    "Hà Nội",
    "Huế",
    "Lisbon",
    "Kyoto",
    "Lagos",
    "Oslo",
    "Pune",
    "Porto",
    "Turin",
    "Amman",
    "Osaka",
    "Bergen",
    "Đà Nẵng",
    "Sofia",
    "Leipzig",
    "Accra",
    "Malmö",
    "Lyon",
    "Quito",
    "Kraków",
];
pub(super) const COUNTRIES: &[&str] =
    &["Vietnam", "Portugal", "Japan", "Nigeria", "Norway", "India", "Italy", "Jordan", "Bulgaria", "Germany"];
pub(super) const STREETS: &[&str] = &[
    "Elm Street",
    "Harbour Road",
    "Lê Lợi",
    "Mill Lane",
    "Station Street",
    "Garden Row",
    "Market Square",
    "Hill Road",
    "River Walk",
    "Old Town Lane",
];
pub(super) const ADJECTIVES: &[&str] = &[
    "amber", "quiet", "bright", "wild", "early", "silver", "gentle", "golden", "crisp", "deep", "fresh",
    "slow", "warm", "young", "small", "green",
];
pub(super) const THINGS: &[&str] = &[
    "kettle", "garden", "river", "lantern", "orchard", "bridge", "harvest", "morning", "market", "mountain",
    "kitchen", "lemon", "basil", "rice", "pepper", "ginger", "noodle", "window", "bicycle", "notebook",
];
pub(super) const VERBS: &[&str] =
    &["finds", "carries", "follows", "keeps", "brings", "remembers", "crosses", "shares", "paints", "loves"];
pub(super) const UNITS: &[&str] = &["g", "kg", "ml", "l", "piece", "spoon"];
pub(super) const CURRENCIES: &[&str] = &["EUR", "USD", "VND", "JPY"];
pub(super) const LANGUAGES: &[&str] = &["en", "vi", "de", "pt", "ja"];
pub(super) const GENDERS: &[&str] = &["female", "male", "other"];
