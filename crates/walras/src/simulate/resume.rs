//! Runs that an earlier call has finished are not run again.
//!
//! Every run leaves its figures in `runs/` when it is over, with a mark of all that they follow from: jobs, sites, policy, seed,
//! what surrounds the broker, and the program. A file with another mark is not used. The runs of the first seed, of which schedules and
//! pictures are made, count only when all files of the study are written; then nothing is run or written again.

use super::output::plain_name;
use super::progress::Progress;
use super::schedule::Listening;
use super::{Failure, failed};
use crate::files;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use walras_sim::study::{Metrics, Run, Study, compare, compare_pairs};

/// What became of all runs of a study.
pub(super) struct Compared<'a> {
    pub(super) runs: Vec<Run>,
    /// Where they are kept; `None` where they are not, or where an earlier call has written all files of the study.
    pub(super) unwritten: Option<Kept<'a>>,
}

/// All runs of a study, from files where they are there.
pub(super) fn compare_all<'a>(
    study: &'a Study,
    directory: Option<&Path>,
    threads: usize,
    progress: &Progress,
) -> Result<Compared<'a>, Failure> {
    let listener = Listening { study, directory, progress };
    let Some(directory) = directory else {
        let runs = compare(study, threads, &listener).map_err(|error| failed(&error))?;
        return Ok(Compared { runs, unwritten: None });
    };
    let kept = Kept::new(study, directory)?;
    let pairs = study.pairs();
    let mut found: Vec<Option<Run>> = pairs.iter().map(|pair| kept.read(*pair)).collect();
    if found.iter().all(Option::is_some) && super::output::is_written(directory) {
        return Ok(Compared { runs: found.into_iter().flatten().collect(), unwritten: None });
    }
    let is_first = |(_, seed): &(usize, u64)| study.seeds.first() == Some(seed);
    for (run, _) in found.iter_mut().zip(&pairs).filter(|(_, pair)| is_first(pair)) {
        *run = None;
    }
    let missing = pairs.iter().zip(&found).filter(|(_, run)| run.is_none()).map(|(pair, _)| *pair);
    let missing: Vec<(usize, u64)> = missing.collect();
    let wrong = Mutex::new(None);
    let keep = |run: &Run| {
        let first = study.seeds.first() == Some(&run.seed);
        if !first && let Err(failure) = kept.keep(run) {
            wrong.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(failure);
        }
    };
    let done = compare_pairs(study, &missing, threads, &listener, &keep).map_err(|error| failed(&error))?;
    if let Some(failure) = wrong.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(failure);
    }
    let mut done = done.into_iter();
    let runs = found.into_iter().filter_map(|run| run.or_else(|| done.next().map(as_read)));
    Ok(Compared { runs: runs.collect(), unwritten: Some(kept) })
}

/// Digits that reading changes must be the same whoever ran it.
fn as_read(run: Run) -> Run {
    let text = json!(run.metrics).to_string();
    let metrics = serde_json::from_str(&text).unwrap_or(run.metrics);
    Run { metrics, ..run }
}

/// The figures of runs in files.
pub(super) struct Kept<'a> {
    study: &'a Study,
    runs: PathBuf,
    marks: Marks,
}

impl<'a> Kept<'a> {
    fn new(study: &'a Study, directory: &Path) -> Result<Kept<'a>, Failure> {
        let runs = directory.join("runs");
        super::output::make(&runs)?;
        Ok(Kept { study, runs, marks: Marks::new(study) })
    }

    fn read(&self, (policy, seed): (usize, u64)) -> Option<Run> {
        let policy = self.study.policies.get(policy)?.to_string();
        let metrics = read(&file(&self.runs, &policy, seed), self.marks.of(&policy, seed))?;
        Some(Run { policy, seed, metrics, sketch: None, demand: Vec::new(), took: None })
    }

    /// All files of the study are written: from now on its first seed need not be run again.
    pub(super) fn finish(&self, runs: &[Run]) -> Result<(), Failure> {
        runs.iter()
            .filter(|run| self.study.seeds.first() == Some(&run.seed))
            .try_for_each(|run| self.keep(run))
    }

    fn keep(&self, run: &Run) -> Result<(), Failure> {
        keep(&file(&self.runs, &run.policy, run.seed), self.marks.of(&run.policy, run.seed), &run.metrics)
    }
}

fn file(runs: &Path, policy: &str, seed: u64) -> PathBuf {
    runs.join(format!(
        "{}-{seed}-{:08x}.json",
        plain_name(policy),
        hash(policy.as_bytes(), START) & 0xffff_ffff
    ))
}

fn keep(path: &Path, mark: u64, metrics: &Metrics) -> Result<(), Failure> {
    let kept = json!({ "mark": mark.to_string(), "metrics": metrics });
    files::write(path, &format!("{kept}\n"))
}

/// What was kept under the same mark.
fn read(path: &Path, mark: u64) -> Option<Metrics> {
    let text = std::fs::read(path).ok()?;
    let kept: Value = serde_json::from_slice(&text).ok()?;
    if kept.get("mark")?.as_str()? != mark.to_string() {
        return None;
    }
    serde_json::from_value(kept.get("metrics")?.clone()).ok()
}

/// FNV-1a's beginning and factor.
const START: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0100_0000_01b3;

fn hash(bytes: &[u8], from: u64) -> u64 {
    bytes.iter().fold(from, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FACTOR))
}

