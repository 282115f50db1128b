//! How a server is set up.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use singlet_engine::{Clock, SystemClock};

use crate::signature::Credentials;

/// How a server is set up. [`Options::default`] listens on 127.0.0.1, port 8000, without credentials.
#[derive(Clone)]
pub struct Options {
    /// `HOST:PORT`; port 0 takes any free one.
    pub address: String,
    /// The region that the server says it is in.
    pub region: String,
    /// The known keys. Without them any well-formed signature is taken, on loopback addresses only.
    pub credentials: Option<Credentials>,
    /// Certificate and key, for HTTPS.
    pub tls: Option<TlsFiles>,
    /// Names, without port, that clients reach the server by, beside `localhost` and its address. Without credentials it
    /// answers to no others.
    pub host_names: Vec<String>,
    /// The origin whose web pages may call the server; `*` is every origin.
    pub cors_origin: Option<String>,
    /// Whether the metrics page is shown to everybody, not only to callers on this machine.
    pub metrics_public: bool,
    /// Threads that answer requests.
    pub threads: usize,
    /// What a client may take.
    pub limits: Limits,
    /// Tells the time that signatures are held against.
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

/// Where certificate and key are, both in PEM.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The certificate chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// What clients may take of the server. Every queue, buffer and wait has a bound.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Connections that may be open at once.
    pub connections_max: usize,
    /// How many of them may come from one address, or from one network of IPv6. `None` is a quarter of them, and as many as
    /// like from this machine.
    pub connections_per_address_max: Option<usize>,
    /// Bytes of a request's head: request line and headers.
    pub head_bytes_max: usize,
    /// Bytes of a request's body, before and after decompression.
    pub body_bytes_max: usize,
    /// Bytes that the bodies of all requests together may hold, the smallest ones left out.
    pub bodies_bytes_max: usize,
    /// Bytes that all answers together may hold which clients have not taken yet, the smallest ones left out.
    pub answers_bytes_max: usize,
    /// How long a connection may wait for its next request to arrive, the request's whole head included.
    pub idle_timeout: Duration,
    /// How long a client may take to send a request's body.
    pub body_timeout: Duration,
    /// How long a client may take to read an answer that doesn't fit the system's buffers. When those that wait take more
    /// than half of [`Limits::answers_bytes_max`], a tenth of this.
    pub answer_timeout: Duration,
    /// How long a request waits for room for its body; then it is refused.
    pub room_timeout: Duration,
    /// How long running requests may take to finish once the server shuts down.
    pub shutdown_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // What this costs in memory is in docs/reliability.md. The `singlet` command allows fewer where the system
            // permits fewer open files.
            connections_max: 10_000,
            connections_per_address_max: None,
            head_bytes_max: 32 << 10,
            // DynamoDB's 16 MB, and a margin for the JSON around the items.
            body_bytes_max: 17 << 20,
            bodies_bytes_max: 256 << 20,
            answers_bytes_max: 256 << 20,
            idle_timeout: Duration::from_secs(120),
            body_timeout: Duration::from_secs(60),
            answer_timeout: Duration::from_secs(60),
            room_timeout: Duration::from_secs(5),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}
