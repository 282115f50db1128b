//! Queries: the items under one key in order, over shards as if they were one, page by page.

mod buckets;
mod count;
mod cursor;
mod elements;
mod feed;
mod filter;
mod gather;
mod lane;
mod merge;
mod reader;
mod sort;
mod tell;

use std::iter::repeat_n;
use std::sync::Arc;

use singlet_design::{
    self as design, AskedKey, Buckets, Entity, Index, KeyAttribute, Order, OrderWord, PAGE_ITEMS_DEFAULT,
    Pattern, SortRange, Table, Template,
};
use singlet_expr::{Condition, KeyCondition, KeyTerm, KeyTest, Projection};
use singlet_store::{self as store, Store};
use singlet_values::AttributeValue;

use super::project::projection;
use super::resolve::ResolvePlan;
use crate::arguments::Bound;
use crate::call::{Call, PlanContext, Site};
use crate::cursor::Payload;
use crate::error::RunError;
use crate::expiry::Expiry;
use crate::keys::{lacking, refused};
use crate::outcome::{Outcome, Record, Shown};
use cursor::ResumePoint;
use lane::{Lane, Row};
use sort::{SortBounds, SortPlan};
use tell::key_parts;

pub(super) use count::CountPlan;
pub(crate) use elements::{Element, WalkPlace, WalkPlan};
pub(super) use feed::FeedPlan;
pub(super) use filter::FilterPlan;
pub(super) use gather::GatherPlan;
pub(super) use merge::MergePlan;
pub(super) use reader::{Reader, drive};
pub(super) use sort::kind as key_kind;
pub(super) use tell::Teller;

/// Most items on a page.
pub(super) const LIMIT_MAX: u32 = singlet_design::PAGE_ITEMS_MAX;

/// A query with everything that doesn't depend on the call.
#[derive(Debug, Clone)]
pub(crate) struct QueryPlan {
    table: String,
    index: Option<Arc<Index>>,
    separator: char,
    partition: Vec<(String, Template)>,
    sort: SortPlan,
    /// The attributes that order the items.
    sort_attributes: Vec<KeyAttribute>,
    /// The attributes of a position besides the partition key: the rest of the index's and of the table's key.
    position: Arc<[KeyAttribute]>,
    shards: Option<u32>,
    buckets: Option<Buckets>,
    forward: bool,
    /// The orders between which callers choose.
    orders: Vec<(OrderWord, Order)>,
    consistent: bool,
    filter: FilterPlan,
    projection: Option<Projection>,
    teller: Teller,
    expiry: Expiry,
    /// How all items are shown, if every item under the keys belongs into the answer just as it is.
    all_shown: Option<Arc<Shown>>,
    limit: u32,
    resolve: Vec<ResolvePlan>,
}

/// The ends of a page, in the direction in which it was read.
struct Ends {
    /// After its last row, if there is more.
    onward: Option<Payload>,
    /// Before its first row, unless the list begins there.
    before: Option<Payload>,
    /// Whether it was read backwards.
    back: bool,
}

/// The source of a plan: a query, or a get through an index.
struct Wanted<'a> {
    entities: &'a [Arc<Entity>],
    table: &'a Table,
    index: Option<&'a Arc<Index>>,
    asked: Option<&'a AskedKey>,
    matched: &'a [String],
    range: Option<&'a SortRange>,
    show: Option<&'a [String]>,
    resolve: &'a [design::Resolve],
    show_expired: bool,
    mixed: bool,
}

impl QueryPlan {
    /// Of a query; `needed` are fields that somebody else reads from its items.
    pub(super) fn of_query(context: &PlanContext<'_>, query: &design::Query, needed: &[&str]) -> Self {
        let wanted = Wanted {
            entities: &query.entities,
            table: &query.table,
            index: query.on.as_ref(),
            asked: query.key.as_ref(),
            matched: &query.matched,
            range: query.range.as_ref(),
            show: query.show.as_deref(),
            resolve: &query.resolve,
            show_expired: query.show_expired,
            mixed: query.mixed,
        };
        QueryPlan {
            shards: query.shards.map(|shards| shards.count),
            buckets: query.buckets.clone(),
            forward: query.order == Order::Ascending,
            orders: query.orders.iter().map(|word| (*word, query.order_of(*word))).collect(),
            consistent: query.consistent,
            limit: query.limit.unwrap_or(PAGE_ITEMS_DEFAULT),
            ..QueryPlan::new(context, &wanted, query.filter.as_ref(), needed)
        }
    }

