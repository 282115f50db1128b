//! One connection: its requests, one after the other, until either side ends it.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::api::Api;
use crate::caller::Caller;
use crate::connections::{Connections, Order, Phase, Registration};
use crate::leftover;
use crate::repoll::Repoll;
use crate::request::Front;
use crate::workers::Place;

/// The number of bytes that a client may still send of a rejected request, before the connection is closed.
const LEFTOVER_BYTES_MAX: usize = 64 << 20;

/// Serves a connection to its end.
pub(crate) async fn serve<A: Api>(
    front: Arc<Front<A>>,
    connections: Arc<Connections>,
    registration: Registration,
    http: http1::Builder,
    tls: Option<TlsAcceptor>,
    (stream, peer): (TcpStream, SocketAddr),
    place: Place,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%peer, %error, "connection lost");
        return;
    }
    let caller = Caller { address: peer.ip(), registration: &registration, connections: &connections };
    match tls {
        None => serve_stream(&front, &caller, &http, &place, stream).await,
        Some(tls) => match unless_closed(&registration, tls.accept(stream)).await {
            Some(Ok(stream)) => serve_stream(&front, &caller, &http, &place, stream).await,
            Some(Err(error)) => tracing::debug!(%peer, %error, "TLS handshake failed"),
            None => {}
        },
    }
}

async fn serve_stream<A: Api>(
    front: &Front<A>,
    caller: &Caller<'_>,
    http: &http1::Builder,
    place: &Place,
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
) {
    let service = service_fn(|request| front.answer(caller, request));
    let mut connection = pin!(http.serve_connection(TokioIo::new(&mut stream), service));
    let task = poll_fn(|context| Poll::Ready(place.mailbox.address(context.waker().clone()))).await;
    caller.registration.wake(&task);
    let repoll = Repoll::new(task);
    let mut finishing = false;
    let serve = poll_fn(|_| {
        repoll.poll(|context| {
            if let Poll::Ready(result) = connection.as_mut().poll(context) {
                return Poll::Ready(result);
            }
            match caller.registration.order() {
                Order::Close => return Poll::Ready(Ok(())),
                Order::Finish if !finishing => {
                    finishing = true;
                    connection.as_mut().graceful_shutdown();
                    context.waker().wake_by_ref();
                }
                _ => {}
            }
            Poll::Pending
        })
    });
    let served = serve.await;
    if let Err(error) = &served {
        tracing::debug!(peer = %caller.address, %error, "connection ended");
    }
    // Hyper rejected a head that it couldn't read.
    if caller.registration.is_leaving() || served.is_err_and(|error| error.is_parse()) {
        caller.registration.enter(Phase::Leaving);
        let leftover = leftover::throw_away(&mut stream, LEFTOVER_BYTES_MAX);
        // If that fails, the client is gone.
        let _ = unless_closed(caller.registration, leftover).await;
    }
}

/// Runs the future until the connection is told to close or to finish. Before its first request there is nothing to
/// finish.
async fn unless_closed<F: Future>(registration: &Registration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut registered = false;
    poll_fn(|context| {
        if !registered {
            registration.wake(context.waker());
            registered = true;
        }
        match registration.order() {
            Order::Serve => future.as_mut().poll(context).map(Some),
            Order::Finish | Order::Close => Poll::Ready(None),
        }
    })
    .await
}

/// The HTTP settings of every connection.
pub(crate) fn http(head_bytes_max: usize) -> http1::Builder {
    let mut http = http1::Builder::new();
    // A client that has shut down its side after the request still gets its answer. Hyper also saves a system call: it
    // doesn't try to read while the database works.
    http.half_close(true);
    // `Connections` times slow heads out, without a timer for each request.
    http.header_read_timeout(None);
    http.max_header_size(head_bytes_max);
    // A head that doesn't fit into twice its limit is invalid. Bodies are read in pieces of this size.
    http.max_buf_size((head_bytes_max * 2).max(64 << 10));
    http
}
