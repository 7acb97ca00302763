//! Jobs in order of submission, although a trace has some of them late.
//!
//! A trace is read once and is not kept, so only [`HELD_MAX`] jobs can be held back. A job that comes even later in the
//! file is submitted when the last one was, and counted. Jobs of one moment stay in the order of the file.

use super::Job;
use super::source::HELD_MAX;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use walras_model::Time;

/// Jobs in order of submission.
pub struct InOrder<I> {
    jobs: I,
    held: BinaryHeap<Reverse<Held>>,
    read: u64,
    last: Time,
    late: u64,
}

struct Held {
    place: (Time, u64),
    job: Job,
}

impl PartialEq for Held {
    fn eq(&self, other: &Held) -> bool {
        self.place == other.place
    }
}

impl Eq for Held {}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Held) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Held {
    fn cmp(&self, other: &Held) -> std::cmp::Ordering {
        self.place.cmp(&other.place)
    }
}

impl<I: Iterator<Item = Job>> InOrder<I> {
    /// These jobs in order.
    pub fn new(jobs: I) -> InOrder<I> {
        InOrder { jobs, held: BinaryHeap::new(), read: 0, last: Time::MIN, late: 0 }
    }

    /// How many jobs came too late in the file to be put into their place.
    pub fn late(&self) -> u64 {
        self.late
    }
}

impl<I: Iterator<Item = Job>> Iterator for InOrder<I> {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        while self.held.len() < HELD_MAX {
            let Some(job) = self.jobs.next() else { break };
            self.read += 1;
            self.held.push(Reverse(Held { place: (job.submit, self.read), job }));
        }
        let Reverse(Held { mut job, .. }) = self.held.pop()?;
        if job.submit < self.last {
            self.late += 1;
            job.submit = self.last;
        }
        self.last = job.submit;
        Some(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Span;

    fn job(number: u64, submit: i64) -> Job {
        let second = Span::from_millis(1_000).unwrap();
        Job {
            number,
            submit: Time::from_millis(submit).unwrap(),
            nodes: 1,
            run: second,
            estimate: second,
            user: None,
            budget: None,
            deadline: None,
        }
    }

    #[test]
    fn order_is_by_time_and_then_as_written() {
        let jobs = [job(1, 50), job(2, 20), job(3, 50), job(4, 20)];
        let numbers: Vec<u64> = InOrder::new(jobs.into_iter()).map(|job| job.number).collect();
        assert_eq!(numbers, [2, 4, 1, 3]);
    }

    #[test]
    fn what_comes_far_too_late_is_counted() {
        let many = (0..=HELD_MAX as u64).map(|number| job(number, 1_000));
        let mut all = InOrder::new(many.chain([job(99_999, 0)]));
        let jobs: Vec<Job> = all.by_ref().collect();
        assert!(jobs.is_sorted_by_key(|job| job.submit));
        assert_eq!((jobs.len(), all.late()), (HELD_MAX + 2, 1));
    }
}
