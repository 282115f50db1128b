//! SigV4 for DynamoDB requests, cheap enough to sign each request as it is sent.
//!
//! With SHA instructions a signature costs about a microsecond, so that nothing has to be prepared in advance:
//! any key out of any number of items, always a fresh date.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::clock::amz_date;

const REGION: &str = "us-east-1";
const SIGNED_HEADERS: &str = "content-type;host;x-amz-date;x-amz-target";
/// The content type that DynamoDB's clients send; it is part of what is signed.
pub(crate) const CONTENT_TYPE: &str = "application/x-amz-json-1.0";
/// The access key that all our runs use: an example in AWS's documentation.
pub(crate) const ACCESS_KEY: &str = "AKIAIOSFODNN7EXAMPLE";
pub(crate) const SECRET_KEY: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
/// All DynamoDB operations are called as this prefix and their name.
pub(crate) const TARGET_PREFIX: &str = "DynamoDB_20120810.";

/// Signs; keeps what changes only once a second or once a day.
pub(crate) struct Signer {
    unix_seconds: u64,
    date: String,
    scope: String,
    day_key: Option<Hmac<Sha256>>,
    canonical: Vec<u8>,
}

impl Signer {
    /// A signer with the access key of all runs.
    pub(crate) fn new() -> Self {
        Self {
            unix_seconds: u64::MAX,
            date: String::new(),
            scope: String::new(),
            day_key: None,
            canonical: Vec::with_capacity(512),
        }
    }

    /// Appends the `X-Amz-Date` and `Authorization` header lines for a request to `out`.
    pub(crate) fn sign(
        &mut self,
        unix_seconds: u64,
        host: &str,
        operation: &str,
        body: &[u8],
        out: &mut Vec<u8>,
    ) {
        if unix_seconds != self.unix_seconds {
            self.set_time(unix_seconds);
        }
        let canonical = &mut self.canonical;
        canonical.clear();
        for part in [
            "POST\n/\n\ncontent-type:",
            CONTENT_TYPE,
            "\nhost:",
            host,
            "\nx-amz-date:",
            &self.date,
            "\nx-amz-target:",
            TARGET_PREFIX,
            operation,
            "\n\n",
            SIGNED_HEADERS,
            "\n",
        ] {
            canonical.extend_from_slice(part.as_bytes());
        }
        write_hex(canonical, &Sha256::digest(body));
        let request_hash = Sha256::digest(&*canonical);

        canonical.clear();
        for part in ["AWS4-HMAC-SHA256\n", &self.date, "\n", &self.scope, "\n"] {
            canonical.extend_from_slice(part.as_bytes());
        }
        write_hex(canonical, &request_hash);

        for part in [
            "X-Amz-Date: ",
            &self.date,
            "\r\nAuthorization: AWS4-HMAC-SHA256 Credential=",
            ACCESS_KEY,
            "/",
            &self.scope,
            ", SignedHeaders=",
            SIGNED_HEADERS,
            ", Signature=",
        ] {
            out.extend_from_slice(part.as_bytes());
        }
        if let Some(day_key) = &self.day_key {
            let mut signature = day_key.clone();
            signature.update(canonical);
            write_hex(out, &signature.finalize().into_bytes());
        }
        out.extend_from_slice(b"\r\n");
    }

    fn set_time(&mut self, unix_seconds: u64) {
        self.unix_seconds = unix_seconds;
        self.date = amz_date(unix_seconds);
        let day = self.date.get(..8).unwrap_or_default();
        self.scope = format!("{day}/{REGION}/dynamodb/aws4_request");
        let mut key = keyed(format!("AWS4{SECRET_KEY}").as_bytes());
        for part in [day, REGION, "dynamodb", "aws4_request"] {
            key.update(part.as_bytes());
            key = keyed(&key.finalize().into_bytes());
        }
        self.day_key = Some(key);
    }
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of any length")
}

fn write_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend(
        bytes
            .iter()
            .flat_map(|byte| [byte >> 4, byte & 15])
            .filter_map(|digit| DIGITS.get(usize::from(digit))),
    );
}

#[cfg(test)]
mod tests {
    use super::Signer;

    #[test]
    fn signature_equals_the_one_that_botocore_makes() {
        let mut out = Vec::new();
        let body = br#"{"TableName":"t"}"#;
        Signer::new().sign(1_769_862_896, "127.0.0.1:8000", "DescribeTable", body, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with("X-Amz-Date: 20260131T123456Z\r\nAuthorization: AWS4-HMAC-SHA256 "),
            "{text}"
        );
        let signature = "88cbe6ca097d8216d1d84fd13af1cf6f0e3b525e63d2ef41866799c2cba7de39";
        assert!(text.ends_with(&format!("Signature={signature}\r\n")), "{text}");
    }
}
