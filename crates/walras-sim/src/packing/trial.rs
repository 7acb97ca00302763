//! Jobs that a cluster can run, and only these.

use super::room::Room;
use super::{Cluster, Counting, PackedJob};
use walras_model::quantity::rounding;
use walras_model::{Multiplier, Span, Time, Work};

/// A cluster, and jobs in order of submission of which each has room on it while it is empty; so everybody runs some day, whoever packs them.
///
/// All of them together take less time than can be counted, so that no moment of a run is out of range.
#[derive(Clone, Debug)]
pub struct Trial {
    cluster: Cluster,
    counting: Counting,
    jobs: Vec<PackedJob>,
    refused: usize,
}

/// No moment is later, and all jobs together take no longer: a quarter of what can be counted.
const MILLIS_MAX: i64 = i64::MAX / 4;

impl Trial {
    /// Keeps the jobs that have room on a cluster and whose times can be counted; puts them in order of submission.
    pub fn new(cluster: &Cluster, jobs: impl IntoIterator<Item = PackedJob>, counting: Counting) -> Trial {
        let room = Room::of(cluster, counting);
        let (mut kept, mut refused, mut left) = (Vec::new(), 0, MILLIS_MAX);
        for job in jobs {
            let takes = Some(job.estimate).filter(|_| is_counted(&job) && room.places(&job, false).is_some());
            match takes.and_then(|takes| left.checked_sub(takes)).filter(|left| *left >= 0) {
                Some(after) => {
                    left = after;
                    kept.push(job);
                }
                None => refused += 1,
            }
        }
        kept.sort_by_key(|job| (job.submit, job.number));
        Trial { cluster: cluster.clone(), counting, jobs: kept, refused }
    }

    /// The same jobs, which come so many times as densely after the first of them.
    pub fn denser(mut self, times: Multiplier) -> Trial {
        let Some(first) = self.jobs.first().map(|job| job.submit) else { return self };
        for job in &mut self.jobs {
            let after = i128::from(job.submit - first) * 1_000_000;
            let after = rounding::nearest(after, i128::from(times.as_millionths()).max(1));
            let submit = i64::try_from(i128::from(first) + after).ok().and_then(Time::from_millis);
            // Thinned out beyond all times, it comes when it can be counted last.
            job.submit = submit.unwrap_or(Time::MAX).as_millis();
        }
        self
    }

    /// The nodes.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// What they give to a task.
    pub fn counting(&self) -> Counting {
        self.counting
    }

    /// The jobs, in order of submission.
    pub fn jobs(&self) -> &[PackedJob] {
        &self.jobs
    }

    /// How many jobs had no room, or times that nobody can count.
    pub fn refused(&self) -> usize {
        self.refused
    }
}

/// Whether a job has tasks and times that the whole of Walras could count.
fn is_counted(job: &PackedJob) -> bool {
    let span = |millis: i64| Span::from_millis(millis).filter(|span| *span > Span::ZERO).is_some();
    let times = Time::from_millis(job.submit).is_some() && Work::from_millis(job.estimate).is_some();
    job.tasks > 0 && times && span(job.run)
}
