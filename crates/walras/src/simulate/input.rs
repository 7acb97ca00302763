//! Jobs and sites, from files and words.

use super::{Args, recorded};
use crate::failure::Failure;
use crate::files;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use walras_model::{Decimal, Multiplier, Span};
use walras_sim::config::ConfigError;
use walras_sim::record::Site;
use walras_sim::workload::{
    GwfJobs, InOrder, Job, Model, Report, Slice, SwfJobs, Synthetic, plain, read_jobs,
};

/// The jobs, the sites, and what there is to say of them.
pub(super) fn jobs(
    args: &Args,
    load: Option<Multiplier>,
    sites: Option<Vec<Site>>,
) -> Result<recorded::Given, Failure> {
    let slice = Slice { skip: args.skip, take: args.take, load };
    if let Some(journal) = &args.from {
        let (jobs, found, notes) = recorded::read(journal)?;
        return Ok((slice.of(jobs.into_iter()).collect(), sites.unwrap_or(found), notes));
    }
    if let Some(count) = args.synthetic {
        let sites = sites.unwrap_or_else(|| vec![Site::plain("site1", Model::default().nodes)]);
        let nodes = sites.iter().map(|site| site.nodes).max().unwrap_or(1);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let all = Synthetic::new(Model { nodes, ..Model::default() }, args.seed).take(count);
        let note = format!("{count} jobs of a model of a machine of {nodes} nodes, seed {}", args.seed);
        return Ok((slice.of(all).collect(), sites, vec![note]));
    }
    let mut jobs = Vec::new();
    let mut notes = Vec::new();
    let mut machine = None;
    for path in &args.traces {
        if is_ours(path) {
            let read = own(path)?;
            notes.push(format!("{}: {} jobs", path.display(), read.len()));
            jobs.extend(read);
            continue;
        }
        let (read, report) = trace(path)?;
        machine = machine.or_else(|| size_of(&report));
        notes.extend(say(path, &report));
        jobs.extend(read);
    }
    // Several traces are one workload: their jobs come as they were submitted.
    jobs.sort_by_key(|job: &Job| job.submit);
    let sites = sites.or_else(|| Some(vec![Site::plain("site1", machine?)]));
    let sites = sites.ok_or_else(|| {
        Failure::Input("the trace does not say how large its machine is: pass --sites".to_owned())
    })?;
    Ok((slice.of(jobs.into_iter()).collect(), sites, notes))
}

/// Whether a file is one of our own.
fn is_ours(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["yaml", "yml", "json"].contains(&extension)
}

/// At most so large: 64 MiB.
const OWN_BYTES_MAX: usize = 64 << 20;

fn own(path: &Path) -> Result<Vec<Job>, Failure> {
    let wrong = |problem: ConfigError| Failure::Input(format!("{}: {problem}", path.display()));
    read_jobs(&files::read_text(path, OWN_BYTES_MAX)?).map_err(wrong)
}

/// What a header says of the machine.
fn size_of(report: &Report) -> Option<u32> {
    let stated = |name| report.header(name)?.split_whitespace().next()?.parse().ok();
    stated("MaxProcs").or_else(|| stated("MaxNodes")).filter(|nodes| *nodes > 0)
}

fn trace(path: &Path) -> Result<(Vec<Job>, Report), Failure> {
    let cannot = |error: &io::Error| Failure::Input(format!("{}: cannot be read: {error}", path.display()));
    let file = File::open(path).map_err(|error| cannot(&error))?;
    let file: Box<dyn BufRead> = plain(BufReader::new(file)).map_err(|error| cannot(&error))?;
    let grid = path.file_name().is_some_and(|name| name.to_string_lossy().contains(".gwf"));
    let (jobs, report, fault) = if grid {
        let mut reader = GwfJobs::new(file);
        let jobs: Vec<Job> = InOrder::new(reader.by_ref()).collect();
        (jobs, reader.report().clone(), reader.fault().map(cannot))
    } else {
        let mut reader = SwfJobs::new(file);
        let jobs: Vec<Job> = InOrder::new(reader.by_ref()).collect();
        (jobs, reader.report().clone(), reader.fault().map(cannot))
    };
    match fault {
        Some(fault) => Err(fault),
        None => Ok((jobs, report)),
    }
}

