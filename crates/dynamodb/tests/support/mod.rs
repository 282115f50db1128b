//! A server on a free port with a store that reaches it.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::mpsc;
use std::thread::JoinHandle;

use singlet_dynamodb::{Connection, DynamoDb};
use singlet_engine::Database;
use singlet_server::{Options, Server};
use singlet_wire::Service;
use tokio::sync::oneshot;

/// A store and the server behind it; it ends when this is dropped.
pub(crate) struct Served {
    store: DynamoDb,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    /// Starts a server with an empty database in memory.
    pub(crate) async fn start() -> Served {
        Served::over(Database::in_memory().unwrap()).await
    }

    /// Starts a server with this database.
    pub(crate) async fn over(database: Database) -> Served {
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let thread = std::thread::spawn(move || serve(database, tell, stopped));
        let address = told.recv().unwrap();
        Served { store: connect(&format!("http://{address}")).await, stop: Some(stop), thread: Some(thread) }
    }
}

/// A store at an address.
pub(crate) async fn connect(address: &str) -> DynamoDb {
    DynamoDb::connect(&Connection { endpoint_url: Some(address.to_owned()), ..Connection::default() }).await
}

/// Runs a test's future on a runtime of its own.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn serve(database: Database, tell: mpsc::Sender<SocketAddr>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let options = Options { address: "127.0.0.1:0".to_owned(), ..Options::default() };
        let server = Server::bind(options).await.unwrap();
        tell.send(server.address()).unwrap();
        let service = Service::new(database);
        server
            .run(service, async {
                let _ = stopped.await;
            })
            .await;
    });
}

impl Deref for Served {
    type Target = DynamoDb;

    fn deref(&self) -> &DynamoDb {
        &self.store
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
