//! Machines and jobs with cores and memory, as MetaCentrum writes them: a table of machines, and a trace with three columns more than the Standard
//! Workload Format has.

use super::{Cluster, Need, PackedJob};
use crate::lines::Lines;
use std::io::BufRead;

/// What is wrong with a table of machines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadMachines {
    /// A line that is none of it.
    #[error(
        "line {line}: expected a number, a name, nodes, cores, speed and memory (KiB) of each, and not {text:?}"
    )]
    Line {
        /// Its number.
        line: u32,
        /// What it says.
        text: String,
    },
    /// There is none.
    #[error("there is no machine")]
    None,
}

/// Jobs that cannot be packed, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfit {
    /// Lines that do not say what a job takes, or how long it ran.
    pub unread: u64,
    /// Jobs that ran for less than a second.
    pub short: u64,
    /// Jobs that would not fit the empty cluster.
    pub too_large: u64,
}

/// A table of machines: number, name, nodes, and of each cores, speed and memory in KiB, by tabs or spaces. Speeds are not looked at.
pub fn read_machines(reader: impl BufRead) -> Result<Cluster, BadMachines> {
    let mut kinds = Vec::new();
    let mut lines = Lines::new(reader);
    while let Some((line, text)) = lines.next() {
        let text = String::from_utf8_lossy(text);
        let columns: Vec<&str> = text.split_whitespace().collect();
        if columns.is_empty() {
            continue;
        }
        let kind = || {
            let &[_, _, nodes, cores, _, memory] = columns.as_slice() else { return None };
            let need = Need { cores: cores.parse().ok()?, memory: memory.parse().ok()? };
            Some((nodes.parse().ok()?, need)).filter(|(nodes, has)| *nodes > 0 && has.cores > 0)
        };
        kinds.push(kind().ok_or_else(|| BadMachines::Line { line, text: text.clone().into_owned() })?);
    }
    if kinds.is_empty() { Err(BadMachines::None) } else { Ok(Cluster { kinds }) }
}

/// The jobs of a trace in order of submission, those that fit a cluster: the tenth column is the memory of each node in bytes, and the last says
/// how many nodes with how many cores each, as in `4:ppn=12`.
pub fn read_jobs(reader: impl BufRead, cluster: &Cluster) -> (Vec<PackedJob>, Unfit) {
    let (mut jobs, mut unfit) = (Vec::new(), Unfit::default());
    let mut lines = Lines::new(reader);
    while let Some((_, text)) = lines.next() {
        let text = String::from_utf8_lossy(text);
        if text.trim().is_empty() || text.starts_with(';') {
            continue;
        }
        match job(&text) {
            None => unfit.unread += 1,
            Some(job) if job.run < 1_000 => unfit.short += 1,
            Some(job) if !fits(&job, cluster) => unfit.too_large += 1,
            Some(job) => jobs.push(job),
        }
    }
    jobs.sort_by_key(|job: &PackedJob| (job.submit, job.number));
    (jobs, unfit)
}

fn job(text: &str) -> Option<PackedJob> {
    let columns: Vec<&str> = text.split_whitespace().collect();
    let whole = |place: usize| columns.get(place)?.parse::<i64>().ok();
    let millis = |place: usize| whole(place)?.checked_mul(1_000);
    let (tasks, cores) = nodes_and_cores(columns.last().filter(|_| columns.len() > 18)?)?;
    let run = millis(3).filter(|run| *run >= 0)?;
    let memory = whole(9).map_or(0, |bytes| u64::try_from(bytes).unwrap_or(0)).div_ceil(1_024);
    Some(PackedJob {
        number: u64::try_from(whole(0)?).ok()?,
        submit: millis(1)?,
        run,
        estimate: millis(8).filter(|estimate| *estimate > 0).unwrap_or(run),
        tasks,
        each: Need { cores, memory },
    })
}

/// `4:ppn=12:x86_64` is four nodes with twelve cores each; a part of a core is one.
fn nodes_and_cores(text: &str) -> Option<(u32, u32)> {
    let mut words = text.split([':', '#']);
    let tasks: u32 = words.next()?.parse().ok().filter(|tasks| *tasks > 0)?;
    let cores = words.find_map(|word| word.strip_prefix("ppn="))?;
    let (whole, part) = cores.split_once('.').unwrap_or((cores, ""));
    let more = u32::from(part.bytes().any(|digit| digit != b'0'));
    let cores = whole.parse::<u32>().ok()?.checked_add(more).filter(|cores| *cores > 0)?;
    Some((tasks, cores))
}

fn fits(job: &PackedJob, cluster: &Cluster) -> bool {
    let room =
        |(count, has): &(u32, Need)| u64::from(*count) * u64::from(super::room::side_by_side(*has, job.each));
    cluster.kinds.iter().map(room).sum::<u64>() >= u64::from(job.tasks)
}
