//! What people use today, as policies of the simulator: queues on sites, and rules that send jobs to sites.
//!
//! **Problem.** A market must be held against what its users would have without it. These are the usual schedulers, each as
//! its literature defines it, fast enough that a year of a machine is simulated in a second.
//!
//! **Method.** Every site has a [`Discipline`]: first come first served, EASY backfilling, shortest first with EASY, or
//! conservative backfilling. Where there are several sites, a [`Placement`] sends each job to one of them when it comes, for good.
//! [`simulate`] walks from event to event; at a moment, first jobs end, then jobs come, then jobs start. Jobs are taken from
//! an iterator and handed to a function when they start, so memory follows what is in the system and not the trace.
//! [`simulate_failing`] does the same where nodes fail or users give up, [`simulate_owned`] where owners use their nodes; [`simulate_assigned`] holds rounds of capacity assignment instead.
//! `tests/it/baseline.rs` holds all of it against schedulers that go second by second.
//!
//! ```
//! use walras_model::{Span, Time};
//! use walras_sim::baseline::{Discipline, Placement, simulate};
//! use walras_sim::{record::Site, workload::Job};
//! let job = |number, nodes, seconds: i64| Job {
//!     number,
//!     submit: Time::from_millis(0).unwrap(),
//!     nodes,
//!     run: Span::from_millis(1_000 * seconds).unwrap(),
//!     estimate: Span::from_millis(1_000 * seconds).unwrap(),
//!     user: None,
//!     budget: None,
//!     deadline: None,
//! };
//! let jobs = [job(1, 3, 10), job(2, 4, 10), job(3, 1, 10)];
//! let starts = |discipline| {
//!     let mut starts = Vec::new();
//!     simulate(&[Site::plain("campus", 4)], discipline, Placement::FIRST, jobs.into_iter(), &mut |record| {
//!         starts.push((record.job.number, record.ran.unwrap().start.as_millis() / 1_000));
//!     });
//!     starts
//! };
//! assert_eq!(starts(Discipline::Fcfs), [(1, 0), (2, 10), (3, 20)]);
//! assert_eq!(starts(Discipline::Easy), [(1, 0), (3, 0), (2, 10)]);
//! ```

mod assigned;
mod conservative;
mod easy;
mod failing;
mod floor;
mod kinds;
mod local;
mod nodes;
mod offer;
mod owned;
mod place;
mod profile;
mod scheduler;
mod troubles;

pub use assigned::{AssignError, Assigning, Method, simulate_assigned};
pub use failing::{ATTEMPTS_MAX, simulate_failing};
pub use kinds::{Course, Discipline};
pub use owned::simulate_owned;
pub use place::{Placement, Rule};
pub use profile::Profile;
pub use troubles::Troubles;

use crate::record::{Record, Site};
use crate::workload::Job;
use local::Local;

/// Simulates sites with a discipline each; jobs must come in order of submission. Every job is handed to `sink` once.
pub fn simulate(
    sites: &[Site],
    discipline: Discipline,
    placement: Placement,
    jobs: impl Iterator<Item = Job>,
    sink: &mut dyn FnMut(Record),
) -> Course {
    let mut locals: Vec<Local> = sites.iter().map(|site| Local::new(site.nodes, discipline)).collect();
    let mut course = Course::default();
    let mut jobs = jobs.peekable();
    loop {
        let coming = jobs.peek().map(|job| job.submit.as_millis());
        let next = locals.iter().filter_map(Local::next).chain(coming).min();
        let Some(now) = next else { break };
        course.moments += 1;
        for local in &mut locals {
            local.end(now);
        }
        while let Some(job) = jobs.next_if(|job| job.submit.as_millis() <= now) {
            course.jobs += 1;
            match place::choose(sites, |site| locals[site].scheduler(), placement, now, &job) {
                Ok((site, estimate)) => locals[site].submit(now, job, estimate),
                Err(fate) => sink(Record { job, fate, ran: None, promised: None }),
            }
        }
        for (index, (local, site)) in locals.iter_mut().zip(sites).enumerate() {
            local.start(now, |job, promised| {
                let record = Record::begun(index, site, now, job, promised);
                let ran = record.ran.map_or(0, |ran| ran.end.as_millis() - now);
                sink(record);
                ran
            });
        }
        let waiting = locals.iter().map(Local::waiting).sum();
        course.waiting_max = course.waiting_max.max(waiting);
    }
    course
}
