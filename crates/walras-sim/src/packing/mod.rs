//! Jobs that take parts of nodes: cores and memory of each, under the usual schedulers and under the broker.
//!
//! **Problem.** Elsewhere in the simulator a node runs one job. Clusters run several on one, which share its cores and its memory, and what matters
//! is how well they are packed: one of the two may be used up while the other lies idle.
//!
//! **Method.** A [`Cluster`] has nodes with so many cores and so much memory; a [`PackedJob`] has tasks that each take some of both, on one node at
//! once; a [`Trial`] is a cluster with jobs that have room on it. [`pack`] runs them under a [`Packing`]: whoever fits starts, in order of arrival, on
//! the first or the fullest nodes that have room; or EASY and conservative backfilling, whose reservations are of cores and memory on nodes, too.
//! [`sell`] gives the same jobs to the production broker ([`crate::drive`]), which sells nodes in equal units of everything; [`Counting::InUnits`]
//! lets the others do so, to tell what units cost from what the broker does. [`Usage`] says how much of the cores, and of the memory, was used.
//!
//! EASY: the first in the queue has the earliest moment at which it would have its places if everybody ran for as long as they said; others go ahead
//! if it has them then all the same. Conservative: everybody has such a moment and such places, and moves up in order of arrival when somebody ends
//! before their stated time. Places are on nodes: nobody who has some is moved while they run.
//!
//! **Complexity.** A look at all nodes for each job that waits and each moment that counts: at every event O(q · n) for q waiting jobs and n nodes
//! where nobody has a reservation, O((q + r) · n) with r running jobs under EASY, and O(q · (q + r) · n) under conservative backfilling.
//!
//! ```
//! use walras_sim::packing::{Cluster, Counting, Need, PackedJob, Packing, Trial, pack};
//! let cluster = Cluster::new([(2, Need { cores: 8, memory: 64 })]).unwrap();
//! let job = |number, cores, memory| PackedJob {
//!     number, submit: 0, run: 10, estimate: 10, tasks: 1, each: Need { cores, memory },
//! };
//! // Who needs all memory of a node leaves its cores to nobody.
//! let jobs = [job(1, 1, 64), job(2, 1, 64), job(3, 7, 8)];
//! let ran = pack(&Trial::new(&cluster, jobs, Counting::ByResource), Packing::FirstFit);
//! assert_eq!(ran.iter().map(|it| it.start).collect::<Vec<_>>(), [0, 0, 10]);
//! ```

mod job;
mod queue;
mod read;
mod room;
mod sold;
mod spec;
mod steps;
mod trial;
mod usage;

pub use job::{BadCluster, Cluster, Counting, NODES_MAX, Need, Packed, PackedJob, Packing};
pub use read::{BadLine, BadMachines, Read, read_jobs, read_machines};
pub use sold::sell;
pub use spec::{BadPacker, Packer};
pub use trial::Trial;
pub use usage::Usage;

use queue::Queue;
use std::collections::BTreeSet;

/// Runs the jobs of a trial; gives them in the order in which they started.
pub fn pack(trial: &Trial, packing: Packing) -> Vec<Packed> {
    let jobs = trial.jobs();
    let mut queue = Queue::new(trial, packing);
    let mut ends: BTreeSet<(i64, usize)> = BTreeSet::new();
    let mut ran = Vec::with_capacity(jobs.len());
    let mut coming = jobs.iter().enumerate().peekable();
    loop {
        let events = [coming.peek().map(|(_, job)| job.submit), ends.first().map(|end| end.0), queue.next()];
        let Some(now) = events.into_iter().flatten().min() else { return ran };
        while let Some(end) = ends.first().copied().filter(|(end, _)| *end <= now) {
            ends.remove(&end);
            queue.end(now, end.1);
        }
        while let Some((place, _)) = coming.next_if(|(_, job)| job.submit <= now) {
            queue.submit(place);
        }
        for (place, places) in queue.start(now) {
            let (job, end) = (jobs[place], now + jobs[place].lasts());
            ends.insert((end, place));
            ran.push(Packed { job, start: now, end, places });
        }
    }
}
