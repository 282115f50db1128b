//! The listening socket and the life of the server.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use tokio::net::{TcpListener, TcpSocket, TcpStream, lookup_host};
use tokio_rustls::TlsAcceptor;

use crate::api::Api;
use crate::connection;
use crate::connections::{Connections, Order, Registration};
use crate::cors::Cors;
use crate::error::StartError;
use crate::host::{self, Hosts};
use crate::options::Options;
use crate::pace::Pace;
use crate::refusal::Refusals;
use crate::request::Front;
use crate::tls;
use crate::workers::Workers;

/// The length of the system's queue of connections to accept.
const UNACCEPTED_MAX: u32 = 4096;
/// The pause after the system had no room for another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The time that connections get to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A server that has its address, but doesn't answer until [`Server::run`].
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    cors: Option<Cors>,
    workers: Workers,
    options: Options,
    router: Option<Router>,
    home: Option<&'static str>,
}

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// The number of connections that were cut off because they didn't finish in time.
    pub cut_off: usize,
}

impl Server {
    /// Binds the address. Without credentials, only loopback addresses are allowed.
    pub async fn bind(options: Options) -> Result<Self, StartError> {
        let cors = match &options.cors_origin {
            Some(origin) => Some(Cors::new(origin).ok_or_else(|| StartError::Origin(origin.clone()))?),
            None => None,
        };
        if let Some(name) = options.host_names.iter().find(|name| !host::is_name(name)) {
            return Err(StartError::HostName(name.clone()));
        }
        let tls = options.tls.as_ref().map(tls::acceptor).transpose()?;
        let (listener, address) = listen(&options).await?;
        let workers = Workers::start(options.threads).map_err(StartError::Threads)?;
        Ok(Self { listener, address, tls, cors, workers, options, router: None, home: None })
    }

    /// The address that was bound.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Mounts a router for all paths but the server's own ([`crate::OWN_PATHS`]). It finds the client's address among
    /// the extensions of a request, as an [`IpAddr`](std::net::IpAddr). The body of a request is already received and
    /// decompressed, within the server's limits.
    #[must_use]
    pub fn mount(mut self, router: Router) -> Self {
        self.router = Some(router);
        self
    }

    /// Sends browsers that ask for `/` to a path of the mounted router. Programs still learn there that the server is well.
    #[must_use]
    pub fn with_home(mut self, path: &'static str) -> Self {
        self.home = Some(path);
        self
    }

    /// Serves until `shutdown` completes. Then it stops accepting connections, and running requests may finish.
    pub async fn run<A: Api>(self, api: A, shutdown: impl Future<Output = ()>) -> Stopped {
        let Self { listener, address, tls, cors, workers, options, router, home } = self;
        let limits = &options.limits;
        let connections = Arc::new(Connections::new(limits));
        let hosts = Hosts::new(address, &options.host_names);
        let front = Arc::new(Front::new(api, (router, home), &options, cors, hosts));
        let door = Door {
            listener,
            tls,
            http: connection::http(limits.head_bytes_max),
            connections: Arc::clone(&connections),
            front: Arc::clone(&front),
            refusals: Refusals::default(),
            failures: Pace::new(),
            workers: &workers,
        };
        let timed_out = |phase| {
            front.metrics.connections_timed_out.increment();
            tracing::debug!(?phase, "connection closed: its client is too slow");
        };
        tokio::select! {
            () = door.accept() => {}
            () = connections.watch_over(|| front.answers.is_pressed(), timed_out) => {}
            () = shutdown => {}
        }
        drop(door);
        finish(&connections, limits.shutdown_timeout).await
    }
}

/// Lets the connections finish, and closes the others after a timeout.
async fn finish(connections: &Connections, timeout: Duration) -> Stopped {
    connections.tell_all(Order::Finish);
    if tokio::time::timeout(timeout, connections.all_closed()).await.is_ok() {
        return Stopped { cut_off: 0 };
    }
    let cut_off = connections.count();
    connections.tell_all(Order::Close);
    // A connection that hasn't closed by now is stuck in a call. The process ends anyway.
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, connections.all_closed()).await;
    Stopped { cut_off }
}

/// The source of connections.
struct Door<'w, A> {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    http: http1::Builder,
    connections: Arc<Connections>,
    front: Arc<Front<A>>,
    refusals: Refusals,
    failures: Pace,
    workers: &'w Workers,
}

impl<A: Api> Door<'_, A> {
    async fn accept(&self) {
        loop {
            match self.listener.accept().await {
                Ok(connection) => self.admit(connection),
                Err(error) => {
                    // Either the client is already gone, or there are no file handles left. Neither is a reason to
                    // stop, but the second persists for a while.
                    self.front.metrics.accepts_failed.increment();
                    if self.failures.admits() {
                        tracing::warn!(%error, "can't accept a connection");
                    }
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// A place for a connection from this address. If there isn't one, a connection without an allowed request is
    /// closed for it.
    fn admitted(&self, peer: SocketAddr) -> Option<Registration> {
        let address = peer.ip();
        if let Some(registration) = self.connections.register(address) {
            return Some(registration);
        }
        if self.connections.displace_for(address) {
            self.front.metrics.connections_displaced.increment();
        }
        self.connections.register(address)
    }

    fn admit(&self, connection: (TcpStream, SocketAddr)) {
        self.front.metrics.connections_accepted.increment();
        let Some(registration) = self.admitted(connection.1) else {
            self.front.metrics.connections_refused.increment();
            // A TLS client couldn't read the answer.
            if self.tls.is_none() {
                self.refusals.refuse(connection.0);
            }
            return;
        };
        let (front, connections) = (Arc::clone(&self.front), Arc::clone(&self.connections));
        let (http, tls) = (self.http.clone(), self.tls.clone());
        let (stream, peer) = connection;
        self.workers.serve(stream, move |stream, place| {
            connection::serve(front, connections, registration, http, tls, (stream, peer), place)
        });
    }
}

/// Listens with a longer queue than usual. When many clients connect at once, the system rejects none of them before
/// the server does.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // On other systems it means that two programs may listen on the same address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(UNACCEPTED_MAX)
}

async fn listen(options: &Options) -> Result<(TcpListener, SocketAddr), StartError> {
    let wrong = |reason: String| StartError::Address { address: options.address.clone(), reason };
    let addresses: Vec<SocketAddr> =
        lookup_host(&options.address).await.map_err(|error| wrong(error.to_string()))?.collect();
    if options.credentials.is_none()
        && let Some(address) = addresses.iter().find(|address| !address.ip().to_canonical().is_loopback())
    {
        return Err(StartError::Exposed { address: *address });
    }
    let mut failure = wrong("no address has this name".to_owned());
    for address in addresses {
        match bind(address).and_then(|listener| Ok((listener.local_addr()?, listener))) {
            Ok((address, listener)) => return Ok((listener, address)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => failure = StartError::InUse { address },
            Err(reason) => failure = StartError::Bind { address, reason },
        }
    }
    Err(failure)
}
