//! `cancel` and `release`: by number, or all that are meant.

use super::filter::Filter;
use super::http::{Answer, Client, encode, with_query};
use super::say::say;
use super::settings::Connect;
use super::show::clean;
use crate::failure::Failure;
use crate::table::counted;
use std::io::{BufRead, IsTerminal, Write};
use ureq::http::Method;
use walras_api::service::{JobState, JobView, JobsView, MeView, Meant, Role};

/// The states of jobs that have not ended.
const OPEN: &str = "held,waiting,queued,planning,planned,reserving,reserved,running";
/// So many are asked for at a time, and so many are cancelled at most.
const PAGE: usize = 1_000;
const MOST: usize = 100_000;
/// So many are named before somebody is asked.
const NAMED: usize = 5;

#[derive(clap::Args)]
pub(crate) struct ReleaseArgs {
    /// The jobs' numbers; of an array also as lists show it: 18_[1-9]
    #[arg(required = true)]
    jobs: Vec<Meant>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct CancelArgs {
    /// The jobs' numbers, or elements of arrays: 17, 18_3 or 18_[5-9,12]
    #[arg(required_unless_present_any = ["all", "state", "name", "since"],
        conflicts_with_all = ["all", "state", "name", "since", "user"])]
    jobs: Vec<Meant>,
    /// All of one's own that have not ended
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    filter: Filter,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    connect: Connect,
}

pub(crate) fn release(args: &ReleaseArgs) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    for_each(&client, &args.connect, &args.jobs, Act::Release)
}

pub(crate) fn cancel(args: &CancelArgs) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    if !args.jobs.is_empty() {
        let named: Vec<String> = args.jobs.iter().map(ToString::to_string).collect();
        let left = without_cancelled(&client, &args.connect, named)?;
        return for_each(&client, &args.connect, &left, Act::Cancel);
    }
    let me: MeView = client.get("/v1/me")?.view()?;
    if me.role != Role::User && args.filter.user.is_none() {
        return Err(Failure::input(
            "--user says whose jobs are meant: an administrator has none of their own",
        ));
    }
    let jobs = meant(&client, &args.filter)?;
    if jobs.is_empty() {
        return Err(Failure::Refused("there is no such job that has not ended".to_owned()));
    }
    if !args.yes {
        ask(&jobs)?;
    }
    let numbers: Vec<u64> = jobs.iter().map(|job| job.job).collect();
    for_each(&client, &args.connect, &numbers, Act::Cancel)
}

/// Those that are still to be cancelled. It is said of the others that they were: whoever repeats a command is told that it has done nothing, and has
/// what was wanted all the same.
fn without_cancelled(client: &Client, connect: &Connect, named: Vec<String>) -> Result<Vec<String>, Failure> {
    let mut left = Vec::with_capacity(named.len());
    for job in named {
        // What may not be seen, or is not there, is refused when it is cancelled.
        match client.get(&format!("/v1/jobs/{}", encode(&job))) {
            Ok(answer) if answer.view::<JobView>()?.state == JobState::Cancelled => {
                say(connect, &answer, |view: &JobView| {
                    let what = match &view.array {
                        Some(_) => "array",
                        None if view.id.contains('_') => "element",
                        None => "job",
                    };
                    let id = if view.array.is_some() { view.job.to_string() } else { view.id.clone() };
                    format!("{what} {id} was cancelled already\n")
                })?;
            }
            Ok(_) | Err(Failure::Refused(_)) => left.push(job),
            Err(failure) => return Err(failure),
        }
    }
    Ok(left)
}

/// The jobs that are meant and have not ended, page by page.
fn meant(client: &Client, filter: &Filter) -> Result<Vec<JobView>, Failure> {
    let mut filter = filter.clone();
    filter.state = filter.state.or_else(|| Some(OPEN.to_owned()));
    let query = filter.query(client, false)?;
    let (mut jobs, mut before) = (Vec::new(), None::<u64>);
    loop {
        let mut page = query.clone();
        page.push(("before", before.map(|job| job.to_string())));
        page.push(("limit", Some(PAGE.to_string())));
        let view: JobsView = client.get(&with_query("/v1/jobs", &page))?.view()?;
        jobs.extend(view.jobs.into_iter().filter(|job| !job.state.is_over()));
        if jobs.len() > MOST {
            return Err(Failure::Input(format!("more than {MOST} jobs are meant: name fewer")));
        }
        match view.next {
            Some(next) => before = Some(next),
            None => return Ok(jobs),
        }
    }
}

/// Asks whether these are meant; where nobody can be asked, it must be said.
fn ask(jobs: &[JobView]) -> Result<(), Failure> {
    let question = question(jobs);
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Input(format!("{question} Nobody can be asked here: --yes says so")));
    }
    eprint!("{question} [y/N] ");
    std::io::stderr().flush().map_err(Failure::fault)?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(Failure::fault)?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::Refused("nothing was cancelled".to_owned())),
    }
}

fn question(jobs: &[JobView]) -> String {
    let named: Vec<String> =
        jobs.iter().take(NAMED).map(|job| format!("{} ({})", job.id, clean(&job.name))).collect();
    let more = if jobs.len() > NAMED { ", …" } else { "" };
    let what = if jobs.len() == 1 { "this job".to_owned() } else { format!("these {} jobs", jobs.len()) };
    format!("Cancel {what}: {}{more}?", named.join(", "))
}

/// What is asked of jobs.
#[derive(Clone, Copy)]
enum Act {
    Cancel,
    Release,
}

impl Act {
    fn send(self, client: &Client, job: &str) -> Result<Answer, Failure> {
        let job = encode(job);
        match self {
            Act::Cancel => client.send(Method::DELETE, &format!("/v1/jobs/{job}"), None),
            Act::Release => client.send(Method::POST, &format!("/v1/jobs/{job}/release"), None),
        }
    }

    fn past(self) -> &'static str {
        match self {
            Act::Cancel => "cancelled",
            Act::Release => "released",
        }
    }

    /// What has become of what was named.
    fn said(self, named: &str, view: &JobView) -> String {
        let Some(array) = &view.array else {
            // Only elements have the number of their array before their own.
            let what = if view.id.contains('_') { "element" } else { "job" };
            return format!("{what} {} is {}\n", view.id, view.state.text());
        };
        let (which, past) = (view.job, self.past());
        match array.changed {
            Some(count) if named.contains('_') => {
                let are = if count == 1 { "is" } else { "are" };
                format!("{} of {named} {are} {past}\n", counted(count as usize, "element"))
            }
            Some(count) => {
                let left = match self {
                    Act::Cancel => " that had not ended",
                    Act::Release => "",
                };
                format!("array {which} is {past}, with {}{left}\n", counted(count as usize, "element"))
            }
            None => format!("array {which} is {}\n", view.state.text()),
        }
    }
}

/// Asks the same of each job, and says where it is then; of an array, or of several of its elements, how many that had not ended.
fn for_each(
    client: &Client,
    connect: &Connect,
    jobs: &[impl std::fmt::Display],
    act: Act,
) -> Result<(), Failure> {
    let mut failed = None;
    for job in jobs {
        let job = job.to_string();
        // One that refuses must not keep the others from it.
        match act.send(client, &job) {
            Ok(answer) => say(connect, &answer, |view: &JobView| act.said(&job, view))?,
            Err(failure @ Failure::Refused(_)) => failed = Some(failure),
            Err(failure) => return Err(failure),
        }
    }
    failed.map_or(Ok(()), Err)
}
