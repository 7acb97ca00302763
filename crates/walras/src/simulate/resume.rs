//! Runs that an earlier call has finished are not run again.
//!
//! Every run but those of the first seed, whose schedules are written, leaves its figures in `runs/` with a mark of all that
//! they follow from: jobs, sites, policy, seed, and what surrounds the broker. A file with another mark is not used.

use super::output::plain_name;
use super::progress::Progress;
use super::schedule::Listening;
use super::{Failure, failed};
use crate::files;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use walras_sim::study::{Metrics, Run, Study, compare};

/// All runs of a study, those of other seeds than the first from files where they are there.
pub(super) fn compare_all(
    study: &Study,
    directory: Option<&Path>,
    threads: usize,
    progress: &Progress,
) -> Result<Vec<Run>, Failure> {
    let listener = Listening { study, directory, progress };
    let Some(directory) = directory.filter(|_| study.seeds.len() > 1) else {
        return compare(study, threads, &listener).map_err(|error| failed(&error));
    };
    let runs = directory.join("runs");
    super::output::make(&runs)?;
    let marks = Marks::new(study);
    let mut all = Vec::new();
    for (place, seed) in study.seeds.iter().enumerate() {
        let found: Vec<Option<Metrics>> = study
            .policies
            .iter()
            .map(|policy| {
                let words = policy.to_string();
                // The first seed's schedules are written, so it is always run.
                if place == 0 { None } else { read(&file(&runs, &words, *seed), marks.of(&words, *seed)) }
            })
            .collect();
        let missing = study.policies.iter().zip(&found).filter(|(_, found)| found.is_none());
        let policies = missing.map(|(policy, _)| policy.clone()).collect();
        let timetable = study.timetable.filter(|_| place == 0);
        let part = Study { policies, seeds: vec![*seed], timetable, ..study.clone() };
        let listener = Listening { directory: Some(directory).filter(|_| place == 0), ..listener };
        let done = compare(&part, threads, &listener).map_err(|error| failed(&error))?;
        let mut done = done.into_iter();
        for (policy, found) in study.policies.iter().zip(found) {
            let words = policy.to_string();
            let run = match found {
                Some(metrics) => {
                    Some(Run { policy: words, seed: *seed, metrics, sketch: None, demand: Vec::new() })
                }
                None => done.next(),
            };
            let Some(mut run) = run else { continue };
            if place > 0 {
                let (path, mark) = (file(&runs, &run.policy, *seed), marks.of(&run.policy, *seed));
                keep(&path, mark, &run.metrics)?;
                // Digits that reading changes must be the same whoever ran it.
                run.metrics = read(&path, mark).unwrap_or(run.metrics);
            }
            all.push(run);
        }
    }
    // By policy, then by seed.
    let place = |run: &Run| study.policies.iter().position(|policy| policy.to_string() == run.policy);
    all.sort_by_key(|run| (place(run), run.seed));
    Ok(all)
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
    jobs: u64,
}

impl Marks {
    fn new(study: &Study) -> Marks {
        // All that surrounds a run is in one place, so that nothing of it can be forgotten here.
        let around = format!("{:?} {:?} {:?}", study.sites, study.around, study.workflows);
        let jobs = study.jobs.iter().fold(START, |from, job| hash(format!("{job:?}").as_bytes(), from));
        Marks { around, jobs }
    }

    fn of(&self, policy: &str, seed: u64) -> u64 {
        let run = format!("{} {policy} {seed} {}", env!("CARGO_PKG_VERSION"), self.around);
        hash(run.as_bytes(), self.jobs)
    }
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
}
