//! The web page: its files are built from `web/`, kept in the tree and are part of the program.
//!
//! One address serves two kinds of callers: whoever asks for HTML is shown the page, everybody else is answered in JSON. The
//! page's script and style have the hashes of their contents in their names, so that browsers may keep them for ever; the page
//! itself is asked for again every time. All are sent packed where that is understood.

use super::answer::Json;
use super::fault::Fault;
use axum::http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::LazyLock;
use walras_api::service::RootView;

use super::endpoint::Endpoint;

/// What a page of ours may do: nothing that is not in these files.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Where the script and the style are.
const ASSETS: &str = "/assets/";
/// How many bytes of a hash stand in a name.
const HASH_BYTES: usize = 8;

const SCRIPT: &[u8] = include_bytes!("../../../../web/dist/app.js");
const STYLE: &[u8] = include_bytes!("../../../../web/dist/app.css");
const ICON: &[u8] = include_bytes!("../../../../web/dist/icon.svg");
/// The page, with `NAME.EXTENSION` for each of the files.
const PAGE: &str = include_str!("../../../../web/dist/index.html");

/// A file that is sent.
struct File {
    path: String,
    media: &'static str,
    plain: Vec<u8>,
    packed: Vec<u8>,
    tag: String,
}

/// The page and what it loads.
struct Bundle {
    page: File,
    assets: Vec<File>,
}

/// Packed when it is first asked for.
static BUNDLE: LazyLock<Bundle> = LazyLock::new(Bundle::new);

fn hash(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes).iter().take(HASH_BYTES) {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail; what could not be packed would be sent as it is.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

impl File {
    fn new(path: String, media: &'static str, plain: Vec<u8>) -> File {
        let tag = format!("\"{}\"", hash(&plain));
        File { path, media, packed: packed(&plain), plain, tag }
    }
}

impl Bundle {
    fn new() -> Bundle {
        let files = [
            ("app", "js", "text/javascript; charset=utf-8", SCRIPT),
            ("app", "css", "text/css; charset=utf-8", STYLE),
            ("icon", "svg", "image/svg+xml", ICON),
        ];
        let mut page = PAGE.to_owned();
        let mut assets = Vec::new();
        for (name, extension, media, bytes) in files {
            let path = format!("{ASSETS}{name}-{}.{extension}", hash(bytes));
            page = page.replace(&format!("{ASSETS}{name}.{extension}"), &path);
            assets.push(File::new(path, media, bytes.to_vec()));
        }
        let page = File::new("/".to_owned(), "text/html; charset=utf-8", page.into_bytes());
        Bundle { page, assets }
    }
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Say what this is; to browsers, show the page.";
    vec![Endpoint::new::<RootView>("get", "/", &[], summary, get(root))]
}

async fn root(headers: HeaderMap) -> Response {
    if wants_page(&headers) {
        return page(&headers);
    }
    let view = RootView {
        service: "walras".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        openapi: "/v1/openapi.json".to_owned(),
        docs: "/docs".to_owned(),
    };
    ([(VARY, "accept")], Json(view)).into_response()
}

/// What is asked for that is no endpoint: a file of the page, or one of its views.
pub(super) async fn elsewhere(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path();
    if method == Method::GET || method == Method::HEAD {
        if let Some(file) = BUNDLE.assets.iter().find(|file| file.path == path) {
            return send(file, &headers, "public, max-age=31536000, immutable");
        }
        if !path.starts_with("/v1") && !path.starts_with(ASSETS) && wants_page(&headers) {
            return page(&headers);
        }
    }
    Fault::missing("such endpoint: /docs lists them").into_response()
}

/// Whether a person looks at the answer: browsers ask for HTML by name, programs for anything or JSON.
fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut kinds = accepted.flat_map(|text| text.split(',')).filter_map(|kind| kind.split(';').next());
    kinds.any(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
}

fn page(headers: &HeaderMap) -> Response {
    send(&BUNDLE.page, headers, "no-cache")
}

fn send(file: &File, headers: &HeaderMap, keep: &'static str) -> Response {
    let fixed: [(HeaderName, &'static str); 5] = [
        (HeaderName::from_static("content-security-policy"), POLICY),
        (HeaderName::from_static("x-content-type-options"), "nosniff"),
        (HeaderName::from_static("referrer-policy"), "no-referrer"),
        (CACHE_CONTROL, keep),
        (VARY, "accept, accept-encoding"),
    ];
    let known = headers.get(IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == file.tag.as_bytes());
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else if unpacks(headers) && !file.packed.is_empty() {
        ([(CONTENT_TYPE, file.media), (CONTENT_ENCODING, "gzip")], file.packed.clone()).into_response()
    } else {
        ([(CONTENT_TYPE, file.media)], file.plain.clone()).into_response()
    };
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if let Ok(tag) = HeaderValue::from_str(&file.tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// Whether gzip is understood, and not refused with a weight of 0.
fn unpacks(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|text| text.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000");
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn people_ask_for_html_and_programs_do_not() {
        assert!(wants_page(&headers(ACCEPT, "text/html,application/xhtml+xml,*/*;q=0.8")));
        for asked in ["*/*", "application/json", "application/json, text/*"] {
            assert!(!wants_page(&headers(ACCEPT, asked)), "{asked}");
        }
        assert!(!wants_page(&HeaderMap::new()));
    }

    #[test]
    fn packed_files_go_to_those_who_unpack_them() {
        assert!(unpacks(&headers(ACCEPT_ENCODING, "br, gzip;q=0.5")));
        assert!(!unpacks(&headers(ACCEPT_ENCODING, "gzip;q=0, identity")));
        assert!(!unpacks(&HeaderMap::new()));
    }

    #[test]
    fn the_page_names_every_file_by_its_hash_and_nothing_of_other_hosts_or_inline() {
        let page = String::from_utf8(BUNDLE.page.plain.clone()).unwrap();
        for file in &BUNDLE.assets {
            assert!(page.contains(&format!("\"{}\"", file.path)), "{}: {page}", file.path);
        }
        for forbidden in ["http:", "https:", "<style", "style=", "onload"] {
            assert!(!page.contains(forbidden), "{forbidden}: {page}");
        }
    }

    #[test]
    fn all_of_it_is_small() {
        let sent: usize =
            BUNDLE.assets.iter().map(|file| file.packed.len()).sum::<usize>() + BUNDLE.page.packed.len();
        assert!(sent < 300_000, "{sent} bytes packed");
    }
}
