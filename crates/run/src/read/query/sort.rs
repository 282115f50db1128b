//! Which sort keys a query reads: from matched parts, a range or a beginning to exact key tests.

use singlet_design::{
    Ending, Entity, FieldType, Format, KeyAttribute, KeyKind, Part, SortRange, Template, Values,
};
use singlet_expr::{KeyTerm, KeyTest};
use singlet_values::{AttributeValue, ItemRef, KeyReader, Number, ValueRef};

use super::tell::common_head;
use crate::arguments::Bound;
use crate::error::RunError;
use crate::keys::{lacking, refused, whole};

/// Stands after every text that begins with what is in front of it: no key uses this noncharacter.
const LAST: char = '\u{10FFFF}';

/// How the sort key is bounded, known before the values are.
#[derive(Debug, Clone)]
pub(super) struct SortPlan {
    /// Attributes whose whole value is known: all but the last one that is tested.
    equal: Vec<(String, Template)>,
    /// The attribute at which the known parts end; `None` if all of them are known, or there is none.
    next: Option<NextPart>,
    bounded: Bounded,
}

/// The first part of the sort key that is not known.
#[derive(Debug, Clone)]
pub(super) struct NextPart {
    attribute: KeyAttribute,
    template: Template,
    /// Its place in the template.
    part: usize,
    /// The literal that ends it, if its text isn't as long as all others.
    end: Option<String>,
    order: PartOrder,
    /// The template is nothing but the field: the attribute has the field's type.
    plain: bool,
}

/// How the texts of a part sort.
#[derive(Debug, Clone)]
enum PartOrder {
    /// Like the values, or (folded texts) in the order that callers ask for.
    Text,
    /// Like the values, but all values of a period have one text.
    Period,
    /// Not like the values: numbers of different lengths, between these bounds.
    Number { min: Option<Number>, max: Option<Number> },
}

impl PartOrder {
    fn new(part: Option<&Part>, kind: Option<&FieldType>) -> Self {
        let Some(Part::Field { format, .. }) = part else { return PartOrder::Text };
        match (format, kind) {
            (Format::Day, Some(FieldType::Date)) => PartOrder::Text,
            (format, _) if format.cuts_time() => PartOrder::Period,
            (Format::Plain, Some(FieldType::Int { min, max } | FieldType::Number { min, max })) => {
                match (min, max) {
                    (Some(min), Some(max)) if same_length(min, max) => PartOrder::Text,
                    _ => PartOrder::Number { min: *min, max: *max },
                }
            }
            (Format::Plain, Some(FieldType::Epoch)) => PartOrder::Number { min: None, max: None },
            _ => PartOrder::Text,
        }
    }

    /// Whether texts between those of two values include the texts of all values between them.
    fn keeps(&self, from: Option<&AttributeValue>, to: Option<&AttributeValue>) -> bool {
        let PartOrder::Number { min, max } = self else { return true };
        let number = |end: Option<&AttributeValue>, bound: &Option<Number>| match end {
            Some(AttributeValue::N(number)) => Some(*number),
            _ => *bound,
        };
        number(from, min).zip(number(to, max)).is_some_and(|(from, to)| same_length(&from, &to))
    }
}

/// Whether two numbers that aren't negative have equally many digits before the point. All numbers between them then
/// sort like their texts.
fn same_length(one: &Number, other: &Number) -> bool {
    let digits = |number: &Number| number.to_string().split('.').next().map(str::len);
    !one.is_negative() && !other.is_negative() && digits(one) == digits(other)
}

#[derive(Debug, Clone)]
enum Bounded {
    /// By what stands before it only.
    No,
    /// By `from` and `to`.
    Range,
    /// By this parameter, which is the beginning of its text.
    Prefix(String),
    /// By the beginnings of several entities: what they share, the lowest, and the end of the highest.
    Heads { shared: String, lowest: String, highest: String },
}

