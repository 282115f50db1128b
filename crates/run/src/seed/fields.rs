//! Values for the fields of one item.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use singlet_design::{
    Entity, Field, FieldType, Json, Made, date_of_ms, is_empty_set, time_of_ms, to_attribute,
};
use singlet_values::{AttributeValue, Item, Number};

use super::dice::Dice;
use super::names::{Meaning, TimeOrder, is_ahead, is_birth, is_counter, is_person, meaning, order, words_of};
use super::parents::{Family, Parents};
use super::rules::Rules;
use super::text::{Subject, within};
use crate::entropy::{Entropy, make};
use crate::error::RunError;

const DAY_MS: u64 = 86_400_000;
/// Samples were made in the last months.
const PAST_MS: u64 = 90 * DAY_MS;
/// What lies ahead lies ahead by up to a month.
const AHEAD_MS: u64 = 30 * DAY_MS;
/// Items that live no longer than this are made shortly before the present instead of before its day.
const SHORT_LIFE_MS: u64 = 2 * DAY_MS;

/// Makes the fields of one item.
pub(super) struct Maker<'a> {
    pub(super) entity: &'a Entity,
    pub(super) rules: &'a Rules,
    pub(super) dice: &'a mut Dice,
    pub(super) parents: &'a Parents,
    pub(super) family: &'a Family,
    pub(super) now_ms: u64,
    /// Keeps the texts of the item apart from those of others, when a first attempt was not.
    pub(super) number: Option<u64>,
}

/// What all values of an item share.
struct Moment {
    subject: Subject,
    made_ms: u64,
    changed_ms: u64,
    /// The instant of all times and days that stand in keys: an item lies in the bucket of its time.
    key_ms: u64,
}

