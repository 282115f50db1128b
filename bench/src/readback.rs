//! After a load that wrote: are the last writes there? A server that acknowledges puts and drops them would be the fastest.

use std::collections::HashMap;
use std::net::SocketAddr;

use anyhow::Result;
use serde_json::{Value, json};

use crate::call::call;
use crate::item::write_key;
use crate::workload::Traffic;

/// So many of the last writes are read.
const READ_BACK: usize = 32;

/// Reads some of the items that were written last and compares them with what was sent; gives what is wrong. Items that
/// were written to more than once lately are left out, as nobody here knows which of two requests at a time came last.
pub(crate) fn read_back(address: SocketAddr, table: &str, sources: &[Traffic]) -> Result<Vec<String>> {
    let mut times: HashMap<u64, u32> = HashMap::new();
    for (write, _) in sources.iter().flat_map(Traffic::last_writes) {
        *times.entry(write.item).or_default() += 1;
    }
    let mut wrong = Vec::new();
    for source in sources {
        let sure = source.last_writes().filter(|(write, kept)| *kept && times.get(&write.item) == Some(&1));
        for (write, _) in sure.take(READ_BACK.div_ceil(sources.len())) {
            let answer = call(address, "GetItem", &get(table, write.item)?)?;
            if !answer.get("Item").is_some_and(|found| source.is_written(found, write)) {
                wrong.push("an acknowledged write is not there".to_owned());
            }
        }
    }
    Ok(wrong)
}

fn get(table: &str, item: u64) -> Result<Value> {
    let mut key = Vec::new();
    write_key(&mut key, item);
    let key: Value = serde_json::from_slice(&key)?;
    Ok(json!({"TableName": table, "Key": key, "ConsistentRead": true}))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener, TcpStream};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::{READ_BACK, read_back};
    use crate::load::{Pace, Plan, drive_keeping};
    use crate::workload::{Answers, Choice, Traffic, Workload};

    type Items = Arc<Mutex<HashMap<String, Value>>>;

    /// A server of gets and puts that drops one put in `drops_every`.
    fn server(drops_every: usize) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let items = Items::default();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let items = Arc::clone(&items);
                std::thread::spawn(move || serve(stream.unwrap(), &items, drops_every));
            }
        });
        address
    }

    fn serve(mut stream: TcpStream, items: &Items, drops_every: usize) {
        for number in 1.. {
            let Some((head, body)) = request(&mut stream) else { return };
            let request: Value = serde_json::from_slice(&body).unwrap();
            let key = |item: &Value| format!("{}{}", item["pk"], item["sk"]);
            let answer = if head.contains("GetItem") {
                json!({"Item": items.lock().unwrap().get(&key(&request["Key"]))})
            } else {
                if number % drops_every != 0 {
                    let item = request["Item"].clone();
                    items.lock().unwrap().insert(key(&item), item);
                }
                json!({})
            };
            let text = answer.to_string();
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{text}", text.len());
            stream.write_all(answer.as_bytes()).unwrap();
        }
    }

    fn request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
        let mut bytes = Vec::new();
        let mut chunk = [0; 4096];
        loop {
            let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
            bytes.extend_from_slice(&chunk[..count]);
            let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
            let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
            let body = &bytes[end + 4..];
            if body.len() == length.parse::<usize>().unwrap() {
                return Some((head.clone(), body.to_vec()));
            }
        }
    }

    fn wrong(drops_every: usize, workload: Workload) -> usize {
        let address = server(drops_every);
        let plan = Plan {
            address,
            connections: 4,
            threads: 2,
            pace: Pace::Closed,
            warmup: Duration::ZERO,
            measured: Duration::from_millis(200),
        };
        let (outcome, sources) = drive_keeping(&plan, |_| {
            let choice = Choice::Random { items: 1_000_000 };
            Traffic::new(&address.to_string(), "t", workload, choice, Answers::Database)
        })
        .unwrap();
        assert_eq!(outcome.error_count(), 0, "{:?}", outcome.errors);
        read_back(address, "t", &sources).unwrap().len()
    }

    #[test]
    fn a_server_that_drops_puts_is_caught() {
        assert_eq!(wrong(usize::MAX, Workload::Put), 0);
        assert_eq!(wrong(usize::MAX, Workload::PutMove), 0);
        assert_eq!(wrong(1, Workload::Put), READ_BACK);
        let some = wrong(4, Workload::Put);
        assert!((1..READ_BACK).contains(&some), "{some} of {READ_BACK}");
    }
}
