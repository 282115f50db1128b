//! Bulk writes: a write for each element of a list, one batch a call.
//!
//! A batch reads and writes groups of elements. The writes of a group run at once, each on its own. An element that can't
//! be written is reported, and the batch goes on. If the store fails, the batch ends after the group. The cursor stands
//! after the last group that was tried, so the next call takes each further element, and none again.
//!
//! Payload: `b`, then `i` and the payload of the list's own cursor, or `l` and the number of elements before (4 bytes).

use futures_util::future::join_all;
use singlet_design::{BULK_BATCH_DEFAULT, BULK_GROUP_MAX, ListWalk};
use singlet_store::{Store, StoreError};

use super::run_transaction;
use crate::call::{Call, Paging, PlanContext, Site};
use crate::cursor::{Cursor, OUTDATED, Payload, PayloadReader};
use crate::error::RunError;
use crate::outcome::{BulkFailure, BulkReport, Outcome};
use crate::read::{Element, WalkPlace, WalkPlan, page_limit};

const BULK: u8 = b'b';
const ITEMS: u8 = b'i';
const LIST: u8 = b'l';
/// Groups of a batch. A filter can leave groups empty.
const GROUPS_MAX: u32 = 100;

/// A bulk write with everything that doesn't depend on the call.
pub(crate) struct BulkPlan {
    walk: WalkPlan,
}

/// The results of a group.
struct GroupResult {
    report: BulkReport,
    /// The first failure of the store.
    broken: Option<RunError>,
}

impl BulkPlan {
    /// `None` if the list isn't a query, which no design has.
    pub(crate) fn new(context: &PlanContext<'_>, walk: &ListWalk) -> Option<Self> {
        Some(BulkPlan { walk: WalkPlan::new(context, walk, &[])? })
    }

    /// Runs one batch.
    pub(crate) async fn run<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
        let mut left = page_limit(call, BULK_BATCH_DEFAULT)?;
        let mut report = BulkReport::default();
        let mut place = Some(resume(site, call)?);
        for _ in 0..GROUPS_MAX {
            let Some(from) = &place else { break };
            if left == 0 {
                break;
            }
            let page = match self.walk.page(site, call, from, left.min(BULK_GROUP_MAX)).await {
                Ok(page) => page,
                Err(error) => {
                    stop(&mut report, error)?;
                    break;
                }
            };
            left = left.saturating_sub(u32::try_from(page.elements.len()).unwrap_or(u32::MAX));
            let GroupResult { report: group, broken } = self.write(site, call, &page.elements).await;
            if let Some(error) = broken {
                // Without a success, the group counts as not begun.
                let is_begun = group.done > 0;
                if is_begun {
                    add(&mut report, group);
                    place = page.next;
                }
                stop(&mut report, error)?;
                break;
            }
            add(&mut report, group);
            place = page.next;
        }
        report.cursor = place.map(|place| cursor(site, call, &place));
        Ok(Outcome::Bulk(report))
    }

    /// Writes the elements of a group.
    async fn write<S: Store>(&self, site: &Site<S>, call: &Call<'_>, elements: &[Element]) -> GroupResult {
        let written = join_all(elements.iter().map(|element| self.write_one(site, call, element))).await;
        let mut result = GroupResult { report: BulkReport::default(), broken: None };
        for (element, mut written) in elements.iter().zip(written) {
            // The writes of a group may have met each other. One after the other, they don't.
            if matches!(written, Err(RunError::Contention { .. })) {
                written = self.write_one(site, call, element).await;
            }
            let Err(error) = written else {
                result.report.done += 1;
                continue;
            };
            // Whether an item of somebody else is there isn't for the caller to know.
            if call.rights.own().is_some() && matches!(error, RunError::Missing { .. }) {
                continue;
            }
            let reason = error.to_string();
            if is_of_store(&error) {
                result.broken.get_or_insert(error);
            }
            result.report.failed.push(BulkFailure { element: element.to_json(), reason });
        }
        result
    }

    async fn write_one<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        element: &Element,
    ) -> Result<(), RunError> {
        let bound = self.walk.bind(call, element)?;
        let paging = Paging::default();
        let write = Call {
            pattern: &self.walk.walk().run,
            bound,
            paging: &paging,
            now_ms: call.now_ms,
            rights: call.rights,
        };
        run_transaction(site, &write).await.map(|_| ())
    }
}

/// Notes why a batch ends early. If it has done nothing, the error is the answer: the caller can repeat the call.
fn stop(report: &mut BulkReport, error: RunError) -> Result<(), RunError> {
    if report.done == 0 && report.failed.is_empty() {
        return Err(error);
    }
    report.stopped = Some(error.to_string());
    Ok(())
}

fn add(report: &mut BulkReport, group: BulkReport) {
    report.done += group.done;
    report.failed.extend(group.failed);
}

/// Whether an error says nothing about the element: others would fail as well.
fn is_of_store(error: &RunError) -> bool {
    match error {
        RunError::Store(StoreError::Refused(_)) => false,
        RunError::Store(_)
        | RunError::Contention { .. }
        | RunError::Unsupported { .. }
        | RunError::Fault(_) => true,
        _ => false,
    }
}

fn cursor<S: Store>(site: &Site<S>, call: &Call<'_>, place: &WalkPlace) -> Cursor {
    let mut payload = Payload::new();
    payload.byte(BULK);
    match place {
        WalkPlace::Query(inner) => {
            payload.byte(ITEMS);
            payload.raw(inner);
        }
        WalkPlace::List(before) => {
            payload.byte(LIST);
            payload.number(*before);
        }
        WalkPlace::Start => {}
    }
    site.cursor(call, payload)
}

fn resume<S: Store>(site: &Site<S>, call: &Call<'_>) -> Result<WalkPlace, RunError> {
    let Some(cursor) = &call.paging.cursor else { return Ok(WalkPlace::Start) };
    let (_, payload) = site.seal.open(&call.bond(), cursor)?;
    let mut reader = PayloadReader::new(&payload);
    if reader.byte()? != BULK {
        return Err(OUTDATED);
    }
    match reader.byte() {
        Ok(ITEMS) => Ok(WalkPlace::Query(reader.rest().to_vec())),
        Ok(LIST) => {
            let before = reader.number()?;
            reader.finish()?;
            Ok(WalkPlace::List(before))
        }
        Ok(_) => Err(OUTDATED),
        Err(_) => Ok(WalkPlace::Start),
    }
}
