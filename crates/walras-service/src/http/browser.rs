//! Requests of browsers: whose session they carry, whether the page itself sent them, and where they come from.
//!
//! A session's cookie is `HttpOnly` and `SameSite=Strict`: no script reads it, and no other site's page sends it. Besides, a
//! request that changes something counts as signed in only with the header `X-Walras-Page`, which a form of another site
//! cannot send, and a browser that says where a request comes from must say that it comes from here.

use crate::clock::wall_millis;
use crate::session::Sessions;
use crate::token::{Caller, Tokens};
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::header::COOKIE;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderValue, Method};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use walras_model::Time;

/// What the cookie is called.
pub(super) const COOKIE_NAME: &str = "walras_session";
/// What the page sends with every request of its own.
const PAGE_HEADER: &str = "x-walras-page";

/// The session's secret that a request carries.
pub(super) fn secret(headers: &HeaderMap) -> Option<&str> {
    cookie_of(headers, COOKIE_NAME)
}

/// A cookie that a request carries.
pub(super) fn cookie_of<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// Whether the page itself sent a request, as far as a browser says so.
fn is_own(method: &Method, headers: &HeaderMap) -> bool {
    let from = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let from_here = from.is_none_or(|from| from == b"same-origin" || from == b"none");
    from_here && (method.is_safe() || headers.contains_key(PAGE_HEADER))
}

/// Who is signed in with the cookie of a request.
pub(super) fn by_cookie(
    sessions: &Sessions,
    tokens: &Tokens,
    now: Time,
    method: &Method,
    headers: &HeaderMap,
) -> Option<Caller> {
    let secret = secret(headers).filter(|_| is_own(method, headers))?;
    tokens.caller_of(sessions.token_of(secret, wall_millis())?, now)
}

/// Where a request comes from.
pub(super) fn address(known: &Extensions) -> IpAddr {
    let from = known.get::<ConnectInfo<SocketAddr>>();
    from.map_or(IpAddr::from([127, 0, 0, 1]), |ConnectInfo(address)| address.ip())
}

/// The same for a handler.
pub(super) struct From(pub(super) IpAddr);

impl<S: Send + Sync> FromRequestParts<S> for From {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<From, Infallible> {
        Ok(From(address(&parts.extensions)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_session_is_found_among_cookies() {
        assert_eq!(secret(&headers(&[("cookie", "a=1; walras_session=x; b=2")])), Some("x"));
        assert_eq!(secret(&headers(&[("cookie", "not_walras_session=x")])), None);
        assert_eq!(secret(&headers(&[])), None);
    }

    #[test]
    fn only_the_page_changes_anything_with_a_cookie() {
        let page = ("x-walras-page", "1");
        let own = |method: Method, sent: &[(&'static str, &'static str)]| is_own(&method, &headers(sent));
        assert!(own(Method::GET, &[]));
        assert!(!own(Method::POST, &[]));
        assert!(own(Method::POST, &[page]));
        assert!(own(Method::POST, &[page, ("sec-fetch-site", "same-origin")]));
        assert!(!own(Method::POST, &[page, ("sec-fetch-site", "cross-site")]));
        assert!(!own(Method::GET, &[("sec-fetch-site", "same-site")]));
    }
}
