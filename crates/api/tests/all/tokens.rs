//! Tokens that are believed, and attacks.

use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey};
use singlet_api::{Authority, CallerKeys, DevelopmentKey};
use singlet_run::{Caller, SeededEntropy};
use singlet_store::Clock;

use crate::client::{Answer, Client};

const NOW: i64 = 1_800_000_000;

/// A clock that stands still.
#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now_ms(&self) -> u64 {
        NOW as u64 * 1000
    }

    fn monotonic_ms(&self) -> u64 {
        0
    }
}

const DESIGN: &str = r#"
design = "notes"
[table]
key = ["PK", "SK"]
[caller]
is    = "User"
roles = ["admin"]
[entity.User]
key    = ["USER#{user_id}", "PROFILE"]
fields = { user_id = "id", name = "string" }
[pattern.me]
get = "User"
who = "self"
[pattern.users]
scan = "User"
who  = "admin"
[pattern.anybody]
exists = "User"
who    = "anyone"
"#;

fn key(seed: u64) -> DevelopmentKey {
    DevelopmentKey::random(&SeededEntropy::new(seed))
}

async fn client(authority: Authority) -> Client {
    Client::with_authority(DESIGN, &authority.with_clock(Arc::new(Still))).await
}

fn authority() -> Authority {
    Authority::of_keys(CallerKeys::read(&key(1).to_file()).unwrap())
}

fn token() -> String {
    key(1).token(&Caller::new("mai"), NOW, NOW + 600, &[]).unwrap()
}

/// A token with this text as header and claims, signed with a development key.
fn forged(header: &str, claims: &str) -> String {
    let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let message = format!("{}.{}", part(header), part(claims));
    let secret = secret(&key(1).to_file());
    let signature =
        jsonwebtoken::crypto::sign(message.as_bytes(), &EncodingKey::from_secret(&secret), Algorithm::HS256);
    format!("{message}.{}", signature.unwrap())
}

/// The secret in a key file.
fn secret(file: &str) -> Vec<u8> {
    let text = file.split("\"k\":\"").nth(1).unwrap().split('"').next().unwrap();
    URL_SAFE_NO_PAD.decode(text).unwrap()
}

async fn with_token(client: &Client, path: &str, token: &str) -> Answer {
    // From another machine.
    let request = Request::get(path).header("authorization", format!("Bearer {token}"));
    let mut request = request.body(Body::empty()).unwrap();
    request.extensions_mut().insert(std::net::IpAddr::from([10, 0, 0, 7]));
    client.pass(request).await
}

#[tokio::test]
async fn a_token_proves_who_calls_from_everywhere() {
    let client = client(authority()).await;
    with_token(&client, "/notes/users/me", &token()).await.assert_problem(404, "not-found");
    with_token(&client, "/notes/users", &token()).await.assert_problem(403, "forbidden");
    let admin = key(1).token(&Caller::new("mai").with_roles(["admin"]), NOW, NOW + 600, &[]).unwrap();
    assert_eq!(with_token(&client, "/notes/users", &admin).await.status, 200);
    let nobody = client.get("/notes/users/mai/exists").await;
    assert_eq!(nobody.status, 200, "{}", nobody.text());
    client.get("/notes/users/me").await.assert_problem(401, "unauthenticated");
    let named = client.send_with("GET", "/notes/users/me", "", &[("singlet-as", "mai")]).await;
    named.assert_problem(400, "unsupported-header");
}

