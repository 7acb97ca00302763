//! `walras watch`: everything at a glance, live in a terminal, or once as text.
//!
//! What is shown is a [`scene::Scene`]; [`draw`] turns one into a screen without looking at anything else, so that it can be
//! tested without a terminal. [`live`] asks the service, reads keys and keeps the terminal in order.

mod draw;
mod gantt;
mod live;
mod plain;
mod scene;

use crate::client::http::{Answer, Client, with_query};
use crate::client::jobs;
use crate::client::settings::Connect;
use crate::client::show::pretty;
use crate::failure::Failure;
use crate::files;
use jiff::tz::TimeZone;
use scene::{Scene, Snapshot};
use std::io::IsTerminal;
use std::sync::Arc;
use walras_api::service::{JobsView, MeView, Role, Stamp, StatusView, TimetableView};
use walras_model::Time;

/// How many jobs are asked for.
const JOBS_MAX: u32 = 200;

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
        _ => jobs::own_name(me).map_or(Whose::Everybodys, Whose::Of),
    };
    let span = i64::from(args.span) * 60_000;
    if args.connect.json {
        return files::print(&json(&client, &whose, span)?);
    }
    let snapshot = look(&client, &whose, span)?;
    let scene = Scene::new(snapshot, TimeZone::system());
    if args.once || !std::io::stdout().is_terminal() {
        return files::print(&plain::text(&scene));
    }
    live::run(Arc::new(client), whose, span, scene, &|| false)
}

/// The live view of everybody's jobs with a line of its own, until somebody quits or it is `over`.
pub(crate) fn show(
    client: Arc<Client>,
    minutes: u32,
    note: &str,
    over: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let span = i64::from(minutes) * 60_000;
    let mut scene = Scene::new(look(&client, &Whose::Everybodys, span)?, TimeZone::system());
    scene.note = Some(note.to_owned());
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

/// How things are now.
fn look(client: &Client, whose: &Whose, span: i64) -> Result<Snapshot, Failure> {
    let status: StatusView = client.get("/v1/status")?.view()?;
    let timetable: TimetableView = client.get(&timetable_path(status.now, span))?.view()?;
    let jobs: JobsView = Answer { text: jobs_text(client, whose)? }.view()?;
    Ok(Snapshot { status, timetable, jobs: jobs.jobs })
}

fn json(client: &Client, whose: &Whose, span: i64) -> Result<String, Failure> {
    let status = client.get("/v1/status")?;
    let now = status.view::<StatusView>()?.now;
    let timetable = client.get(&timetable_path(now, span))?;
    let jobs = jobs_text(client, whose)?;
    Ok(pretty(&format!("{{\"status\":{},\"timetable\":{},\"jobs\":{}}}", status.text, timetable.text, jobs)))
}