/// What was read, left out and could not be.
fn say(path: &Path, report: &Report) -> Vec<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let left = report.left_out;
    let mut notes = vec![format!(
        "{name}: {} jobs; left out: {} without a run time, {} shorter than a second, {} never started, {} without a size",
        report.jobs, left.run_unknown, left.run_short, left.never_started, left.size_unknown
    )];
    if report.bad > 0 {
        notes.push(format!("{name}: {} lines cannot be read", report.bad));
        notes.extend(report.bad_lines.iter().take(3).map(|bad| format!("{name}: {bad}")));
    }
    notes.extend(report.header("Acknowledge").map(|who| format!("{name}: thanks to {who}")));
    notes
}

fn units(text: &str, places: u32) -> Option<i64> {
    Decimal::plain(text.trim()).ok()?.rounded(places).and_then(|units| i64::try_from(units).ok())
}

/// A factor of load.
pub(super) fn multiplier(text: &str) -> Result<Multiplier, String> {
    let read = units(text, 6).filter(|millionths| *millionths > 0).and_then(Multiplier::from_millionths);
    read.ok_or_else(|| format!("'{text}' is not a factor above 0"))
}

/// Two factors in thousandths, as in `1.2-3`.
pub(super) fn range(text: &str) -> Result<(i64, i64), String> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let read = units(low, 3).zip(units(high, 3)).filter(|(low, high)| 0 < *low && low <= high);
    read.ok_or_else(|| format!("'{text}' is not LOW-HIGH, as in 1.2-3"))
}

/// Two spans in hours, as in `500,2`.
pub(super) fn hours(text: &str) -> Result<(Span, Span), String> {
    let bad = || format!("'{text}' is not two numbers of hours, as in 500,2");
    let (one, other) = text.split_once(',').ok_or_else(bad)?;
    hour(one).zip(hour(other)).ok_or_else(bad)
}

fn hour(text: &str) -> Option<Span> {
    Span::from_millis(units(text, 6)?.checked_mul(36)? / 10)
}

/// A share in thousandths and a span, as in `10,3`.
pub(super) fn share_and_hours(text: &str) -> Result<(i64, Span), String> {
    let bad = || format!("'{text}' is not a percentage and hours, as in 10,3");
    let (share, mean) = text.split_once(',').ok_or_else(bad)?;
    let share = units(share, 1).filter(|share| (1..=900).contains(share)).ok_or_else(bad)?;
    Ok((share, hour(mean).filter(|mean| *mean > Span::ZERO).ok_or_else(bad)?))
}

/// A span in seconds.
pub(super) fn seconds(text: &str) -> Result<Span, String> {
    units(text, 3).and_then(Span::from_millis).ok_or_else(|| format!("'{text}' is not a number of seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_or_refused() {
        assert_eq!(range("1.2-3"), Ok((1_200, 3_000)));
        assert_eq!(
            hours("0.5,2").map(|(one, other)| (one.as_millis(), other.as_millis())),
            Ok((1_800_000, 7_200_000))
        );
        assert_eq!(share_and_hours("10,3").map(|(share, _)| share), Ok(100));
        assert_eq!(seconds("1.5").map(Span::as_millis), Ok(1_500));
        assert_eq!(multiplier("1.1").map(Multiplier::as_millionths), Ok(1_100_000));
        for wrong in ["", "x", "3-1", "0-1", "-1"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
        assert!(hours("5").is_err() && share_and_hours("0,1").is_err() && share_and_hours("10,0").is_err());
        assert!(seconds("-1").is_err() && multiplier("0").is_err());
    }
}
