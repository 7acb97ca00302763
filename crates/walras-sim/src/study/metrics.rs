//! What a run is measured by.

use crate::drive::Course;
use crate::record::{Fate, Record, Site};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::Time;

/// Mean, median, 95th percentile and most of some values; all 0 without values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The value below which half of them are.
    pub median: f64,
    /// The value below which nineteen of twenty are.
    pub p95: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// Of these values, in any order.
    pub fn of(values: impl Iterator<Item = f64>) -> Spread {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let Some(max) = values.last().copied() else { return Spread::default() };
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let at = |hundredths: usize| values[(values.len() * hundredths / 100).min(values.len() - 1)];
        Spread { mean, median: at(50), p95: at(95), max }
    }
}

/// The figures of a run. Times are in seconds, money in credits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// How many jobs there were.
    pub jobs: u64,
    /// How they ended.
    pub fates: BTreeMap<String, u64>,
    /// From submission to start.
    pub wait: Spread,
    /// From submission to end.
    pub response: Spread,
    /// Response against run time, of at least ten seconds.
    pub slowdown: Spread,
    /// The wait, each job weighed by the node-time that it used.
    pub wait_by_work: f64,
    /// From the first submission to the last end.
    pub makespan: f64,
    /// Node-time used against node-time there was in that.
    pub utilisation: f64,
    /// What all jobs paid.
    pub cost: f64,
    /// What a node-second of work on a node of performance 1 cost.
    pub cost_of_work: f64,
    /// What every site earned.
    pub income: BTreeMap<String, f64>,
    /// The share of jobs with a budget that cost more, or for which it was too small for every site.
    pub budget_misses: f64,
    /// The share of jobs with a deadline that had not ended by then.
    pub deadline_misses: f64,
    /// Jain's index over the users' mean slowdowns: 1 when all fare alike.
    pub fairness: f64,
    /// Jobs that were promised a start, and those of them that started later.
    pub promises: (u64, u64),
    /// Energy of the nodes that state their power, in kilowatt-hours.
    pub energy: f64,
    /// What only the broker has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker: Option<BrokerMetrics>,
}

/// Figures of the broker alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BrokerMetrics {
    /// Cycles with somebody in their batch.
    pub cycles: u64,
    /// The mean batch.
    pub batch: f64,
    /// Reservations that were asked for, and those that did not come to their job's end.
    pub reservations: (u64, u64),
    /// The mean gap to a proven best choice, as a share.
    pub gap: f64,
    /// The share of quotes that were kept; 1 where nobody asked for any.
    pub quotes_kept: f64,
    /// How content each stakeholder was on average, where somebody asked them.
    pub satisfaction: BTreeMap<String, f64>,
    /// Whether the run was cut off by its bound.
    pub cut: bool,
}

