//! `walras world`
//!
//! The only command that lives through faults, and so the only part of the product that links the harness of simulated
//! worlds, `walras-world`.

use crate::failure::Failure;
use crate::files;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use walras_api::JournalWriter;
use walras_broker::Event;
use walras_broker::account::Purpose;
use walras_broker::event::ReservationEvent;
use walras_world::{Faults, Outcome, Settings, live};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What everything is drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Live through so many worlds, from this seed on; stops at the first that breaks a promise
    #[arg(long, default_value_t = 1, value_name = "N", conflicts_with = "journal",
          value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,

    /// Nothing goes wrong
    #[arg(long)]
    no_faults: bool,

    /// How many jobs and quotes are asked for
    #[arg(long, default_value_t = 14, value_name = "N", value_parser = clap::value_parser!(u64).range(..=10_000))]
    jobs: u64,

    /// For how long jobs arrive, in minutes
    #[arg(long, default_value_t = 90, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=10_000))]
    minutes: i64,

    /// Write the broker's journal, for `walras replay` and `walras audit`
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    /// Print what came of it as JSON
    #[arg(long)]
    json: bool,
}

/// What came of some worlds.
#[derive(Default)]
struct Course {
    worlds: u64,
    steps: u64,
    entries: usize,
    kills: u64,
    jobs: u64,
    done: u64,
    failed: u64,
    cancelled: u64,
    given_up: u64,
    cycles: u64,
    reservations: u64,
    quotes_kept: u64,
    quotes_broken: u64,
    charged: i128,
    broken: Option<(u64, Vec<String>)>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let faults = args.no_faults.then(Faults::default);
    let mut course = Course::default();
    for seed in args.seed..args.seed.saturating_add(args.seeds) {
        let (jobs, minutes) = (args.jobs, args.minutes);
        let steps_max = Settings::default().steps_max.saturating_add(10_000 * jobs);
        let outcome = live(&Settings { seed, faults, jobs, minutes, steps_max, ..Settings::default() });
        course.add(seed, &outcome);
        if let Some(path) = &args.journal {
            files::write(path, &written(&outcome)?)?;
        }
        if course.broken.is_some() {
            break;
        }
    }
    files::print(&if args.json { as_json(args, &course) } else { as_text(args, &course) })?;
    if course.broken.is_none() { Ok(()) } else { Err(Failure::Refuted) }
}

/// The journal as a file.
fn written(outcome: &Outcome) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let mut writer = JournalWriter::new(&mut bytes).map_err(Failure::fault)?;
    for entry in &outcome.journal {
        writer.entry(entry).map_err(Failure::fault)?;
    }
    writer.finish().map_err(Failure::fault)?;
    String::from_utf8(bytes).map_err(Failure::fault)
}

impl Course {
    fn add(&mut self, seed: u64, outcome: &Outcome) {
        self.worlds += 1;
        self.steps += outcome.steps;
        self.entries += outcome.journal.len();
        self.kills += outcome.kills;
        let (last, totals) = (outcome.broker.state().last, outcome.broker.state().totals);
        self.jobs += last.job.get();
        self.cycles += last.cycle.get();
        self.reservations += last.reservation.get();
        self.done += totals.done;
        self.failed += totals.failed;
        self.cancelled += totals.cancelled;
        self.given_up += totals.given_up;
        self.quotes_kept += totals.quotes_kept;
        self.quotes_broken += totals.quotes_broken;
        for event in outcome.journal.iter().flat_map(|entry| &entry.events) {
            if let Event::Reservation(ReservationEvent::Closed { transaction, .. }) = event {
                let charges =
                    transaction.postings.iter().filter(|posting| posting.purpose == Purpose::Charge);
                self.charged -= charges.map(|posting| i128::from(posting.amount.as_micros())).sum::<i128>();
            }
        }
        if !outcome.wrong.is_empty() {
            self.broken = Some((seed, outcome.wrong.clone()));
        }
    }

    fn waiting(&self) -> u64 {
        self.jobs.saturating_sub(self.done + self.failed + self.cancelled + self.given_up)
    }
}

fn as_json(args: &Args, course: &Course) -> String {
    let broken = course.broken.as_ref().map(|(seed, wrong)| json!({ "seed": seed, "wrong": wrong }));
    let report = json!({
        "schema": "walras.world/1",
        "seed": args.seed,
        "worlds": course.worlds,
        "steps": course.steps,
        "entries": course.entries,
        "kills": course.kills,
        "cycles": course.cycles,
        "jobs": {
            "submitted": course.jobs,
            "done": course.done,
            "failed": course.failed,
            "cancelled": course.cancelled,
            "given_up": course.given_up,
            "waiting": course.waiting(),
        },
        "reservations": course.reservations,
        "quotes": { "kept": course.quotes_kept, "broken": course.quotes_broken },
        "charged": credits(course.charged),
        "broken": broken,
    });
    format!("{report:#}\n")
}

/// Micro-credits as credits.
fn credits(micros: i128) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

fn as_text(args: &Args, course: &Course) -> String {
    let mut text = String::new();
    let worlds = if course.worlds == 1 { "world" } else { "worlds" };
    let _ = writeln!(
        text,
        "{} {worlds} from seed {}: {} steps, {} entries, {} cycles; the broker was killed {} times",
        course.worlds, args.seed, course.steps, course.entries, course.cycles, course.kills
    );
    let _ = writeln!(
        text,
        "{} jobs: {} done, {} failed by themselves, {} cancelled, {} given up, {} waiting with a reason",
        course.jobs,
        course.done,
        course.failed,
        course.cancelled,
        course.given_up,
        course.waiting()
    );
    let _ = writeln!(
        text,
        "{} reservations, {} credits charged; {} quotes kept, {} not",
        course.reservations,
        credits(course.charged),
        course.quotes_kept,
        course.quotes_broken
    );
    match &course.broken {
        None => text.push_str("every promise was kept\n"),
        Some((seed, wrong)) => {
            for wrong in wrong {
                let _ = writeln!(text, "broken: {wrong}");
            }
            let _ = writeln!(text, "repeat it with: walras world --seed {seed}");
        }
    }
    text
}
