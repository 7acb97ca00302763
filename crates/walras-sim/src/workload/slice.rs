//! A part of a workload, at another load.

use super::Job;
use walras_model::quantity::rounding;
use walras_model::{Multiplier, Time};

/// Which part of a workload, and how dense.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// So many jobs are left out first.
    pub skip: usize,
    /// So many are taken; all that follow, without.
    pub take: Option<usize>,
    /// Time between submissions is divided by this: 1.1 gives a tenth more load. As it is, without.
    pub load: Option<Multiplier>,
}

impl Slice {
    /// The jobs of the slice. Submissions are scaled around the first of them; deadlines move along.
    pub fn of<I: Iterator<Item = Job>>(self, jobs: I) -> impl Iterator<Item = Job> + use<I> {
        let mut first = None;
        jobs.skip(self.skip).take(self.take.unwrap_or(usize::MAX)).map(move |job| {
            let first = *first.get_or_insert(job.submit);
            self.load.and_then(|load| scaled(job, first, load)).unwrap_or(job)
        })
    }
}

/// A job that comes sooner after the first; `None` where that is out of range.
fn scaled(job: Job, first: Time, load: Multiplier) -> Option<Job> {
    let after = i128::from(job.submit - first) * 1_000_000;
    let after = rounding::nearest(after, i128::from(load.as_millionths()).max(1));
    let submit = Time::from_millis(first.as_millis().checked_add(i64::try_from(after).ok()?)?)?;
    let moved = submit - job.submit;
    let later = |time: Time| Time::from_millis(time.as_millis().checked_add(moved)?);
    Some(Job { submit, deadline: job.deadline.and_then(later), ..job })
}

/// The load that jobs put on so many nodes of performance 1: node-time wanted against node-time between the first and the
/// last submission. `None` for fewer than two moments of submission.
pub fn offered_load(jobs: &[Job], nodes: u64) -> Option<f64> {
    let first = jobs.iter().map(|job| job.submit).min()?;
    let last = jobs.iter().map(|job| job.submit).max()?;
    let area: i128 = jobs.iter().map(Job::area).sum();
    let whole = i128::from(nodes) * i128::from(last - first);
    (whole > 0).then(|| area as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Span;

    fn jobs() -> Vec<Job> {
        let second = Span::from_millis(1_000).unwrap();
        let job = |number: u64| Job {
            number,
            submit: Time::from_millis(i64::try_from(number).unwrap() * 1_000).unwrap(),
            nodes: 2,
            run: second,
            estimate: second,
            user: None,
            budget: None,
            deadline: Time::from_millis(100_000),
        };
        (0..10).map(job).collect()
    }

    #[test]
    fn a_slice_is_scaled_around_its_first_job() {
        let slice = Slice { skip: 2, take: Some(3), load: Multiplier::from_millionths(2_000_000) };
        let taken: Vec<(u64, i64, i64)> = slice
            .of(jobs().into_iter())
            .map(|job| (job.number, job.submit.as_millis(), job.deadline.unwrap().as_millis()))
            .collect();
        assert_eq!(taken, [(2, 2_000, 100_000), (3, 2_500, 99_500), (4, 3_000, 99_000)]);
        assert_eq!(Slice::default().of(jobs().into_iter()).collect::<Vec<_>>(), jobs());
    }

    #[test]
    fn load_is_what_is_wanted_of_what_there_is() {
        // Twenty node-seconds in nine seconds of four nodes.
        let load = offered_load(&jobs(), 4).unwrap();
        assert!((load - 20.0 / 36.0).abs() < 1e-12);
        assert_eq!(offered_load(&jobs()[..1], 4), None);
    }
}
