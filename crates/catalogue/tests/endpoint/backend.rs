//! The store under the tests: a DynamoDB endpoint, which is a server of our own with the test's database.

use singlet_dynamodb::DynamoDb;
use singlet_engine::Database;
use singlet_run::Wait;

use crate::support::Served;

pub(crate) type Backend = DynamoDb;
pub(crate) type Guard = Served;

pub(crate) fn open(database: Database) -> (Backend, Guard) {
    let served = Served::over(database).wait();
    ((*served).clone(), served)
}

/// The number of cases of a property, which the engine's own tests have more of: here each starts a server.
pub(crate) fn cases(number: u32) -> u32 {
    number / 6
}
