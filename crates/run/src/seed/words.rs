//! Words that samples are made of.

pub(super) const WOMEN: &[&str] = &[
    "Ada", "Linh", "Amara", "Priya", "Zoë", "Sofia", "Hana", "Thảo", "Nadia", "Aisha", "Chloé", "Emi",
    "Greta", "Ines", "Leila", "Nora", "Paula", "Rosa", "Uma", "Vera",
];
pub(super) const MEN: &[&str] = &[
    "Mateo", "Yuki", "Jonas", "Lucas", "Minh", "Omar", "Erik", "Felix", "Björn", "Diego", "Farid", "Hugo",
    "Jamal", "Kaito", "Marek", "Đức", "Quang", "Sven", "Tariq", "Wei",
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
/// Cities with their countries.
pub(super) const CITIES: &[(&str, &str)] = &[
    ("Hà Nội", "Vietnam"),
    ("Huế", "Vietnam"),
    ("Lisbon", "Portugal"),
    ("Kyoto", "Japan"),
    ("Lagos", "Nigeria"),
    ("Oslo", "Norway"),
    ("Pune", "India"),
    ("Porto", "Portugal"),
    ("Turin", "Italy"),
    ("Amman", "Jordan"),
    ("Osaka", "Japan"),
    ("Bergen", "Norway"),
    ("Đà Nẵng", "Vietnam"),
    ("Sofia", "Bulgaria"),
    ("Leipzig", "Germany"),
    ("Accra", "Ghana"),
    ("Malmö", "Sweden"),
    ("Lyon", "France"),
    ("Quito", "Ecuador"),
    ("Kraków", "Poland"),
];
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
    "kitchen", "lemon", "basil", "pepper", "ginger", "window", "bicycle", "notebook",
];
pub(super) const KINDS: &[&str] = &["standard", "basic", "plus", "classic", "compact", "premium"];
pub(super) const TARGETS: &[&str] = &["post", "comment", "recipe", "profile"];
pub(super) const UNITS: &[&str] = &["g", "kg", "ml", "l", "piece", "tbsp"];
pub(super) const CURRENCIES: &[&str] = &["EUR", "USD", "VND", "JPY"];
pub(super) const LANGUAGES: &[&str] = &["en", "vi", "de", "pt", "ja"];
