//! Values for the fields of one item.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use singlet_design::{
    Design, Entity, Field, FieldType, Json, Made, date_of_ms, is_empty_set, time_of_ms, to_attribute,
};
use singlet_values::{AttributeValue, Item, Number};

use super::dice::Dice;
use super::figures::{Figure, figure};
use super::intervals;
use super::names::{Meaning, TimeOrder, is_ahead, is_birth, is_counter, is_person, meaning, order, words_of};
use super::parents::{Family, Parents};
use super::rules::Rules;
use super::stages::{Stage, is_stage};
use super::story::Story;
use super::text::{Subject, within};
use crate::entropy::{Entropy, make};
use crate::error::RunError;

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;
/// Samples were made in the last months.
const PAST_MS: u64 = 90 * DAY_MS;
/// Times in the future lie up to a month ahead.
const AHEAD_MS: u64 = 30 * DAY_MS;
/// A series of readings is recent and dense.
const SERIES_MS: u64 = 6 * DAY_MS;
/// Sources that a series comes from.
const SOURCES: i64 = 6;
/// The most hours or days between a beginning and its end.
const LONGEST_UNITS: u64 = 7;
/// Items that live no longer than this are made shortly before the present instead of before its day.
const SHORT_LIFE_MS: u64 = 2 * DAY_MS;

/// Makes the fields of one item.
pub(super) struct Maker<'a> {
    pub(super) design: &'a Design,
    pub(super) entity: &'a Entity,
    pub(super) story: Story,
    /// Yes-or-no fields of the item so far: other fields agree with them.
    pub(super) flags: Vec<(String, bool)>,
    /// The instants of the item's times so far, by path: what ends something lies after its beginning.
    pub(super) instants: Vec<(String, u64)>,
    pub(super) rules: &'a Rules,
    pub(super) dice: &'a mut Dice,
    pub(super) parents: &'a Parents,
    pub(super) family: &'a Family,
    pub(super) now_ms: u64,
    /// Keeps the texts of the item apart from those of others, when a first attempt was not.
    pub(super) number: Option<u64>,
}

/// The context that all values of an item share.
struct Moment {
    subject: Subject,
    made_ms: u64,
    changed_ms: u64,
    /// The instant of all times and days that stand in keys: an item lies in the bucket of its time.
    key_ms: u64,
    stage: Option<Stage>,
}

