//! Feeds: stored entries, merged with the items of sources that have too many matches.
//!
//! The marks of a feed name these sources. Their items are read where they are, and made into entries in memory, while
//! stored entries of the same sources are left out. So an entry is there once, whichever way it comes.
//!
//! The order is total: the value that orders the items, then the key of the item. It doesn't depend on where an entry comes
//! from, so a cursor stays right when a source crosses the bound between two pages.
//!
//! Payload: `f`, `1` if it leads backwards and else `0`, the length of the rank (4 bytes) and the rank, then `0`, or `1` with the
//! encoded key of an item that was given. Without one, everything of the rank is still to come.

use std::sync::Arc;

use singlet_design::{
    Argument, Binding, Condition, DerivationKind, Fan, Order, Parameter, ParameterType, Pattern, Query,
};
use singlet_store::Store;
use singlet_values::{AttributeValue, EncodedItem, Item};

use super::lane::{Lane, Position, Row};
use super::reader::{PartRank, Reader, drive};
use super::sort::NextPart;
use super::{Ends, PlanContext, QueryPlan, page_limit};
use crate::arguments::Bound;
use crate::call::{Call, Site};
use crate::cursor::{OUTDATED, Payload, PayloadReader};
use crate::derive::value_at;
use crate::error::RunError;
use crate::fan::{derivation_owner, entry_of, marks};
use crate::outcome::Outcome;

const FEED: u8 = b'f';
/// The most items that one call reads of each source, so that items of one rank can be put in order.
const ITEMS_MAX: u32 = 4_096;
/// How often a list is asked again that gave nothing.
const TURNS_MAX: usize = 10;

/// A feed with everything that doesn't depend on the call.
#[derive(Debug, Clone)]
pub(crate) struct FeedPlan {
    fan: Fan,
    /// The owner of the marks.
    owner: String,
    /// The name of the derivation.
    rule: String,
    /// The stored entries, without the filter.
    entries: QueryPlan,
    /// The same with the filter.
    filtered: QueryPlan,
    /// The items of a source.
    items: QueryPlan,
    /// A pattern whose parameters are the fields that an item's source is known by.
    source: Arc<Pattern>,
    bindings: Vec<Binding>,
}

/// A place in the order of a feed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct FeedPlace {
    rank: Vec<u8>,
    /// The encoded key of an item.
    item: Option<Vec<u8>>,
}

/// A cursor's content.
#[derive(Default)]
struct FeedResume {
    place: Option<FeedPlace>,
    back: bool,
}

/// The entries of a page so far, in order.
#[derive(Default)]
struct Gathered {
    rows: Vec<(FeedPlace, Row)>,
    /// Where a list goes on that has more: what lies behind it isn't known yet.
    horizon: Option<Vec<u8>>,
}

impl FeedPlan {
    /// Returns the plan of a query of entries. `None` for other queries.
    pub(in super::super) fn of(context: &PlanContext<'_>, pattern: &Pattern, query: &Query) -> Option<Self> {
        let (rule, fan) =
            context.design.derivations.iter().find_map(|derivation| match &derivation.kind {
                DerivationKind::Fan(fan) if fan.is_read_by(query) => {
                    Some((format!("derive.{}", derivation.name), fan.as_ref().clone()))
                }
                _ => None,
            })?;
        let parts = fan.item_key.iter().chain(&fan.author).chain(&fan.match_key);
        let filter = query.filter.iter().flat_map(|filter: &Condition| filter.tree.paths());
        let needed = parts.map(|(_, field)| field.as_str()).chain([fan.order.1.as_str()]).chain(filter);
        let needed: Vec<&str> = needed.filter_map(|path| path.split('.').next()).collect();
        let entries = QueryPlan::of_query(context, &Query { filter: None, ..query.clone() }, &needed);
        let filtered = QueryPlan::of_query(context, query, &[]);
        let index = |name: &String| fan.each.table.indexes.iter().find(|index| index.name == *name).cloned();
        let all = Query {
            entities: vec![fan.each.clone()],
            table: fan.each.table.clone(),
            on: fan.items.index.as_ref().and_then(index),
            key: None,
            by: None,
            filter: None,
            limit: None,
            show: None,
            resolve: Vec::new(),
            mixed: true,
            order: Order::Ascending,
            orders: Vec::new(),
            ..query.clone()
        };
        let items = QueryPlan::of_query(context, &all, &[]);
        let parameter = |(own, _): &(String, String)| {
            let kind = ParameterType::Field(fan.each.field_at(own)?.clone());
            Some(Parameter { name: own.clone(), kind, required: true, about: None })
        };
        let parameters = fan.matches.link.iter().map(parameter).collect::<Option<_>>()?;
        let binding = |(own, theirs): &(String, String)| Binding {
            parameter: own.clone(),
            argument: Argument::Result(String::new(), theirs.clone()),
        };
        let bindings = fan.matches.link.iter().map(binding).collect();
        let source = Arc::new(Pattern { parameters, ..pattern.clone() });
        let owner = derivation_owner(context.design, context.environment);
        Some(FeedPlan { fan, owner, rule, entries, filtered, items, source, bindings })
    }

