//! Settings of a server.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use singlet_engine::{Clock, SystemClock};

use crate::signature::Credentials;

/// Settings of a server. [`Options::default`] listens on 127.0.0.1, port 8000, without credentials.
#[derive(Clone)]
pub struct Options {
    /// `HOST:PORT`. Port 0 means any free port.
    pub address: String,
    /// The server's region.
    pub region: String,
    /// The known access keys. Without them the server accepts any well-formed signature, and listens on loopback
    /// addresses only.
    pub credentials: Option<Credentials>,
    /// Certificate and key, for HTTPS.
    pub tls: Option<TlsFiles>,
    /// Host names, without port, besides `localhost` and the server's address. Without credentials it answers only to
    /// these.
    pub host_names: Vec<String>,
    /// The origin whose web pages may call the server. `*` means every origin.
    pub cors_origin: Option<String>,
    /// Whether everybody may see the metrics page, not only callers on this machine.
    pub metrics_public: bool,
    /// Threads that answer requests.
    pub threads: usize,
    /// Limits for clients.
    pub limits: Limits,
    /// The clock that the times of signatures are compared with.
    pub clock: Arc<dyn Clock>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: "127.0.0.1:8000".to_owned(),
            region: "us-east-1".to_owned(),
            credentials: None,
            tls: None,
            host_names: Vec::new(),
            cors_origin: None,
            metrics_public: false,
            threads: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
        }
    }
}

/// The paths of certificate and key, both in PEM.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The certificate chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Limits for clients. Every queue, buffer and wait has one.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The maximum number of open connections.
    pub connections_max: usize,
    /// The maximum number of connections from one address, or from one IPv6 network. `None` means a quarter of all, and
    /// no limit for this machine.
    pub connections_per_address_max: Option<usize>,
    /// The maximum size of a request's head: request line and headers.
    pub head_bytes_max: usize,
    /// The maximum size of a request's body, before and after decompression.
    pub body_bytes_max: usize,
    /// The memory for the bodies of all requests together, except the smallest.
    pub bodies_bytes_max: usize,
    /// The memory for all requests together that have been read from their bodies, except the smallest. A request that
    /// alone needs more is refused.
    pub parsed_bytes_max: usize,
    /// The memory for all answers together that clients haven't read yet, except the smallest.
    pub answers_bytes_max: usize,
    /// The maximum time from one request to the complete head of the next.
    pub idle_timeout: Duration,
    /// The maximum time that a client may take to send a request's body.
    pub body_timeout: Duration,
    /// The maximum time that a client may take to read an answer that exceeds the system's buffers. It is a tenth of
    /// this while answers take more than half of [`Limits::answers_bytes_max`].
    pub answer_timeout: Duration,
    /// The maximum time that a request waits for room for its body, before it is rejected.
    pub room_timeout: Duration,
    /// The time that running requests get to finish when the server shuts down.
    pub shutdown_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // The cost in memory is in docs/reliability.md. The `singlet` command allows fewer connections where the
            // system permits fewer open files.
            connections_max: 10_000,
            connections_per_address_max: None,
            head_bytes_max: 32 << 10,
            // DynamoDB's 16 MB, plus a margin for the JSON around the items.
            body_bytes_max: 17 << 20,
            bodies_bytes_max: 256 << 20,
            parsed_bytes_max: 256 << 20,
            answers_bytes_max: 256 << 20,
            idle_timeout: Duration::from_secs(120),
            body_timeout: Duration::from_secs(60),
            answer_timeout: Duration::from_secs(60),
            room_timeout: Duration::from_secs(5),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}
