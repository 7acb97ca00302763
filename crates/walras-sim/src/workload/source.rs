//! Jobs that are gone through again and again: once for every policy and seed.
//!
//! A workload that is read or drawn anew each time is never in memory as a whole, so a simulation's memory follows what is in
//! the system and not the length of the trace. What was held already is shared.
//!
//! ```
//! use walras_sim::workload::{Jobs, Model, Synthetic};
//! let jobs = Jobs::streamed(|| Box::new(Synthetic::new(Model::default(), 1).take(1_000)));
//! assert_eq!((jobs.len(), jobs.iter().count()), (1_000, 1_000));
//! ```

use super::Job;
use std::fmt;
use std::sync::Arc;
use walras_model::{Span, Time};

/// So many jobs may be held where they need not be: reading them again would take longer than running them.
pub const HELD_MAX: usize = 1 << 16;

/// Some jobs in order of submission, one after the other.
pub type JobIterator = Box<dyn Iterator<Item = Job>>;

/// Jobs in order of submission, as often as wanted.
#[derive(Clone)]
pub struct Jobs {
    open: Arc<dyn Fn() -> JobIterator + Send + Sync>,
    count: u64,
    first: Option<Time>,
    longest: Span,
    /// How they are drawn anew, where they are drawn.
    drawn: Option<Drawn>,
}

/// Jobs of one seed or another.
#[derive(Clone)]
struct Drawn {
    seed: u64,
    draw: Arc<dyn Fn(u64) -> JobIterator + Send + Sync>,
}

impl Jobs {
    /// Jobs that are in memory.
    pub fn held(jobs: Vec<Job>) -> Jobs {
        let (count, first) = (jobs.len() as u64, jobs.first().map(|job| job.submit));
        let longest = longest_of(jobs.iter().copied());
        let jobs: Arc<[Job]> = jobs.into();
        let open = move || -> JobIterator {
            let jobs = jobs.clone();
            Box::new((0..jobs.len()).map(move |place| jobs[place]))
        };
        Jobs { open: Arc::new(open), count, first, longest, drawn: None }
    }

    /// Jobs that are made anew each time, which must be the same each time; goes through them once to count them. Some
    /// thousands of them are held after that.
    pub fn streamed(open: impl Fn() -> JobIterator + Send + Sync + 'static) -> Jobs {
        let mut jobs = open();
        let few: Vec<Job> = jobs.by_ref().take(HELD_MAX).collect();
        let (mut beyond, mut longest) = (0, longest_of(few.iter().copied()));
        for job in jobs {
            (beyond, longest) = (beyond + 1, longest.max(job.estimate));
        }
        if beyond == 0 {
            return Jobs::held(few);
        }
        let first = few.first().map(|job| job.submit);
        Jobs { open: Arc::new(open), count: (few.len() + beyond) as u64, first, longest, drawn: None }
    }

    /// Jobs that are drawn from a seed, and from others where a study has several.
    pub fn drawn(seed: u64, draw: impl Fn(u64) -> JobIterator + Send + Sync + 'static) -> Jobs {
        let draw: Arc<dyn Fn(u64) -> JobIterator + Send + Sync> = Arc::new(draw);
        let of = draw.clone();
        Jobs { drawn: Some(Drawn { seed, draw }), ..Jobs::streamed(move || of(seed)) }
    }

    /// Those of a seed; where they are not drawn, the same for all.
    pub fn for_seed(&self, seed: u64) -> Jobs {
        let other = self.drawn.as_ref().filter(|drawn| drawn.seed != seed);
        other.map_or_else(
            || self.clone(),
            |drawn| {
                let draw = drawn.draw.clone();
                Jobs::streamed(move || draw(seed))
            },
        )
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// For how long the longest asks.
    pub fn longest(&self) -> Span {
        self.longest
    }

    /// When the first comes.
    pub fn first(&self) -> Option<Time> {
        self.first
    }

    /// All of them.
    pub fn iter(&self) -> JobIterator {
        (self.open)()
    }
}

fn longest_of(jobs: impl Iterator<Item = Job>) -> Span {
    jobs.map(|job| job.estimate).max().unwrap_or(Span::ZERO)
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} jobs", self.count)
    }
}

/// Several workloads as one; of jobs of one moment, those of the first go first.
pub struct Merged {
    sources: Vec<std::iter::Peekable<JobIterator>>,
}

impl Merged {
    /// These workloads, each in order of submission.
    pub fn new(sources: Vec<JobIterator>) -> Merged {
        Merged { sources: sources.into_iter().map(Iterator::peekable).collect() }
    }
}

impl Iterator for Merged {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        let coming = self.sources.iter_mut().enumerate();
        let coming = coming.filter_map(|(place, source)| Some((source.peek()?.submit, place)));
        let (_, place) = coming.min()?;
        self.sources[place].next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Model, Synthetic};

    #[test]
    fn drawn_jobs_are_others_for_another_seed() {
        let draw = |seed| -> JobIterator { Box::new(Synthetic::new(Model::default(), seed).take(20)) };
        let jobs = Jobs::drawn(7, draw);
        assert!(jobs.for_seed(7).iter().eq(draw(7)) && jobs.for_seed(8).iter().eq(draw(8)));
        assert!(!jobs.for_seed(8).iter().eq(jobs.iter()));
        let held = Jobs::held(draw(7).collect());
        assert!(held.for_seed(8).iter().eq(held.iter()));
    }

    #[test]
    fn merged_jobs_are_in_order_and_ties_go_to_the_first() {
        let of = |seed| -> Vec<Job> { Synthetic::new(Model::default(), seed).take(50).collect() };
        let (one, other) = (of(1), of(2));
        let both = Merged::new(vec![Jobs::held(one.clone()).iter(), Jobs::held(other.clone()).iter()]);
        let mut expected = [one.clone(), other].concat();
        expected.sort_by_key(|job| job.submit);
        assert_eq!(both.collect::<Vec<_>>(), expected);
        let twice = Merged::new(vec![Jobs::held(one.clone()).iter(), Jobs::held(one.clone()).iter()]);
        let doubled: Vec<Job> = one.iter().flat_map(|job| [*job, *job]).collect();
        assert_eq!(
            twice.map(|job| job.submit).collect::<Vec<_>>(),
            doubled.iter().map(|job| job.submit).collect::<Vec<_>>()
        );
        assert_eq!(Merged::new(Vec::new()).next(), None);
    }

    #[test]
    fn many_jobs_are_made_anew_and_few_are_held() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let opened = |count: usize| {
            let times = Arc::new(AtomicU32::new(0));
            let counted = times.clone();
            let jobs = Jobs::streamed(move || {
                counted.fetch_add(1, Ordering::Relaxed);
                Box::new(Synthetic::new(Model::default(), 1).take(count))
            });
            let (one, other) = (jobs.iter().count(), jobs.iter().count());
            assert_eq!((jobs.len(), one, other), (count as u64, count, count));
            times.load(Ordering::Relaxed)
        };
        assert_eq!((opened(100), opened(HELD_MAX + 1)), (1, 3));
    }

    #[test]
    fn nothing_is_nothing() {
        let none = Jobs::held(Vec::new());
        assert!(none.is_empty() && none.first().is_none() && none.iter().next().is_none());
        assert_eq!(format!("{none:?}"), "0 jobs");
    }
}
