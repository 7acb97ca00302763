//! The same jobs sold by the broker, which knows nodes in equal units of everything.

use super::{Cluster, Packed, PackedJob};
use crate::drive::{Course, DriveError, Setup, Shares, drive};
use crate::record::Site;
use crate::workload::Job;
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_model::{Division, Fixed, Requirement, Span, Test, Time};

/// Drives the broker through jobs that come in order of submission: every kind of nodes in as many units as it has cores, of one site, at a millionth
/// of a credit for a second and a hundredth of a core. Gives those that ran, in the order in which they ended, and what else came of it.
///
/// Units are equal: what the last unit of memory leaves over belongs to nobody.
pub fn sell(
    cluster: &Cluster,
    jobs: &[PackedJob],
    setup: &Setup,
) -> Result<(Vec<Packed>, Course), DriveError> {
    let mut shares = Shares::default();
    let mut sites = Vec::new();
    for (place, (count, has)) in cluster.kinds.iter().enumerate() {
        let name = format!("cluster/{place}");
        let memory = has.memory / u64::from(has.cores) * u64::from(has.cores);
        let counted = [("cores", u64::from(has.cores)), ("memory", memory)];
        let counted = counted.into_iter().filter(|(_, amount)| *amount > 0);
        let division = Division::new(has.cores, counted.map(|(name, of)| (name.to_owned(), of)).collect());
        shares.divisions.extend(division.ok().map(|division| (name.clone(), division)));
        let price = walras_model::Rate::from_micros_per_second(i64::from(has.cores) * 100);
        let plain = Site::plain(&name, *count);
        sites.push(Site { price: price.unwrap_or(plain.price), ..plain });
    }
    let by_number: BTreeMap<u64, &PackedJob> = jobs.iter().map(|job| (job.number, job)).collect();
    for job in jobs {
        let amounts = [("cores", u64::from(job.each.cores)), ("memory", job.each.memory)];
        let needs =
            amounts.into_iter().filter(|(_, amount)| *amount > 0).map(|(name, of)| at_least(name, of));
        shares.needs.insert(job.number, needs.collect());
    }
    let setup = Setup { sites, shares: Arc::new(shares), ..setup.clone() };
    let mut ran = Vec::new();
    let course = drive(&setup, jobs.iter().filter_map(driven), &mut |record| {
        if let (Some(times), Some(job)) = (record.ran, by_number.get(&record.job.number)) {
            let (start, end) = (times.start.as_millis(), times.end.as_millis());
            ran.push(Packed { job: **job, start, end, places: Vec::new() });
        }
    })?;
    Ok((ran, course))
}

fn at_least(name: &str, amount: u64) -> Requirement {
    let millionths = i64::try_from(amount).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    let test = Test::Range { min: Some(Fixed::from_millionths(millionths)), max: None };
    Requirement { attribute: name.to_owned(), test }
}

fn driven(job: &PackedJob) -> Option<Job> {
    Some(Job {
        number: job.number,
        submit: Time::from_millis(job.submit)?,
        nodes: job.tasks,
        run: Span::from_millis(job.run)?,
        estimate: Span::from_millis(job.estimate)?,
        user: None,
        budget: None,
        deadline: None,
    })
}
