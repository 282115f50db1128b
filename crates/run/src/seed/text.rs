//! Texts that look like what their field holds.

use singlet_design::fold;

use super::dice::Dice;
use super::names::{Meaning, meaning};
use super::words::{
    ADJECTIVES, CITIES, COUNTRIES, CURRENCIES, FIRST_NAMES, GENDERS, LANGUAGES, LAST_NAMES, STREETS, THINGS,
    UNITS, VERBS,
};

/// Somebody or something that one item is about: its texts agree with each other.
#[derive(Debug)]
pub(super) struct Subject {
    first: &'static str,
    last: &'static str,
    city: &'static str,
    adjective: &'static str,
    thing: &'static str,
    is_person: bool,
}

impl Subject {
    pub(super) fn new(dice: &mut Dice, is_person: bool) -> Self {
        Subject {
            first: dice.pick(FIRST_NAMES),
            last: dice.pick(LAST_NAMES),
            city: dice.pick(CITIES),
            adjective: dice.pick(ADJECTIVES),
            thing: dice.pick(THINGS),
            is_person,
        }
    }

    /// A text for a field of this name; `number` keeps it apart from others.
    pub(super) fn text(&self, dice: &mut Dice, field: &str, number: Option<u64>) -> String {
        let (first, last) = (fold(self.first), fold(self.last));
        let digits = number.map(|number| number.to_string()).unwrap_or_default();
        let spaced = if digits.is_empty() { String::new() } else { format!(" {digits}") };
        match meaning(field, self.is_person) {
            Meaning::Email => format!("{first}.{last}{digits}@example.com"),
            Meaning::Username => format!("{first}_{last}{digits}"),
            Meaning::FirstName => format!("{}{spaced}", self.first),
            Meaning::LastName => format!("{}{spaced}", self.last),
            Meaning::FullName => format!("{} {}{spaced}", self.first, self.last),
            Meaning::ThingName => format!("{} {}{spaced}", capital(self.adjective), self.thing),
            Meaning::Phone => format!("+1555{:07}", dice.below(10_000_000)),
            Meaning::City => format!("{}{spaced}", self.city),
            Meaning::Country => dice.pick(COUNTRIES).to_owned(),
            Meaning::Street => format!("{} {}", dice.between(1, 180), dice.pick(STREETS)),
            Meaning::PostalCode => format!("{:05}", dice.below(100_000)),
            Meaning::Picture => format!("https://images.example.com/{:08x}.jpg", dice.below(1 << 32)),
            Meaning::Address => format!("https://example.com/{}/{:06x}", self.thing, dice.below(1 << 24)),
            Meaning::Title => format!("{}{spaced}", title(dice)),
            Meaning::Prose => prose(dice),
            Meaning::Word => format!("{}{digits}", dice.pick(THINGS)),
            Meaning::Amount => dice.between(1, 20).to_string(),
            Meaning::Gender => dice.pick(GENDERS).to_owned(),
            Meaning::Unit => dice.pick(UNITS).to_owned(),
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

fn title(dice: &mut Dice) -> String {
    let sentence = format!("The {} {} {}", dice.pick(ADJECTIVES), dice.pick(THINGS), dice.pick(VERBS));
    format!("{sentence} the {}", dice.pick(THINGS))
}

fn prose(dice: &mut Dice) -> String {
    let sentences = dice.between(1, 4);
    let all: Vec<String> = (0..sentences).map(|_| format!("{}.", title(dice))).collect();
    all.join(" ")
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect()
}
