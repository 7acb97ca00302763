//! `jobs`: lists, once or for as long as somebody looks.

use super::columns::{Column, Order, jobs_table, sort};
use super::filter::{Filter, Query};
use super::hear::{Heard, hear};
use super::http::{Answer, Client, with_query};
use super::say::say_json;
use super::settings::Connect;
use super::status_line::{table_width, terminal_height};
use crate::failure::Failure;
use crate::files;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use walras_api::service::{JobView, JobsView};

/// A list that is watched is asked for at most this often, and on a terminal at least this often.
const AT_MOST: Duration = Duration::from_millis(500);
const AT_LEAST: Duration = Duration::from_secs(10);

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Those of everybody, not only one's own; for an administrator
    #[arg(long, conflicts_with = "user")]
    all: bool,
    #[command(flatten)]
    filter: Filter,
    /// The elements of this array that run or ran, instead of one line for it
    #[arg(long, value_name = "JOB")]
    array: Option<u64>,
    /// At most so many, the newest first
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// Only those before this job, to go on from there
    #[arg(long, value_name = "JOB")]
    before: Option<u64>,
    /// Sort those that are listed
    #[arg(long, value_enum, value_name = "BY", default_value_t = Order::Job)]
    sort: Order,
    /// What is shown of each, with commas between
    #[arg(long, value_enum, value_name = "COLUMNS", value_delimiter = ',')]
    columns: Option<Vec<Column>>,
    /// Show the list again whenever something happens
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    connect: Connect,
}

impl ListArgs {
    fn query(&self, client: &Client) -> Result<Query, Failure> {
        let mut query = self.filter.query(client, self.all)?;
        query.push(("before", self.before.map(|job| job.to_string())));
        query.push(("array", self.array.map(|job| job.to_string())));
        query.push(("limit", Some(self.limit.to_string())));
        Ok(query)
    }

    /// The list, on a screen of so many lines.
    fn text(&self, answer: &Answer, height: Option<usize>) -> Result<String, Failure> {
        let mut view: JobsView = answer.view()?;
        sort(&mut view.jobs, self.sort);
        let hidden = height.map_or(0, |height| hide(&mut view.jobs, height, view.next.is_some()));
        let mut text = jobs_table(&view.jobs, self.columns.as_deref(), table_width());
        match (hidden, view.next) {
            (0, None) => {}
            (0, Some(next)) => text.push_str(&format!("there are more: --before {next}\n")),
            (hidden, next) => {
                let more = if next.is_some() { " or more" } else { "" };
                text.push_str(&format!("and {hidden}{more} that do not fit: --state or --name show fewer\n"));
            }
        }
        Ok(text)
    }
}

/// Leaves out what does not fit on a screen of so many lines, with a heading, a line for what is left out, and one for the cursor; how many jobs
/// that are.
fn hide(jobs: &mut Vec<JobView>, height: usize, more: bool) -> usize {
    let all = jobs.len();
    if all + usize::from(more) + 2 <= height {
        return 0;
    }
    jobs.truncate(height.saturating_sub(3).max(1));
    all - jobs.len()
}

pub(crate) fn list(args: &ListArgs) -> Result<(), Failure> {
    let client = Arc::new(Client::of(&args.connect)?);
    let path = with_query("/v1/jobs", &args.query(&client)?);
    if args.watch {
        return watch(args, &client, &path);
    }
    let answer = client.get(&path)?;
    if args.connect.json { say_json(&answer) } else { files::print(&args.text(&answer, None)?) }
}

/// Prints the list again whenever it is another one: over the last on a terminal, after it elsewhere.
fn watch(args: &ListArgs, client: &Arc<Client>, path: &str) -> Result<(), Failure> {
    let heard = hear(client);
    let over = std::io::stdout().is_terminal() && !args.connect.json;
    let (mut stale, mut last, mut looked) = (false, String::new(), None::<Instant>);
    loop {
        let patience = match (stale, looked) {
            (true, None) => Duration::ZERO,
            (true, Some(at)) => AT_MOST.saturating_sub(at.elapsed()),
            (false, Some(at)) if over => AT_LEAST.saturating_sub(at.elapsed()),
            (false, _) => AT_LEAST,
        };
        match heard.recv_timeout(patience) {
            Ok(Heard::Begun) => stale = true,
            Ok(Heard::Event(event)) => stale |= event.job.is_some(),
            Ok(Heard::Gone(failure)) => return Err(failure),
            Err(RecvTimeoutError::Timeout) => stale |= over && looked.is_some(),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if !stale || looked.is_some_and(|at| at.elapsed() < AT_MOST) {
            continue;
        }
        (stale, looked) = (false, Some(Instant::now()));
        let answer = match client.get(path) {
            Ok(answer) => answer,
            // The stream says when it is back.
            Err(Failure::Unreachable(_)) => continue,
            Err(failure) => return Err(failure),
        };
        let height = if over { terminal_height() } else { None };
        let text = match args.connect.json {
            true => format!("{}\n", answer.text.trim()),
            false => args.text(&answer, height)?,
        };
        if text != last {
            let apart = if last.is_empty() || args.connect.json { "" } else { "\n" };
            let before = if over { "\x1b[H\x1b[2J" } else { apart };
            files::print(&format!("{before}{text}"))?;
            last = text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_watched_fits_the_screen() {
        let job = r#"{"job":1,"id":"1","name":"a","user":"ada","state":"done","tasks":1,"workflow":false,
            "queued_at":"2026-11-15T12:00:00Z","start":null,"finish":null,"deadline":null,"budget":null,"held":0,
            "charged":0,"sites":[],"attempts":0,"why":null,"parts":[]}"#;
        let job: JobView = serde_json::from_str(job).unwrap();
        for (count, height, more, shown) in [
            (50, 24, true, 21),
            (22, 24, false, 22),
            (22, 24, true, 21),
            (23, 24, false, 21),
            (5, 2, false, 1),
            (0, 24, false, 0),
        ] {
            let mut jobs = vec![job.clone(); count];
            let hidden = hide(&mut jobs, height, more);
            assert_eq!((jobs.len(), jobs.len() + hidden), (shown, count), "{count} on {height}");
        }
    }
}
