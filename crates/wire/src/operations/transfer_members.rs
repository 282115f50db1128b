//! Members that exports and imports share: buckets, tokens, ARNs.

use std::fmt::Display;

use singlet_engine::{BucketPlace, ClientToken};

use crate::constraint::Constraints;
use crate::read::{self, ContentHash, Text};

const BUCKET_PATTERN: &str =
    "Member must satisfy regular expression pattern: ^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$";
const OWNER_PATTERN: &str = "Member must satisfy regular expression pattern: [0-9]{12}";
const TOKEN_PATTERN: &str = "Member must satisfy regular expression pattern: ^[^\\$]+$";
const BUCKET_BYTES: (usize, usize) = (0, 255);
const PREFIX_BYTES: (usize, usize) = (0, 1024);
/// The length of the ARN of an export or import, in bytes.
const ARN_BYTES: (usize, usize) = (37, 1024);
/// The maximum number of exports or imports in one answer.
pub(super) const LIMIT: (i64, i64) = (1, 25);

/// The paths of a bucket's members in a request.
pub(super) struct BucketPaths {
    pub(super) bucket: &'static str,
    pub(super) owner: &'static str,
    pub(super) prefix: &'static str,
}

/// Reads a place in a bucket.
pub(super) fn read_place(
    constraints: &mut Constraints,
    paths: &BucketPaths,
    (bucket, owner, prefix): (Option<Text<'_>>, Option<Text<'_>>, Option<Text<'_>>),
) -> Option<BucketPlace> {
    let bucket = constraints.required(paths.bucket, bucket).map(Text::into_string);
    if let Some(bucket) = &bucket {
        constraints.length(paths.bucket, bucket.as_str(), bucket.len(), BUCKET_BYTES);
        if !is_bucket(bucket) {
            constraints.violation(bucket, paths.bucket, BUCKET_PATTERN);
        }
    }
    let owner = owner.map(Text::into_string);
    if let Some(owner) = &owner
        && !(owner.len() == 12 && owner.bytes().all(|byte| byte.is_ascii_digit()))
    {
        constraints.violation(owner, paths.owner, OWNER_PATTERN);
    }
    let prefix = prefix.map(Text::into_string);
    if let Some(prefix) = &prefix {
        constraints.length(paths.prefix, prefix.as_str(), prefix.len(), PREFIX_BYTES);
    }
    Some(BucketPlace { bucket: bucket?, owner, prefix })
}

fn is_bucket(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let ends = (name.bytes().next(), name.bytes().next_back());
    let (Some(first), Some(last)) = ends else { return false };
    name.len() >= 2
        && first.is_ascii_alphanumeric()
        && last.is_ascii_alphanumeric()
        && name.bytes().all(is_inner)
}

/// Reads a token. It identifies the whole request, regardless of white space and the order of members.
pub(super) fn read_token(
    constraints: &mut Constraints,
    member: Option<Text<'_>>,
    body: &[u8],
) -> Option<ClientToken> {
    let text = member?.into_string();
    if text.is_empty() || text.contains('$') {
        constraints.violation(&text, "clientToken", TOKEN_PATTERN);
    }
    let content = read::body::<ContentHash>(body).unwrap_or_else(|_| ContentHash::of_bytes(body));
    Some(ClientToken { text, fingerprint: content.0 })
}

/// Reads the ARN of an export or import, which is required.
pub(super) fn read_arn(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    member: Option<Text<'_>>,
) -> Option<String> {
    let arn = constraints.required(path, member)?.into_string();
    constraints.length(path, arn.as_str(), arn.len(), ARN_BYTES);
    Some(arn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_named_as_the_service_model_says() {
        for name in ["ab", "my-exports", "a.b_c-D9", "x".repeat(255).as_str()] {
            assert!(is_bucket(name), "{name}");
        }
        for name in ["", "a", "..", ".a", "a.", "a/b", "a\\b", "a b", "-ab", "ä-bucket", "a\0b"] {
            assert!(!is_bucket(name), "{name}");
        }
    }
}
