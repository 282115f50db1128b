//! A DynamoDB endpoint: a server of our own, or the one that `SINGLET_TEST_ENDPOINT` names.

use std::env;
use std::sync::{OnceLock, mpsc};
use std::thread;

use singlet_dynamodb::{Connection, DynamoDb};
use singlet_engine::Database;
use singlet_run::Wait;
use singlet_server::{Options, Server};
use singlet_store::Embedded;
use singlet_wire::Service;

use super::{Played, play};
use crate::stage::Stage;

const ENDPOINT_VARIABLE: &str = "SINGLET_TEST_ENDPOINT";

/// Plays a row. Its tables carry the row's name, so that all rows can share the endpoint.
pub(crate) fn play_row(design: &str, name: &str, row: fn(&Stage)) {
    static ENDPOINT: OnceLock<DynamoDb> = OnceLock::new();
    let store = ENDPOINT.get_or_init(|| {
        let endpoint_url = env::var(ENDPOINT_VARIABLE).unwrap_or_else(|_| serve());
        let region = Some("us-east-1".to_owned());
        DynamoDb::connect(&Connection { endpoint_url: Some(endpoint_url), region, profile: None }).wait()
    });
    play(design, &format!("{name}-"), &Played::Second(store), row);
}

/// The database of our own server, once it is started.
static OWN: OnceLock<Database> = OnceLock::new();

/// The database behind the endpoint, if the endpoint is a server of our own.
pub(super) fn own_database() -> Option<Embedded> {
    OWN.get().map(|database| Embedded::new(database.clone(), "memory"))
}

/// Starts a server for as long as the tests run, and gives its address.
fn serve() -> String {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let options = Options { address: "127.0.0.1:0".to_owned(), ..Options::default() };
            let server = Server::bind(options).await.unwrap();
            let database = OWN.get_or_init(super::database);
            tell.send(format!("http://{}", server.address())).unwrap();
            server.run(Service::new(database.clone()), std::future::pending()).await;
        });
    });
    told.recv().unwrap()
}
