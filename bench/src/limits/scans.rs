//! Long reads: how long one holds up a client on the same thread.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::LimitsOptions;
use super::scene::{Finding, Row, Scene, read_answer, request};
use crate::call::call;

const SMALL_TABLE: &str = "small-items";
const SMALL_ITEMS: usize = 20_000;

pub(super) fn run(options: &LimitsOptions, rows: &mut Vec<Row>) -> Result<()> {
    let name = "scans of 1 MB of small items, all filtered away, on the same thread";
    if !options.wants(name) {
        return Ok(());
    }
    let scene = Scene::start(options, &["--threads", "1"])?;
    fill(&scene)?;
    let scan = json!({
        "TableName": SMALL_TABLE, "FilterExpression": "contains(#t, :x) AND n < :n",
        "ExpressionAttributeNames": {"#t": "text"},
        "ExpressionAttributeValues": {":x": {"S": "nothing"}, ":n": {"N": "5"}},
    });
    let bytes = request(scene.address(), "Scan", scan.to_string().as_bytes());
    rows.push(scene.attack(name, |scene| {
        let mut stream = TcpStream::connect(scene.address())?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        let (start, mut count, mut answer) = (Instant::now(), 0, Vec::new());
        while start.elapsed() < options.duration() {
            stream.write_all(&bytes)?;
            let head = read_answer(&mut stream, &mut answer)?;
            ensure!(head.status == 200, "{}", String::from_utf8_lossy(&answer));
            count += 1;
        }
        let each = start.elapsed().as_secs_f64() * 1e3 / f64::from(count);
        Ok(Finding { outcome: format!("{count} scans, {each:.1} ms each"), count: count as usize })
    })?);
    Ok(())
}

fn fill(scene: &Scene) -> Result<()> {
    let table = json!({
        "TableName": SMALL_TABLE, "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    });
    call(scene.address(), "CreateTable", &table)?;
    for first in (0..SMALL_ITEMS).step_by(25) {
        let puts: Vec<Value> = (first..first + 25)
            .map(|number| {
                let item = json!({
                    "id": {"S": format!("{number:08}")}, "n": {"N": number.to_string()},
                    "text": {"S": "a text of some words"},
                });
                json!({"PutRequest": {"Item": item}})
            })
            .collect();
        call(scene.address(), "BatchWriteItem", &json!({"RequestItems": {SMALL_TABLE: puts}}))?;
    }
    Ok(())
}
