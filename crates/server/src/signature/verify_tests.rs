//! Signatures that others made: AWS's published test suite, and requests that botocore 1.43 signed.

use hyper::Request;
use singlet_engine::ManualClock;

use super::*;

/// A verifier whose clock stands `seconds_later` than the given time.
fn verifier(credentials: Credentials, region: &str, time: &str, seconds_later: i64) -> Verifier {
    let seconds = Timestamp::parse_basic(time).unwrap().seconds().checked_add_signed(seconds_later).unwrap();
    Verifier::new(credentials, region, Arc::new(ManualClock::new(seconds * 1000)))
}

// --- AWS's test suite -------------------------------------------------------------------------------

const SUITE_TIME: &str = "20150830T123600Z";
const SUITE_KEY: &str = "AKIDEXAMPLE";
const SUITE_SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

struct Vector {
    name: &'static str,
    method: &'static str,
    target: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
    signed_headers: &'static str,
    signature: &'static str,
}

const fn vector(
    name: &'static str,
    method: &'static str,
    target: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
    signed_headers: &'static str,
    signature: &'static str,
) -> Vector {
    Vector { name, method, target, headers, body, signed_headers, signature }
}

/// The whole suite but two: a folded header line, which HTTP no longer has, and the session token, which
/// [`a_session_token_is_signed_and_compared`] covers. Every request has `Host` and `X-Amz-Date` besides.
#[rustfmt::skip]
const SUITE: &[Vector] = &[
    vector("get-header-key-duplicate", "GET", "/", &[("my-header1", "value2"), ("my-header1", "value2"), ("my-header1", "value1")], "", "host;my-header1;x-amz-date", "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
    vector("get-header-value-order", "GET", "/", &[("my-header1", "value4"), ("my-header1", "value1"), ("my-header1", "value3"), ("my-header1", "value2")], "", "host;my-header1;x-amz-date", "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
    vector("get-header-value-trim", "GET", "/", &[("my-header1", " value1"), ("my-header2", " \"a   b   c\"")], "", "host;my-header1;my-header2;x-amz-date", "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    vector("get-unreserved", "GET", "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", &[], "", "host;x-amz-date", "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    vector("get-utf8", "GET", "/ሴ", &[], "", "host;x-amz-date", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
    vector("get-vanilla-empty-query-key", "GET", "/?Param1=value1", &[], "", "host;x-amz-date", "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
    vector("get-vanilla-query-order-key-case", "GET", "/?Param2=value2&Param1=value1", &[], "", "host;x-amz-date", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    vector("get-vanilla-query-order-key", "GET", "/?Param1=value2&Param1=Value1", &[], "", "host;x-amz-date", "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"),
    vector("get-vanilla-query-order-value", "GET", "/?Param1=value2&Param1=value1", &[], "", "host;x-amz-date", "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"),
    vector("get-vanilla-query-unreserved", "GET", "/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", &[], "", "host;x-amz-date", "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
    vector("get-vanilla-query", "GET", "/", &[], "", "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    vector("get-vanilla-utf8-query", "GET", "/?ሴ=bar", &[], "", "host;x-amz-date", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
    vector("get-vanilla", "GET", "/", &[], "", "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    vector("get-relative-relative", "GET", "/example1/example2/../..", &[], "", "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    vector("get-relative", "GET", "/example/..", &[], "", "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    vector("get-slash-dot-slash", "GET", "/./", &[], "", "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    vector("get-slash-pointless-dot", "GET", "/./example", &[], "", "host;x-amz-date", "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"),
    vector("get-slash", "GET", "//", &[], "", "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    vector("get-slashes", "GET", "//example//", &[], "", "host;x-amz-date", "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
    vector("get-space", "GET", "/example space/", &[], "", "host;x-amz-date", "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
    vector("post-header-key-case", "POST", "/", &[], "", "host;x-amz-date", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    vector("post-header-key-sort", "POST", "/", &[("my-header1", "value1")], "", "host;my-header1;x-amz-date", "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
    vector("post-header-value-case", "POST", "/", &[("my-header1", "VALUE1")], "", "host;my-header1;x-amz-date", "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
    vector("post-sts-header-after", "POST", "/", &[], "", "host;x-amz-date", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    vector("post-vanilla-empty-query-value", "POST", "/?Param1=value1", &[], "", "host;x-amz-date", "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
    vector("post-vanilla-query", "POST", "/?Param1=value1", &[], "", "host;x-amz-date", "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
    vector("post-vanilla", "POST", "/", &[], "", "host;x-amz-date", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    vector("post-x-www-form-urlencoded-parameters", "POST", "/", &[("content-type", "application/x-www-form-urlencoded; charset=utf8"), ("content-length", "13")], "Param1=value1", "content-type;host;x-amz-date", "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
    vector("post-x-www-form-urlencoded", "POST", "/", &[("content-type", "application/x-www-form-urlencoded"), ("content-length", "13")], "Param1=value1", "content-type;host;x-amz-date", "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
];

#[test]
fn the_published_test_suite_verifies() {
    let mut verifier =
        verifier(Credentials::of(SUITE_KEY, AccessKey::new(SUITE_SECRET)), "us-east-1", SUITE_TIME, 0);
    verifier.service = "service";
    for vector in SUITE {
        let mut request = Request::builder().method(vector.method);
        request = request.header("host", "example.amazonaws.com").header("x-amz-date", SUITE_TIME);
        for (name, value) in vector.headers {
            request = request.header(*name, *value);
        }
        request = request.header(
            "authorization",
            format!(
                "{ALGORITHM} Credential={SUITE_KEY}/20150830/us-east-1/service/aws4_request, \
                 SignedHeaders={}, Signature={}",
                vector.signed_headers, vector.signature
            ),
        );
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let presented = Presented::read(&parts).unwrap();
        // The suite's targets contain spaces, which a parsed URI can't.
        let (path, query) = match vector.target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (vector.target, None),
        };
        let signed = |body: &[u8]| SignedRequest {
            method: vector.method,
            path,
            query,
            headers: &parts.headers,
            signed_headers: vector.signed_headers,
            body_hash: Sha256::digest(body).into(),
        };
        let known = verifier.keys.get(SUITE_KEY).unwrap();
        let right = verifier.check_signature(&signed(vector.body.as_bytes()), &presented, known);
        assert_eq!(right, Ok(()), "{}", vector.name);
        let wrong = verifier.check_signature(&signed(b"another body"), &presented, known);
        assert_eq!(wrong, Err(SignatureError::mismatch()), "{}", vector.name);
    }
}

// --- botocore ---------------------------------------------------------------------------------------

const BOTO_TIME: &str = "20260314T150926Z";
const BOTO_BODY: &str = r#"{"TableName":"Music","Key":{"Artist":{"S":"Björk"}}}"#;
const BOTO_AUTHORIZATION: &str = "AWS4-HMAC-SHA256 \
    Credential=AKIDBOTO/20260314/eu-west-1/dynamodb/aws4_request, \
    SignedHeaders=content-type;host;x-amz-date;x-amz-target, \
    Signature=34d496000651df5a4da51235f473374632dec3dbfc2ff4ae9f16fe7a35c85eff";
const BOTO_SESSION_AUTHORIZATION: &str = "AWS4-HMAC-SHA256 \
    Credential=ASIABOTO/20260314/eu-west-1/dynamodb/aws4_request, \
    SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, \
    Signature=6d8f2fc416fd2846054e590fe2c341a754d57c72ca82687caa18ab8d4e698f4e";
const BOTO_PRESIGNED: &str = "http://localhost:8000/?TableName=Music\
    &Key=%7B%27Artist%27%3A%20%7B%27S%27%3A%20%27Bj%C3%B6rk%27%7D%7D\
    &X-Amz-Algorithm=AWS4-HMAC-SHA256\
    &X-Amz-Credential=ASIABOTO%2F20260314%2Feu-west-1%2Fdynamodb%2Faws4_request\
    &X-Amz-Date=20260314T150926Z&X-Amz-Expires=900\
    &X-Amz-SignedHeaders=content-type%3Bhost%3Bx-amz-target\
    &X-Amz-Security-Token=token%2Fwith%2Bsigns%3D%3D\
    &X-Amz-Signature=4105cccb9c7589d15683e34dbeb121071fdcf5519419bdb9b7534f7efc0748a5";

fn boto_credentials() -> Credentials {
    Credentials::of("AKIDBOTO", AccessKey::new("botosecret/+key"))
        .and("ASIABOTO", AccessKey::new("session/+secret").with_session_token("token/with+signs=="))
}

fn boto_request(uri: &str, headers: &[(&str, &str)]) -> Parts {
    let mut request = Request::builder().method("POST").uri(uri).header("host", "localhost:8000");
    request = request.header("content-type", "application/x-amz-json-1.0");
    request = request.header("x-amz-target", "DynamoDB_20120810.GetItem");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

fn signed_by_boto() -> Parts {
    boto_request("/", &[("x-amz-date", BOTO_TIME), ("authorization", BOTO_AUTHORIZATION)])
}

fn refusal(verifier: &Verifier, parts: &Parts) -> String {
    verifier.verify(parts, BOTO_BODY.as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_request_that_boto_signed_is_taken() {
    let verifier = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, 0);
    for _ in 0..2 {
        // The second time with the signing key from the cache.
        assert_eq!(verifier.verify(&signed_by_boto(), BOTO_BODY.as_bytes()), Ok(Access::Full));
    }
}

#[test]
fn a_changed_body_header_or_path_is_refused() {
    let verifier = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, 0);
    let mismatch = Err(SignatureError::mismatch());
    assert_eq!(verifier.verify(&signed_by_boto(), b"{}"), mismatch);
    let mut other_target = signed_by_boto();
    other_target.headers.insert("x-amz-target", "DynamoDB_20120810.DeleteTable".parse().unwrap());
    assert_eq!(verifier.verify(&other_target, BOTO_BODY.as_bytes()), mismatch);
    let mut other_path = signed_by_boto();
    other_path.uri = "/other".parse().unwrap();
    assert_eq!(verifier.verify(&other_path, BOTO_BODY.as_bytes()), mismatch);
}

#[test]
fn a_wrong_secret_is_refused() {
    let credentials = Credentials::of("AKIDBOTO", AccessKey::new("another"));
    let verifier = verifier(credentials, "eu-west-1", BOTO_TIME, 0);
    assert_eq!(verifier.verify(&signed_by_boto(), BOTO_BODY.as_bytes()), Err(SignatureError::mismatch()));
}

#[test]
fn an_unknown_key_is_refused() {
    let credentials = Credentials::of("AKIDOTHER", AccessKey::new("botosecret/+key"));
    let verifier = verifier(credentials, "eu-west-1", BOTO_TIME, 0);
    assert_eq!(verifier.verify(&signed_by_boto(), BOTO_BODY.as_bytes()), Err(SignatureError::UnknownKey));
}

#[test]
fn a_read_only_key_says_so() {
    let credentials = Credentials::of("AKIDBOTO", AccessKey::new("botosecret/+key").read_only());
    let verifier = verifier(credentials, "eu-west-1", BOTO_TIME, 0);
    assert_eq!(verifier.verify(&signed_by_boto(), BOTO_BODY.as_bytes()), Ok(Access::ReadOnly));
}

#[test]
fn a_session_token_is_signed_and_compared() {
    let with_token = |token| {
        let authorization = ("authorization", BOTO_SESSION_AUTHORIZATION);
        boto_request("/", &[("x-amz-date", BOTO_TIME), ("x-amz-security-token", token), authorization])
    };
    let sound = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, 0);
    let request = with_token("token/with+signs==");
    assert_eq!(sound.verify(&request, BOTO_BODY.as_bytes()), Ok(Access::Full));
    let mismatch = Err(SignatureError::mismatch());
    assert_eq!(sound.verify(&with_token("another"), BOTO_BODY.as_bytes()), mismatch);

    for configured in [
        AccessKey::new("session/+secret"),
        AccessKey::new("session/+secret").with_session_token("a newer one"),
    ] {
        let verifier = verifier(Credentials::of("ASIABOTO", configured), "eu-west-1", BOTO_TIME, 0);
        assert_eq!(verifier.verify(&request, BOTO_BODY.as_bytes()), Err(SignatureError::UnknownKey));
    }
}

#[test]
fn a_presigned_request_is_good_for_its_lifetime() {
    let request = boto_request(BOTO_PRESIGNED, &[]);
    for (seconds_later, good) in [(-301, false), (-300, true), (0, true), (900, true), (901, false)] {
        let verifier = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, seconds_later);
        assert_eq!(verifier.verify(&request, b"").is_ok(), good, "{seconds_later}");
    }
}

#[test]
fn a_signature_is_good_for_five_minutes_before_and_after() {
    for (seconds_later, text) in [
        (300, None),
        (-300, None),
        (
            301,
            Some(
                "Signature expired: 20260314T150926Z is now earlier than 20260314T150927Z (20260314T151427Z - 5 min.)",
            ),
        ),
        (
            -301,
            Some(
                "Signature not yet current: 20260314T150926Z is still later than 20260314T150925Z (20260314T150425Z + 5 min.)",
            ),
        ),
    ] {
        let verifier = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, seconds_later);
        let answer = verifier.verify(&signed_by_boto(), BOTO_BODY.as_bytes());
        assert_eq!(answer.err().map(|error| error.to_string()).as_deref(), text);
    }
}

#[test]
fn every_fault_of_the_scope_is_named() {
    let verifier = verifier(boto_credentials(), "us-east-1", BOTO_TIME, 0);
    let authorization = "AWS4-HMAC-SHA256 Credential=AKIDBOTO/20260313/mars/s3/end, \
                         SignedHeaders=host;x-amz-date, Signature=00";
    let parts = boto_request("/", &[("x-amz-date", BOTO_TIME), ("authorization", authorization)]);
    assert_eq!(
        refusal(&verifier, &parts),
        "Credential should be scoped to a valid region, not 'mars'. \
         Credential should be scoped to correct service: 'dynamodb'. \
         Credential should be scoped with a valid terminator: 'aws4_request', not 'end'. \
         Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: \
         '20260313' != '20260314', from '20260314T150926Z'."
    );
}

#[test]
fn a_signature_that_leaves_the_host_out_is_refused() {
    let verifier = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, 0);
    let authorization = "AWS4-HMAC-SHA256 Credential=AKIDBOTO/20260314/eu-west-1/dynamodb/aws4_request, \
                         SignedHeaders=x-amz-date, Signature=00";
    let parts = boto_request("/", &[("x-amz-date", BOTO_TIME), ("authorization", authorization)]);
    assert_eq!(
        refusal(&verifier, &parts),
        "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
    );
}

#[test]
fn a_repeated_signed_header_is_refused_before_it_costs_anything() {
    let verifier = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, 0);
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential=AKIDBOTO/20260314/eu-west-1/dynamodb/aws4_request, \
         SignedHeaders={}host;x-amz-date;x-amz-target, Signature=00",
        "host;".repeat(5_000)
    );
    let parts = boto_request("/", &[("x-amz-date", BOTO_TIME), ("authorization", &authorization)]);
    assert_eq!(verifier.verify(&parts, b""), Err(SignatureError::mismatch()));
}

#[test]
fn an_unsigned_payload_is_refused() {
    // Only S3 accepts it. The hash is always that of the received bytes.
    let verifier = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, 0);
    let mut parts = signed_by_boto();
    parts.headers.insert("x-amz-content-sha256", "UNSIGNED-PAYLOAD".parse().unwrap());
    let unsigned = SignatureError::unsigned("'X-Amz-Content-Sha256'");
    assert_eq!(verifier.verify(&parts, BOTO_BODY.as_bytes()), Err(unsigned));
}

#[test]
fn a_header_that_speaks_to_the_service_must_be_signed() {
    let verifier = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, 0);
    for (signed, missing) in [
        ("content-type;host;x-amz-date", "X-Amz-Target"),
        ("host;x-amz-target", "X-Amz-Date"),
        ("Host", "X-Amz-Target"),
    ] {
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential=AKIDBOTO/20260314/eu-west-1/dynamodb/aws4_request, \
             SignedHeaders={signed}, Signature=00"
        );
        let parts = boto_request("/", &[("x-amz-date", BOTO_TIME), ("authorization", &authorization)]);
        let expected = format!("'{missing}' must be a 'SignedHeader' in the AWS Authorization.");
        assert_eq!(refusal(&verifier, &parts), expected);
    }
    // A request that was signed for any operation can't be sent as this one.
    let presigned = BOTO_PRESIGNED.replace("content-type%3Bhost%3Bx-amz-target", "content-type%3Bhost");
    let text = refusal(&verifier, &boto_request(&presigned, &[]));
    assert_eq!(text, "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.");
    let mut added = signed_by_boto();
    added.headers.insert("x-amz-added-by-somebody", "1".parse().unwrap());
    assert!(refusal(&verifier, &added).starts_with("'X-Amz-Added-By-Somebody' must be"));
}

#[test]
fn other_headers_need_not_be_signed() {
    let verifier = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, 0);
    let mut parts = signed_by_boto();
    for name in ["amz-sdk-invocation-id", "amz-sdk-request", "user-agent", "x-amzn-trace-id", "accept"] {
        parts.headers.insert(name, "1".parse().unwrap());
    }
    assert_eq!(verifier.verify(&parts, BOTO_BODY.as_bytes()), Ok(Access::Full));
}

/// A captured request with an unsigned operation could be sent as a deletion.
#[test]
fn a_request_that_was_signed_for_any_operation_is_refused() {
    let verifier = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, 0);
    let request = |signature: &str| {
        let authorization = authorization("host;x-amz-date", signature);
        let mut parts = boto_request("/", &[("x-amz-date", BOTO_TIME), ("authorization", &authorization)]);
        parts.headers.remove("x-amz-target");
        parts
    };
    let hash = Sha256::digest(BOTO_BODY).into();
    let mut signed = request(&signature(&verifier, &request("00"), hash));
    assert_eq!(verifier.verify(&signed, BOTO_BODY.as_bytes()), Ok(Access::Full), "the signature is right");
    signed.headers.insert("x-amz-target", "DynamoDB_20120810.DeleteItem".parse().unwrap());
    let unsigned = SignatureError::unsigned("'X-Amz-Target'");
    assert_eq!(verifier.verify(&signed, BOTO_BODY.as_bytes()), Err(unsigned));
}

/// The header with a signature over these headers.
fn authorization(signed_headers: &str, signature: &str) -> String {
    format!(
        "AWS4-HMAC-SHA256 Credential=AKIDBOTO/20260314/eu-west-1/dynamodb/aws4_request, \
         SignedHeaders={signed_headers}, Signature={signature}"
    )
}

/// The signature that a holder of the secret creates for a request whose body has this hash.
fn signature(verifier: &Verifier, parts: &Parts, hash: [u8; 32]) -> String {
    let (presented, known) = verifier.present(parts).unwrap();
    let canonical = SignedRequest::of(parts, &presented, hash).canonical().unwrap();
    let mut digest = Vec::new();
    write_hex(&mut digest, &Sha256::digest(canonical));
    let mut mac = verifier.signing_mac(known, "20260314");
    mac.update(format!("{ALGORITHM}\n{BOTO_TIME}\n20260314/eu-west-1/dynamodb/{TERMINATOR}\n").as_bytes());
    mac.update(&digest);
    let mut signature = Vec::new();
    write_hex(&mut signature, &mac.finalize().into_bytes());
    String::from_utf8(signature).unwrap()
}

/// Signs a request as its sender does, with the hash of the body in its head.
fn signed_with_hash(verifier: &Verifier, hash: &str) -> Parts {
    let request = |signature: &str| {
        let authorization = authorization("host;x-amz-content-sha256;x-amz-date;x-amz-target", signature);
        let headers =
            [("x-amz-date", BOTO_TIME), ("x-amz-content-sha256", hash), ("authorization", &authorization)];
        boto_request("/", &headers)
    };
    request(&signature(verifier, &request("00"), hash_bytes(hash).unwrap()))
}

#[test]
fn a_hash_in_the_head_lets_the_signature_be_checked_before_the_body() {
    let ours = verifier(boto_credentials(), "eu-west-1", BOTO_TIME, 0);
    let others = verifier(Credentials::of("AKIDBOTO", AccessKey::new("another")), "eu-west-1", BOTO_TIME, 0);
    let mut hash = Vec::new();
    write_hex(&mut hash, &Sha256::digest(BOTO_BODY));
    let request = signed_with_hash(&ours, std::str::from_utf8(&hash).unwrap());
    assert_eq!(ours.check_head(&request), Ok(true));
    assert_eq!(ours.verify(&request, BOTO_BODY.as_bytes()), Ok(Access::Full));
    assert_eq!(ours.verify(&request, b"another body"), Err(SignatureError::mismatch()));
    assert_eq!(others.check_head(&request), Err(SignatureError::mismatch()), "without the body");
    assert_eq!(ours.check_head(&signed_by_boto()), Ok(false), "nothing to hold it against");
}

#[test]
fn a_lifetime_is_a_number_of_seconds_up_to_a_week() {
    let of = |seconds: &str| {
        boto_request(&BOTO_PRESIGNED.replace("Expires=900", &format!("Expires={seconds}")), &[])
    };
    for (seconds, text) in [
        ("-1", "X-Amz-Expires must be non-negative"),
        ("0", "X-Amz-Expires must be at least one second"),
        (
            "604801",
            "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds",
        ),
        ("9999999999999999999999", "X-Amz-Expires should be a number"),
        ("soon", "X-Amz-Expires should be a number"),
        ("", "X-Amz-Expires should be a number"),
    ] {
        assert_eq!(check_form(&of(seconds)).unwrap_err().to_string(), text, "{seconds}");
    }
    for seconds in ["1", "604800"] {
        assert_eq!(check_form(&of(seconds)), Ok(()), "{seconds}");
    }
}

// --- The form alone ---------------------------------------------------------------------------------

#[test]
fn a_whole_signature_has_the_right_form_whatever_it_says() {
    assert_eq!(check_form(&signed_by_boto()), Ok(()));
    assert_eq!(check_form(&boto_request(BOTO_PRESIGNED, &[])), Ok(()));
    let unspaced = "AWS4-HMAC-SHA256 Credential=a/b/c/d/e,SignedHeaders=,Signature=";
    let parts = boto_request("/", &[("x-amz-date", BOTO_TIME), ("authorization", unspaced)]);
    assert_eq!(check_form(&parts), Ok(()));
}

#[test]
fn a_signature_of_the_wrong_form_gets_dynamodbs_text() {
    let date = ("x-amz-date", BOTO_TIME);
    let credential = "Credential=a/b/c/d";
    let rest = "SignedHeaders=host, Signature=00";
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[], "Request is missing Authentication Token"),
        (&[("authorization", "AWS4")], "Request is missing Authentication Token"),
        (&[("authorization", "Basic YTpi")], "Request is missing Authentication Token"),
        (
            &[("authorization", "AWS4-")],
            "Authorization header requires 'Credential' parameter. \
             Authorization header requires 'Signature' parameter. \
             Authorization header requires 'SignedHeaders' parameter. \
             Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. \
             Authorization=AWS4-",
        ),
        (
            &[date, ("authorization", &format!("AWS4-HMAC-SHA256 {credential}, {rest}"))],
            "Credential must have exactly 5 slash-delimited elements, e.g. \
             keyid/date/region/service/term, got 'a/b/c/d'",
        ),
        (
            &[date, ("authorization", &format!("AWS4-HMAC-SHA25 {credential}/e, {rest}"))],
            "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ",
        ),
        (
            &[date, ("authorization", "AWS4-HMAC-SHA256 Signature=b,    Credential,    SignedHeaders")],
            "'Credential' not a valid key=value pair (missing equal-sign) in Authorization header: \
             'AWS4-HMAC-SHA256 Signature=b,    Credential,    SignedHeaders'.",
        ),
        (
            &[("x-amz-date", "201"), ("authorization", &format!("AWS4-HMAC-SHA256 {credential}/e, {rest}"))],
            "Date must be in ISO-8601 'basic format'. Got '201'. \
             See http://en.wikipedia.org/wiki/ISO_8601",
        ),
    ];
    for (headers, text) in cases {
        assert_eq!(check_form(&boto_request("/", headers)).unwrap_err().to_string(), *text);
    }
}

#[test]
fn a_presigned_request_of_the_wrong_form_gets_dynamodbs_text() {
    assert_eq!(
        check_form(&boto_request("/?X-Amz-Algorithm", &[])).unwrap_err().to_string(),
        "AWS query-string parameters must include 'X-Amz-Algorithm'. \
         AWS query-string parameters must include 'X-Amz-Credential'. \
         AWS query-string parameters must include 'X-Amz-Signature'. \
         AWS query-string parameters must include 'X-Amz-SignedHeaders'. \
         AWS query-string parameters must include 'X-Amz-Date'. Re-examine the query-string parameters."
    );
    let both = boto_request(BOTO_PRESIGNED, &[("authorization", BOTO_AUTHORIZATION)]);
    assert_eq!(
        check_form(&both).unwrap_err().to_string(),
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
    );
}
