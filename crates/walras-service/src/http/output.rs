//! What jobs have printed: any bytes, any length, and ranges of them.
//!
//! A file is read in pieces as they are sent, so that it may be of any length. Of a `Range` header one range is honoured (RFC 9110, 14.2); others
//! and what is no range are answered with everything.

use super::App;
use super::endpoint::{Endpoint, USERS};
use super::extract::Asked;
use super::fault::Fault;
use super::jobs::{find, named};
use crate::described::JsonSchema;
use crate::token::Caller;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream::unfold;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use walras_api::echo;
use walras_api::service::JobView;
use walras_broker::indices::Indices;
use walras_sites::Stream;
use walras_sites::files::FileFault;

/// What a file of a job is: anything.
const BYTES: &str = "application/octet-stream";
/// So many bytes are read at a time.
const PIECE: u64 = 64 << 10;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<String>(
            "get",
            "/v1/jobs/{job}/output",
            USERS,
            "Show what a part of a job has printed, where its site keeps that; with a Range header, some bytes of it.",
            get(output),
        )
        .query::<OutputQuery>()
        .text("text/plain; charset=utf-8")
        .refuses(&[400, 404, 416]),
        Endpoint::new::<String>(
            "get",
            "/v1/jobs/{job}/file",
            USERS,
            "Fetch a file that a job has left in its directory, where its site keeps that; with a Range header, some bytes of it.",
            get(left),
        )
        .query::<FileQuery>()
        .text(BYTES)
        .refuses(&[400, 404, 416]),
    ]
}

/// Which of the files that a part has printed to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OutputQuery {
    /// Which part; the first, without.
    part: Option<u32>,
    /// Its complaints (standard error), where they have a file of their own.
    error: Option<bool>,
}

/// Which of the files in the job's directory.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileQuery {
    /// Its path in the job's directory.
    name: String,
    /// The part whose directory it is in; the first that has it, without.
    part: Option<u32>,
}

/// Which bytes of so many a header asks for: all, some, or none that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    All,
    /// From the first up to before the second.
    Some(u64, u64),
    Beyond,
}

fn wanted(range: Option<&str>, length: u64) -> Wanted {
    // Of nothing there is nothing to choose from.
    let range = range.filter(|_| length > 0);
    let Some((first, last)) =
        range.and_then(|it| it.strip_prefix("bytes=")).and_then(|it| it.split_once('-'))
    else {
        return Wanted::All;
    };
    let (start, end) = match (first.trim().parse::<u64>(), last.trim().parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => (first, last.saturating_add(1).min(length)),
        (Ok(first), Err(_)) if last.trim().is_empty() => (first, length),
        // The last so many.
        (Err(_), Ok(count)) if first.trim().is_empty() => (length.saturating_sub(count), length),
        _ => return Wanted::All,
    };
    if start < end { Wanted::Some(start, end) } else { Wanted::Beyond }
}

async fn output(
    State(app): State<App>,
    caller: Caller,
    Path(job): Path<String>,
    Asked(query): Asked<OutputQuery>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let view = find(&app, &caller, named(&app, &job).await?).await?;
    of_one(&view, "output")?;
    if view.state.is_ahead() {
        let message = format!("job {} has not started: it has printed nothing yet", view.id);
        return Err(Fault::new(StatusCode::NOT_FOUND, "not-found", message));
    }
    let part = query.part.unwrap_or(0);
    let nothing = || Fault::missing(format_args!("output of part {part} of job {}", view.job));
    let place = view.parts.iter().find(|it| it.part == part).ok_or_else(nothing)?;
    let sites = app.sites();
    let site = sites.names.get(&place.site).ok_or_else(nothing)?;
    let port = sites.lines.get(site.index()).ok_or_else(nothing)?;
    let reservation = view.reservation.ok_or_else(nothing)?;
    let stream = if query.error == Some(true) { Stream::Error } else { Stream::Output };
    let file = port.output(reservation, part, stream).await.ok_or_else(nothing)?;
    let opened = tokio::task::spawn_blocking(move || file.open());
    let (file, length) = opened.await.ok().and_then(Result::ok).ok_or_else(nothing)?;
    answer(file, length, &headers, "text/plain; charset=utf-8", nothing)
}

/// An array has nothing itself of what its elements have.
fn of_one(view: &JobView, what: &str) -> Result<(), Fault> {
    let Some(array) = &view.array else { return Ok(()) };
    let first = array.elements.parse::<Indices>().map_or(0, |indices| indices.lowest());
    let id = view.job;
    let message = format!("job {id} is an array: each element has {what} of its own, such as {id}_{first}");
    Err(Fault::new(StatusCode::NOT_FOUND, "not-found", message))
}

