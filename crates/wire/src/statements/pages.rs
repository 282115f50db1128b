//! One page of a `SELECT`.

use singlet_engine::{Consumed, Database, PAGE_BYTES_MAX, PageOutcome, Query, Scan};
use singlet_expr::KeyCondition;
use singlet_partiql::{Access, Select};
use singlet_values::{EncodedItem, Item};

use super::Prepared;
use super::next_token::NextToken;
use crate::error::Failure;
use crate::room::{self, AnswerRoom};
use crate::text::RequestError;

/// The options of a page.
pub(crate) struct PageOptions {
    /// Evaluate at most this many items.
    pub(crate) limit: Option<usize>,
    /// Strongly consistent.
    pub(crate) consistent: bool,
    /// Where the page begins.
    pub(crate) start: NextToken,
}

/// The items of a page.
pub(crate) struct SelectedPage {
    /// The items, as the statement's columns show them.
    pub(crate) items: Vec<EncodedItem>,
    /// Capacity used.
    pub(crate) consumed: Consumed,
    /// Where the next page begins.
    pub(crate) next: Option<NextToken>,
}

impl SelectedPage {
    fn add(&mut self, outcome: PageOutcome) {
        self.items.extend(outcome.items.unwrap_or_default());
        self.consumed.merge(&outcome.consumed);
    }

    fn stored_bytes(&self) -> usize {
        self.items.iter().map(|item| item.as_bytes().len()).sum()
    }
}

/// Reads a page: of a scan, or of the statement's key ranges one after the other.
pub(crate) async fn read_page(
    database: &Database,
    room: &dyn AnswerRoom,
    prepared: &Prepared,
    select: &Select,
    options: PageOptions,
) -> Result<SelectedPage, Failure> {
    match prepared.with_key(|key| select.access(key))? {
        Access::Scan => {
            room::for_pages(room, 1).await?;
            read_scan(database, prepared, select, options).await
        }
        Access::Ranges(ranges) => {
            // A last range can add a whole page to one that is almost full.
            room::for_pages(room, ranges.len().min(2)).await?;
            read_ranges(database, prepared, select, &ranges, options).await
        }
    }
}

async fn read_scan(
    database: &Database,
    prepared: &Prepared,
    select: &Select,
    options: PageOptions,
) -> Result<SelectedPage, Failure> {
    if options.start.range != 0 {
        return Err(RequestError::InvalidNextToken.into());
    }
    let request = Scan {
        table: prepared.table.name.clone(),
        index: select.source.index.clone(),
        filter: select.condition.clone(),
        projection: select.projection(),
        select: None,
        limit: options.limit,
        segment: None,
        consistent: options.consistent,
        start_key: options.start.last_key,
    };
    let mut page = empty_page(prepared);
    let mut outcome = database.scan_in_parts(&request).await?;
    page.next = outcome.last_key.take().map(|key| NextToken { range: 0, last_key: Some(key) });
    page.add(outcome);
    Ok(page)
}

async fn read_ranges(
    database: &Database,
    prepared: &Prepared,
    select: &Select,
    ranges: &[KeyCondition],
    options: PageOptions,
) -> Result<SelectedPage, Failure> {
    let first = usize::try_from(options.start.range).unwrap_or(usize::MAX);
    if first >= ranges.len() {
        return Err(RequestError::InvalidNextToken.into());
    }
    let mut page = empty_page(prepared);
    let mut left = options.limit;
    let mut start_key: Option<Item> = options.start.last_key;
    for (range, key_condition) in (0..).zip(ranges).skip(first) {
        if left == Some(0) || page.stored_bytes() >= PAGE_BYTES_MAX {
            page.next = Some(NextToken { range, last_key: None });
            break;
        }
        let request = Query {
            index: select.source.index.clone(),
            filter: select.condition.clone(),
            filters_keys: true,
            projection: select.projection(),
            limit: left,
            forward: !prepared.with_key(|key| select.is_backward(key)),
            consistent: options.consistent,
            start_key: start_key.take(),
            ..Query::new(prepared.table.name.as_str(), key_condition.clone())
        };
        let mut outcome = database.query_in_parts(&request).await?;
        left = left.map(|left| left.saturating_sub(outcome.scanned_count));
        let last_key = outcome.last_key.take();
        page.add(outcome);
        if last_key.is_some() {
            page.next = Some(NextToken { range, last_key });
            break;
        }
    }
    Ok(page)
}

fn empty_page(prepared: &Prepared) -> SelectedPage {
    SelectedPage { items: Vec::new(), consumed: Consumed::of(&prepared.table.name), next: None }
}
