//! The other end of a connection, as requests see it.

use std::fmt;
use std::net::IpAddr;

use hyper::header::{CONNECTION, HeaderValue};

use crate::connections::{Connections, Phase, Registration};
use crate::response::Answer;

/// The other end of a connection.
pub(crate) struct Caller<'a> {
    pub(crate) address: IpAddr,
    pub(crate) registration: &'a Registration,
    pub(crate) connections: &'a Connections,
}

/// The client disconnected during its request, so there is nobody to answer.
#[derive(Debug)]
pub(crate) struct ClientGone;

impl fmt::Display for ClientGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the client left in the middle of its request")
    }
}

impl std::error::Error for ClientGone {}

/// Ends the connection after this answer, without receiving the request's body.
pub(crate) fn leave(caller: &Caller<'_>, answer: &mut Answer) {
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    caller.registration.enter(Phase::Leaving);
}
