//! How much of a cluster was used, and how long jobs waited.

use super::{Cluster, Packed};

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Usage {
    /// Jobs that ran.
    pub jobs: usize,
    /// The share of all cores that was used, from the first submission to the last.
    pub cores: f64,
    /// The same of memory, as far as jobs asked for it.
    pub memory: f64,
    /// How long jobs waited on average, in seconds.
    pub wait: f64,
    /// The wait that nineteen of twenty did not exceed, in seconds.
    pub wait_p95: f64,
    /// The mean bounded slowdown: how much longer than it ran a job was there, ten seconds of run at least.
    pub slowdown: f64,
    /// When the last job had ended, in seconds after the first came.
    pub makespan: f64,
}

impl Usage {
    /// Of jobs that ran on a cluster; `None` of no jobs, or of jobs that all came at one moment.
    pub fn of(cluster: &Cluster, ran: &[Packed]) -> Option<Usage> {
        let from = ran.iter().map(|it| it.job.submit).min()?;
        let until = ran.iter().map(|it| it.job.submit).max().filter(|until| *until > from)?;
        let (all_cores, all_memory) = cluster.all();
        let (mut cores, mut memory) = (0_u128, 0_u128);
        for it in ran {
            let time = u128::try_from(it.end.min(until) - it.start.max(from)).unwrap_or(0);
            let tasks = u128::from(it.job.tasks) * time;
            cores += tasks * u128::from(it.job.each.cores);
            memory += tasks * u128::from(it.job.each.memory);
        }
        let seconds = |millis: i64| millis as f64 / 1_000.0;
        let mut waits: Vec<i64> = ran.iter().map(|it| it.start - it.job.submit).collect();
        waits.sort_unstable();
        let slowdown = |it: &Packed| {
            let (there, ran) = (it.end - it.job.submit, (it.end - it.start).max(10_000));
            (there as f64 / ran as f64).max(1.0)
        };
        let count = ran.len() as f64;
        // Of nothing nothing is used.
        let share = |used: u128, all: u128| used as f64 / (all.max(1) as f64 * (until - from) as f64);
        Some(Usage {
            jobs: ran.len(),
            cores: share(cores, all_cores),
            memory: share(memory, all_memory),
            wait: waits.iter().map(|wait| seconds(*wait)).sum::<f64>() / count,
            wait_p95: seconds(waits[waits.len() - 1 - waits.len() / 20]),
            slowdown: ran.iter().map(slowdown).sum::<f64>() / count,
            makespan: seconds(ran.iter().map(|it| it.end).max()? - from),
        })
    }
}
