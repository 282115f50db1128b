//! The `Host` header: the server that the client wants to reach.
//!
//! A web page can point its own name to the address of this machine. A browser then takes the server for the page's
//! own. The `Host` header still has the page's name. Therefore a server that doesn't verify signatures answers only to
//! its own names.

use std::net::{IpAddr, SocketAddr};

use hyper::header::{HOST, HeaderValue};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;

/// The names that a server answers to.
pub(crate) struct Hosts {
    address: IpAddr,
    /// In lower case.
    names: Vec<String>,
    /// The names with the server's port, as nearly all clients send them. They are recognised without parsing, because
    /// the host of every request is checked.
    usual: Vec<String>,
}

impl Hosts {
    /// The address that the server listens on, and additional names.
    pub(crate) fn new(address: SocketAddr, names: &[String]) -> Self {
        let names: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        let with_port = |name: &str| format!("{name}:{}", address.port());
        let own = [address.to_string(), with_port("localhost")];
        let usual = own.into_iter().chain(names.iter().map(|name| with_port(name))).collect();
        Self { address: address.ip(), names, usual }
    }

    /// The first host of the request that isn't one of the server's. A request without a host doesn't come from a
    /// browser.
    pub(crate) fn foreign(&self, parts: &Parts) -> Option<String> {
        let named = parts.headers.get_all(HOST).iter().map(HeaderValue::as_bytes);
        let targeted = parts.uri.authority().map(|authority| authority.as_str().as_bytes());
        let is_unusual = |host: &&[u8]| !self.usual.iter().any(|usual| usual.as_bytes() == *host);
        let unusual = named.chain(targeted).filter(is_unusual);
        unusual.map(String::from_utf8_lossy).find(|host| !self.allow(host)).map(Into::into)
    }

    fn allow(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        if host.contains('@') {
            return false;
        }
        let name = authority.host().trim_end_matches('.').to_ascii_lowercase();
        let literal = name.trim_start_matches('[').trim_end_matches(']');
        // A browser sends an address only if the page was opened with that address. Then it is the server's own page.
        let is_own_address =
            |address: IpAddr| address == self.address || address.to_canonical().is_loopback();
        literal.parse().is_ok_and(is_own_address) || name == "localhost" || self.names.contains(&name)
    }
}

/// Whether this can be in a `Host` header: a name without a port.
pub(crate) fn is_name(text: &str) -> bool {
    text.parse::<Authority>().is_ok_and(|authority| authority.host() == text)
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn is_allowed(uri: &str, hosts: &[&str]) -> bool {
        let ours = Hosts::new("127.0.0.1:8000".parse().unwrap(), &["Singlet.internal".to_owned()]);
        let mut request = Request::builder().uri(uri);
        for host in hosts {
            request = request.header("host", *host);
        }
        ours.foreign(&request.body(()).unwrap().into_parts().0).is_none()
    }

    #[test]
    fn a_server_answers_to_its_address_to_localhost_and_to_its_names() {
        for host in [
            "127.0.0.1:8000",
            "127.0.0.1",
            "127.1.2.3:1",
            "localhost",
            "LOCALHOST:8000",
            "localhost.:8000",
            "[::1]:8000",
            "[::ffff:127.0.0.1]",
            "singlet.internal:8000",
            "SINGLET.INTERNAL",
        ] {
            assert!(is_allowed("/", &[host]), "{host}");
        }
        assert!(is_allowed("/", &[]), "no browser leaves the host out");
    }

    #[test]
    fn every_other_host_is_foreign() {
        for host in [
            "evil.example",
            "evil.example:8000",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.7:8000",
            "x@localhost.example",
            "",
            "a b",
            "notlocalhost",
            "[::2]",
        ] {
            assert!(!is_allowed("/", &[host]), "{host}");
        }
        assert!(!is_allowed("/", &["localhost", "evil.example"]), "the second one counts as well");
        assert!(!is_allowed("http://evil.example/", &["localhost"]), "a whole URI stands above the header");
    }

    #[test]
    fn names_have_no_port_and_no_path() {
        assert!(is_name("singlet") && is_name("db.internal"));
        assert!(["", "a:1", "a/b", "http://a", "a b"].iter().all(|text| !is_name(text)));
    }
}
