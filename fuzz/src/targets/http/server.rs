//! The two servers, started once.

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use singlet_engine::ManualClock;
use singlet_server::{AccessKey, Api, Credentials, Limits, Options, Statistics};
use singlet_wire::{AnswerRoom, Consumption, Operation, Reply, Service};

use crate::fixture::{Folder, opened};

/// The body of the one request in the corpus that is signed.
pub(super) const SIGNED_BODY: &[u8] = br#"{"TableName":"signed"}"#;
/// When it was signed: 2015-08-30T12:36:00Z.
const SIGNED_MS: u64 = 1_440_938_160_000;

static OPEN: LazyLock<Server> =
    LazyLock::new(|| Server::start(Service::new(opened(Folder::Closed).0), options()));
static GUARDED: LazyLock<Server> = LazyLock::new(|| {
    let credentials =
        Credentials::of("AKIDEXAMPLE", AccessKey::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"));
    let clock = Arc::new(ManualClock::new(SIGNED_MS));
    Server::start(Echo, Options { credentials: Some(credentials), clock, ..options() })
});

/// A server that runs until the process ends.
pub(super) struct Server {
    pub(super) address: SocketAddr,
}

/// Answers with the body it got.
struct Echo;

impl Api for Echo {
    async fn call(&self, _: Operation, body: &[u8], _: &dyn AnswerRoom) -> Reply {
        Reply { status: 200, body: body.to_vec(), operation: None, error: None, consumed: Consumption::None }
    }

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}

fn options() -> Options {
    let limits = Limits {
        head_bytes_max: 8 << 10,
        body_bytes_max: 64 << 10,
        idle_timeout: Duration::from_secs(5),
        body_timeout: Duration::from_secs(5),
        ..Limits::default()
    };
    Options { address: "127.0.0.1:0".to_owned(), threads: 1, limits, ..Options::default() }
}

impl Server {
    /// On a database, without credentials.
    pub(super) fn open() -> &'static Server {
        &OPEN
    }

    /// With credentials.
    pub(super) fn guarded() -> &'static Server {
        &GUARDED
    }

    fn start(api: impl Api, options: Options) -> Server {
        let (sender, receiver) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let server = singlet_server::Server::bind(options).await.unwrap();
                sender.send(server.address()).unwrap();
                server.run(api, std::future::pending()).await;
            });
        });
        Server { address: receiver.recv().unwrap() }
    }
}
