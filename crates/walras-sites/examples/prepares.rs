//! How long many reservations take on a real cluster: prepared as one batch, the first hundred confirmed, and all of them let go;
//! and how much of that is spent in Slurm's own programs.
//!
//! `cargo run --release -p walras-sites --example prepares -- SLURM_CONF DIRECTORY 1000 n1,n2`, for so many on these nodes.

#![allow(clippy::print_stdout, reason = "an example that prints")]

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use walras_model::{Interval, Money, NodeId, Rate, SiteId, Time};
use walras_sites::slurm::command::Call;
use walras_sites::slurm::execute::Printed;
use walras_sites::slurm::{Margin, Programs, RunAs, Slurm, SlurmConnector, SlurmOptions};
use walras_sites::{
    Clock, Connector, Customer, Effect, Hold, JobNumber, ReservationNumber, SiteAnswer, SiteError,
    SiteMessage,
};

/// Holds lie this far apart, in milliseconds, and begin after an hour.
const EVERY: i64 = 60_000;
const AFTER: i64 = 3_600_000;

/// Slurm's programs, and the microseconds that they have taken.
struct Timed {
    programs: Programs,
    spent: Arc<AtomicU64>,
}

impl Slurm for Timed {
    fn run(&mut self, call: &Call) -> Result<Printed, SiteError> {
        let begun = Instant::now();
        let printed = self.programs.run(call);
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.spent.fetch_add(micros, Ordering::Relaxed);
        printed
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [conf, directory, count, nodes] = words.as_slice() else {
        return Err("expected: SLURM_CONF DIRECTORY COUNT NODE,NODE".into());
    };
    let nodes: Vec<String> = nodes.split(',').map(str::to_owned).collect();
    let width = u32::try_from(nodes.len())?;
    let path = "/usr/local/bin:/usr/bin:/bin".to_owned();
    let within = Duration::from_secs(30);
    let spent = Arc::new(AtomicU64::new(0));
    let in_slurm = || Duration::from_micros(spent.swap(0, Ordering::Relaxed));
    let programs = Programs { conf: Some(PathBuf::from(conf)), path: path.clone(), within };
    let options = SlurmOptions {
        nodes: (0..).map(NodeId::new).zip(nodes).collect(),
        units: std::collections::BTreeMap::new(),
        gone: Vec::new(),
        census: None,
        queue: None,
        project: None,
        qos: None,
        margin: Margin { before: 8_000, after: 4_000 },
        ahead: None,
        beyond_backfill: true,
        partitions: Vec::new(),
        look_every: Duration::from_secs(5),
        path,
        lang: "C.UTF-8".to_owned(),
        grace: Duration::from_secs(2),
        keep: Duration::from_secs(86_400),
        run_as: RunAs::Service,
        executable: PathBuf::from("/bin/true"),
    };
    let programs = Timed { programs, spent: spent.clone() };
    let directory = PathBuf::from(directory);
    std::fs::create_dir_all(&directory)?;
    let mut site = SlurmConnector::open(options, programs, &directory.join("site.db"), &directory)?;
    let (count, now) = (count.parse::<u32>()?, Clock::WALL.now());
    let prepares = (0..count).map(|place| prepare(place, width, now)).collect::<Result<Vec<_>, _>>()?;
    let begun = Instant::now();
    let answers = site.perform(now, &prepares);
    let took = begun.elapsed();
    println!(
        "{} of {count} prepared in {took:?}, {:?} of it in Slurm's programs",
        well(&answers),
        in_slurm()
    );
    let numbers = |most: u32| (1..=u64::from(most.min(count))).map(ReservationNumber::new);
    let (at, begun) = (SiteId::new(0), Instant::now());
    let confirms: Vec<Effect> =
        numbers(100).map(|reservation| Effect::Confirm { site: at, reservation }).collect();
    let answers = site.perform(Clock::WALL.now(), &confirms);
    let (took, of) = (begun.elapsed(), confirms.len());
    println!("{} of {of} confirmed in {took:?}, {:?} of it in Slurm's programs", well(&answers), in_slurm());
    let begun = Instant::now();
    for reservation in numbers(count) {
        site.release(Clock::WALL.now(), reservation)?;
    }
    println!("let go one by one in {:?}", begun.elapsed());
    Ok(())
}

/// How many were not refused.
fn well(answers: &[SiteAnswer]) -> usize {
    let good = |answer: &&SiteAnswer| {
        answer.as_ref().is_ok_and(|said| !said.iter().any(|it| matches!(it, SiteMessage::Refused { .. })))
    };
    answers.iter().filter(good).count()
}

fn prepare(place: u32, width: u32, now: Time) -> Result<Effect, Box<dyn Error>> {
    let from = now.as_millis() + AFTER + EVERY * i64::from(place / width);
    let time = |millis: i64| Time::from_millis(millis).ok_or("beyond all time");
    let interval = Interval::new(time(from)?, time(from + 20_000)?).ok_or("no time at all")?;
    let rate = Rate::from_micros_per_second(1).ok_or("no price")?;
    let hold = Hold {
        units: 1,
        node: Some(NodeId::new(place % width)),
        interval,
        rate,
        cost: Money::from_micros(20),
    };
    Ok(Effect::Prepare {
        site: SiteId::new(0),
        reservation: ReservationNumber::new(u64::from(place) + 1),
        customer: Customer { job: JobNumber::new(1), user: "ada".to_owned(), group: None },
        holds: vec![hold],
        expiry: time(now.as_millis() + 600_000)?,
    })
}