    /// Of a get through an index: the first item under its key.
    pub(super) fn of_get(
        context: &PlanContext<'_>,
        get: &design::Get,
        index: &Arc<Index>,
        pattern: &Pattern,
    ) -> Self {
        let (mut partition, sort) = key_parts(&get.entity, Some(index));
        if let Some(asked) = &get.key {
            ask(&mut partition, &asked.partition);
        }
        let is_parameter = |field: &&str| pattern.parameter(field).is_some();
        let sort_fields = sort.iter().flat_map(|(_, template)| template.fields());
        let matched: Vec<String> = sort_fields.take_while(is_parameter).map(str::to_owned).collect();
        let wanted = Wanted {
            entities: std::slice::from_ref(&get.entity),
            table: &get.entity.table,
            index: Some(index),
            asked: get.key.as_ref(),
            matched: &matched,
            range: None,
            show: get.show.as_deref(),
            resolve: &get.resolve,
            show_expired: get.show_expired,
            mixed: get.mixed,
        };
        let spread = partition.iter().find_map(|(_, template)| template.shard_count());
        let known = |(_, template): &(KeyAttribute, Template)| {
            template.fields().all(|field| pattern.parameter(field).is_some())
        };
        QueryPlan {
            // With the field that chooses the shard, there is no need to look into all of them.
            shards: spread.filter(|_| !partition.iter().all(known)),
            consistent: get.consistent,
            limit: 1,
            ..QueryPlan::new(context, &wanted, None, &[])
        }
    }

    fn new(
        context: &PlanContext<'_>,
        wanted: &Wanted<'_>,
        filter: Option<&singlet_design::Condition>,
        needed: &[&str],
    ) -> Self {
        let Wanted { entities, table, .. } = *wanted;
        let index = wanted.index.map(Arc::as_ref);
        let keys: Vec<_> = entities.iter().map(|entity| key_parts(entity, index)).collect();
        let (mut partition, mut sort) = keys.first().cloned().unwrap_or_default();
        let sort_attributes: Vec<KeyAttribute> =
            sort.iter().map(|(attribute, _)| attribute.clone()).collect();
        let teller = Teller::new(context.design, entities, (table, wanted.index), wanted.show, wanted.mixed);
        let expiry = Expiry::new(table.ttl.clone().filter(|_| !wanted.show_expired));
        let references = wanted.resolve.iter().flat_map(design::Resolve::fields);
        // A range over truncated times compares the whole ones.
        let bounded = match wanted.range {
            Some(SortRange::Between { field }) => field.split('.').next(),
            Some(SortRange::Prefix { .. }) | None => None,
        };
        let needed = needed.iter().copied().chain(references).chain(bounded);
        let needed = needed.chain(teller.attribute()).chain(expiry.attribute());
        if let Some(asked) = wanted.asked {
            ask(&mut partition, &asked.partition);
            sort.truncate(asked.sort.len());
            ask(&mut sort, &asked.sort);
        }
        let sort_plan = match (entities, wanted.matched, wanted.range, sort_attributes.first()) {
            _ if wanted.asked.is_some() => SortPlan::beginning(sort),
            ([_, _, ..], [], None, Some(first)) => several(first, &keys),
            _ => {
                let entity = entities.first().map(Arc::as_ref);
                SortPlan::new(sort, wanted.matched, wanted.range, entity, table.separator)
            }
        };
        let carries_all = index.is_none_or(|index| index.projection == design::Projection::All);
        let all_shown = teller.only().filter(|_| carries_all && expiry.attribute().is_none()).cloned();
        QueryPlan {
            all_shown,
            table: context.table_name(table),
            index: wanted.index.cloned(),
            separator: table.separator,
            position: position(table, index, &partition, &sort_attributes).into(),
            partition: partition
                .into_iter()
                .map(|(attribute, template)| (attribute.name, template))
                .collect(),
            sort: sort_plan,
            sort_attributes,
            shards: None,
            buckets: None,
            forward: true,
            orders: Vec::new(),
            consistent: false,
            filter: FilterPlan::new(filter, &teller, entities, table, index),
            projection: wanted.show.map(|show| projection(table, index, show, needed)),
            teller,
            expiry,
            limit: PAGE_ITEMS_DEFAULT,
            resolve: wanted.resolve.iter().map(|resolve| ResolvePlan::new(context, resolve)).collect(),
        }
    }

