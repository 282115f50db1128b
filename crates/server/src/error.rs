//! Why a server doesn't start.

use std::net::SocketAddr;

/// Why a server doesn't start. The text includes a remedy.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The server has no credentials, and other machines can reach the address.
    #[error(
        "refusing to listen on {address} without credentials: whoever reaches this address could read and \
         change the data.\nGive the server its access keys (--credentials FILE, or the variables \
         SINGLET_ACCESS_KEY_ID and SINGLET_SECRET_ACCESS_KEY), or listen on 127.0.0.1."
    )]
    Exposed {
        /// The address.
        address: SocketAddr,
    },
    /// The address is invalid.
    #[error("can't listen on '{address}': {reason}. Write it as HOST:PORT, such as 127.0.0.1:8000.")]
    Address {
        /// The address as given.
        address: String,
        /// Why it is invalid.
        reason: String,
    },
    /// Another program listens on the address.
    #[error(
        "{address} is in use by another program (another singlet, or DynamoDB Local, perhaps).\n\
         Stop it, or choose another port with --address HOST:PORT."
    )]
    InUse {
        /// The address.
        address: SocketAddr,
    },
    /// The system doesn't allow listening on the address.
    #[error("can't listen on {address}: {reason}. Choose another address with --address HOST:PORT.")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        reason: std::io::Error,
    },
    /// The certificate or key can't be used.
    #[error("can't use {path} for TLS: {reason}. Certificate and key are files in PEM.")]
    Tls {
        /// The file.
        path: String,
        /// The problem with the file.
        reason: String,
    },
    /// A host name is invalid.
    #[error("'{0}' isn't a host name: write it without scheme and port, such as db.internal.")]
    HostName(String),
    /// The CORS origin is invalid.
    #[error("'{0}' is not an origin: write it as https://example.com, or * for every origin.")]
    Origin(String),
    /// The system can't start the threads that answer requests.
    #[error("can't start the threads that answer requests: {0}")]
    Threads(std::io::Error),
}