    /// Runs the query and answers with a page.
    pub(in super::super) async fn run<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
    ) -> Result<Outcome, RunError> {
        let limit = page_limit(call, self.entries.limit)?;
        let resume = self.resume(site, call)?;
        let sources = self.sources(site, call).await?;
        let mut room = limit.saturating_add(1);
        let gathered = loop {
            let gathered = self.gather(site, call, (&resume, &sources), room).await?;
            let is_enough = gathered.rows.len() > limit as usize || gathered.horizon.is_none();
            if is_enough || room >= ITEMS_MAX {
                break gathered;
            }
            room = room.saturating_mul(4).min(ITEMS_MAX);
        };
        let Gathered { mut rows, horizon } = gathered;
        let is_cut = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let onward = match (is_cut, horizon) {
            (true, _) => rows.last().map(|(place, _)| place.clone()),
            (false, Some(rank)) => Some(FeedPlace { rank, item: None }),
            (false, None) => None,
        };
        if onward.is_some() && onward == resume.place {
            return Err(RunError::Limit(format!(
                "more than {ITEMS_MAX} entries have one place in the order"
            )));
        }
        let first = rows.first().map(|(place, _)| place.clone()).or_else(|| resume.place.clone());
        let before = first.filter(|_| call.paging.cursor.is_some());
        let back = resume.back;
        let ends = Ends {
            onward: onward.map(|place| place.payload(back)),
            before: before.map(|place| place.payload(!back)),
            back,
        };
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        self.entries.page(site, call, rows, ends).await
    }

    /// Reads the matches whose sources are merged.
    async fn sources<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Vec<Item>, RunError> {
        let own = self.fan.entries.link.iter();
        let values: Option<Vec<AttributeValue>> =
            own.map(|(_, field)| call.bound.get(field).cloned()).collect();
        let values = values.ok_or(RunError::Fault("a feed is read without its key"))?;
        marks(&site.store, &self.owner, &self.rule, values).await
    }

    /// Reads so many items of each list, and puts the entries in order that are known to be complete.
    async fn gather<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        (resume, sources): (&FeedResume, &[Item]),
        room: u32,
    ) -> Result<Gathered, RunError> {
        let forward = self.entries.is_forward(&call.bound) != resume.back;
        let direction = (forward, resume.back);
        let rank = resume.place.as_ref().map(|place| place.rank.as_slice());
        let page = (room, call.now_ms);
        let mut readers =
            vec![self.lane(&self.entries, &self.fan.order.1, &call.bound, rank, direction, page)?];
        for found in sources {
            let value = |_: &str, path: &str| value_at(found, path).cloned();
            let bound = Bound::derive(&self.source, &call.bound, &self.bindings, call.now_ms, &value)?;
            readers.push(self.lane(&self.items, &self.fan.order.0, &bound, rank, direction, page)?);
        }
        for _ in 0..TURNS_MAX {
            drive(&site.store, &mut readers.iter_mut().collect::<Vec<_>>()).await?;
            let mut empty = readers.iter_mut().filter(|reader| reader.rows().is_empty() && reader.has_more());
            if empty.next().is_none() {
                break;
            }
            readers.iter_mut().for_each(Reader::refresh);
        }
        let filter = self.filtered.filter.bind(&call.bound, call.now_ms)?;
        let mut gathered = Gathered::default();
        for (at, mut reader) in readers.into_iter().enumerate() {
            let has_more = reader.has_more();
            let source = at.checked_sub(1).and_then(|at| sources.get(at));
            let plan = if source.is_some() { &self.items } else { &self.entries };
            let part = self.part(plan, source.is_some())?;
            let rows = reader.take_rows();
            let last = rows.last().map(|row| part.bare(&row.rank).to_vec());
            gathered.reach(last.filter(|_| has_more), forward);
            for row in rows {
                let rank = part.bare(&row.rank).to_vec();
                let Some((item, row)) = self.entry(row, source, sources, call.now_ms) else { continue };
                if filter.as_ref().is_none_or(|filter| filter.matches(row.item.view())) {
                    gathered.rows.push((FeedPlace { rank, item: Some(item) }, row));
                }
            }
        }
        gathered.finish(resume, forward);
        Ok(gathered)
    }

    /// A reader of one list from a place on.
    fn lane<'p>(
        &'p self,
        plan: &'p QueryPlan,
        by: &str,
        bound: &Bound<'_>,
        rank: Option<&[u8]>,
        direction: (bool, bool),
        page: (u32, u64),
    ) -> Result<Reader<'p>, RunError> {
        let part = plan.sort.ordered_by(by).ok_or(OUT_OF_ORDER)?;
        let mut bounds = plan.sort.bind(bound, plan.separator)?;
        let prefix_bytes = bounds.part_at();
        if let Some(rank) = rank {
            bounds.begin_at(part, &part.ended(rank), direction.0).ok_or(OUTDATED)?;
        }
        let exact = bounds.exact.take();
        let filter = plan.filter.bind(bound, page.1)?;
        let request = plan.request(bound, bounds, filter, (0, direction.0))?;
        let lane = Lane::new(request, exact, Position::Start);
        let ranks = vec![PartRank { prefix_bytes, given: None }];
        Ok(Reader::merging(plan, vec![lane], (part, ranks), direction, page))
    }

    fn part<'p>(&self, plan: &'p QueryPlan, is_source: bool) -> Result<&'p NextPart, RunError> {
        let by = if is_source { &self.fan.order.0 } else { &self.fan.order.1 };
        plan.sort.ordered_by(by).ok_or(OUT_OF_ORDER)
    }

    /// Returns an entry with the encoded key of its item. `None` if it doesn't belong into the feed.
    fn entry(
        &self,
        row: Row,
        source: Option<&Item>,
        sources: &[Item],
        now_ms: u64,
    ) -> Option<(Vec<u8>, Row)> {
        let fan = &self.fan;
        let item = row.item.decode().ok()?;
        let key = |own: bool, item: &Item| -> Option<Vec<u8>> {
            let paths = fan.item_key.iter().map(|(theirs, field)| if own { theirs } else { field });
            let values: Option<Vec<AttributeValue>> =
                paths.map(|path| value_at(item, path).cloned()).collect();
            let values = Item::from([("key", AttributeValue::L(values?))]);
            Some(EncodedItem::encode(&values).as_bytes().to_vec())
        };
        let Some(found) = source else {
            let is_of = |found: &Item| {
                let mut author = fan.author.iter().zip(&fan.matches.link);
                author.all(|((_, field), (_, theirs))| value_at(&item, field) == value_at(found, theirs))
            };
            return (!sources.iter().any(is_of)).then(|| Some((key(false, &item)?, row)))?;
        };
        let entry = EncodedItem::encode(&entry_of(fan, &item, found).ok()??);
        if self.entries.expiry.is_over(entry.view(), now_ms) {
            return None;
        }
        let shown = self.entries.teller.tell(entry.view())?.clone();
        Some((key(true, &item)?, Row { shown, item: entry, rank: row.rank }))
    }

    fn resume<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<FeedResume, RunError> {
        let Some(cursor) = &call.paging.cursor else { return Ok(FeedResume::default()) };
        let (_, payload) = site.seal.open(&call.bond(), cursor)?;
        let mut reader = PayloadReader::new(&payload);
        if reader.byte()? != FEED {
            return Err(OUTDATED);
        }
        let back = reader.byte()? != 0;
        let length = reader.number()? as usize;
        let rank = reader.raw(length)?.to_vec();
        let item = match reader.byte()? {
            0 => None,
            _ => Some(reader.rest().to_vec()),
        };
        Ok(FeedResume { place: Some(FeedPlace { rank, item }), back })
    }
}

