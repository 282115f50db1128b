//! The bare limit: an HTTP server that reads each request and answers with a fixed number of bytes.
//!
//! What a database on hyper can reach at most on this machine with this client. Built the usual way: tokio's
//! multi-threaded runtime, one task per connection, no delay on the socket.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Result;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::sign::TARGET_PREFIX;
use crate::workload::Operation;

/// The answers' bodies, by the value of `X-Amz-Target`.
type Answers = HashMap<String, Bytes>;

/// Serves until the process ends.
pub(crate) fn serve(address: SocketAddr) -> Result<()> {
    let answers: Arc<Answers> = Arc::new(
        Operation::ALL
            .into_iter()
            .map(|operation| {
                let body = Bytes::from(vec![b'x'; operation.answer_bytes()]);
                (format!("{TARGET_PREFIX}{}", operation.name()), body)
            })
            .collect(),
    );
    tokio::runtime::Builder::new_multi_thread().enable_io().build()?.block_on(accept(address, answers))
}

async fn accept(address: SocketAddr, answers: Arc<Answers>) -> Result<()> {
    let listener = TcpListener::bind(address).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let answers = Arc::clone(&answers);
        tokio::spawn(async move {
            let service = service_fn(|request| answer(&answers, request));
            // A client that goes away is no news here.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(answers: &Answers, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let target = head.headers.get("x-amz-target").and_then(|target| target.to_str().ok());
    let bytes = target.and_then(|target| answers.get(target)).cloned().unwrap_or(Bytes::from_static(b"{}"));
    // The request is read to its end before it is answered, as a database must.
    let _ = body.collect().await;
    let mut response = Response::new(Full::new(bytes));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(crate::sign::CONTENT_TYPE));
    Ok(response)
}