/// Numbers that follow from everything that runs follow from.
struct Marks {
    /// What all runs have in common, and the jobs: these are many, and are gone through once.
    around: String,
    /// What files of the first seed are made of beside.
    whole: String,
    first: Option<u64>,
    jobs: u64,
}

impl Marks {
    fn new(study: &Study) -> Marks {
        // All that surrounds a run is in one place, so that nothing of it can be forgotten here.
        let around = format!("{:?} {:?} {:?} {}", study.sites, study.around, study.workflows, program());
        let policies: Vec<String> = study.policies.iter().map(ToString::to_string).collect();
        let whole = format!("{:?} {:?} {policies:?}", study.timetable, study.seeds);
        let jobs = study.jobs.iter().fold(START, |from, job| hash(format!("{job:?}").as_bytes(), from));
        Marks { around, whole, first: study.seeds.first().copied(), jobs }
    }

    fn of(&self, policy: &str, seed: u64) -> u64 {
        let whole = if self.first == Some(seed) { self.whole.as_str() } else { "" };
        let run = format!("{} {policy} {seed} {} {whole}", env!("CARGO_PKG_VERSION"), self.around);
        hash(run.as_bytes(), self.jobs)
    }
}

/// Which program this is: one that was built again may come to something else.
fn program() -> String {
    let file = std::env::current_exe().and_then(std::fs::metadata);
    file.map(|file| format!("{} {:?}", file.len(), file.modified().ok())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::{Share, Span};
    use walras_sim::record::Site;
    use walras_sim::study::Around;
    use walras_sim::workload::{Jobs, Model, Synthetic};

    /// What an earlier call has run without the auditor was not audited, and so on.
    #[test]
    fn marks_differ_by_everything_that_surrounds_a_run() {
        let jobs = Jobs::held(Synthetic::new(Model::default(), 1).take(5).collect());
        let sites = vec![Site::plain("one", 128)];
        let of = |around: Around| {
            let study = Study { around, ..Study::new(jobs.clone(), sites.clone(), Vec::new()) };
            Marks::new(&study).of("walras", 1)
        };
        let plain = Around::default;
        let second = Span::from_millis(1_000);
        let others = [
            plain(),
            Around { audit: true, ..plain() },
            Around { quotes: Share::percent(1), ..plain() },
            Around { across_sites: true, ..plain() },
            Around { patience: second, ..plain() },
            Around { latency: second.unwrap(), ..plain() },
        ];
        let marks: std::collections::BTreeSet<u64> = others.into_iter().map(of).collect();
        assert_eq!(marks.len(), 6);
        assert_eq!(of(plain()), of(plain()));
    }

    fn run<'a>(study: &'a Study, directory: &Path) -> Compared<'a> {
        compare_all(study, Some(directory), 2, &Progress::new(1_000)).unwrap()
    }

    #[test]
    fn what_is_over_is_not_run_again() {
        let directory = tempfile::tempdir().unwrap();
        let jobs = Jobs::held(Synthetic::new(Model { nodes: 8, ..Model::default() }, 1).take(30).collect());
        let policies = ["fcfs", "easy"].map(|words| words.parse().unwrap());
        let of = |seeds: Vec<u64>| Study {
            seeds,
            ..Study::new(jobs.clone(), vec![Site::plain("one", 8)], policies.to_vec())
        };
        let one = of(vec![1]);
        let first = run(&one, directory.path());
        // Nothing is said to be over before its files are written.
        assert!(first.unwritten.is_some() && run(&one, directory.path()).unwritten.is_some());
        super::super::output::write(directory.path(), &one, &first.runs, &[]).unwrap();
        first.unwritten.as_ref().unwrap().finish(&first.runs).unwrap();
        let again = run(&one, directory.path());
        assert!(again.unwritten.is_none());
        let figures = |it: &Compared<'_>| it.runs.iter().map(|run| json!(run.metrics)).collect::<Vec<_>>();
        assert_eq!(figures(&again), figures(&first));
        // With more seeds there are other files; and those of others than the first stay.
        let three = of(vec![1, 2, 3]);
        let all = run(&three, directory.path());
        assert_eq!((all.unwritten.is_none(), all.runs.len()), (false, 6));
        assert!(
            all.runs
                .iter()
                .map(|run| (run.policy.as_str(), run.seed))
                .is_sorted_by_key(|it| (it.0 == "easy", it.1))
        );
        let missing = |it: &(usize, u64)| Kept::new(&three, directory.path()).unwrap().read(*it).is_none();
        assert_eq!(three.pairs().into_iter().filter(missing).collect::<Vec<_>>(), [(0, 1), (1, 1)]);
    }
}