impl SortPlan {
    /// For one entity, or several whose sort keys begin alike.
    pub(super) fn new(
        sort: Vec<(KeyAttribute, Template)>,
        matched: &[String],
        range: Option<&SortRange>,
        entity: Option<&Entity>,
        separator: char,
    ) -> Self {
        let mut matched = matched.iter().map(String::as_str).peekable();
        let mut equal = Vec::new();
        for (attribute, template) in sort {
            let known = |part: &Part| match part {
                Part::Literal(_) => true,
                Part::Field { path, .. } => matched.next_if_eq(&path.as_str()).is_some(),
                Part::Shard { .. } => false,
            };
            let Some(part) = first_unknown(&template, known) else {
                equal.push((attribute.name, template));
                continue;
            };
            let bounded = match (range, template.parts.get(part)) {
                (Some(SortRange::Between { field }), Some(Part::Field { path, .. })) if field == path => {
                    Bounded::Range
                }
                (Some(SortRange::Prefix { field }), Some(Part::Field { path, .. })) if field == path => {
                    Bounded::Prefix(field.clone())
                }
                _ => Bounded::No,
            };
            let placeholder = template.parts.get(part);
            let kind = placeholder.and_then(Part::path).and_then(|path| entity?.field_at(path));
            let end = match (template.ending(part, separator, kind), template.parts.get(part + 1)) {
                (Some(Ending::Before(literal)), _) => Some(literal.to_owned()),
                (_, Some(Part::Literal(text))) if text.starts_with(separator) => Some(text.clone()),
                _ => None,
            };
            let order = PartOrder::new(placeholder, kind);
            let plain = template.plain_field().is_some();
            let next = Some(NextPart { attribute, template, part, end, order, plain });
            return SortPlan { equal, next, bounded };
        }
        SortPlan { equal, next: None, bounded: Bounded::No }
    }

    /// For keys that begin with what the last of these templates makes; numbers and bytes equal it.
    pub(super) fn beginning(mut sort: Vec<(KeyAttribute, Template)>) -> Self {
        let last = sort.pop_if(|(attribute, _)| attribute.kind == KeyKind::Text);
        let next = last.map(|(attribute, template)| {
            let part = template.parts.len();
            NextPart { attribute, template, part, end: None, order: PartOrder::Text, plain: false }
        });
        let equal = sort.into_iter().map(|(attribute, template)| (attribute.name, template)).collect();
        SortPlan { equal, next, bounded: Bounded::No }
    }