#[tokio::test]
async fn forged_tokens_are_refused() {
    let client = client(authority()).await;
    let header = r#"{"alg":"HS256","kid":"development"}"#;
    let claims = format!(r#"{{"sub":"mai","exp":{}}}"#, NOW + 60);
    let sound = forged(header, &claims);
    with_token(&client, "/notes/users/me", &sound).await.assert_problem(404, "not-found");
    let parts: Vec<&str> = sound.split('.').collect();
    let unsigned = |header: &str| format!("{}.{}.", URL_SAFE_NO_PAD.encode(header), parts[1]);
    let mut wrong = vec![
        ("no signature", format!("{}.{}.", parts[0], parts[1])),
        ("two parts", format!("{}.{}", parts[0], parts[1])),
        ("four parts", format!("{sound}.x")),
        (
            "other claims",
            format!("{}.{}.{}", parts[0], URL_SAFE_NO_PAD.encode(claims.replace("mai", "eve")), parts[2]),
        ),
        ("none", unsigned(r#"{"alg":"none"}"#)),
        ("None", unsigned(r#"{"alg":"None","kid":"development"}"#)),
        ("another secret", key(2).token(&Caller::new("mai"), NOW, NOW + 60, &[]).unwrap()),
        ("padding", format!("{sound}=")),
        (
            "too long",
            forged(header, &format!(r#"{{"sub":"mai","exp":{},"x":"{}"}}"#, NOW + 60, "x".repeat(9000))),
        ),
        ("not UTF-8", format!("{}.{}.{}", parts[0], URL_SAFE_NO_PAD.encode([0xff, 0xfe]), parts[2])),
        ("empty", String::new()),
    ];
    for (name, header) in [
        ("RS256", r#"{"alg":"RS256","kid":"development"}"#),
        ("HS512", r#"{"alg":"HS512","kid":"development"}"#),
        ("unknown key", r#"{"alg":"HS256","kid":"other"}"#),
        ("path as key", r#"{"alg":"HS256","kid":"../../dev/null"}"#),
        ("critical", r#"{"alg":"HS256","kid":"development","crit":["exp"]}"#),
        ("algorithm twice", r#"{"alg":"HS256","alg":"HS256","kid":"development"}"#),
        ("no algorithm", r#"{"kid":"development"}"#),
        ("number as algorithm", r#"{"alg":5,"kid":"development"}"#),
        ("another kind", r#"{"alg":"HS256","kid":"development","typ":"dpop+jwt"}"#),
        ("list", r#"["HS256"]"#),
    ] {
        wrong.push((name, forged(header, &claims)));
    }
    for (name, claims) in [
        ("expired", format!(r#"{{"sub":"mai","exp":{}}}"#, NOW - 61)),
        ("no end", r#"{"sub":"mai"}"#.to_owned()),
        ("end as text", format!(r#"{{"sub":"mai","exp":"{}"}}"#, NOW + 60)),
        ("early", format!(r#"{{"sub":"mai","exp":{},"nbf":{}}}"#, NOW + 600, NOW + 61)),
        ("beginning as text", format!(r#"{{"sub":"mai","exp":{},"nbf":"0"}}"#, NOW + 600)),
        ("issued tomorrow", format!(r#"{{"sub":"mai","exp":{},"iat":{}}}"#, NOW + 99_999, NOW + 86_400)),
        ("nobody", format!(r#"{{"exp":{}}}"#, NOW + 60)),
        ("empty subject", format!(r#"{{"sub":"","exp":{}}}"#, NOW + 60)),
        ("number as subject", format!(r#"{{"sub":5,"exp":{}}}"#, NOW + 60)),
        ("subject twice", format!(r#"{{"sub":"mai","sub":"eve","exp":{}}}"#, NOW + 60)),
        ("roles twice", format!(r#"{{"sub":"mai","exp":{},"role":"admin","roles":[]}}"#, NOW + 60)),
        ("roles as object", format!(r#"{{"sub":"mai","exp":{},"roles":{{"admin":true}}}}"#, NOW + 60)),
        ("for somebody else", format!(r#"{{"sub":"mai","exp":{},"aud":"another"}}"#, NOW + 60)),
    ] {
        wrong.push((name, forged(header, &claims)));
    }
    for (name, token) in wrong {
        let answer = with_token(&client, "/notes/users/mai/exists", &token).await;
        assert_eq!(answer.status, 401, "{name}: {}", answer.text());
        answer.assert_problem(401, "invalid-token");
        assert_eq!(answer.header("www-authenticate"), "Bearer error=\"invalid_token\"", "{name}");
    }
}

#[tokio::test]
async fn clocks_may_differ_by_a_minute() {
    let client = client(authority()).await;
    for (from, until) in [(NOW - 600, NOW - 59), (NOW + 59, NOW + 600)] {
        let token = key(1).token(&Caller::new("mai"), from, until, &[]).unwrap();
        with_token(&client, "/notes/users/me", &token).await.assert_problem(404, "not-found");
    }
}

#[tokio::test]
async fn issuer_and_audience_must_be_the_expected_ones() {
    let client = client(authority().with_issuer("https://id").with_audience("notes")).await;
    let answer = async |more: &[(&str, &str)]| {
        let token = key(1).token(&Caller::new("mai"), NOW, NOW + 60, more).unwrap();
        with_token(&client, "/notes/users/me", &token).await.status.as_u16()
    };
    assert_eq!(answer(&[("iss", "https://id"), ("aud", "notes")]).await, 404);
    for wrong in [
        &[][..],
        &[("iss", "https://id")],
        &[("aud", "notes")],
        &[("iss", "https://id/"), ("aud", "notes")],
        &[("iss", "https://id"), ("aud", "other")],
    ] {
        assert_eq!(answer(wrong).await, 401, "{wrong:?}");
    }
}

#[test]
fn key_files_without_a_usable_key_are_refused() {
    for (file, reason) in [
        ("", "neither PEM"),
        ("{}", "`kty`"),
        (r#"{"keys": []}"#, "no key"),
        (r#"{"keys": 5}"#, "list"),
        (r#"{"keys": [{"kty": "oct", "k": "c2hvcnQ"}]}"#, "32 bytes"),
        (r#"{"keys": [{"kty": "oct", "k": "*"}]}"#, "base64url"),
        (r#"{"keys": [{"kty": "RSA", "use": "enc", "n": "x", "e": "AQAB"}]}"#, "no key"),
        (r#"{"keys": [{"kty": "EC", "crv": "P-521", "x": "x", "y": "y"}]}"#, "no key"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n", "no end"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "isn't a public key"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "private key"),
    ] {
        let error = CallerKeys::read(file).unwrap_err().to_string();
        assert!(error.contains(reason), "{file}: {error}");
    }
    let twice = key(1).to_file().replace("]}", &format!(",{}", &key(2).to_file()[9..]));
    assert!(CallerKeys::read(&twice).unwrap_err().to_string().contains("kid"), "{twice}");
    assert!(!format!("{:?}", CallerKeys::read(&key(1).to_file()).unwrap()).contains("secret"));
}
