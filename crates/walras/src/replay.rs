//! `walras replay`

use crate::failure::Failure;
use crate::{files, journal};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;
use walras_broker::id::CycleNumber;
use walras_broker::journal::{Difference, Entry, Replay, Scope, basis_of};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The journal: a file of lines, or the file or data directory of a service, which may be running
    journal: PathBuf,

    /// Plan only this cycle again
    #[arg(long, value_name = "N")]
    cycle: Option<u64>,

    /// Print what came of it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let cycle = args.cycle.map(CycleNumber::new);
    let (bases, end) = bases(args, cycle)?;
    if let Some(cycle) = cycle.filter(|_| bases.is_empty()) {
        let source = args.journal.display();
        return Err(Failure::Input(format!("{source}: there is no plan of cycle {cycle} in this journal")));
    }
    let scope = cycle.map_or(Scope::All, Scope::Cycle);
    let plans = bases.len();
    let mut replay = Replay::new(bases);
    let mut entries = journal::open(&args.journal, Some(end))?;
    while let Some(entry) = entries.entry()? {
        if let Some(difference) = replay.entry(&entry, scope) {
            files::print(&differs(args, entries.place(), &entry, &difference))?;
            return Err(Failure::Refuted);
        }
    }
    files::print(&same(args, end, plans))
}

/// The moments at which the plans were begun that are to be made again, and how many entries there are.
fn bases(args: &Args, cycle: Option<CycleNumber>) -> Result<(BTreeSet<u64>, u64), Failure> {
    let mut entries = journal::open(&args.journal, None)?;
    let (mut bases, mut count) = (BTreeSet::new(), 0);
    while let Some(entry) = entries.entry()? {
        count += 1;
        let wanted = basis_of(&entry).filter(|(of, _)| cycle.is_none_or(|cycle| cycle == *of));
        bases.extend(wanted.map(|(_, basis)| basis));
    }
    Ok((bases, count))
}

fn same(args: &Args, entries: u64, plans: usize) -> String {
    if args.json {
        let report = json!({
            "schema": "walras.replay/1", "identical": true, "entries": entries, "plans": plans, "difference": null,
        });
        return format!("{report:#}\n");
    }
    match args.cycle {
        Some(cycle) => format!("identical: cycle {cycle} comes to the same plan\n"),
        None => format!("identical: {entries} entries, {plans} plans, every byte the same\n"),
    }
}

fn differs(args: &Args, line: u64, entry: &Entry, difference: &Difference) -> String {
    let (what, written, now) = match difference {
        Difference::Events { now } => ("events".to_owned(), json!(entry.events), json!(now)),
        Difference::Plan { cycle, now } => {
            (format!("the plan of cycle {cycle}"), json!(entry.input), json!(now))
        }
    };
    if args.json {
        let difference = json!({ "line": line, "what": what, "written": written, "now": now });
        let report = json!({ "schema": "walras.replay/1", "identical": false, "difference": difference });
        return format!("{report:#}\n");
    }
    let source = args.journal.display();
    format!("{source}:{line}: {what} differ\nwritten: {written}\nnow:     {now}\n")
}
