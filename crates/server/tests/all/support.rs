//! A server with a substitute for the database, and a client that sends exact bytes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use singlet_server::{Api, Limits, Options, Server, Statistics, Stopped, TableStatistics};
use singlet_wire::{AnswerRoom, Consumption, Operation, ProtocolError, Reply};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;

/// A substitute for the database, which answers with the request's body. `Query` waits to be released, `Scan` panics,
/// `UpdateItem` reserves a megabyte for its answer, and `DeleteItem` answers with an error.
#[derive(Clone)]
pub(crate) struct Stub {
    pub(crate) begun: Arc<Semaphore>,
    pub(crate) let_go: Arc<Semaphore>,
}

impl Api for Stub {
    async fn call(&self, operation: Operation, body: &[u8], room: &dyn AnswerRoom) -> Reply {
        match operation {
            Operation::Query => {
                self.begun.add_permits(1);
                self.let_go.acquire().await.unwrap().forget();
            }
            Operation::Scan => panic!("a fault in the database"),
            Operation::DeleteItem => return Reply { status: 400, ..echo(body) },
            Operation::UpdateItem if !room.reserve(1 << 20).await => {
                return ProtocolError::ServiceUnavailable.reply();
            }
            _ => {}
        }
        echo(body)
    }

    fn statistics(&self) -> Statistics {
        let table = TableStatistics { name: "Music".to_owned(), items: 3, ..TableStatistics::default() };
        Statistics { tables: vec![table], ..Statistics::default() }
    }
}

/// An answer that repeats the request.
fn echo(body: &[u8]) -> Reply {
    Reply { status: 200, body: body.to_vec(), operation: None, error: None, consumed: Consumption::None }
}

/// A running server.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) stub: Stub,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Stopped>,
}

/// Short limits, so that tests reach them.
pub(crate) fn options() -> Options {
    Options {
        address: "127.0.0.1:0".to_owned(),
        limits: Limits { body_bytes_max: 100_000, ..Limits::default() },
        ..Options::default()
    }
}

pub(crate) async fn start(options: Options) -> Running {
    start_with(options, None).await
}

/// Starts a server with a router for the paths that aren't its own.
pub(crate) async fn start_with(options: Options, router: Option<Router>) -> Running {
    let stub = Stub { begun: Arc::new(Semaphore::new(0)), let_go: Arc::new(Semaphore::new(0)) };
    let mut server = Server::bind(options).await.unwrap();
    if let Some(router) = router {
        server = server.mount(router);
    }
    let address = server.address();
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(server.run(stub.clone(), async move {
        let _ = stopped.await;
    }));
    Running { address, stub, stop, task }
}

impl Running {
    pub(crate) async fn connect(&self) -> Client<TcpStream> {
        Client::new(TcpStream::connect(self.address).await.unwrap())
    }

    /// Sends one request on a new connection.
    pub(crate) async fn send(&self, request: impl AsRef<[u8]>) -> Answer {
        let mut client = self.connect().await;
        client.send(request).await;
        client.receive().await
    }

    /// Tells the server to shut down.
    pub(crate) fn shut_down(self) -> JoinHandle<Stopped> {
        self.stop.send(()).unwrap();
        self.task
    }
}

/// A connection to a server.
pub(crate) struct Client<S> {
    stream: BufReader<S>,
}

/// An answer as received.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Client<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream: BufReader::new(stream) }
    }

    /// Sends the bytes. Bytes that the server no longer accepts are left out.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.get_mut().write_all(bytes.as_ref()).await;
    }

    /// Sends the bytes like a client that gives up when it can't send all.
    pub(crate) async fn send_all(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.get_mut().write_all(bytes.as_ref()).await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Answer {
        self.try_receive().await.expect("the server closed the connection")
    }

    /// The next answer, or `None` if the server closes the connection.
    pub(crate) async fn try_receive(&mut self) -> Option<Answer> {
        let receive = async {
            let status_line = self.line().await?;
            let status = status_line.split(' ').nth(1)?.parse().ok()?;
            let mut headers = Vec::new();
            loop {
                match self.line().await? {
                    line if line.is_empty() => break,
                    line => {
                        let (name, value) = line.split_once(':')?;
                        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
                    }
                }
            }
            let length = headers.iter().find(|(name, _)| name == "content-length");
            let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
            self.stream.read_exact(&mut body).await.ok()?;
            Some(Answer { status, headers, body })
        };
        tokio::time::timeout(Duration::from_secs(20), receive).await.expect("no answer came")
    }

    /// Waits for the server to close the connection.
    pub(crate) async fn closed(&mut self) {
        assert!(self.try_receive().await.is_none(), "an answer came");
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line).await {
            Ok(count) if count > 0 => Some(line.trim_end().to_owned()),
            _ => None,
        }
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Checks that this is the error with that name.
    #[track_caller]
    pub(crate) fn assert_error(&self, status: u16, name: &str) {
        assert_eq!(self.status, status, "{}", self.text());
        assert!(self.text().contains(&format!("#{name}\"")), "{}", self.text());
    }
}

/// A request under construction.
pub(crate) struct Call {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// A call with all required headers, and an arbitrary signature.
pub(crate) fn call(operation: &str) -> Call {
    Call { method: "POST", path: "/".to_owned(), headers: Vec::new(), body: b"{}".to_vec() }
        .header("Host", "localhost:8000")
        .header("Content-Type", "application/x-amz-json-1.0")
        .header("X-Amz-Target", &format!("DynamoDB_20120810.{operation}"))
        .header("X-Amz-Date", "20260314T150926Z")
        .header("Authorization", "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=0")
}

impl Call {
    pub(crate) fn method(mut self, method: &'static str) -> Self {
        self.method = method;
        self
    }

    pub(crate) fn path(mut self, path: &str) -> Self {
        self.path = path.to_owned();
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets a header, replacing any with the same name.
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        let mut call = self.without(name);
        call.headers.push((name.to_owned(), value.to_owned()));
        call
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// Request line and headers.
    pub(crate) fn head(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let framed = self.headers.iter().any(|(name, _)| {
            name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("transfer-encoding")
        });
        if !framed {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    /// The whole request.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}
