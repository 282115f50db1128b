//! The list of a walk: the items of a query, or the elements of a list that the caller gives, page by page.

use singlet_design::{Json, ListSource, ListWalk, Operation, to_json};
use singlet_store::Store;
use singlet_values::{AttributeValue, EncodedValue};

use super::super::resolve::value_at;
use super::cursor::ResumePoint;
use super::lane::Row;
use super::{LIMIT_MAX, QueryPlan};
use crate::arguments::{Bound, elements, member};
use crate::call::{Call, Paging, PlanContext, Site};
use crate::error::RunError;
use crate::outcome::Record;

/// Pages in which a list is read to its end or its maximum: a filter can leave pages empty.
const PAGES_MAX: u32 = 100;

/// A walk with everything that doesn't depend on the call.
#[derive(Debug, Clone)]
pub(crate) struct WalkPlan {
    walk: ListWalk,
    /// The query whose items are the elements; `None` for a list of the caller.
    list: Option<Box<QueryPlan>>,
}

/// One element of a list.
#[derive(Debug, Clone)]
pub(crate) enum Element {
    /// An item.
    Item(Row),
    /// An element that the caller gave.
    Value(AttributeValue),
}

/// A place in a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum WalkPlace {
    /// The beginning.
    #[default]
    Start,
    /// The payload of the query's own cursor.
    Query(Vec<u8>),
    /// The number of elements before it.
    List(u32),
}

/// Some elements of a list.
pub(crate) struct WalkPage {
    /// The elements, in order.
    pub(crate) elements: Vec<Element>,
    /// The place after them; `None` at the end of the list.
    pub(crate) next: Option<WalkPlace>,
}

impl WalkPlan {
    /// `needed` are further fields of the items that are read. `None` if the list isn't a query, which no design has.
    pub(crate) fn new(context: &PlanContext<'_>, walk: &ListWalk, needed: &[&str]) -> Option<Self> {
        let list = match walk.query().map(|pattern| &pattern.operation) {
            None => None,
            Some(Operation::Query(query)) => {
                let fields = walk.element_fields().filter_map(|path| path.split('.').next());
                let fields: Vec<&str> = fields.chain(needed.iter().copied()).collect();
                Some(Box::new(QueryPlan::of_query(context, query, &fields)))
            }
            Some(_) => return None,
        };
        Some(WalkPlan { walk: walk.clone(), list })
    }

    /// The walk in the design.
    pub(crate) fn walk(&self) -> &ListWalk {
        &self.walk
    }

    /// The maximum number of elements.
    pub(crate) fn max(&self) -> u32 {
        self.walk.max.unwrap_or(LIMIT_MAX).clamp(1, LIMIT_MAX)
    }

    /// All elements, up to the maximum.
    pub(crate) async fn all<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
    ) -> Result<Vec<Element>, RunError> {
        let max = self.max() as usize;
        let mut elements: Vec<Element> = Vec::new();
        let mut place = WalkPlace::Start;
        for _ in 0..PAGES_MAX {
            let left = u32::try_from(max.saturating_sub(elements.len())).unwrap_or(LIMIT_MAX);
            let page = self.page(site, call, &place, left).await?;
            elements.extend(page.elements);
            match page.next {
                Some(next) if elements.len() < max => place = next,
                _ => break,
            }
        }
        Ok(elements)
    }

    /// Up to `limit` elements after a place.
    pub(crate) async fn page<S: Store>(
        &self,
        site: &Site<S>,
        call: &Call<'_>,
        place: &WalkPlace,
        limit: u32,
    ) -> Result<WalkPage, RunError> {
        match (&self.walk.source, &self.list) {
            (ListSource::Query(pattern), Some(list)) => {
                let bound = Bound::derive(pattern, &call.bound, &[], call.now_ms, &|_, _| None)?;
                let paging = Paging::default();
                let listing =
                    Call { pattern, bound, paging: &paging, now_ms: call.now_ms, rights: call.rights };
                let begin = match place {
                    WalkPlace::Query(payload) => list.point(&listing, payload)?,
                    WalkPlace::Start | WalkPlace::List(_) => ResumePoint::default(),
                };
                let (rows, ends) = list.read(site, &listing, begin, limit).await?;
                let next = ends.onward.map(|payload| WalkPlace::Query(payload.into_bytes()));
                Ok(WalkPage { elements: rows.into_iter().map(Element::Item).collect(), next })
            }
            (ListSource::List(parameter), _) => self.given(call, parameter, place, limit),
            (ListSource::Query(_), None) => Err(RunError::Fault("a walk has no plan for its list")),
        }
    }

    /// Elements of a list that the caller gave.
    fn given(
        &self,
        call: &Call<'_>,
        parameter: &str,
        place: &WalkPlace,
        limit: u32,
    ) -> Result<WalkPage, RunError> {
        let given = elements(call.bound.get(parameter));
        if let Some(max) = self.walk.max.filter(|max| given.len() > *max as usize) {
            let reason = format!("has {} elements; {} takes at most {max}", given.len(), call.pattern.name);
            return Err(RunError::Parameter { parameter: parameter.to_owned(), reason });
        }
        let before = match place {
            WalkPlace::List(before) => *before,
            WalkPlace::Start | WalkPlace::Query(_) => 0,
        };
        let count = given.len();
        let elements = given.into_iter().skip(before as usize).take(limit as usize).map(Element::Value);
        let after = before.saturating_add(limit);
        let next = (count > after as usize).then_some(WalkPlace::List(after));
        Ok(WalkPage { elements: elements.collect(), next })
    }

    /// Whether an element has every value that the parameters of `run` take from it.
    pub(crate) fn suffices(&self, element: &Element) -> bool {
        self.walk.element_fields().all(|path| element.value(path).is_some())
    }

    /// The parameters of `run` for an element.
    pub(crate) fn bind(&self, call: &Call<'_>, element: &Element) -> Result<Bound<'_>, RunError> {
        let value = |_: &str, path: &str| element.value(path);
        Bound::derive(&self.walk.run, &call.bound, &self.walk.bindings, call.now_ms, &value)
    }
}

impl Element {
    /// The value at a path; of an empty path, the element itself.
    fn value(&self, path: &str) -> Option<AttributeValue> {
        match self {
            Element::Item(row) => value_at(row.item.view(), path)?.to_value().ok(),
            Element::Value(value) => member(value, path),
        }
    }

    /// The element as JSON; of an item the fields of its key.
    pub(crate) fn to_json(&self) -> Json {
        let row = match self {
            Element::Value(value) => return to_json(EncodedValue::encode(value).view()),
            Element::Item(row) => row,
        };
        let key = std::iter::once(&row.shown.entity.key.partition).chain(&row.shown.entity.key.sort);
        let key: Vec<&str> =
            key.flat_map(|template| template.fields()).filter_map(|path| path.split('.').next()).collect();
        match Record::of(row.shown.entity.clone(), row.item.clone()).to_json() {
            Json::Object(mut members) => {
                members.retain(|(name, _)| key.contains(&name.as_str()));
                Json::Object(members)
            }
            other => other,
        }
    }
}