/// The figures of some records.
pub fn metrics(records: &[Record], sites: &[Site], course: Option<&Course>) -> Metrics {
    let ran = || records.iter().filter(|record| record.ran.is_some());
    let seconds = |millis: i64| millis as f64 / 1_000.0;
    let wait = |record: &Record| record.wait().map(|wait| seconds(wait.as_millis()));
    let count = |what: &dyn Fn(&Record) -> bool| records.iter().filter(|record| what(record)).count() as u64;
    let fates = Fate::ALL.map(|fate| (fate.name().to_owned(), count(&|record| record.fate == fate)));
    let (cost, work) = ran().fold((0.0, 0.0), |(cost, work), record| {
        (cost + paid(record), work + record.job.area() as f64 / 1_000.0)
    });
    let used = |record: &Record| ran_seconds(record) * f64::from(record.job.nodes);
    let all_used: f64 = ran().map(used).sum();
    let weighed: f64 = ran().filter_map(|record| Some(wait(record)? * used(record))).sum();
    let (makespan, capacity) = extent(records, sites);
    let promised = count(&|record| record.promised.is_some());
    let late = count(&Record::is_late);
    Metrics {
        jobs: records.len() as u64,
        fates: fates.into_iter().filter(|(_, count)| *count > 0).collect(),
        wait: Spread::of(ran().filter_map(wait)),
        response: Spread::of(ran().filter_map(|it| Some(seconds(it.response()?.as_millis())))),
        slowdown: Spread::of(ran().filter_map(Record::bounded_slowdown)),
        wait_by_work: ratio(weighed, all_used),
        makespan,
        utilisation: ratio(all_used, capacity),
        cost,
        cost_of_work: ratio(cost, work),
        income: income(records, sites, course),
        budget_misses: missed(records, |record| record.job.budget.is_some(), over_budget),
        deadline_misses: missed(records, |record| record.job.deadline.is_some(), Record::misses_deadline),
        fairness: fairness(records),
        promises: (promised, late),
        energy: ran().map(|record| energy(record, sites)).sum(),
        broker: course.map(of_broker),
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn ran_seconds(record: &Record) -> f64 {
    record.ran.map_or(0.0, |ran| (ran.end - ran.start) as f64 / 1_000.0)
}

fn paid(record: &Record) -> f64 {
    record.ran.map_or(0.0, |ran| ran.cost.as_micros() as f64 / 1e6)
}

fn over_budget(record: &Record) -> bool {
    record.fate == Fate::TooDear
        || record.ran.zip(record.job.budget).is_some_and(|(ran, budget)| ran.cost > budget)
}

/// From the first submission to the last end, and the node-seconds that all sites have in that.
fn extent(records: &[Record], sites: &[Site]) -> (f64, f64) {
    let first = records.iter().map(|record| record.job.submit).min();
    let last = records.iter().filter_map(|record| record.ran).map(|ran| ran.end).max();
    let nodes: f64 = sites.iter().map(|site| f64::from(site.nodes)).sum();
    let makespan = first.zip(last).map_or(0.0, |(first, last): (Time, Time)| (last - first) as f64 / 1_000.0);
    (makespan, makespan * nodes)
}

fn income(records: &[Record], sites: &[Site], course: Option<&Course>) -> BTreeMap<String, f64> {
    let names = sites.iter().map(|site| site.name.clone());
    if let Some(course) = course {
        let earned = course.income.iter().map(|income| income.as_micros() as f64 / 1e6);
        return names.zip(earned).collect();
    }
    let mut income = vec![0.0; sites.len()];
    for record in records {
        if let Some(of) = record.ran.and_then(|ran| income.get_mut(ran.site as usize)) {
            *of += paid(record);
        }
    }
    names.zip(income).collect()
}

fn missed(records: &[Record], has: impl Fn(&Record) -> bool, misses: impl Fn(&Record) -> bool) -> f64 {
    let with = records.iter().filter(|record| has(record)).count();
    let of = records.iter().filter(|record| has(record) && misses(record)).count();
    ratio(of as f64, with as f64)
}

/// Jain's index (Jain, Chiu, Hawe 1984) over the users' mean slowdowns.
fn fairness(records: &[Record]) -> f64 {
    let mut users: BTreeMap<Option<i64>, (f64, f64)> = BTreeMap::new();
    for record in records {
        if let Some(slowdown) = record.bounded_slowdown() {
            let (sum, count) = users.entry(record.job.user).or_default();
            (*sum, *count) = (*sum + slowdown, *count + 1.0);
        }
    }
    let means = || users.values().map(|(sum, count)| sum / count);
    let squares: f64 = means().map(|mean| mean * mean).sum();
    ratio(means().sum::<f64>().powi(2), users.len() as f64 * squares)
}

fn energy(record: &Record, sites: &[Site]) -> f64 {
    let watts = record.ran.and_then(|ran| sites.get(ran.site as usize)?.watts);
    let milliwatts = watts.map_or(0, |watts| watts.as_milliwatts()) as f64;
    milliwatts / 1e6 * f64::from(record.job.nodes) * ran_seconds(record) / 3_600.0
}

fn of_broker(course: &Course) -> BrokerMetrics {
    let mean = |(sum, count): (i64, u64)| ratio(sum as f64 / 1e6, count as f64);
    let satisfaction = course.satisfaction.iter().map(|(who, sum)| (who.clone(), mean(*sum)));
    let (kept, broken) = course.quotes;
    BrokerMetrics {
        cycles: course.cycles,
        batch: ratio(course.batched as f64, course.cycles as f64),
        reservations: (course.reservations, course.broken),
        gap: mean((course.gaps.1, course.gaps.0)),
        quotes_kept: if kept + broken == 0 { 1.0 } else { ratio(kept as f64, (kept + broken) as f64) },
        satisfaction: satisfaction.collect(),
        cut: course.cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Ran;
    use crate::workload::Job;
    use walras_model::{Money, Span};

    fn record(user: i64, submit: i64, start: i64, end: i64) -> Record {
        let time = |seconds: i64| Time::from_millis(1_000 * seconds).unwrap();
        let lasts = Span::from_millis(1_000 * (end - start)).unwrap();
        let job = Job {
            number: 1,
            submit: time(submit),
            nodes: 2,
            run: lasts,
            estimate: lasts,
            user: Some(user),
            budget: Some(Money::from_micros(150_000_000)),
            deadline: Some(time(150)),
        };
        let cost = Money::from_micros(2_000_000 * (end - start));
        let ran = Some(Ran { site: 0, start: time(start), end: time(end), cost });
        Record { job, fate: Fate::Done, ran, promised: Some(time(start)) }
    }

    #[test]
    fn figures_are_what_they_say() {
        let records = [record(1, 0, 0, 100), record(1, 0, 100, 200), record(2, 0, 4, 8)];
        let figures = metrics(&records, &[Site::plain("one", 4)], None);
        assert_eq!((figures.jobs, figures.fates["done"]), (3, 3));
        assert!((figures.wait.mean - 104.0 / 3.0).abs() < 1e-9);
        assert_eq!((figures.wait.median, figures.wait.max, figures.makespan), (4.0, 100.0, 200.0));
        // 408 node-seconds of 800.
        assert!((figures.utilisation - 0.51).abs() < 1e-9);
        assert_eq!((figures.cost, figures.cost_of_work, figures.income["one"]), (408.0, 1.0, 408.0));
        assert!((figures.budget_misses - 2.0 / 3.0).abs() < 1e-9);
        assert!((figures.deadline_misses - 1.0 / 3.0).abs() < 1e-9);
        // Means of 1.5 and 1 (eight seconds against ten).
        assert!((figures.fairness - 6.25 / (2.0 * 3.25)).abs() < 1e-9);
        assert_eq!(figures.promises, (3, 0));
        // Each waits 100 for 200 node-seconds, 4 for 8.
        assert!((figures.wait_by_work - (100.0 * 200.0 + 4.0 * 8.0) / 408.0).abs() < 1e-9);
        assert_eq!(metrics(&[], &[], None).wait, Spread::default());
    }
}
