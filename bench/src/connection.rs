//! One keep-alive connection that never blocks and has at most one request under way.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::http::AnswerHead;

const BUFFER_BYTES: usize = 32 * 1024;

/// The state of a connection after it was served.
pub(crate) enum Progress {
    /// The answer isn't complete.
    Waiting,
    /// The answer is complete; its body is [`Connection::body`].
    Answered(AnswerHead),
}

/// A connection with its buffers, which are used again for each request.
pub(crate) struct Connection<Ticket> {
    /// The socket, for registering it.
    pub(crate) stream: TcpStream,
    /// The request; filled before [`Connection::send`].
    pub(crate) request: Vec<u8>,
    /// The request under way, and the time since which it counts.
    pub(crate) pending: Option<(Ticket, Instant)>,
    sent_bytes: usize,
    answer: Vec<u8>,
    received_bytes: usize,
    head: Option<AnswerHead>,
}

impl<Ticket> Connection<Ticket> {
    /// Connects to a server on this machine.
    pub(crate) fn open(address: SocketAddr) -> Result<Self> {
        Ok(Self {
            stream: connect(address)?,
            request: Vec::with_capacity(BUFFER_BYTES),
            pending: None,
            sent_bytes: 0,
            answer: vec![0; BUFFER_BYTES],
            received_bytes: 0,
            head: None,
        })
    }

    /// Takes a new socket for one that was closed; the buffers stay.
    pub(crate) fn reopen(&mut self, address: SocketAddr) -> Result<()> {
        self.stream = connect(address)?;
        self.pending = None;
        self.request.clear();
        self.received_bytes = 0;
        self.head = None;
        Ok(())
    }

    /// Begins to send what is in `request`.
    pub(crate) fn send(&mut self, ticket: Ticket, since: Instant) -> Result<()> {
        self.pending = Some((ticket, since));
        self.sent_bytes = 0;
        self.received_bytes = 0;
        self.head = None;
        self.send_rest()
    }

    /// The body of a complete answer.
    pub(crate) fn body(&self, head: AnswerHead) -> &[u8] {
        self.answer.get(head.head_bytes..head.total_bytes()).unwrap_or_default()
    }

    /// Goes on with whatever the socket is ready for.
    pub(crate) fn proceed(&mut self) -> Result<Progress> {
        self.send_rest()?;
        loop {
            let wanted = self.head.map_or(BUFFER_BYTES, |head| head.total_bytes());
            if self.answer.len() < wanted {
                self.answer.resize(wanted, 0);
            }
            let Some(free) = self.answer.get_mut(self.received_bytes..).filter(|free| !free.is_empty())
            else {
                bail!("answer's head is longer than {BUFFER_BYTES} bytes");
            };
            match self.stream.read(free) {
                Ok(0) => bail!("connection closed by the server"),
                Ok(count) => self.received_bytes += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Progress::Waiting),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            if self.head.is_none() {
                self.head = AnswerHead::read(self.answer.get(..self.received_bytes).unwrap_or_default())?;
            }
            // Nothing follows a complete answer, as no further request was sent: there is no need to read until the
            // socket would block, although it is watched for edges only.
            if let Some(head) = self.head.filter(|head| self.received_bytes >= head.total_bytes()) {
                return Ok(Progress::Answered(head));
            }
        }
    }

    fn send_rest(&mut self) -> Result<()> {
        while let Some(rest) = self.request.get(self.sent_bytes..).filter(|rest| !rest.is_empty()) {
            match self.stream.write(rest) {
                Ok(count) => self.sent_bytes += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

fn connect(address: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}
