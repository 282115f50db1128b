//! Where the endpoint is and who calls it, as the AWS CLI finds it out.

use std::time::Duration;

use aws_config::environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider};
use aws_config::meta::credentials::CredentialsProviderChain;
use aws_config::meta::region::RegionProviderChain;
use aws_config::profile::{ProfileFileCredentialsProvider, ProfileFileRegionProvider};
use aws_config::provider_config::ProviderConfig;
use aws_config::retry::RetryConfig;
use aws_config::{BehaviorVersion, ConfigLoader, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Credentials;
use aws_smithy_http_client::tls::{self, rustls_provider::CryptoMode};

use crate::error::Failures;

/// The region of requests to an address that was given without one; any will do for a server that isn't Amazon's.
const REGION_OF_AN_ADDRESS: &str = "us-east-1";
/// How often the SDK sends a request that was throttled or got no answer.
const ATTEMPTS_MAX: u32 = 5;
/// The pause before it sends a request again; it doubles.
const PAUSE_MIN: Duration = Duration::from_millis(100);

/// Where to connect. Settings that aren't given come from the environment (`AWS_ENDPOINT_URL_DYNAMODB`,
/// `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_PROFILE`, `AWS_ACCESS_KEY_ID`…) and from the files in `~/.aws`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Connection {
    /// The address of another service than Amazon's, such as `http://127.0.0.1:8000`.
    pub endpoint_url: Option<String>,
    /// The region.
    pub region: Option<String>,
    /// The profile in `~/.aws`.
    pub profile: Option<String>,
}

impl Connection {
    /// The client, and how people call what it talks to.
    pub(crate) async fn client(&self) -> (Client, String) {
        let config = self.load().await;
        let dynamodb = aws_sdk_dynamodb::config::Builder::from(&config).build();
        let region = config.region().map_or("no region", Region::as_ref);
        let label = match self.address(&config) {
            Some(address) => address,
            None => format!("Amazon DynamoDB in {region}"),
        };
        (Client::from_conf(dynamodb), label)
    }

    /// The address that was given here, or in the environment or the profile.
    fn address(&self, config: &SdkConfig) -> Option<String> {
        let in_environment = || std::env::var("AWS_ENDPOINT_URL_DYNAMODB").ok();
        self.endpoint_url.clone().or_else(in_environment).or_else(|| config.endpoint_url().map(str::to_owned))
    }

    async fn load(&self) -> SdkConfig {
        let http = aws_smithy_http_client::Builder::new()
            .tls_provider(tls::Provider::Rustls(CryptoMode::Ring))
            .build_https();
        // The version pins the SDK's defaults: an upgrade doesn't change how requests are retried or timed out.
        let mut loader =
            aws_config::defaults(BehaviorVersion::v2026_01_12()).http_client(http.clone()).retry_config(
                RetryConfig::standard().with_max_attempts(ATTEMPTS_MAX).with_initial_backoff(PAUSE_MIN),
            );
        if let Some(profile) = &self.profile {
            loader = loader.profile_name(profile);
        }
        if let Some(region) = &self.region {
            loader = loader.region(Region::new(region.clone()));
        }
        if let Some(address) = &self.endpoint_url {
            loader =
                self.at_address(loader, address, &ProviderConfig::without_region().with_http_client(http));
        }
        loader.load().await
    }

    /// Settings for an address that was given: any region will do, and on this machine any credentials, so that a
    /// server for development needs no setting up.
    fn at_address(&self, mut loader: ConfigLoader, address: &str, http: &ProviderConfig) -> ConfigLoader {
        loader = loader.endpoint_url(address);
        if self.region.is_none() {
            let mut profile = ProfileFileRegionProvider::builder().configure(http);
            if let Some(name) = &self.profile {
                profile = profile.profile_name(name);
            }
            let region = RegionProviderChain::first_try(EnvironmentVariableRegionProvider::new())
                .or_else(profile.build())
                .or_else(Region::new(REGION_OF_AN_ADDRESS));
            loader = loader.region(region);
        }
        if !is_this_machine(address) {
            return loader;
        }
        let mut profile = ProfileFileCredentialsProvider::builder().configure(http);
        if let Some(name) = &self.profile {
            profile = profile.profile_name(name);
        }
        let environment = EnvironmentVariableCredentialsProvider::new();
        let anybody = Credentials::new("local", "local", None, None, "singlet");
        let chain = CredentialsProviderChain::first_try("Environment", environment)
            .or_else("Profile", profile.build())
            .or_else("Anybody", anybody);
        loader.credentials_provider(chain)
    }
}

/// Whether an address names this machine.
fn is_this_machine(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split(['/', '?']).next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Everything that calls need: the client, and the name of the endpoint for errors.
#[derive(Debug, Clone)]
pub(crate) struct Backend {
    pub(crate) client: Client,
    pub(crate) failures: Failures,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_do_without_credentials() {
        for local in
            ["http://localhost:8000", "http://127.0.0.1", "https://127.1.2.3:1/x", "http://[::1]:8000/"]
        {
            assert!(is_this_machine(local), "{local}");
        }
        for other in [
            "https://dynamodb.eu-west-1.amazonaws.com",
            "http://localhost.example:8000",
            "http://10.0.0.1",
            "",
        ] {
            assert!(!is_this_machine(other), "{other}");
        }
    }
}