    /// For several entities with sort keys of their own: from the lowest beginning to the highest.
    pub(super) fn heads<'t>(
        attribute: &KeyAttribute,
        templates: impl Iterator<Item = &'t Template> + Clone,
    ) -> Self {
        let shared = common_head(templates.clone());
        let lowest = templates.clone().map(Template::constant_head).min().unwrap_or_default().to_owned();
        let end = |template: &Template| match template.fields().next() {
            None => template.constant_head().to_owned(),
            Some(_) => format!("{}{LAST}", template.constant_head()),
        };
        let highest = templates.map(end).max().unwrap_or_default();
        let template = Template { source: shared.clone(), parts: Vec::new() };
        let next = NextPart {
            attribute: attribute.clone(),
            template,
            part: 0,
            end: None,
            order: PartOrder::Text,
            plain: false,
        };
        SortPlan { equal: Vec::new(), next: Some(next), bounded: Bounded::Heads { shared, lowest, highest } }
    }

    /// The part that orders the items, if it is this field.
    pub(super) fn ordered_by(&self, field: &str) -> Option<&NextPart> {
        self.next.as_ref().filter(|next| {
            matches!(next.template.parts.get(next.part), Some(Part::Field { path, .. }) if path == field)
        })
    }

    /// The bounds that these values make.
    pub(super) fn bind(&self, bound: &Bound<'_>, separator: char) -> Result<SortBounds<'_>, RunError> {
        let mut equal = Vec::with_capacity(self.equal.len());
        for (attribute, template) in &self.equal {
            equal.push((attribute.as_str(), whole(template, separator, bound)?));
        }
        let Some(next) = &self.next else {
            return Ok(SortBounds { equal, last: None, part_at: 0, exact: None });
        };
        let (interval, part_at, exact) = if next.plain {
            (self.plain_interval(bound), 0, None)
        } else {
            self.text_interval(next, bound, separator)?
        };
        let exact = exact.map(Box::new);
        Ok(SortBounds { equal, last: Some((next.attribute.name.as_str(), interval)), part_at, exact })
    }

    fn plain_interval(&self, bound: &Bound<'_>) -> Interval {
        match &self.bounded {
            Bounded::Range => {
                Interval::Typed { from: bound.get("from").cloned(), to: bound.get("to").cloned() }
            }
            Bounded::Prefix(parameter) => match bound.get(parameter) {
                Some(AttributeValue::S(text)) => Interval::of_prefix(text.clone()),
                _ => Interval::Typed { from: None, to: None },
            },
            Bounded::No | Bounded::Heads { .. } => Interval::Typed { from: None, to: None },
        }
    }

    fn text_interval(
        &self,
        next: &NextPart,
        bound: &Bound<'_>,
        separator: char,
    ) -> Result<(Interval, usize, Option<Exact>), RunError> {
        if let Bounded::Heads { shared, lowest, highest } = &self.bounded {
            // One beginning for all is tested as such, and one that is empty bounds nothing.
            let interval = if lowest == shared && (lowest.is_empty() || highest.starts_with(shared.as_str()))
            {
                Interval::of_prefix(shared.clone())
            } else {
                Interval::Text {
                    prefix: shared.clone(),
                    from: Some(lowest.clone()),
                    to: Some(highest.clone()),
                }
            };
            return Ok((interval, 0, None));
        }
        let prefix = next.template.render_until(separator, bound, next.part).map_err(refused)?;
        let prefix = prefix.ok_or_else(|| lacking(&next.template, bound))?;
        let part_at = prefix.len();
        match &self.bounded {
            Bounded::Prefix(parameter) => {
                let Some(AttributeValue::S(text)) = bound.get(parameter) else {
                    return Ok((Interval::of_prefix(prefix), part_at, None));
                };
                let begun = next.template.render_beginning(separator, bound, next.part, text);
                Ok((Interval::of_prefix(begun.map_err(refused)?.unwrap_or(prefix)), part_at, None))
            }
            Bounded::Range => {
                let end = |parameter| next.range_end(bound, separator, &prefix, parameter);
                let (mut from, mut to) = (end("from")?, end("to")?);
                if next.descends() {
                    std::mem::swap(&mut from, &mut to);
                }
                let by_value = next.by_value(bound.get("from"), bound.get("to"));
                if !next.order.keeps(bound.get("from"), bound.get("to")) {
                    return Ok((Interval::of_prefix(prefix), part_at, by_value));
                }
                let (interval, by_text) = next.range(prefix, from, to);
                Ok((interval, part_at, by_value.or(by_text)))
            }
            Bounded::No | Bounded::Heads { .. } => Ok((Interval::of_prefix(prefix), part_at, None)),
        }
    }
}

/// The first part that `known` doesn't know.
fn first_unknown(template: &Template, known: impl FnMut(&Part) -> bool) -> Option<usize> {
    let mut known = known;
    template.parts.iter().position(|part| !known(part))
}

/// A value in the place of a field.
struct InPlace<'a>(&'a AttributeValue);

impl Values for InPlace<'_> {
    fn value(&self, _: &str) -> Option<ValueRef<'_>> {
        self.0.as_scalar()
    }
}