impl Maker<'_> {
    /// The fields, and when the item was made.
    pub(super) fn item(&mut self) -> Result<(Item, u64), RunError> {
        let fields = self.entity.fields.iter().map(|field| field.name.as_str());
        let subject = Subject::new(self.dice, is_person(&self.entity.name, fields));
        let (made_ms, latest_ms) = self.made_ms();
        let changed_ms = made_ms + self.dice.below(latest_ms.saturating_sub(made_ms) + 1);
        let made_in_key =
            |field: &Field| field.made == Some(Made::Created) && self.rules.is_in_key(&field.name);
        let key_ms = match self.entity.fields.iter().any(made_in_key) {
            true => made_ms,
            false => made_ms + self.dice.below(changed_ms.saturating_sub(made_ms) + 1),
        };
        let moment = Moment { subject, made_ms, changed_ms, key_ms };
        let mut item = Item::with_capacity(self.entity.fields.len() + 8);
        for field in &self.entity.fields {
            let value = match (self.family.held(&field.name), self.family.promised(&field.name)) {
                (Some(held), _) => references(&field.kind, held),
                (None, Some(promised)) => Some(promised.clone()),
                (None, None) => self.own(field, &moment)?,
            };
            if let Some(value) = value.filter(|value| !is_empty_set(value)) {
                item.insert(field.name.as_str(), value);
            }
        }
        Ok((item, made_ms))
    }

    /// When the item is made: after its parents, and late enough not to have expired; and the latest time of the item.
    fn made_ms(&mut self) -> (u64, u64) {
        let life_ms = self.entity.ttl.as_ref().map_or(u64::MAX, |ttl| ttl.after_seconds.saturating_mul(1000));
        let day_ms = self.now_ms / DAY_MS * DAY_MS;
        // A fifth of the life is left at least, and a day where the expiry counts from the beginning of one.
        let (latest_ms, age_ms) = match life_ms <= SHORT_LIFE_MS {
            true => (self.now_ms, life_ms / 5 * 4),
            false => (day_ms, (life_ms - DAY_MS).saturating_sub(life_ms / 5)),
        };
        let latest_ms = latest_ms.max(self.family.since_ms);
        let earliest = latest_ms.saturating_sub(PAST_MS.min(age_ms)).max(self.family.since_ms);
        (earliest + self.dice.below(latest_ms.saturating_sub(earliest) + 1), latest_ms)
    }

    fn own(&mut self, field: &Field, moment: &Moment) -> Result<Option<AttributeValue>, RunError> {
        if field.made.is_none()
            && field.refers_to.is_none()
            && let Some(copy) = self.family.copied(&field.name)
            && let Some(value) = self.copy(field, copy)
        {
            return Ok(Some(value));
        }
        if field.refers_to.is_some() && field.optional {
            return Ok(None);
        }
        let Some(json) = self.json(field, &field.name, moment) else { return Ok(None) };
        let fits =
            to_attribute(&field.kind, &json).or_else(|_| to_attribute(&field.kind, &plainest(&field.kind)));
        match fits {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(RunError::Parameter {
                parameter: format!("{}.{}", self.entity.name, field.name),
                reason: format!("has no sample that fits: {error}"),
            }),
        }
    }

    /// A copy of a parent's value, if it is one that the field can hold.
    fn copy(&self, field: &Field, copy: &AttributeValue) -> Option<AttributeValue> {
        let json = match copy {
            AttributeValue::S(text) => Json::Text(self.rules.for_key(&field.name, text.clone())),
            AttributeValue::N(number) => Json::Number(*number),
            _ => return None,
        };
        to_attribute(&field.kind, &json).ok()
    }

    /// The value of a field, or nothing for an optional one that is left out this time.
    fn json(&mut self, field: &Field, path: &str, moment: &Moment) -> Option<Json> {
        match field.made {
            Some(Made::Updated) => return Some(Json::Text(time_of_ms(moment.changed_ms))),
            Some(made) => return Some(Json::Text(make(made, moment.made_ms, &self.dice.entropy))),
            None => {}
        }
        let usual = if self.rules.is_decisive(path) { 50 } else { 70 };
        if field.optional && !self.dice.chance(usual) {
            return None;
        }
        if let Some(target) = &field.refers_to
            && let Some(reference) = self.parents.some(self.dice, target, field, self.family)
        {
            return Some(reference);
        }
        if let Some(default) = &field.default {
            let usual = if matches!(field.kind, FieldType::Choice(_)) { 0 } else { 70 };
            if is_counter(&field.name) || self.dice.chance(usual) {
                return Some(default.clone());
            }
        }
        Some(self.value(&field.kind, &field.name, path, moment))
    }

    fn value(&mut self, kind: &FieldType, name: &str, path: &str, moment: &Moment) -> Json {
        match kind {
            FieldType::Text { min, max } => {
                if let Some(bucket) = bucket(name, moment.key_ms).filter(|_| self.rules.is_in_key(path)) {
                    return Json::Text(within(self.rules.for_key(path, bucket), *min, *max));
                }
                let text = moment.subject.text(self.dice, name, self.number);
                let text = self.rules.for_key(path, begun_with_number(text, self.number, *max));
                Json::Text(within(text, *min, *max))
            }
            FieldType::Choice(choices) => {
                let choice = choices.get(self.dice.place(choices.len()));
                Json::Text(choice.cloned().unwrap_or_default())
            }
            FieldType::Int { min, max } => Json::from(self.whole(path, min.as_ref(), max.as_ref())),
            FieldType::Number { min, max } => Json::Number(self.decimal(path, min.as_ref(), max.as_ref())),
            FieldType::Bool => Json::Bool(self.dice.chance(30)),
            FieldType::Binary { max } => {
                let mut bytes = vec![0; max.map_or(16, |max| max.min(16)) as usize];
                self.dice.entropy.fill(&mut bytes);
                Json::Text(STANDARD.encode(bytes))
            }
            FieldType::Date => Json::Text(date_of_ms(self.instant(name, path, moment))),
            FieldType::Time => Json::Text(time_of_ms(self.instant(name, path, moment))),
            FieldType::Epoch => Json::Number(Number::from(self.instant(name, path, moment) / 1000)),
            FieldType::Id => Json::Text(self.id(name, path, moment)),
            FieldType::List { of, max, key } => self.several(of, name, *max, key.as_deref(), moment),
            FieldType::Set { of, max } => self.several(of, name, *max, None, moment),
            FieldType::Map { of, max } => {
                let count = self.dice.between(1, 3).min(max.map_or(3, i64::from));
                let member = |number| (format!("{name}-{number}"), self.value(of, name, path, moment));
                Json::Object((1..=count).map(member).collect())
            }
            FieldType::Object(fields) => {
                let member = |field: &Field| {
                    let value = self.json(field, &format!("{path}.{}", field.name), moment)?;
                    Some((field.name.clone(), value))
                };
                Json::Object(fields.iter().filter_map(member).collect())
            }
            FieldType::Any { .. } => Json::from([("note", moment.subject.text(self.dice, "title", None))]),
        }
    }

    /// One to three different elements.
    fn several(
        &mut self,
        of: &FieldType,
        name: &str,
        max: Option<u32>,
        key: Option<&str>,
        moment: &Moment,
    ) -> Json {
        let count = self.dice.between(1, 3).min(max.map_or(3, i64::from));
        let mut elements: Vec<Json> = Vec::new();
        for _ in 0..count {
            let element = self.value(of, name, name, moment);
            let same = |known: &Json| match key {
                Some(key) => known.get(key) == element.get(key),
                None => *known == element,
            };
            if !elements.iter().any(same) {
                elements.push(element);
            }
        }
        Json::List(elements)
    }

    /// A key that callers give: made like an id, unless its name says what it is.
    fn id(&mut self, name: &str, path: &str, moment: &Moment) -> String {
        if name.to_lowercase().ends_with("id") || meaning(name, false) == Meaning::Other {
            return make(Made::Uuid7, moment.made_ms, &self.dice.entropy);
        }
        let text = moment.subject.text(self.dice, name, self.number);
        self.rules.for_key(path, text)
    }

    fn instant(&mut self, name: &str, path: &str, moment: &Moment) -> u64 {
        if is_birth(name) {
            return DAY_MS * self.dice.below(365 * 35);
        }
        if is_ahead(name) || self.entity.table.ttl.as_deref() == Some(path) {
            // Not on the day itself, whose beginning all other times lie before.
            return (self.now_ms / DAY_MS + 2) * DAY_MS + self.dice.below(AHEAD_MS);
        }
        match order(name) {
            _ if self.rules.is_in_key(path) => moment.key_ms,
            TimeOrder::First => moment.made_ms,
            TimeOrder::Last => moment.changed_ms,
            TimeOrder::Between => {
                moment.made_ms + self.dice.below(moment.changed_ms.saturating_sub(moment.made_ms) + 1)
            }
        }
    }

    fn whole(&mut self, path: &str, min: Option<&Number>, max: Option<&Number>) -> i64 {
        let low = min.and_then(Number::to_i64);
        let high = max.and_then(Number::to_i64);
        let widest = self.rules.fixed_width(path).map(|(largest, _)| largest);
        let low = low.or(widest.map(|_| 0)).unwrap_or_else(|| high.map_or(0, |high| high.min(0)));
        // Even where there is room for more, most numbers that people see are small.
        let high = high.map_or(low.saturating_add(100), |high| high.min(low.saturating_add(1000)));
        self.dice.between(low, high.min(widest.unwrap_or(i64::MAX)))
    }

    /// In hundredths, or in as many decimals as a key has room for.
    fn decimal(&mut self, path: &str, min: Option<&Number>, max: Option<&Number>) -> Number {
        let (_, decimals) = self.rules.fixed_width(path).unwrap_or((0, 2));
        let decimals = decimals.min(2);
        let scale = 10_i64.pow(u32::from(decimals));
        let whole = self.whole(path, min, max);
        let fraction = self.dice.between(0, scale - 1);
        let text = if decimals == 0 || whole < 0 {
            whole.to_string()
        } else {
            format!("{whole}.{fraction:0width$}", width = usize::from(decimals))
        };
        let number = text.parse().unwrap_or(Number::ZERO);
        let within = |number: &Number| max.is_none_or(|max| number <= max);
        if within(&number) { number } else { Number::from(whole) }
    }
}

