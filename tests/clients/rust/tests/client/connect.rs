//! Ways to the two servers.

use aws_config::{BehaviorVersion, ConfigLoader};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Credentials;

/// The server without keys, found as an application finds it: from the environment.
pub(crate) async fn open() -> Client {
    Client::new(&loader().load().await)
}

/// The server that asks for keys.
pub(crate) async fn guarded(key: &str, secret: &str) -> Client {
    let url = std::env::var("GUARDED_URL").expect("tests/clients/run sets it");
    let credentials = Credentials::new(key, secret, None, None, "the test");
    Client::new(&loader().endpoint_url(url).credentials_provider(credentials).load().await)
}

fn loader() -> ConfigLoader {
    aws_config::defaults(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
}