/// The model makes sure that both lists have one order.
const OUT_OF_ORDER: RunError = RunError::Fault("a feed isn't in the order of its items");

impl FeedPlace {
    fn payload(self, back: bool) -> Payload {
        let mut payload = Payload::new();
        payload.byte(FEED);
        payload.byte(u8::from(back));
        payload.number(u32::try_from(self.rank.len()).unwrap_or(u32::MAX));
        payload.raw(&self.rank);
        payload.byte(u8::from(self.item.is_some()));
        payload.raw(&self.item.unwrap_or_default());
        payload
    }
}

impl Gathered {
    /// Takes in how far a list was read that has more.
    fn reach(&mut self, last: Option<Vec<u8>>, forward: bool) {
        let Some(last) = last else { return };
        let is_nearer = |horizon: &Vec<u8>| if forward { last < *horizon } else { last > *horizon };
        if self.horizon.as_ref().is_none_or(is_nearer) {
            self.horizon = Some(last);
        }
    }

    /// Puts the rows in order, without those up to the place, and without those of which others can be missing.
    fn finish(&mut self, resume: &FeedResume, forward: bool) {
        if let Some(place) = resume.place.as_ref().filter(|place| place.item.is_some()) {
            self.rows.retain(|(own, _)| if forward { own > place } else { own < place });
        }
        if let Some(horizon) = &self.horizon {
            self.rows.retain(|(own, _)| if forward { own.rank < *horizon } else { own.rank > *horizon });
        }
        self.rows.sort_by(|(one, _), (other, _)| if forward { one.cmp(other) } else { other.cmp(one) });
        self.rows.dedup_by(|(one, _), (other, _)| one == other);
    }
}
