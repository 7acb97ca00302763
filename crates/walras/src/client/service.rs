//! `status` and `log`: how the service is, and who has changed what.

use super::http::{Client, with_query};
use super::say::say;
use super::settings::Connect;
use super::show::{or_dash, table_or, time, time_or, told};
use crate::failure::Failure;
use walras_api::service::{LogView, StatusView};

#[derive(clap::Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct LogArgs {
    /// At most so many lines, the newest first
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// Only those before this line, to go on from there
    #[arg(long, value_name = "LINE")]
    before: Option<u64>,
    #[command(flatten)]
    connect: Connect,
}

pub(crate) fn status(args: &StatusArgs) -> Result<(), Failure> {
    let answer = Client::of(&args.connect)?.get("/v1/status")?;
    say(&args.connect, &answer, status_text)
}

fn status_text(view: &StatusView) -> String {
    let taken =
        if view.writable { "takes submissions" } else { "takes no submissions: nothing can be written" };
    let speed =
        if view.speed == 1 { String::new() } else { format!(", at {} times the clock's speed", view.speed) };
    let mut text = format!("walras {} {taken}; its time is {}{speed}\n", view.version, time(view.now));
    for alarm in &view.alarms {
        text.push_str(&format!("ALARM: {}\n", told(alarm)));
    }
    if view.alarms.is_empty() {
        text.push_str("no alarms\n");
    }
    text.push_str(&format!(
        "{} jobs wait, {} have a window, {} run, {} have ended; {} entries are written\n",
        view.queued, view.reserved, view.running, view.ended, view.entries
    ));
    text.push_str(&format!(
        "cycle {}: {} served, {} left out; next at {}\n\n",
        view.cycle.cycle,
        view.cycle.served,
        view.cycle.unserved,
        time_or(view.cycle.next_at)
    ));
    let rows = view.sites.iter().map(|site| {
        let state = if site.lost { "lost" } else { "well" };
        let numbers =
            [site.nodes, site.nodes_lost, site.nodes_drained, site.nodes_busy].map(|it| it.to_string());
        let [nodes, lost, drained, busy] = numbers;
        [site.name.clone(), state.to_owned(), nodes, busy, drained, lost, time_or(site.heard_at)]
    });
    let heading = ["site", "state", ">nodes", ">in use", ">drained", ">lost", "said what is free"];
    text.push_str(&table_or(heading, &rows.collect::<Vec<_>>(), "no sites"));
    text
}

pub(crate) fn log(args: &LogArgs) -> Result<(), Failure> {
    let query =
        [("before", args.before.map(|line| line.to_string())), ("limit", Some(args.limit.to_string()))];
    let answer = Client::of(&args.connect)?.get(&with_query("/v1/log", &query))?;
    say(&args.connect, &answer, |view: &LogView| {
        let rows = view.lines.iter().map(|line| {
            [
                line.line.to_string(),
                time(line.at),
                line.role.text().to_owned(),
                line.name.clone(),
                or_dash(line.token.as_ref()),
                told(&line.text),
            ]
        });
        let heading = [">line", "time", "role", "name", ">token", "what"];
        let mut text = table_or(heading, &rows.collect::<Vec<_>>(), "nobody has changed anything");
        if let Some(next) = view.next {
            text.push_str(&format!("there are more: --before {next}\n"));
        }
        text
    })
}
