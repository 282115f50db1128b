//! Records of calls with an `Idempotency-Key`: one item for each, kept for 24 hours.

use sha2::{Digest, Sha256};
use singlet_expr::{Comparator, Condition, Path};
use singlet_store::{
    AttributeDefinition, GetItem, PutItem, ReturnItem, ScalarType, Store, StoreError, TableChange,
    TableShape, TransactAction,
};
use singlet_values::{AttributeValue, Item, Number};
use tokio::sync::OnceCell;

/// The table of the records.
const TABLE: &str = "singlet-calls";
const CALL: &str = "call";
const REQUEST: &str = "request";
const ITEM: &str = "item";
const EXPIRES: &str = "expires";
/// How long a call is remembered.
const KEPT_SECONDS: u64 = 24 * 60 * 60;

/// The table of the records, which the first call with a key makes.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    is_there: OnceCell<()>,
}

/// The record of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallRecord {
    /// Design, environment, caller, pattern and key.
    call: String,
    /// A digest of the request.
    request: String,
    now_second: u64,
}

/// A call that has happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Known {
    /// The same, with the item that it made.
    Same(Item),
    /// Another request with the same key.
    Other,
}

impl CallRecord {
    /// The record of a call. `owner` is everything that the key belongs to, and `request` everything that must be the same.
    pub(crate) fn new(owner: &[&str], request: &[&[u8]], now_ms: u64) -> Self {
        let call = digest(owner.iter().map(|part| part.as_bytes()));
        Self { call, request: digest(request.iter().copied()), now_second: now_ms / 1000 }
    }

    fn key(&self) -> Item {
        Item::from([(CALL, self.call.as_str())])
    }

    /// The write of the record, which fails if the call has happened.
    pub(crate) fn write(&self, made: &Item) -> TransactAction {
        let mut item = self.key();
        item.insert(REQUEST, self.request.as_str());
        item.insert(ITEM, made.clone());
        item.insert(EXPIRES, self.now_second + KEPT_SECONDS);
        let now = AttributeValue::N(Number::from(self.now_second));
        let is_over = Condition::compare(Path::attribute(EXPIRES), Comparator::Less, now);
        let condition = Condition::missing(Path::attribute(CALL)).or(is_over);
        let (table, returned) = (TABLE.to_owned(), ReturnItem::None);
        TransactAction::Put(PutItem { table, item, condition: Some(condition), returned })
    }

    /// Looks whether the call has happened.
    pub(crate) async fn find<S: Store>(&self, store: &S) -> Result<Option<Known>, StoreError> {
        let request =
            GetItem { table: TABLE.to_owned(), key: self.key(), consistent: true, projection: None };
        let found = store.get(request).await?.item;
        let Some(item) = found.and_then(|item| item.decode().ok()) else { return Ok(None) };
        let now = Number::from(self.now_second);
        match (item.get(EXPIRES), item.get(REQUEST), item.get(ITEM)) {
            (Some(AttributeValue::N(expires)), _, _) if *expires < now => Ok(None),
            (_, Some(AttributeValue::S(request)), Some(AttributeValue::M(made)))
                if *request == self.request =>
            {
                Ok(Some(Known::Same(made.clone())))
            }
            _ => Ok(Some(Known::Other)),
        }
    }
}

impl Ledger {
    /// Makes the table, unless it is there.
    pub(crate) async fn prepare<S: Store>(&self, store: &S) -> Result<(), StoreError> {
        let prepared = self.is_there.get_or_try_init(async || {
            if store.describe_table(TABLE).await?.is_some() {
                return Ok(());
            }
            match store.change_table(&TableChange::Create(shape())).await {
                Ok(()) => Ok(()),
                // Another server was faster.
                Err(error) => match store.describe_table(TABLE).await? {
                    Some(_) => Ok(()),
                    None => Err(error),
                },
            }
        });
        prepared.await.map(|_| ())
    }
}

fn shape() -> TableShape {
    TableShape {
        name: TABLE.to_owned(),
        partition: AttributeDefinition { name: CALL.to_owned(), scalar: ScalarType::S },
        sort: None,
        indexes: Vec::new(),
        protected: false,
        ttl: Some(EXPIRES.to_owned()),
        stream: false,
        recovery_days: None,
        backup: None,
        throughput: None,
    }
}

/// A digest of some parts. Their lengths keep them apart.
fn digest<'p>(parts: impl Iterator<Item = &'p [u8]>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
