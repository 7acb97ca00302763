//! The production broker on a virtual clock: a workload goes through [`walras_broker::Broker`] as it would through the service.
//!
//! **Problem.** What a policy does to users shows only over time: estimates that are wrong, jobs that come while others
//! wait, nodes that fail. A model of the broker would tell about the model.
//!
//! **Method.** The broker is driven by what it is driven by in production: [`walras_broker::Input`]s go in, effects come out.
//! Here is only what surrounds it. Users submit when the workload says. Sites answer at once, or after a latency,
//! run what they are told to start for as long as the workload says (killed at the end of what is held), and take nodes away
//! for their owners or by [failures](crate::outage) from a seed or a trace. Plans are made by [`walras_broker::plan::plan`] and take no time. The clock
//! goes from event to event; at a moment, what ends ends first, then jobs come, then the broker is told the time.
//!
//! **Checked.** The broker verifies every window before it reserves it; a plan that it turns down although nothing has
//! changed is a [`DriveError`], as is a site that is asked for time that is held, money that does not sum to zero, and money
//! that is still held in the end. With [`Setup::audit`] the auditor reads along.
//!
//! ```
//! use walras_model::{Span, Time};
//! use walras_sim::drive::{Setup, drive};
//! use walras_sim::{record::{Fate, Site}, workload::Job};
//! let minute = Span::from_millis(60_000).unwrap();
//! let job = Job {
//!     number: 1, submit: Time::from_millis(0).unwrap(), nodes: 2, run: minute, estimate: minute,
//!     user: None, budget: None, deadline: None,
//! };
//! let setup = Setup::new(vec![Site::plain("campus", 4)]);
//! let mut records = Vec::new();
//! let course = drive(&setup, [job].into_iter(), &mut |record| records.push(record)).unwrap();
//! assert_eq!((records[0].fate, course.reservations), (Fate::Done, 1));
//! ```

mod course;
mod follow;
mod funds;
mod join;
mod policy;
mod promises;
mod setup;
mod site;
mod wishes;

pub use policy::{BadSetting, policy_of, reaching};
pub use setup::{Course, DriveError, Setup, Shares};
pub use wishes::Wishes;

use crate::record::{Fate, Record};
use crate::workload::Job;
use course::Driver;

/// Drives the broker through a workload; jobs must come in order of submission. Every job is handed to `sink` once.
pub fn drive(
    setup: &Setup,
    jobs: impl Iterator<Item = Job>,
    sink: &mut dyn FnMut(Record),
) -> Result<Course, DriveError> {
    let mut driver = Driver::new(setup)?;
    let mut jobs = jobs.peekable();
    while let Some(now) = driver.next(jobs.peek().map(|job| job.submit)) {
        driver.pass(now)?;
        while let Some(job) = jobs.next_if(|job| job.submit <= now) {
            driver.submit(job, sink)?;
        }
        driver.tell_time(sink)?;
    }
    // Where the run was cut off, some have not even come.
    jobs.for_each(|job| sink(Record { job, fate: Fate::LeftOver, ran: None, promised: None }));
    driver.finish(sink)
}
