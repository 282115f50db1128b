//! HTTPS.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto};

use crate::error::StartError;
use crate::options::TlsFiles;

/// Reads certificate and key.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, StartError> {
    let certificates: Vec<_> = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(&files.certificate, error))?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| unusable(&files.key, error))?;
    let provider = Arc::new(crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&files.certificate, error))?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| unusable(&files.certificate, error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn unusable(path: &Path, reason: impl ToString) -> StartError {
    StartError::Tls { path: path.display().to_string(), reason: reason.to_string() }
}
