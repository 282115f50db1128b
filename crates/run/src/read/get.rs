//! Reading one item, or asking whether it is there.

use std::sync::Arc;

use singlet_design::{AskedKey, Entity, Get, Pattern, Resolve};
use singlet_expr::Projection;
use singlet_store::{GetItem, Store};
use singlet_values::{EncodedItem, Item};

use super::project::projection;
use super::query::{QueryPlan, drive};
use super::resolve::{ResolvePlan, resolve};
use crate::call::{Call, PlanContext, Site};
use crate::error::RunError;
use crate::expiry::Expiry;
use crate::keys::{asked_key, table_key};
use crate::outcome::{Outcome, Record, Shown};

/// A get with everything that doesn't depend on the call.
#[derive(Debug, Clone)]
pub(crate) enum GetPlan {
    /// By the table's key.
    Key(Box<ByKey>),
    /// The first item under an index's key.
    Index {
        /// How it is found.
        query: Box<QueryPlan>,
        /// Only whether it is there is asked.
        exists: bool,
    },
}

/// A get by the table's key.
#[derive(Debug, Clone)]
pub(crate) struct ByKey {
    /// Only whether it is there is asked.
    exists: bool,
    asked: Option<AskedKey>,
    pub(super) table: String,
    pub(super) consistent: bool,
    pub(super) projection: Option<Projection>,
    shown: Arc<Shown>,
    resolve: Vec<ResolvePlan>,
    expiry: Expiry,
}

impl GetPlan {
    pub(super) fn new(context: &PlanContext<'_>, get: &Get, pattern: &Pattern, exists: bool) -> Self {
        match &get.on {
            Some(index) => {
                GetPlan::Index { query: Box::new(QueryPlan::of_get(context, get, index, pattern)), exists }
            }
            None => GetPlan::Key(Box::new(ByKey::new(context, get, exists))),
        }
    }

    pub(super) async fn run<S: Store>(&self, site: &Site<S>, call: &Call<'_>) -> Result<Outcome, RunError> {
        match self {
            GetPlan::Key(get) => {
                let request = get.request(call)?;
                let found = site.store.get(request).await?.item;
                get.answer(site, call, found).await
            }
            GetPlan::Index { query, exists } => {
                let mut reader = query.reader(site, call, 1)?;
                drive(&site.store, &mut [&mut reader]).await?;
                let mut rows = reader.take_rows();
                rows.truncate(1);
                let record = query.records(site, rows, call.now_ms).await?.pop();
                Ok(if *exists { Outcome::Exists(record.is_some()) } else { Outcome::Item(record) })
            }
        }
    }

    /// The get by the table's key, if it is one.
    pub(super) fn by_key(&self) -> Option<&ByKey> {
        match self {
            GetPlan::Key(get) => Some(get),
            GetPlan::Index { .. } => None,
        }
    }
}

impl ByKey {
    fn new(context: &PlanContext<'_>, get: &Get, exists: bool) -> Self {
        let table = &get.entity.table;
        let expiry = Expiry::new(table.ttl.clone().filter(|_| !get.show_expired));
        let references = get.resolve.iter().flat_map(Resolve::fields);
        let needed = references.chain(expiry.attribute());
        let show = if exists { Some(&[][..]) } else { get.show.as_deref() };
        ByKey {
            exists,
            projection: show.map(|show| projection(table, None, show, needed)),
            asked: get.key.clone(),
            table: context.table_name(table),
            consistent: get.consistent,
            shown: Arc::new(Shown {
                fields: get.show.as_deref().map(Into::into),
                ..Shown::whole(get.entity.clone())
            }),
            resolve: get.resolve.iter().map(|resolve| ResolvePlan::new(context, resolve)).collect(),
            expiry,
        }
    }

    /// The answer with what was found under the key.
    pub(super) async fn answer<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        found: Option<EncodedItem>,
    ) -> Result<Outcome, RunError> {
        let found = found.filter(|item| !self.expiry.is_over(item.view(), call.now_ms));
        if self.exists {
            return Ok(Outcome::Exists(found.is_some()));
        }
        let Some(item) = found else { return Ok(Outcome::Item(None)) };
        let mut record = Record::shown(self.shown.clone(), item);
        if !self.resolve.is_empty() {
            resolve(site, &self.resolve, std::slice::from_mut(&mut record), call.now_ms).await?;
        }
        Ok(Outcome::Item(Some(record)))
    }

    pub(super) fn entity(&self) -> &Arc<Entity> {
        &self.shown.entity
    }

    pub(super) fn key(&self, call: &Call<'_>) -> Result<Item, RunError> {
        match &self.asked {
            Some(asked) => asked_key(self.entity(), asked, &call.bound),
            None => table_key(self.entity(), &call.bound),
        }
    }

    pub(super) fn request(&self, call: &Call<'_>) -> Result<GetItem, RunError> {
        Ok(GetItem {
            table: self.table.clone(),
            key: self.key(call)?,
            consistent: self.consistent,
            projection: self.projection.clone(),
        })
    }
}
