//! One request at a time, waiting for its answer: for what surrounds a measurement.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::http::{AnswerHead, RequestWriter};

const TIMEOUT: Duration = Duration::from_secs(30);

/// Sends one signed request on a connection of its own; gives the answer's JSON if its status is 200.
pub(crate) fn call(address: SocketAddr, operation: &str, body: &Value) -> Result<Value> {
    let (status, answer) = exchange(address, operation, body)?;
    ensure!(status == 200, "{operation}: status {status}: {}", String::from_utf8_lossy(&answer));
    serde_json::from_slice(&answer).with_context(|| format!("{operation}: answer is not JSON"))
}

/// Sends one signed request on a connection of its own; gives status and body as they come.
pub(crate) fn exchange(address: SocketAddr, operation: &str, body: &Value) -> Result<(u16, Vec<u8>)> {
    let mut request = Vec::new();
    let text = body.to_string();
    RequestWriter::new(&address.to_string())
        .write(&mut request, operation, |out| out.extend_from_slice(text.as_bytes()));
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(&request)?;

    let mut answer = Vec::new();
    let mut chunk = [0; 8192];
    loop {
        let count = stream.read(&mut chunk)?;
        if count == 0 {
            bail!("{operation}: connection closed");
        }
        answer.extend_from_slice(chunk.get(..count).unwrap_or_default());
        if let Some(head) = AnswerHead::read(&answer)?
            && let Some(body) = answer.get(head.head_bytes..head.total_bytes())
        {
            return Ok((head.status, body.to_vec()));
        }
    }
}