impl Maker<'_> {
    /// The fields, and when the item was made.
    pub(super) fn item(&mut self) -> Result<(Item, u64), RunError> {
        let fields = self.entity.fields.iter().map(|field| field.name.as_str());
        let is_person = is_person(&self.entity.name, fields);
        let mut subject = Subject::new(self.dice, &self.entity.name, is_person, self.story);
        subject.position = self.family.position;
        let (made_ms, latest_ms) = self.made_ms(is_person);
        let changed_ms = made_ms + self.dice.below(latest_ms.saturating_sub(made_ms) + 1);
        let made_in_key =
            |field: &Field| field.made == Some(Made::Created) && self.rules.is_in_key(&field.name);
        let key_ms = match self.entity.fields.iter().any(made_in_key) {
            true => made_ms,
            false => made_ms + self.dice.below(changed_ms.saturating_sub(made_ms) + 1),
        };
        let stage = self.stage(made_ms);
        let moment = Moment { subject, made_ms, changed_ms, key_ms, stage };
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

    /// How far the item has come by now, if it has a field for that.
    fn stage(&mut self, made_ms: u64) -> Option<Stage> {
        let age_days = self.now_ms.saturating_sub(made_ms) / DAY_MS;
        let field = self.entity.fields.iter().find(|field| is_stage(&field.name))?;
        let FieldType::Choice(choices) = &field.kind else { return None };
        Some(Stage::new(self.dice, &field.name, choices, age_days))
    }

    /// When the item is made: after its parents, and late enough not to have expired; and the latest time of the item.
    fn made_ms(&mut self, is_person: bool) -> (u64, u64) {
        let life_ms = self.entity.ttl.as_ref().map_or(u64::MAX, |ttl| ttl.after_seconds.saturating_mul(1000));
        let day_ms = self.now_ms / DAY_MS * DAY_MS;
        // A fifth of the life is left at least, and a day where the expiry counts from the beginning of one.
        let (latest_ms, age_ms) = match life_ms <= SHORT_LIFE_MS {
            true => (self.now_ms, life_ms / 5 * 4),
            false => (day_ms, (life_ms - DAY_MS).saturating_sub(life_ms / 5)),
        };
        let latest_ms = latest_ms.max(self.family.since_ms);
        let past_ms = if self.is_series() { SERIES_MS } else { PAST_MS };
        let earliest = latest_ms.saturating_sub(past_ms.min(age_ms)).max(self.family.since_ms);
        let range = latest_ms.saturating_sub(earliest);
        // Members join early, and answers come soon. Both leave time for what follows.
        let throws = if is_person || self.family.continues() { 3 } else { 1 };
        let reach = if self.parents.are_referred_to(&self.entity.name) { range - range / 60 } else { range };
        let after = (0..throws).map(|_| self.dice.below(reach + 1)).min().unwrap_or_default();
        (earliest + after, latest_ms)
    }

    /// Whether a few sources make items all the time, such as sensors with readings by day.
    fn is_series(&self) -> bool {
        let in_key = |field: &&Field| self.rules.is_in_key(&field.name);
        let mut fields = self.entity.fields.iter().filter(in_key);
        let is_time = |field: &Field| matches!(field.kind, FieldType::Date | FieldType::Time);
        fields.clone().any(is_time) && fields.any(|field| self.source(field).is_some())
    }

    /// The source of the item, if the field names one that the design doesn't describe: `sensor` for `sensor_id`.
    fn source(&self, field: &Field) -> Option<String> {
        let plain = field.kind == FieldType::Id && field.made.is_none() && field.refers_to.is_none();
        let mut words = words_of(&field.name);
        if !plain || words.pop().as_deref() != Some("id") || words.is_empty() {
            return None;
        }
        let own = words_of(&self.entity.name);
        let described = |entity: &str| words_of(entity).concat() == words.concat();
        let in_time = |field: &Field| {
            matches!(field.kind, FieldType::Date | FieldType::Time) && self.rules.is_in_key(&field.name)
        };
        // A day of a sensor isn't the sensor.
        let is_own = words.iter().all(|word| own.contains(word)) && !self.entity.fields.iter().any(in_time);
        let is_described = self.design.entities.iter().any(|entity| described(&entity.name));
        (!is_own && !is_described).then(|| words.join("-"))
    }

    fn own(&mut self, field: &Field, moment: &Moment) -> Result<Option<AttributeValue>, RunError> {
        if field.made.is_none()
            && field.refers_to.is_none()
            && let Some(copy) = self.family.copied(&field.name)
            && let Some(value) = self.copy(field, copy)
        {
            return Ok(Some(value));
        }
        if field.optional && field.made.is_none() && (is_reference(field) || is_summary(field)) {
            return Ok(None);
        }
        if let Some(source) = self.source(field) {
            let number = self.dice.between(1, SOURCES);
            return Ok(Some(AttributeValue::S(format!("{source}-{number:02}"))));
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
        let agreed = match field.optional {
            true => moment
                .stage
                .as_ref()
                .and_then(|stage| stage.has(&field.name))
                .or_else(|| self.flagged(&field.name)),
            false => None,
        };
        let usual = if self.rules.is_decisive(path) { 50 } else { 70 };
        if field.optional && !agreed.unwrap_or_else(|| self.dice.chance(usual)) {
            return None;
        }
        if let Some(target) = &field.refers_to
            && let Some(reference) = self.parents.some(self.dice, target, field, self.family)
        {
            return Some(reference);
        }
        if let Some(default) = &field.default {
            let usual = match &field.kind {
                FieldType::Choice(_) => 0,
                FieldType::List { .. } | FieldType::Set { .. } if !is_empty_by_nature(field) => 20,
                FieldType::List { .. } | FieldType::Set { .. } => 100,
                _ => 70,
            };
            if is_counter(&field.name) || self.rules.is_counter(path) || self.dice.chance(usual) {
                return Some(self.remembered(field, default.clone()));
            }
        }
        let value = self.value(&field.kind, &field.name, path, moment, None);
        // An optional mark that isn't set is left out.
        if field.optional && value == Json::Bool(false) {
            return None;
        }
        Some(self.remembered(field, value))
    }

    /// Notes a yes or no.
    fn remembered(&mut self, field: &Field, value: Json) -> Json {
        if let Json::Bool(yes) = value {
            self.flags.push((field.name.clone(), yes));
        }
        value
    }

    /// Whether a field is there because of a yes-or-no field: `approved_at` because of `is_approved`.
    fn flagged(&self, name: &str) -> Option<bool> {
        let words = words_of(name);
        let speaks = |flag: &str| {
            let flag = words_of(flag);
            let flag: Vec<&String> =
                flag.iter().filter(|word| !matches!(word.as_str(), "is" | "was" | "has")).collect();
            let alike = |one: &str, other: &str| {
                let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
                one == other || same >= 6
            };
            flag.iter().any(|flag| words.iter().any(|word| alike(flag, word)))
        };
        self.flags.iter().find(|(flag, _)| speaks(flag)).map(|(_, yes)| *yes)
    }

    /// A value; `at` is its place in a list, from 1.
    fn value(&mut self, kind: &FieldType, name: &str, path: &str, moment: &Moment, at: Option<u64>) -> Json {
        match kind {
            FieldType::Text { min, max } => {
                if let Some(bucket) = bucket(name, moment.key_ms).filter(|_| self.rules.is_in_key(path)) {
                    return Json::Text(within(self.rules.for_key(path, bucket), *min, *max));
                }
                let name = if is_name_of_food(path) { "ingredient" } else { name };
                let text = moment.subject.text(self.dice, name, self.number, at);
                let text = self.rules.for_key(path, begun_with_number(text, self.number, *max));
                Json::Text(within(text, *min, *max))
            }
            FieldType::Choice(choices) => {
                if let Some(stage) = moment.stage.as_ref().filter(|stage| stage.field == path) {
                    return Json::from(stage.value());
                }
                let choice = choices.get(self.dice.place(choices.len()));
                Json::Text(choice.cloned().unwrap_or_default())
            }
            FieldType::Int { min, max } => {
                let at = at.or(moment.subject.position);
                Json::from(self.whole(path, min.as_ref(), max.as_ref(), at))
            }
            FieldType::Number { min, max } => Json::Number(self.decimal(path, min.as_ref(), max.as_ref())),
            FieldType::Bool => Json::Bool(self.dice.chance(yes_percent(name, self.rules.is_decisive(path)))),
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
            FieldType::Map { of, max } => self.map(of, name, path, *max, moment),
            FieldType::Object(fields) => {
                // The times of another element of the list don't matter.
                let members = format!("{path}.");
                self.instants.retain(|(known, _)| !known.starts_with(&members));
                let member = |field: &Field| {
                    let path = format!("{path}.{}", field.name);
                    let value = match at {
                        // In a list, the place decides: the second step is described as the second.
                        Some(_) if field.made.is_none() && !field.optional => {
                            self.value(&field.kind, &field.name, &path, moment, at)
                        }
                        _ => self.json(field, &path, moment)?,
                    };
                    Some((field.name.clone(), value))
                };
                Json::Object(fields.iter().filter_map(member).collect())
            }
            FieldType::Any { .. } => {
                Json::from([("note", moment.subject.text(self.dice, "title", None, None))])
            }
        }
    }

    /// Named values: the facts of the story, or a few others.
    fn map(&mut self, of: &FieldType, name: &str, path: &str, max: Option<u32>, moment: &Moment) -> Json {
        let most = max.map_or(3, |max| max.min(3)) as usize;
        if let FieldType::Text { min, max } = of
            && !self.story.facts().is_empty()
        {
            let fact = |(name, value): &(&str, &str)| {
                ((*name).to_owned(), Json::Text(within((*value).to_owned(), *min, *max)))
            };
            return Json::Object(self.story.facts().iter().take(most).map(fact).collect());
        }
        let count = self.dice.place(most) + 1;
        let member = |number| (format!("{name}-{number}"), self.value(of, name, path, moment, None));
        Json::Object((1..=count.min(most)).map(member).collect())
    }

    /// One to three different elements, or as many as the story has steps.
    fn several(
        &mut self,
        of: &FieldType,
        name: &str,
        max: Option<u32>,
        key: Option<&str>,
        moment: &Moment,
    ) -> Json {
        let steps = self.story.steps().len() as u64;
        let is_told = steps > 0 && matches!(of, FieldType::Object(_)) && speaks_of_steps(name);
        let count = if is_told { steps } else { self.dice.below(3) + 1 };
        let mut elements: Vec<Json> = Vec::new();
        for at in 1..=count.min(max.map_or(u64::MAX, u64::from)) {
            let at = matches!(of, FieldType::Object(_)).then_some(at);
            let element = self.value(of, name, name, moment, at);
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
        let text = moment.subject.text(self.dice, name, self.number, None);
        self.rules.for_key(path, text)
    }

    /// The instant of a time, which lies after the one that begins what it ends.
    fn instant(&mut self, name: &str, path: &str, moment: &Moment) -> u64 {
        if let Some((_, known)) = self.instants.iter().find(|(known, _)| known == path) {
            return *known;
        }
        let mut instant_ms = self.usual_instant(name, path, moment);
        let (entity, head) = (self.entity, path.strip_suffix(name).unwrap_or_default());
        if let Some(begin) = intervals::beginning(fields_beside(entity, head), name) {
            let begin_ms = self.instant(&begin.name, &format!("{head}{}", begin.name), moment);
            let has = |wanted: &[&str]| words_of(name).iter().any(|word| wanted.contains(&word.as_str()));
            let unit_ms = if begin.kind == FieldType::Date || has(&["out"]) { DAY_MS } else { HOUR_MS };
            // A time at which the item expires or changed last has its own reason to be late.
            let is_settled = entity.ttl.as_ref().is_some_and(|ttl| ttl.field == path)
                || order(name) == TimeOrder::Last
                || has(&["until", "till"]);
            if !is_settled || instant_ms < begin_ms + unit_ms {
                instant_ms = begin_ms + unit_ms * (1 + self.dice.below(LONGEST_UNITS));
            }
        }
        self.instants.push((path.to_owned(), instant_ms));
        instant_ms
    }

    fn usual_instant(&mut self, name: &str, path: &str, moment: &Moment) -> u64 {
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

    fn whole(&mut self, path: &str, min: Option<&Number>, max: Option<&Number>, at: Option<u64>) -> i64 {
        let low = min.and_then(Number::to_i64);
        let high = max.and_then(Number::to_i64);
        let widest = self.rules.fixed_width(path).map(|(largest, _)| largest);
        let low = low.or(widest.map(|_| 0)).unwrap_or_else(|| high.map_or(0, |high| high.min(0)));
        // The first choice is taken, so another number is needed.
        let usual = self.number.is_none().then(|| figure(last(path))).flatten();
        // Even where there is room for more, most numbers that people see are small.
        let unbounded = match usual {
            Some(Figure::Range(_, to, _)) => to.max(low.saturating_add(100)),
            _ => low.saturating_add(100),
        };
        let high = high.map_or(unbounded, |high| high.min(low.saturating_add(1000)));
        let high = high.min(widest.unwrap_or(i64::MAX));
        let wanted = match (usual, at) {
            (Some(Figure::Position), Some(at)) => i64::try_from(at).ok(),
            (Some(Figure::Grade), _) => {
                let (one, other) = (self.dice.between(low, high), self.dice.between(low, high));
                Some(one.max(other))
            }
            (Some(Figure::Range(from, to, step)), _) => {
                Some(from + step * self.dice.between(0, (to - from) / step.max(1)))
            }
            _ => None,
        };
        wanted.filter(|wanted| (low..=high).contains(wanted)).unwrap_or_else(|| self.dice.between(low, high))
    }

    /// In hundredths, or in as many decimals as a key has room for.
    fn decimal(&mut self, path: &str, min: Option<&Number>, max: Option<&Number>) -> Number {
        let (_, decimals) = self.rules.fixed_width(path).unwrap_or((0, 2));
        let decimals = decimals.min(2);
        let within =
            |number: &Number| max.is_none_or(|max| number <= max) && min.is_none_or(|min| number >= min);
        if figure(last(path)) == Some(Figure::Price) && decimals == 2 {
            let cents = self.story.price().unwrap_or_else(|| self.dice.between(3, 80) * 100 - 10);
            let price = hundredths(cents).filter(within);
            let widest = self.rules.fixed_width(path).map(|(largest, _)| Number::from(largest));
            if let Some(price) = price.filter(|price| widest.is_none_or(|widest| *price <= widest)) {
                return price;
            }
        }
        // A measured value has one decimal.
        let decimals = if figure(last(path)).is_some() { decimals.min(1) } else { decimals };
        let scale = 10_i64.pow(u32::from(decimals));
        let whole = self.whole(path, min, max, None);
        let fraction = self.dice.between(0, scale - 1);
        let text = if decimals == 0 || whole < 0 {
            whole.to_string()
        } else {
            format!("{whole}.{fraction:0width$}", width = usize::from(decimals))
        };
        let number = text.parse().unwrap_or(Number::ZERO);
        if within(&number) { number } else { Number::from(whole) }
    }
}

fn hundredths(cents: i64) -> Option<Number> {
    format!("{}.{:02}", cents / 100, cents % 100).parse().ok()
}

/// The fields of an entity, or of the object in it whose path this is, with a dot at the end.
fn fields_beside<'e>(entity: &'e Entity, head: &str) -> &'e [Field] {
    let mut fields: &[Field] = &entity.fields;
    for name in head.split_terminator('.') {
        let mut kind = fields.iter().find(|field| field.name == name).map(|field| &field.kind);
        while let Some(FieldType::List { of, .. } | FieldType::Map { of, .. }) = kind {
            kind = Some(of);
        }
        fields = match kind {
            Some(FieldType::Object(fields)) => fields,
            _ => &[],
        };
    }
    fields
}

/// The last name of a path.
fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// How often a yes-or-no field says yes.
fn yes_percent(name: &str, is_decisive: bool) -> u64 {
    let words = words_of(name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    match () {
        () if has(&["active", "enabled", "verified", "public", "available", "visible", "accepted"]) => 85,
        () if has(&["approved", "published"]) => 60,
        () if is_decisive => 30,
        () if has(&["deleted", "hidden", "banned", "archived", "blocked", "reported", "flagged"]) => 8,
        () => 30,
    }
}

/// Whether the field refers to something: a name like `parent_comment_id` without anything that it could hold is left out.
fn is_reference(field: &Field) -> bool {
    field.refers_to.is_some()
        || (field.kind == FieldType::Id && words_of(&field.name).last().is_some_and(|word| word == "id"))
}

/// Whether the field sums up other items. Nothing here adds them up, and made-up sums would contradict the items.
fn is_summary(field: &Field) -> bool {
    let FieldType::Object(members) = &field.kind else { return false };
    members.iter().any(|member| is_counter(&member.name))
}

/// Whether a path leads to the name of a food in a list of foods.
fn is_name_of_food(path: &str) -> bool {
    let Some((list, name)) = path.rsplit_once('.') else { return false };
    let foods = ["food", "foods", "groceries"];
    meaning(name, false) == Meaning::ThingName
        && words_of(last(list)).iter().any(|word| foods.contains(&word.as_str()))
}

/// Whether a list is empty as long as nothing is wrong, or holds ids of nothing that is there.
fn is_empty_by_nature(field: &Field) -> bool {
    let words = words_of(&field.name);
    let rare = ["invalid", "failed", "errors", "missing", "rejected"];
    let of_ids = matches!(&field.kind, FieldType::List { of, .. } | FieldType::Set { of, .. } if **of == FieldType::Id);
    words.iter().any(|word| rare.contains(&word.as_str())) || (of_ids && field.refers_to.is_none())
}

fn speaks_of_steps(name: &str) -> bool {
    words_of(name).iter().any(|word| matches!(word.as_str(), "steps" | "instructions" | "directions"))
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
