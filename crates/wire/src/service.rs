//! The service: requests in, answers out.

use std::sync::Arc;

use singlet_engine::Database;

use crate::dispatch::dispatch;
use crate::error::Failure;
use crate::operation::Operation;
use crate::protocol::ProtocolError;
use crate::reply::Reply;
use crate::room::{AnswerRoom, Unlimited};

/// Where clients are told to find this server unless [`Service::with_endpoint`] says otherwise.
const ENDPOINT: &str = "localhost:8000";

/// Serves the DynamoDB protocol on a database. Clones share it.
#[derive(Debug, Clone)]
pub struct Service {
    database: Database,
    endpoint: Arc<str>,
}

impl Service {
    /// Serves this database.
    pub fn new(database: Database) -> Self {
        Service { database, endpoint: ENDPOINT.into() }
    }

    /// Sets the address that `DescribeEndpoints` gives to clients: host and port, without a scheme.
    pub fn with_endpoint(self, endpoint: &str) -> Self {
        Service { endpoint: endpoint.into(), ..self }
    }

    /// The database that this serves.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Answers one request: `target` is its `X-Amz-Target` header, `body` its JSON. Never fails: errors are
    /// answers too.
    pub async fn call(&self, target: &str, body: &[u8]) -> Reply {
        match Operation::from_target(target) {
            Some(operation) => self.perform(operation, body).await,
            None => ProtocolError::UnknownOperation.reply(),
        }
    }

    /// Answers one request whose operation is known already.
    pub async fn perform(&self, operation: Operation, body: &[u8]) -> Reply {
        self.perform_within(operation, body, &Unlimited).await
    }

    /// Answers one request whose operation is known already. Before a large answer is made, `room` is asked for the memory;
    /// without room the request is refused, and has changed nothing.
    pub async fn perform_within(&self, operation: Operation, body: &[u8], room: &dyn AnswerRoom) -> Reply {
        let reply = match dispatch(&self.database, &self.endpoint, operation, body, room).await {
            Ok(answer) => Reply { consumed: answer.consumed, ..Reply::new(200, answer.body) },
            Err(failure) => Failure::reply(failure),
        };
        Reply { operation: Some(operation), ..reply }
    }
}