/// A file of a job: of the part that is named, or of the first that has it.
async fn left(
    State(app): State<App>,
    caller: Caller,
    Path(job): Path<String>,
    Asked(query): Asked<FileQuery>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let view = find(&app, &caller, named(&app, &job).await?).await?;
    of_one(&view, "files")?;
    let name = echo(&query.name);
    let nothing = || Fault::missing(format_args!("file {name} of job {}", view.id));
    let reservation = view.reservation.ok_or_else(nothing)?;
    // What stands in its place says more than that it is not there.
    let mut found = None;
    let sites = app.sites();
    // The tasks of a workflow share one directory on a site.
    let mut looked = BTreeSet::new();
    let parts = view.parts.iter().filter(|it| query.part.is_none_or(|part| it.part == part));
    for place in parts.filter(|it| !view.workflow || looked.insert(it.site.clone())) {
        let port = sites.names.get(&place.site).and_then(|site| sites.lines.get(site.index()));
        let Some(port) = port else { continue };
        let Some(directory) = port.left(reservation, place.part).await else { continue };
        let name = query.name.clone();
        let opened = tokio::task::spawn_blocking(move || directory.open(&name));
        match opened.await {
            Ok(Ok((file, length))) => return answer(file, length, &headers, BYTES, nothing),
            Ok(Err(fault)) => found = found.or_else(|| no_file(&fault)),
            Err(_) => {}
        }
    }
    Err(found.map_or_else(nothing, |found| {
        let message = format!("file {name} of job {} is not sent: it is {found}", view.id);
        Fault::new(StatusCode::NOT_FOUND, "not-found", message)
    }))
}

/// What is in the place of a file, where something is that is none.
fn no_file(fault: &FileFault) -> Option<&'static str> {
    match fault {
        FileFault::Outside(_) => Some("a link or behind one, and no link is followed"),
        FileFault::Directory(_) => Some("a directory"),
        FileFault::Special(_) => Some("no plain file, but a pipe, a socket or a device"),
        FileFault::NotThere(_) | FileFault::TooLarge { .. } | FileFault::Damaged(_) => None,
        FileFault::System { .. } => Some("not readable"),
    }
}

/// A file, or the bytes of it that are wanted.
fn answer(
    mut file: File,
    length: u64,
    headers: &HeaderMap,
    kind: &str,
    nothing: impl Fn() -> Fault,
) -> Result<Response, Fault> {
    let range = headers.get(header::RANGE).and_then(|value| value.to_str().ok());
    let wanted = wanted(range, length);
    if let Wanted::Some(start, _) = wanted {
        file.seek(SeekFrom::Start(start)).map_err(|_| nothing())?;
    }
    let (status, start, end) = match wanted {
        Wanted::All => (StatusCode::OK, 0, length),
        Wanted::Some(start, end) => (StatusCode::PARTIAL_CONTENT, start, end),
        Wanted::Beyond => {
            let message = format!("the output has {length} bytes");
            let refused = Fault::new(StatusCode::RANGE_NOT_SATISFIABLE, "no-range", message);
            return Ok(([(header::CONTENT_RANGE, format!("bytes */{length}"))], refused).into_response());
        }
    };
    let head = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::ACCEPT_RANGES, "bytes".to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::CONTENT_LENGTH, (end - start).to_string()),
    ];
    let mut response = (status, head, Body::from_stream(pieces(file, end - start))).into_response();
    if status == StatusCode::PARTIAL_CONTENT
        && let Ok(value) = format!("bytes {start}-{}/{length}", end - 1).parse()
    {
        response.headers_mut().insert(header::CONTENT_RANGE, value);
    }
    Ok(response)
}

/// The next so many bytes of a file, piece by piece.
fn pieces(file: File, count: u64) -> impl futures_util::Stream<Item = io::Result<Bytes>> {
    unfold(Some((file, count)), |left| async {
        let (mut file, count) = left.filter(|(_, count)| *count > 0)?;
        let read = tokio::task::spawn_blocking(move || {
            let mut bytes = Vec::new();
            file.by_ref().take(count.min(PIECE)).read_to_end(&mut bytes).map(|_| (file, bytes))
        });
        let read = read.await.map_err(io::Error::other).and_then(|read| read);
        Some(match read {
            // What was there when the head was sent is not any more: the answer breaks off.
            Ok((_, bytes)) if bytes.is_empty() => (Err(io::ErrorKind::UnexpectedEof.into()), None),
            Ok((file, bytes)) => {
                let left = count.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
                (Ok(Bytes::from(bytes)), Some((file, left)))
            }
            Err(error) => (Err(error), None),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_of_bytes_is_honoured() {
        for (range, expected) in [
            ("bytes=0-0", Wanted::Some(0, 1)),
            ("bytes=2-5", Wanted::Some(2, 6)),
            ("bytes=8-99", Wanted::Some(8, 10)),
            ("bytes=7-", Wanted::Some(7, 10)),
            ("bytes=-3", Wanted::Some(7, 10)),
            ("bytes=-99", Wanted::Some(0, 10)),
            ("bytes=10-", Wanted::Beyond),
            ("bytes=-0", Wanted::Beyond),
            ("bytes=18446744073709551615-18446744073709551615", Wanted::Beyond),
            ("bytes=5-2", Wanted::All),
            ("bytes=1-2,4-5", Wanted::All),
            ("lines=1-2", Wanted::All),
            ("bytes=x-", Wanted::All),
        ] {
            assert_eq!(wanted(Some(range), 10), expected, "{range}");
        }
        assert_eq!(wanted(None, 10), Wanted::All);
        assert_eq!(wanted(Some("bytes=0-"), 0), Wanted::All);
    }
}