impl NextPart {
    /// The text of the key up to and with an end of the range.
    fn range_end(
        &self,
        bound: &Bound<'_>,
        separator: char,
        prefix: &str,
        parameter: &str,
    ) -> Result<Option<String>, RunError> {
        let Some(value) = bound.get(parameter) else { return Ok(None) };
        let name = |mut error: singlet_design::RenderError| {
            error.field = parameter.to_owned();
            refused(error)
        };
        let text = self.template.render_field(separator, &InPlace(value), self.part).map_err(name)?;
        Ok(text.map(|text| format!("{prefix}{text}")))
    }

    /// Both ends are included, with everything that continues them. Texts of different lengths don't sort like the
    /// keys that continue them (`a b#1` stands before `a#1`), so the interval is wide enough for all, and the exact
    /// test takes out what is too much.
    fn range(&self, prefix: String, from: Option<String>, to: Option<String>) -> (Interval, Option<Exact>) {
        let Some(end) = &self.end else {
            let continued = self.template.parts.len() > self.part + 1;
            let upper = to.map(|to| if continued { format!("{to}{LAST}") } else { to });
            return (Interval::Text { prefix, from, to: upper }, None);
        };
        let after_prefix = |text: &String| text.get(prefix.len()..).unwrap_or_default().to_owned();
        let exact = (!self.fixed_width() && (from.is_some() || to.is_some())).then(|| Exact::Text {
            attribute: self.attribute.name.clone(),
            prefix_bytes: prefix.len(),
            end: end.clone(),
            from: from.as_ref().map(after_prefix),
            to: to.as_ref().map(after_prefix),
        });
        let upper = to.as_ref().map(|to| {
            let value = to.get(prefix.len()..).unwrap_or_default();
            format!("{prefix}{}{LAST}", self.highest(value, end))
        });
        (Interval::Text { prefix, from, to: upper }, exact)
    }

    /// The highest text, with its end, of all values up to this one. A value can sort after a longer one that it
    /// begins, because of its end.
    fn highest(&self, value: &str, end: &str) -> String {
        let whole = format!("{value}{end}");
        let Some(first) = end.chars().next().filter(|_| !self.fixed_width()) else { return whole };
        let mut highest = whole;
        for (at, character) in value.char_indices().skip(1).filter(|(_, character)| *character <= first) {
            highest = highest.max(format!("{}{end}", value.get(..at).unwrap_or_default()));
            if character < first {
                break;
            }
        }
        highest
    }

    /// The exact test of a part whose text doesn't decide by itself.
    fn by_value(&self, from: Option<&AttributeValue>, to: Option<&AttributeValue>) -> Option<Exact> {
        let field = self.template.parts.get(self.part).and_then(Part::path)?.to_owned();
        match self.order {
            PartOrder::Text => None,
            PartOrder::Period | PartOrder::Number { .. } => {
                Some(Exact::Value { field, from: from.cloned(), to: to.cloned() })
            }
        }
    }

    fn format(&self) -> Option<Format> {
        match self.template.parts.get(self.part) {
            Some(Part::Field { format, .. }) => Some(*format),
            _ => None,
        }
    }

    /// Whether its text sorts the other way round than the values.
    fn descends(&self) -> bool {
        self.format().is_some_and(Format::is_descending)
    }

    fn fixed_width(&self) -> bool {
        let Some(format) = self.format() else { return false };
        !matches!(format, Format::Plain | Format::Fold | Format::Lower | Format::Upper | Format::First(_))
    }

