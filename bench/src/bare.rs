//! The bare limit: an HTTP server that reads each request and answers with a fixed number of bytes.
//!
//! It runs as Singlet's server does: a runtime of its own on each thread, a connection stays on the thread that it was
//! given to, no delay on the socket, mimalloc. The difference between the two is the work that a database does for a
//! request.

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
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Handle};

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
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let workers: Vec<Handle> = (0..threads).map(|_| worker()).collect::<Result<_>>()?;
    Builder::new_current_thread().enable_io().build()?.block_on(accept(address, &workers, &answers))
}

/// Starts a thread with a runtime, which works until the process ends.
fn worker() -> Result<Handle> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let handle = runtime.handle().clone();
    std::thread::Builder::new().spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    Ok(handle)
}

/// Gives connections to the threads in turn.
async fn accept(address: SocketAddr, workers: &[Handle], answers: &Arc<Answers>) -> Result<()> {
    let listener = TcpListener::bind(address).await?;
    for worker in workers.iter().cycle() {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        // A socket belongs to the runtime that it was made in; this one moves to another.
        let stream = stream.into_std()?;
        let answers = Arc::clone(answers);
        worker.spawn(async move {
            let Ok(stream) = TcpStream::from_std(stream) else { return };
            let service = service_fn(|request| answer(&answers, request));
            // A client that goes away isn't an error.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
    Ok(())
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
