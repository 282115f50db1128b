//! Reading several items by key. The answer has them in the order in which they were asked for; those that aren't
//! there are left out, and one that is asked for twice comes twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use singlet_design::{self as design, Values};
use singlet_expr::Projection;
use singlet_store::Store;
use singlet_values::{AttributeValue, Attributes, Item, ValueRef};

use super::keyed::{key_bytes, read_keys};
use super::project::projection;
use crate::call::{Call, PlanContext, Site};
use crate::error::RunError;
use crate::expiry::Expiry;
use crate::keys::table_key;
use crate::outcome::{Outcome, Record, Shown};

/// Most keys of one call.
const KEYS_MAX: usize = 1000;

/// A batch with everything that doesn't depend on the call.
#[derive(Debug, Clone)]
pub(crate) struct BatchPlan {
    parameter: String,
    /// The only field of the key, if it has one only.
    key_field: Option<String>,
    table: String,
    consistent: bool,
    projection: Option<Projection>,
    shown: Arc<Shown>,
    expiry: Expiry,
}

impl BatchPlan {
    pub(super) fn new(context: &PlanContext<'_>, batch: &design::BatchGet) -> Self {
        let table = &batch.entity.table;
        let expiry = Expiry::new(table.ttl.clone().filter(|_| !batch.show_expired));
        let needed = expiry.attribute();
        let key = &batch.entity.key;
        let fields = std::iter::once(&key.partition).chain(&key.sort).flat_map(|template| template.fields());
        let mut fields: Vec<&str> = fields.collect();
        fields.dedup();
        BatchPlan {
            parameter: batch.parameter.clone(),
            key_field: fields.first().map(|field| (*field).to_owned()),
            table: context.table_name(table),
            consistent: batch.consistent,
            projection: batch.show.as_deref().map(|show| projection(table, None, show, needed)),
            shown: Arc::new(Shown {
                fields: batch.show.as_deref().map(Into::into),
                ..Shown::whole(batch.entity.clone())
            }),
            expiry,
        }
    }

    pub(super) async fn run<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
        let keys = self.keys(call)?;
        let distinct: BTreeMap<&[u8], &Item> =
            keys.iter().map(|(bytes, key)| (bytes.as_slice(), key)).collect();
        let distinct = distinct.into_values().cloned().collect();
        let projection = self.projection.clone();
        let table = &self.shown.entity.table;
        let found = read_keys(&site.store, table, &self.table, distinct, self.consistent, projection).await?;
        let there = keys.iter().filter_map(|(bytes, _)| found.get(bytes));
        let living = there.filter(|item| !self.expiry.is_over(item.view(), call.now_ms));
        let record = |item: &_| Record::shown(self.shown.clone(), Clone::clone(item));
        Ok(Outcome::Items { records: living.map(record).collect(), cursor: None, previous: None })
    }

    fn keys(&self, call: &Call<'_>) -> Result<Vec<(Vec<u8>, Item)>, RunError> {
        let refuse = |place: String, reason: String| RunError::Parameter { parameter: place, reason };
        let Some(AttributeValue::L(elements)) = call.bound.get(&self.parameter) else {
            return Err(RunError::Fault("the keys of a batch are no list"));
        };
        if elements.len() > KEYS_MAX {
            let reason = format!("has {} keys; at most {KEYS_MAX} can be read at once", elements.len());
            return Err(refuse(self.parameter.clone(), reason));
        }
        let mut keys = Vec::with_capacity(elements.len());
        for (position, element) in elements.iter().enumerate() {
            let values = match element {
                AttributeValue::M(members) => KeyValues::Several(members),
                only => KeyValues::One(self.key_field.as_deref().unwrap_or_default(), only),
            };
            let key = table_key(&self.shown.entity, &values).map_err(|error| match error {
                RunError::Parameter { parameter, reason } => {
                    refuse(format!("{}[{position}].{parameter}", self.parameter), reason)
                }
                other => other,
            })?;
            keys.push((key_bytes(&key), key));
        }
        Ok(keys)
    }
}

/// The values of one key of the batch.
enum KeyValues<'a> {
    One(&'a str, &'a AttributeValue),
    Several(&'a Attributes),
}

impl Values for KeyValues<'_> {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        match self {
            KeyValues::One(field, value) => (path == *field).then(|| value.as_scalar()).flatten(),
            KeyValues::Several(members) => members.get(path)?.as_scalar(),
        }
    }
}
