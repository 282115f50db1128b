//! Scans: everything in a table or index, page by page, in no order.
//!
//! A cursor's payload is `s` and the values of the last key as key bytes.

use std::sync::Arc;

use singlet_design::{self as design, Index, KeyAttribute, PAGE_ITEMS_DEFAULT};
use singlet_expr::Projection;
use singlet_store::{self as store, Store, StoreError};
use singlet_values::{AttributeValue, EncodedItem, Item};

use super::project::{projection, restore};
use super::query::{FilterPlan, Teller, key_kind, page_limit};
use crate::call::{Call, PlanContext, Site};
use crate::cursor::{Cursor, OUTDATED, Payload, PayloadReader};
use crate::error::RunError;
use crate::expiry::Expiry;
use crate::outcome::{Outcome, Record};

const SCAN: u8 = b's';
/// Backend pages that one call reads: a filter that lets little through ends the call, not the list.
const PAGES_MAX: u32 = 10;
/// Most items that one backend page evaluates.
const CHUNK_MAX: u32 = 1000;

/// A scan with everything that doesn't depend on the call.
#[derive(Debug, Clone)]
pub(crate) struct ScanPlan {
    table: String,
    index: Option<Arc<Index>>,
    /// The attributes that tell a place: the index's key, then the table's.
    position: Vec<KeyAttribute>,
    filter: FilterPlan,
    projection: Option<Projection>,
    teller: Teller,
    expiry: Expiry,
    limit: u32,
}

impl ScanPlan {
    pub(super) fn new(context: &PlanContext<'_>, scan: &design::Scan) -> Self {
        let entities = std::slice::from_ref(&scan.entity);
        let table = &scan.entity.table;
        let teller =
            Teller::new(context.design, entities, (table, scan.on.as_ref()), scan.show.as_deref(), true);
        let index = scan.on.as_deref();
        let expiry = Expiry::new(table.ttl.clone().filter(|_| !scan.show_expired));
        let needed = teller.attribute().into_iter().chain(expiry.attribute());
        let mut position: Vec<KeyAttribute> = Vec::new();
        for attribute in index.into_iter().flat_map(|index| index.key()).chain(table.key()) {
            if !position.contains(attribute) {
                position.push(attribute.clone());
            }
        }
        ScanPlan {
            table: context.table_name(table),
            index: scan.on.clone(),
            position,
            filter: FilterPlan::new(scan.filter.as_ref(), &teller, entities, table, index),
            projection: scan.show.as_deref().map(|show| projection(table, index, show, needed)),
            teller,
            expiry,
            limit: scan.limit.unwrap_or(PAGE_ITEMS_DEFAULT),
        }
    }

    /// Runs the scan and answers with a page.
    pub(super) async fn run<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
        let limit = page_limit(call, self.limit)? as usize;
        let mut request = store::Scan {
            table: self.table.clone(),
            index: self.index.as_ref().map(|index| index.name.clone()),
            filter: self.filter.bind(&call.bound, call.now_ms)?,
            projection: self.projection.clone(),
            limit: Some(u32::try_from(limit).unwrap_or(CHUNK_MAX)),
            start_key: self.resume(site, call)?,
        };
        let mut records: Vec<Record> = Vec::new();
        let mut next_key = None;
        for _ in 0..PAGES_MAX {
            let page = site.store.scan(request).await?;
            next_key = page.next.as_ref().and_then(|next| next.start_key.clone());
            for item in page.items {
                if records.len() == limit {
                    // The page held more than the answer does: the next one begins after the last record.
                    next_key = records.last().map(|last| self.key_of(&last.item)).transpose()?;
                    break;
                }
                records.extend(self.record(item, call.now_ms));
            }
            let Some(next) = page.next.filter(|_| records.len() < limit) else { break };
            request = next;
            request.limit = request.limit.map(|chunk| chunk.saturating_mul(2).min(CHUNK_MAX));
        }
        let cursor = next_key.map(|key| self.cursor(site, call, &key)).transpose()?;
        Ok(Outcome::Items { records, cursor, previous: None })
    }

    /// The item as a record; `None` if it isn't asked for or has expired.
    fn record(&self, item: EncodedItem, now_ms: u64) -> Option<Record> {
        let view = item.view();
        if self.expiry.is_over(view, now_ms) {
            return None;
        }
        let shown = self.teller.tell(view)?.clone();
        let item = match &self.index {
            Some(index) => restore(&shown.entity, index, item),
            None => item,
        };
        Some(Record::shown(shown, item))
    }

    fn key_of(&self, item: &EncodedItem) -> Result<Item, RunError> {
        let value = |attribute: &KeyAttribute| -> Option<(String, AttributeValue)> {
            Some((attribute.name.clone(), item.view().get(&attribute.name)?.to_value().ok()?))
        };
        let key: Option<Item> = self.position.iter().map(value).collect();
        key.ok_or_else(|| self.without_key())
    }

    fn without_key(&self) -> RunError {
        StoreError::Refused(format!("{} gave an item without its key", self.table)).into()
    }

    fn resume<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Option<Item>, RunError> {
        let Some(cursor) = &call.paging.cursor else { return Ok(None) };
        let (_, payload) = site.seal.open(&call.bond(), cursor)?;
        let mut reader = PayloadReader::new(&payload);
        if reader.byte()? != SCAN {
            return Err(OUTDATED);
        }
        let mut key = Item::with_capacity(self.position.len());
        for attribute in &self.position {
            key.insert(attribute.name.as_str(), reader.key_part(key_kind(attribute.kind))?);
        }
        reader.finish()?;
        Ok(Some(key))
    }

    fn cursor<S: Store>(&self, site: &Site<S>, call: &Call<'_>, key: &Item) -> Result<Cursor, RunError> {
        let mut payload = Payload::new();
        payload.byte(SCAN);
        for attribute in &self.position {
            let value = key.get(&attribute.name).and_then(AttributeValue::as_scalar);
            if !value.is_some_and(|value| payload.key_part(value)) {
                return Err(self.without_key());
            }
        }
        Ok(site.cursor(call, payload))
    }
}
