//! Who may ask: requests that a foreign web page makes in somebody's browser are refused.
//!
//! A name that an attacker owns may resolve to this machine, and then a browser takes the attacker's page and ours for one
//! site (DNS rebinding). Hence only the names in [`Hosts`] are served. A page elsewhere may also send a request without
//! reading the answer; browsers state where such a request comes from, and one that changes or computes something is
//! served only where that is our own address.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Error;
use super::mistake::Mistake;

/// Where the addresses for programs begin.
const API: &str = "/api/";

/// The names under which the dashboard is served.
#[derive(Clone, Debug)]
pub struct Hosts {
    bound: IpAddr,
    allowed: Vec<String>,
}

impl Default for Hosts {
    fn default() -> Hosts {
        Hosts::new(Ipv4Addr::LOCALHOST.into(), &[])
    }
}

impl Hosts {
    /// The address that is listened on, this machine's own names, and those that are allowed besides.
    pub fn new(bound: IpAddr, allowed: &[String]) -> Hosts {
        Hosts { bound, allowed: allowed.iter().map(|name| plain(name)).collect() }
    }

    /// Whether the dashboard is served under the name in `authority`, on whatever port: a port may be forwarded.
    fn serve(&self, authority: &str) -> bool {
        let Ok(authority) = authority.parse::<Authority>() else { return false };
        if authority.as_str().contains('@') {
            return false;
        }
        let name = plain(authority.host());
        match name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            Ok(address) => address == self.bound || address.is_loopback() || self.allowed.contains(&name),
            Err(_) => name == "localhost" || self.allowed.contains(&name),
        }
    }
}

/// A name as it is compared: in lower case, without the dot that may end it.
fn plain(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

/// Lets through what may be answered.
pub async fn guard(State(hosts): State<Arc<Hosts>>, request: Request, next: Next) -> Response {
    match refusal(&hosts, &request) {
        Some(mistake) if request.uri().path().starts_with(API) => mistake.into_response(),
        Some(mistake) if mistake.status == StatusCode::BAD_REQUEST => Error::BadRequest(mistake.what).into_response(),
        Some(mistake) => mistake.into_text(),
        None => next.run(request).await,
    }
}

fn refusal(hosts: &Hosts, request: &Request) -> Option<Mistake> {
    let headers = request.headers();
    let stated = headers.get_all(header::HOST).iter().map(text);
    let named: Vec<&str> = stated.chain(request.uri().authority().map(Authority::as_str)).collect();
    if let Some(host) = named.iter().find(|host| !hosts.serve(host)) {
        return Some(misdirected(host));
    }
    let is_safe = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    let own = named.last().copied();
    if let Some(origin) = headers.get_all(header::ORIGIN).iter().map(text).find(|origin| !is_own(origin, own))
        && !is_safe
    {
        return Some(Mistake::new(
            StatusCode::FORBIDDEN,
            format!("The request comes from a page of `{}`, which is not this dashboard.", shown(origin)),
            "Send it from a program, without an `Origin` header, or from a page of this dashboard.",
        ));
    }
    has_nul(request.uri()).then(|| {
        Mistake::wrong(
            "The address holds a NUL character (`%00`), which no name or number has.",
            "Leave the NUL character out.",
        )
    })
}

fn misdirected(host: &str) -> Mistake {
    let host = shown(host);
    let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
    Mistake::new(
        StatusCode::MISDIRECTED_REQUEST,
        format!("The dashboard is not served under the name `{host}`."),
        format!("Open it under the address that it was started on, or start it with `--allow-host {name}`."),
    )
}

/// A header's text; one that is no text names nothing.
fn text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or("")
}

/// Whether a page at `origin` is one of ours: the same host and port, whatever a proxy made of the scheme.
fn is_own(origin: &str, own: Option<&str>) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else { return false };
    let default = match origin.scheme_str() {
        Some("http") => 80,
        Some("https") => 443,
        _ => return false,
    };
    let place = |authority: &Authority| (plain(authority.host()), authority.port_u16().unwrap_or(default));
    let own = own.and_then(|own| own.parse::<Authority>().ok());
    own.is_some_and(|own| origin.authority().is_some_and(|origin| place(origin) == place(&own)))
}

/// Whether a part of the address, once decoded, holds a NUL: Postgres refuses it in every text.
fn has_nul(address: &Uri) -> bool {
    address.path_and_query().is_some_and(|text| text.as_str().contains("%00"))
}

/// A part of a request, clipped and without what could act.
fn shown(text: &str) -> String {
    text.chars().filter(char::is_ascii_graphic).filter(|character| *character != '`').take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_and_allowed_ones_are_served() {
        let hosts = Hosts::new([192, 168, 0, 7].into(), &["Gateway.example".to_owned()]);
        for host in [
            "localhost",
            "LOCALHOST:8400",
            "localhost.:8400",
            "127.0.0.1",
            "127.0.0.1:1",
            "[::1]:8400",
            "192.168.0.7:8400",
            "gateway.example",
            "gateway.example.:443",
        ] {
            assert!(hosts.serve(host), "{host}");
        }
        for host in [
            "",
            "attacker.example",
            "localhost.attacker.example",
            "gateway.example.attacker.example",
            "192.168.0.8",
            "127.0.0.1@attacker.example",
            "localhost@attacker.example:8400",
            "2130706433",
            "0.0.0.0",
            "a b",
        ] {
            assert!(!hosts.serve(host), "{host}");
        }
    }

    #[test]
    fn an_origin_is_ours_only_with_host_and_port() {
        let own = |origin: &str, host: &str| is_own(origin, Some(host));
        assert!(own("http://localhost:8400", "localhost:8400") && own("https://gateway.example", "Gateway.example"));
        assert!(own("http://localhost", "localhost:80") && own("http://[::1]:8400", "[::1]:8400"));
        for origin in ["null", "", "http://localhost:3000", "http://attacker.example", "file://", "localhost:8400"] {
            assert!(!own(origin, "localhost:8400"), "{origin}");
        }
        assert!(!is_own("http://localhost:8400", None));
    }
}