    /// Items on a page unless the caller says otherwise.
    pub(super) fn usual_limit(&self) -> u32 {
        self.limit
    }

    /// Runs the query and answers with a page.
    pub(super) async fn run<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
        let limit = page_limit(call, self.limit)?;
        let begin = self.resume(site, call)?;
        let (rows, ends) = self.read(site, call, begin, limit).await?;
        self.page(site, call, rows, ends).await
    }

    /// Reads a page that begins at a place.
    async fn read<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        begin: ResumePoint,
        limit: u32,
    ) -> Result<(Vec<Row>, Ends), RunError> {
        if let Some(buckets) = self.walked(call) {
            // Boxed, so that the future of other queries stays small.
            return Box::pin(self.read_buckets(site, call, (buckets, begin), limit)).await;
        }
        let mut reader = self.reader_at(&call.bound, begin, (limit, call.now_ms))?;
        drive(&site.store, &mut [&mut reader]).await?;
        let ends = self.ends(call, &reader)?;
        Ok((reader.take_rows(), ends))
    }

    /// A reader at the place that the call's cursor says.
    pub(super) fn reader<'p, S: Store>(
        &'p self,
        site: &Site<S>,
        call: &Call<'_>,
        limit: u32,
    ) -> Result<Reader<'p>, RunError> {
        let resume = self.resume(site, call)?;
        self.reader_at(&call.bound, resume, (limit, call.now_ms))
    }

    /// A reader of one key at a place, or at its beginning.
    fn reader_at(
        &self,
        bound: &Bound<'_>,
        point: ResumePoint,
        (limit, now_ms): (u32, u64),
    ) -> Result<Reader<'_>, RunError> {
        let count = self.lane_count();
        let mut lanes = Vec::with_capacity(count as usize);
        let bounds = self.sort.bind(bound, self.separator)?;
        let filter = self.filter.bind(bound, now_ms)?;
        let mut positions = point.positions.into_iter();
        let forward = self.is_forward(bound) != point.back;
        // The last shard, mostly the only one, takes the bounds and the filter themselves.
        let copies = repeat_n((bounds, filter), count as usize);
        for (shard, (mut bounds, filter)) in (0..count).zip(copies) {
            let exact = bounds.exact.take();
            let request = self.request(bound, bounds, filter, (shard, forward))?;
            lanes.push(Lane::new(request, exact, positions.next().unwrap_or_default()));
        }
        Ok(Reader::over_shards(self, lanes, (forward, point.back), (limit, now_ms)))
    }

    /// Whether the key is read in ascending order, which callers may choose.
    fn is_forward(&self, bound: &Bound<'_>) -> bool {
        let wanted = |(order, _): &&(OrderWord, Order)| match bound.get(OrderWord::PARAMETER) {
            Some(AttributeValue::S(word)) => order.word() == word,
            _ => false,
        };
        let chosen = self.orders.iter().find(wanted);
        chosen.map_or(self.forward, |(_, order)| *order == Order::Ascending)
    }

    /// The requests that are made at once.
    fn lane_count(&self) -> u32 {
        self.shards.unwrap_or(1)
    }

    /// The page that a reader has read.
    pub(super) async fn answer<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        mut reader: Reader<'_>,
    ) -> Result<Outcome, RunError> {
        let ends = self.ends(call, &reader)?;
        self.page(site, call, reader.take_rows(), ends).await
    }

    /// The ends of what a reader has read.
    fn ends(&self, call: &Call<'_>, reader: &Reader<'_>) -> Result<Ends, RunError> {
        let onward = if reader.has_more() { Some(self.payload(None, reader)?) } else { None };
        let before = match call.paging.cursor {
            Some(_) => Some(self.payload_before(None, reader)?),
            None => None,
        };
        Ok(Ends { onward, before, back: reader.back })
    }

    /// A page in the order of the list, with the cursors at its ends.
    async fn page<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        mut rows: Vec<Row>,
        ends: Ends,
    ) -> Result<Outcome, RunError> {
        let Ends { onward, before, back } = ends;
        let (next, previous) = if back { (before, onward) } else { (onward, before) };
        if back {
            rows.reverse();
        }
        let records = self.records(site, rows, call.now_ms).await?;
        let cursor = |payload| site.cursor(call, payload);
        Ok(Outcome::Items { records, cursor: next.map(cursor), previous: previous.map(cursor) })
    }

    /// Records with their references resolved.
    pub(super) async fn records<S: Store>(
        &self,
        site: &Site<S>,
        rows: Vec<Row>,
        now_ms: u64,
    ) -> Result<Vec<Record>, RunError> {
        let record = |row: Row| Record::shown(row.shown, row.item);
        let mut records: Vec<Record> = rows.into_iter().map(record).collect();
        if !self.resolve.is_empty() {
            super::resolve::resolve(site, &self.resolve, &mut records, now_ms).await?;
        }
        Ok(records)
    }

    /// The request for a shard's first page; `None` if no key can pass.
    fn request(
        &self,
        bound: &Bound<'_>,
        bounds: SortBounds<'_>,
        filter: Option<Condition>,
        (shard, forward): (u32, bool),
    ) -> Result<Option<Box<store::Query>>, RunError> {
        let Some((equal, last)) = bounds.into_terms() else { return Ok(None) };
        let mut key: Vec<KeyTerm> = Vec::with_capacity(self.partition.len() + equal.len() + 1);
        let term = |name: &str, value| KeyTerm { attribute: name.to_owned(), test: KeyTest::Equal(value) };
        for (name, template) in &self.partition {
            let value = match self.shards {
                Some(_) => template.render_shard(self.separator, bound, shard),
                None => template.render(self.separator, bound),
            };
            let value = value.map_err(refused)?.ok_or_else(|| lacking(template, bound))?;
            key.push(term(name, value));
        }
        key.extend(equal.into_iter().map(|(name, value)| term(name, value)));
        key.extend(last);
        Ok(Some(Box::new(store::Query {
            table: self.table.clone(),
            index: self.index.as_ref().map(|index| index.name.clone()),
            key: KeyCondition::from_terms(key),
            filter,
            projection: self.projection.clone(),
            limit: None,
            forward,
            consistent: self.consistent,
            start_key: None,
        })))
    }
}

