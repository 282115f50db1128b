//! The service: requests in, answers out.

use std::sync::Arc;

use singlet_engine::Database;

use crate::dispatch::dispatch;
use crate::error::{Failure, ProtocolError};
use crate::operation::Operation;
use crate::reply::Reply;
use crate::room::{AnswerRoom, Unlimited};

/// The server's address for clients, unless [`Service::with_endpoint`] sets another.
const ENDPOINT: &str = "localhost:8000";

/// Serves the DynamoDB protocol on a database. Clones share it.
#[derive(Debug, Clone)]
pub struct Service {
    database: Database,
    endpoint: Arc<str>,
}

impl Service {
    /// A service on this database.
    pub fn new(database: Database) -> Self {
        Service { database, endpoint: ENDPOINT.into() }
    }

    /// Sets the address that `DescribeEndpoints` returns: host and port, without a scheme.
    pub fn with_endpoint(self, endpoint: &str) -> Self {
        Service { endpoint: endpoint.into(), ..self }
    }

    /// The database behind the service.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Answers one request. `target` is its `X-Amz-Target` header, `body` its JSON. An error is an answer as well.
    pub async fn call(&self, target: &str, body: &[u8]) -> Reply {
        match Operation::from_target(target) {
            Some(operation) => self.perform(operation, body).await,
            None => ProtocolError::unknown_operation(Some(target)).reply(),
        }
    }

    /// Answers one request whose operation is known.
    pub async fn perform(&self, operation: Operation, body: &[u8]) -> Reply {
        self.perform_within(operation, body, &Unlimited).await
    }

    /// Answers one request whose operation is known. Before it writes a large answer it reserves memory in `room`. If
    /// that fails, the request is rejected and has changed nothing.
    pub async fn perform_within(&self, operation: Operation, body: &[u8], room: &dyn AnswerRoom) -> Reply {
        let reply = match dispatch(&self.database, &self.endpoint, operation, body, room).await {
            Ok(answer) => Reply { consumed: answer.consumed, ..Reply::new(200, answer.body) },
            Err(failure) => Failure::reply(failure),
        };
        Reply { operation: Some(operation), ..reply }
    }
}