/// The bucket of a time that a key names in words: a day, a month, an hour or a year.
fn bucket(name: &str, at_ms: u64) -> Option<String> {
    let time = time_of_ms(at_ms);
    let words = words_of(name);
    let length = match words.last().map(String::as_str)? {
        "day" | "date" => 10,
        "month" => 7,
        "hour" => 13,
        "year" => 4,
        _ => return None,
    };
    time.get(..length).map(str::to_owned)
}

/// A text that is cut at its end keeps the number that keeps it apart.
fn begun_with_number(text: String, number: Option<u64>, max: Option<u32>) -> String {
    match (number, max) {
        (Some(number), Some(max)) if text.chars().count() > max as usize => format!("{number} {text}"),
        _ => text,
    }
}

/// References as the field holds them: one, a list or a set.
fn references(kind: &FieldType, held: &[AttributeValue]) -> Option<AttributeValue> {
    match kind {
        FieldType::List { .. } => Some(AttributeValue::L(held.to_vec())),
        FieldType::Set { .. } => {
            let text = |value: &AttributeValue| match value {
                AttributeValue::S(text) => Some(text.clone()),
                _ => None,
            };
            Some(AttributeValue::Ss(held.iter().filter_map(text).collect()))
        }
        _ => held.first().cloned(),
    }
}

/// The simplest value that can fit a type: tried when the first one did not.
fn plainest(kind: &FieldType) -> Json {
    match kind {
        FieldType::Text { min, max } => Json::Text(within("x".to_owned(), *min, *max)),
        FieldType::Int { min, max } | FieldType::Number { min, max } => {
            Json::Number(min.or(*max).unwrap_or(Number::ZERO))
        }
        FieldType::Object(fields) => {
            let needed = fields.iter().filter(|field| !field.optional && field.default.is_none());
            Json::Object(needed.map(|field| (field.name.clone(), plainest(&field.kind))).collect())
        }
        FieldType::List { .. } | FieldType::Set { .. } => Json::List(Vec::new()),
        FieldType::Map { .. } => Json::Object(Vec::new()),
        FieldType::Choice(choices) => Json::Text(choices.first().cloned().unwrap_or_default()),
        FieldType::Any { .. } => Json::Bool(true),
        FieldType::Date => Json::from("2025-01-20"),
        FieldType::Time => Json::from("2025-01-20T15:30:00.000Z"),
        FieldType::Epoch => Json::from(0),
        FieldType::Bool => Json::Bool(false),
        FieldType::Binary { .. } => Json::from(""),
        FieldType::Id => Json::from("x"),
    }
}