    /// A rank without the literal that ends it, which another key may not have.
    pub(super) fn bare<'r>(&self, rank: &'r [u8]) -> &'r [u8] {
        let end = self.end.as_ref().filter(|_| !self.plain);
        end.and_then(|end| rank.strip_suffix(end.as_bytes())).unwrap_or(rank)
    }

    /// The rank of this key for one without its end.
    pub(super) fn ended(&self, bare: &[u8]) -> Vec<u8> {
        let end = self.end.as_ref().filter(|_| !self.plain);
        [bare, end.map(String::as_bytes).unwrap_or_default()].concat()
    }

    /// The rank of an item among those of other lanes: the key's bytes of a plain field, otherwise the text of the
    /// part with the literal that ends it, which sorts just as the whole key does.
    pub(super) fn rank(&self, item: ItemRef<'_>, prefix_bytes: usize) -> Vec<u8> {
        let mut rank = Vec::new();
        match item.get(&self.attribute.name) {
            Some(ValueRef::S(text)) if !self.plain => {
                let text = text.get(prefix_bytes..).unwrap_or_default();
                let end = self.end.as_ref().and_then(|end| text.find(end.as_str()).map(|at| at + end.len()));
                rank.extend_from_slice(text.get(..end.unwrap_or(text.len())).unwrap_or_default().as_bytes());
            }
            Some(value) => {
                // A value that can't be a key has no rank, and can't be in a key attribute.
                let _ = singlet_values::write_key_part(&mut rank, value);
            }
            None => {}
        }
        rank
    }
}

/// The sort attributes whose values are known, in order.
pub(super) type EqualTerms<'p> = Vec<(&'p str, AttributeValue)>;

/// The sort keys that one call reads.
#[derive(Debug, Clone)]
pub(super) struct SortBounds<'p> {
    equal: EqualTerms<'p>,
    last: Option<(&'p str, Interval)>,
    /// Where in the last attribute's text the first unknown part begins.
    part_at: usize,
    /// Takes out what the key test lets through.
    pub(super) exact: Option<Box<Exact>>,
}

#[derive(Debug, Clone)]
enum Interval {
    /// Texts that begin with `prefix`, from `from` to `to`, which begin with it too.
    Text { prefix: String, from: Option<String>, to: Option<String> },
    /// Values of the attribute's own type.
    Typed { from: Option<AttributeValue>, to: Option<AttributeValue> },
}

impl Interval {
    fn of_prefix(prefix: String) -> Self {
        Interval::Text { prefix, from: None, to: None }
    }
}

impl<'p> SortBounds<'p> {
    /// The values of the first sort attributes, and the condition on the next one, if there is one. `None` if no key
    /// can meet them.
    pub(super) fn into_terms(self) -> Option<(EqualTerms<'p>, Option<KeyTerm>)> {
        let Some((attribute, interval)) = self.last else { return Some((self.equal, None)) };
        let term = |test| KeyTerm { attribute: attribute.to_owned(), test };
        Some((self.equal, interval.into_test()?.map(term)))
    }

    /// Where in the last attribute's text the first unknown part begins.
    pub(super) fn part_at(&self) -> usize {
        self.part_at
    }

    /// Begins at a rank that [`NextPart::rank`] gave, itself included; `None` if it isn't a rank of these keys.
    pub(super) fn begin_at(&mut self, next: &NextPart, rank: &[u8], forward: bool) -> Option<()> {
        let interval = &mut self.last.as_mut()?.1;
        match interval {
            Interval::Text { prefix, .. } if !next.plain => {
                let known = prefix.get(..self.part_at)?;
                let rank = format!("{known}{}", std::str::from_utf8(rank).ok()?);
                // With an end, all keys of one rank continue it; without one, the rank is the rest of the key, and what
                // continues it comes before it in descending order.
                let continues = next.end.as_ref().is_some_and(|end| rank.ends_with(end.as_str()));
                let edge = if !forward && continues { format!("{rank}{LAST}") } else { rank };
                interval.begin_at(edge.into(), forward);
            }
            _ => interval.begin_at(KeyReader::new(rank).read(kind(next.attribute.kind)).ok()?, forward),
        }
        Some(())
    }
}

