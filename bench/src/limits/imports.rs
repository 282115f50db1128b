//! Files of an import that want more memory than they are worth.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::LimitsOptions;
use super::scene::{Finding, Row, Scene};
use crate::call::call;
use crate::clock::pause;

const GIVE_UP: Duration = Duration::from_secs(60);

pub(super) fn run(options: &LimitsOptions, rows: &mut Vec<Row>) -> Result<()> {
    for (name, file) in [
        ("an import of 64 KB of Zstandard with a window of 3.75 TB", huge_window()),
        ("an import of 64 KB of Zstandard in one block of 4 GB", huge_block()),
    ] {
        if options.wants(name) {
            rows.push(import(options, name, &file)?);
        }
    }
    Ok(())
}

fn import(options: &LimitsOptions, name: &str, file: &[u8]) -> Result<Row> {
    let buckets = options.programs.scratch.join("limits-buckets");
    fs::create_dir_all(buckets.join("bucket"))?;
    fs::write(buckets.join("bucket/file"), file)?;
    let scene = Scene::start(options, &["--buckets", &buckets.display().to_string()])?;
    scene.attack(name, |scene| {
        let table = json!({
            "TableName": "imported", "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        });
        let begun = call(
            scene.address(),
            "ImportTable",
            &json!({
                "S3BucketSource": {"S3Bucket": "bucket"}, "InputFormat": "DYNAMODB_JSON",
                "InputCompressionType": "ZSTD", "TableCreationParameters": table,
            }),
        )?;
        let arn = text_at(&begun, "/ImportTableDescription/ImportArn");
        let start = Instant::now();
        loop {
            let import = call(scene.address(), "DescribeImport", &json!({"ImportArn": arn}))?;
            let status = text_at(&import, "/ImportTableDescription/ImportStatus");
            if status != "IN_PROGRESS" {
                let failure = text_at(&import, "/ImportTableDescription/FailureMessage");
                return Ok(Finding { outcome: format!("{status}: {failure}"), count: 1 });
            }
            ensure!(start.elapsed() < GIVE_UP, "the import does not come to an end: {import}");
            pause(Duration::from_millis(20));
        }
    })
}

fn text_at(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Blocks that repeat a blank 128 KB each, in a window that would hold them all.
fn huge_window() -> Vec<u8> {
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0xFF];
    frame.extend([0x02, 0x00, 0x10, b' '].repeat(16_000));
    frame
}

/// One block whose 32,000 sequences copy 128 KB each.
fn huge_block() -> Vec<u8> {
    const COUNT: usize = 32_000;
    let mut block = vec![0, (COUNT >> 8) as u8 + 128, COUNT as u8, 0b0101_0100, 0, 0, 52];
    block.extend([0xFF; 2].repeat(COUNT));
    block.push(1);
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 13 << 3, 8 << 3, 0, 0];
    frame.extend(b"1234567\n");
    frame.extend((1 | 2 << 1 | block.len() << 3).to_le_bytes().iter().take(3));
    frame.extend(block);
    frame
}