/// Several entities, each with its own sort key: what lies between the lowest and the highest of their beginnings.
fn several(first: &KeyAttribute, keys: &[(tell::KeyPart, tell::KeyPart)]) -> SortPlan {
    SortPlan::heads(first, keys.iter().filter_map(|(_, sort)| sort.first()).map(|(_, template)| template))
}

/// Puts the templates that a pattern asks for in the place of the entity's own.
fn ask(key: &mut tell::KeyPart, asked: &[Template]) {
    for ((_, template), asked) in key.iter_mut().zip(asked) {
        template.clone_from(asked);
    }
}

/// The attributes of a position besides the partition key.
fn position(
    table: &Table,
    index: Option<&Index>,
    partition: &[(KeyAttribute, Template)],
    sort: &[KeyAttribute],
) -> Vec<KeyAttribute> {
    let mut attributes: Vec<KeyAttribute> = Vec::new();
    let of_table = table.key().filter(|_| index.is_some());
    for attribute in sort.iter().chain(of_table) {
        let known = partition.iter().any(|(known, _)| known.name == attribute.name)
            || attributes.iter().any(|known| known.name == attribute.name);
        if !known {
            attributes.push(attribute.clone());
        }
    }
    attributes
}

/// Items on the page.
pub(crate) fn page_limit(call: &Call<'_>, usual: u32) -> Result<u32, RunError> {
    match call.paging.limit {
        None => Ok(usual.clamp(1, LIMIT_MAX)),
        Some(limit @ 1..=LIMIT_MAX) => Ok(limit),
        Some(limit) => Err(RunError::Parameter {
            parameter: "limit".to_owned(),
            reason: format!("must be an integer between 1 and {LIMIT_MAX}, not `{limit}`"),
        }),
    }
}
