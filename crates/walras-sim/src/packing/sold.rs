//! The same jobs sold by the broker, which knows nodes in equal units of everything.

use super::{Counting, Need, Packed, PackedJob, Trial};
use crate::drive::{Course, DriveError, Setup, Shares, drive, reaching};
use crate::record::Site;
use crate::workload::Job;
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_model::{Division, Fixed, Rate, Requirement, Span, Test, Time};

/// Drives the broker through the jobs of a trial: every kind of nodes in as many units as it has cores, of one site, at a ten-thousandth
/// of a credit for a second and a core. Gives those that ran, in the order in which they ended, and what else came of it.
///
/// Units are equal: what is left of memory beyond equal parts belongs to nobody, and jobs that do not fit a node in units are left out.
pub fn sell(trial: &Trial, setup: &Setup) -> Result<(Vec<Packed>, Course), DriveError> {
    let trial = Trial::new(trial.cluster(), trial.jobs().iter().copied(), Counting::InUnits);
    let jobs = trial.jobs();
    let mut shares = Shares::default();
    let mut sites = Vec::new();
    for (place, (count, has)) in trial.cluster().kinds().iter().enumerate() {
        let name = format!("cluster/{place}");
        shares.divisions.extend(division(*has).map(|division| (name.clone(), division)));
        let plain = Site::plain(&name, *count);
        let price = Rate::from_micros_per_second(i64::from(has.cores) * 100);
        sites.push(Site { price: price.unwrap_or(plain.price), ..plain });
    }
    let mut longest = Span::ZERO;
    let mut driven = Vec::new();
    // By their places, since two may have one number in a trace.
    for (place, job) in (0..).zip(jobs) {
        let amounts = [("cores", u64::from(job.each.cores)), ("memory", job.each.memory)];
        let needs = amounts.into_iter().filter(|(_, amount)| *amount > 0);
        shares.needs.insert(place, needs.map(|(name, of)| at_least(name, of)).collect());
        if let Some(job) = as_driven(place, job) {
            longest = longest.max(job.estimate);
            driven.push(job);
        }
    }
    let policy = reaching(&sites, longest, &setup.policy);
    let setup = Setup { sites, shares: Arc::new(shares), policy, ..setup.clone() };
    let mut ran = Vec::new();
    let course = drive(&setup, driven.into_iter(), &mut |record| {
        let job = usize::try_from(record.job.number).ok().and_then(|place| jobs.get(place));
        if let Some((times, job)) = record.ran.zip(job) {
            let (start, end) = (times.start.as_millis(), times.end.as_millis());
            ran.push(Packed { job: *job, start, end, places: Vec::new() });
        }
    })?;
    Ok((ran, course))
}

/// As many units as cores, each with an equal part of memory.
fn division(has: Need) -> Option<Division> {
    let cores = u64::from(has.cores);
    let counted = [("cores", cores), ("memory", has.memory.checked_div(cores)?.checked_mul(cores)?)];
    let counted = counted.into_iter().filter(|(_, amount)| *amount > 0);
    let resources: BTreeMap<String, u64> = counted.map(|(name, of)| (name.to_owned(), of)).collect();
    // A cluster has no node that cannot be sold so.
    Division::new(has.cores, resources).ok()
}

fn at_least(name: &str, amount: u64) -> Requirement {
    let millionths = i64::try_from(amount).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    let test = Test::Range { min: Some(Fixed::from_millionths(millionths)), max: None };
    Requirement { attribute: name.to_owned(), test }
}

/// A job as the broker's driver takes it; its times are within all ranges, since it is one of a trial.
fn as_driven(number: u64, job: &PackedJob) -> Option<Job> {
    Some(Job {
        number,
        submit: Time::from_millis(job.submit)?,
        nodes: job.tasks,
        run: Span::from_millis(job.run)?,
        estimate: Span::from_millis(job.estimate)?,
        user: None,
        budget: None,
        deadline: None,
    })
}
