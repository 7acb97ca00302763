//! `walras watch`: everything at a glance, live in a terminal, or once as text.
//!
//! What is shown is a [`scene::Scene`]; [`draw`] turns one into a screen without looking at anything else, so that it can be
//! tested without a terminal. [`live`] asks the service, reads keys and keeps the terminal in order.

mod cursor;
mod draw;
mod gantt;
mod header;
mod keys;
mod live;
mod plain;
mod scene;
mod sheet;

use crate::client::explain::explanation_text;
use crate::client::filter::own_name;
use crate::client::http::{Answer, Bytes, Client, with_query};
use crate::client::settings::Connect;
use crate::client::show::{pretty, zone};
use crate::failure::Failure;
use crate::files;
use scene::{Details, Scene, Snapshot};
use std::io::{IsTerminal, Read};
use std::sync::Arc;
use walras_api::service::{
    AccountView, ExplanationView, JobsView, MeView, Role, Stamp, StatusView, TimetableView,
};
use walras_model::Time;

/// How many jobs are asked for.
const JOBS_MAX: u32 = 200;
/// So many bytes of what a job printed are shown.
const OUTPUT_BYTES: u64 = 64 << 10;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The jobs of everybody, not only one's own; for an administrator
    #[arg(long)]
    all: bool,
    /// Print one picture and stop; so it is when the output is no terminal
    #[arg(long)]
    once: bool,
    /// How many minutes of the service's time are shown
    #[arg(long, value_name = "MINUTES", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=43_200))]
    span: u32,
    #[command(flatten)]
    connect: Connect,
}

/// Whose jobs are shown.
enum Whose {
    Of(String),
    Everybodys,
    /// Owners see the time of their nodes, not the jobs.
    Nobodys,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    let me: MeView = client.get("/v1/me")?.view()?;
    let whose = match me.role {
        Role::Owner => Whose::Nobodys,
        _ if args.all => Whose::Everybodys,
        _ => own_name(me).map_or(Whose::Everybodys, Whose::Of),
    };
    let span = i64::from(args.span) * 60_000;
    if args.connect.json {
        return files::print(&json(&client, &whose, span)?);
    }
    let snapshot = look(&client, &whose, span, None)?;
    let scene = Scene::new(snapshot, zone(), client.address());
    if args.once || !std::io::stdout().is_terminal() {
        return files::print(&plain::text(&scene));
    }
    live::run(Arc::new(client), whose, span, scene, &|| false)
}

/// The live view of everybody's jobs with a line of its own and what to try, until somebody quits or it is `over`.
pub(crate) fn show(
    client: Arc<Client>,
    minutes: u32,
    (note, hints): (&str, &str),
    over: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let span = i64::from(minutes) * 60_000;
    let snapshot = look(&client, &Whose::Everybodys, span, None)?;
    let mut scene = Scene::new(snapshot, zone(), client.address());
    (scene.note, scene.hints) = (Some(note.to_owned()), Some(hints.trim().to_owned()));
    live::run(client, Whose::Everybodys, span, scene, over)
}

/// Where to ask for the timetable around `now`: a fifth of the span has passed.
fn timetable_path(now: Stamp, span: i64) -> String {
    let at = |millis: i64| {
        let time = now.time().as_millis().checked_add(millis).and_then(Time::from_millis);
        Some(Stamp::from(time.unwrap_or(now.time())).to_string())
    };
    with_query("/v1/timetable", &[("from", at(-span / 5)), ("to", at(span - span / 5))])
}

/// The jobs to show, as the service says it.
fn jobs_text(client: &Client, whose: &Whose) -> Result<String, Failure> {
    let user = match whose {
        Whose::Of(user) => Some(user.clone()),
        Whose::Everybodys => None,
        Whose::Nobodys => return Ok("{\"jobs\":[],\"next\":null}".to_owned()),
    };
    let path = with_query("/v1/jobs", &[("user", user), ("limit", Some(JOBS_MAX.to_string()))]);
    client.get(&path).map(|answer| answer.text)
}

/// How things are now, and everything about one job.
fn look(client: &Client, whose: &Whose, span: i64, opened: Option<u64>) -> Result<Snapshot, Failure> {
    let status: StatusView = client.get("/v1/status")?.view()?;
    let timetable: TimetableView = client.get(&timetable_path(status.now, span))?.view()?;
    let jobs: JobsView = Answer { text: jobs_text(client, whose)? }.view()?;
    let account: AccountView = client.get("/v1/account")?.view()?;
    let details = opened.map(|job| details(client, job));
    Ok(Snapshot { status, timetable, jobs: jobs.jobs, account: Some(account), details })
}

/// Everything about one job, as far as it can be had.
fn details(client: &Client, job: u64) -> Details {
    let asked = client.get(&format!("/v1/jobs/{job}/explanation"));
    let (explanation, is_ahead) = match asked.and_then(|answer| answer.view::<ExplanationView>()) {
        Ok(view) => (explanation_text(&view), view.state.is_ahead()),
        Err(failure) => (live::text_of(failure), false),
    };
    let output = match is_ahead {
        true => "It has not started: it has printed nothing yet.".to_owned(),
        false => printed(client, job).unwrap_or_else(live::text_of),
    };
    Details { job, explanation, output }
}

/// The end of what a job's first part printed.
fn printed(client: &Client, job: u64) -> Result<String, Failure> {
    let path = format!("/v1/jobs/{job}/output?part=0");
    let mut bytes = Vec::new();
    if let Bytes::Some { reader, .. } = client.bytes(&path, Some(&format!("-{OUTPUT_BYTES}")))? {
        // What breaks off is shown as far as it came.
        let _ = reader.take(OUTPUT_BYTES).read_to_end(&mut bytes);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn json(client: &Client, whose: &Whose, span: i64) -> Result<String, Failure> {
    let status = client.get("/v1/status")?;
    let now = status.view::<StatusView>()?.now;
    let timetable = client.get(&timetable_path(now, span))?;
    let jobs = jobs_text(client, whose)?;
    Ok(pretty(&format!("{{\"status\":{},\"timetable\":{},\"jobs\":{}}}", status.text, timetable.text, jobs)))
}
