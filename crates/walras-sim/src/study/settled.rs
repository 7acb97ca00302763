//! Records in order of submission, whatever order jobs end in.
//!
//! **Problem.** A schedule is written in order of submission, as traces are; but jobs are over in another order, and a trace of
//! millions of jobs must not be held until the last of them is.
//!
//! **Method.** Jobs come in order of submission. Whoever is over is handed on once everybody who came before is; jobs of one
//! moment go by their numbers, so they wait until somebody has come later.
//!
//! **Complexity.** O(log w) a job, where w are those who came since the oldest who is still there: so many are held.

use crate::record::Record;
use crate::workload::Job;
use std::collections::BTreeMap;
use walras_model::Time;

/// What records are ordered by. Merged traces may hold a number twice.
type Key = (Time, u64);

/// Jobs that have come, and records that wait for earlier ones.
#[derive(Default)]
pub(super) struct Settled {
    /// How many of a key have come, and those of them that are over.
    open: BTreeMap<Key, (usize, Vec<Record>)>,
    last: Option<Time>,
}

impl Settled {
    /// A job has come; in order of submission.
    pub(super) fn came(&mut self, job: &Job) {
        self.open.entry((job.submit, job.number)).or_default().0 += 1;
        self.last = Some(job.submit);
    }

    /// A job is over; hands on all who need not wait any longer.
    pub(super) fn over(&mut self, record: Record, hand_on: &mut dyn FnMut(&Record)) {
        self.open.entry((record.job.submit, record.job.number)).or_default().1.push(record);
        while let Some(first) = self.open.first_entry() {
            let (came, over) = first.get();
            if over.len() < *came || self.last.is_none_or(|last| first.key().0 >= last) {
                return;
            }
            first.remove().1.iter().for_each(&mut *hand_on);
        }
    }

    /// Nobody comes any more: hands on the rest.
    pub(super) fn finish(self, hand_on: &mut dyn FnMut(&Record)) {
        self.open.values().flat_map(|(_, over)| over).for_each(hand_on);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Fate;
    use crate::workload::{Model, Synthetic};
    use walras_random::Draws;

    /// Jobs that are over in any order are handed on as if all had been sorted; and most of them early.
    #[test]
    fn records_come_in_order_of_submission() {
        for seed in 0..50 {
            let mut draws = Draws::new(seed);
            let mut jobs: Vec<Job> = Synthetic::new(Model::default(), seed).take(200).collect();
            // Some of one moment, their numbers out of order and one of them twice.
            for place in 1..jobs.len() {
                if draws.below(4) == 0 {
                    jobs[place].submit = jobs[place - 1].submit;
                    jobs[place].number = u64::try_from(draws.below(200)).unwrap();
                }
            }
            let record = |job: Job| Record { job, fate: Fate::Done, ran: None, promised: None };
            let (mut settled, mut inside, mut handed) = (Settled::default(), Vec::new(), Vec::new());
            let mut early = 0;
            for job in &jobs {
                settled.came(job);
                inside.push(*job);
                while draws.below(8) < inside.len() {
                    let job = inside.swap_remove(draws.below(inside.len()));
                    settled.over(record(job), &mut |record| handed.push(record.job));
                }
                early = handed.len();
            }
            for job in inside {
                settled.over(record(job), &mut |record| handed.push(record.job));
            }
            settled.finish(&mut |record| handed.push(record.job));
            let key = |job: &Job| (job.submit, job.number);
            jobs.sort_by_key(key);
            assert_eq!(handed.iter().map(key).collect::<Vec<_>>(), jobs.iter().map(key).collect::<Vec<_>>());
            assert!(early > 0, "seed {seed}");
        }
    }
}