impl Interval {
    /// Moves the end at which reading begins, unless it is further in already.
    fn begin_at(&mut self, edge: AttributeValue, forward: bool) {
        match self {
            Interval::Typed { from, to } => {
                let end = if forward { from } else { to };
                let further_in = |have: &AttributeValue| {
                    let order = have.as_scalar().zip(edge.as_scalar());
                    let order = order.and_then(|(have, edge)| have.partial_cmp(&edge));
                    order.is_some_and(|order| if forward { order.is_gt() } else { order.is_lt() })
                };
                if !end.as_ref().is_some_and(further_in) {
                    *end = Some(edge);
                }
            }
            Interval::Text { from, to, .. } => {
                let AttributeValue::S(edge) = edge else { return };
                if forward {
                    *from = Some(from.take().map_or(edge.clone(), |from| from.max(edge)));
                } else {
                    *to = Some(to.take().map_or(edge.clone(), |to| to.min(edge)));
                }
            }
        }
    }

    /// `None` if nothing lies between the ends; `Some(None)` if there is nothing to test.
    fn into_test(self) -> Option<Option<KeyTest>> {
        match self {
            Interval::Text { prefix, from: None, to: None } => {
                Some((!prefix.is_empty()).then_some(KeyTest::BeginsWith(prefix.into())))
            }
            Interval::Text { prefix, from, to } => {
                let whole = !prefix.is_empty();
                let high = to.or_else(|| whole.then(|| format!("{prefix}{LAST}")));
                let low = from.or_else(|| whole.then_some(prefix));
                between(low.map(AttributeValue::S), high.map(AttributeValue::S))
            }
            Interval::Typed { from, to } => between(from, to),
        }
    }
}

/// A test that both ends pass; stores refuse one whose ends are the wrong way round.
fn between(low: Option<AttributeValue>, high: Option<AttributeValue>) -> Option<Option<KeyTest>> {
    Some(match (low, high) {
        (None, None) => None,
        (Some(low), None) => Some(KeyTest::GreaterOrEqual(low)),
        (None, Some(high)) => Some(KeyTest::LessOrEqual(high)),
        (Some(low), Some(high)) => {
            let order = low.as_scalar()?.partial_cmp(&high.as_scalar()?)?;
            if order.is_gt() {
                return None;
            }
            Some(KeyTest::Between(low, high))
        }
    })
}

/// The exact test of a range, where the key test lets too much through.
#[derive(Debug, Clone)]
pub(super) enum Exact {
    /// By the text of a part that is followed by others.
    Text { attribute: String, prefix_bytes: usize, end: String, from: Option<String>, to: Option<String> },
    /// By the value of a field.
    Value { field: String, from: Option<AttributeValue>, to: Option<AttributeValue> },
}

impl Exact {
    /// Whether the item lies between the ends.
    pub(super) fn passes(&self, item: ItemRef<'_>) -> bool {
        match self {
            Exact::Text { attribute, prefix_bytes, end, from, to } => {
                let Some(ValueRef::S(text)) = item.get(attribute) else { return true };
                let rest = text.get(*prefix_bytes..).unwrap_or_default();
                let value = rest.split_once(end.as_str()).map_or(rest, |(value, _)| value);
                from.as_deref().is_none_or(|from| from <= value) && to.as_deref().is_none_or(|to| value <= to)
            }
            Exact::Value { field, from, to } => {
                let Some(value) = item.value(field) else { return true };
                let order = |end: &AttributeValue| value.partial_cmp(&end.as_scalar()?);
                from.as_ref().is_none_or(|from| order(from).is_some_and(|order| order.is_ge()))
                    && to.as_ref().is_none_or(|to| order(to).is_some_and(|order| order.is_le()))
            }
        }
    }
}

/// The kind of value that a key attribute holds.
pub(in super::super) fn kind(kind: KeyKind) -> singlet_values::Kind {
    match kind {
        KeyKind::Text => singlet_values::Kind::S,
        KeyKind::Number => singlet_values::Kind::N,
        KeyKind::Binary => singlet_values::Kind::B,
    }
}
