//! What a run is measured by.

use super::content::{Content, Outcomes};
use crate::drive::Course;
use crate::record::{Fate, Ran, Record, Site, wholes};
use crate::statistics::Distribution;
use crate::workload::Workflows;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::{Span, Time, Workflow};

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
    pub fn of(values: &Distribution) -> Spread {
        let [median, p95] = values.percentiles([50, 95]);
        Spread { mean: values.mean(), median, p95, max: values.max() }
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
    /// How content users are with what became of their jobs, where any have deadlines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Outcomes>,
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
    /// The mean gap to a bound over all windows, as a share, of cycles where one was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_gap: Option<f64>,
    /// Quotes that were asked for, and those that had nothing to offer.
    #[serde(default)]
    pub quotes_asked: (u64, u64),
    /// The share of quotes that the broker kept when they were accepted; 1 where nobody asked for any.
    pub quotes_kept: f64,
    /// The share of accepted quotes by which the job ended, no later and no dearer; 1 where there were none.
    #[serde(default)]
    pub quotes_met: f64,
    /// How content each stakeholder was with plans on average, where plans chose among alternatives.
    pub satisfaction: BTreeMap<String, f64>,
    /// Run times of which it was said what nine of ten stay within, and those that did.
    #[serde(default)]
    pub run_bounds: (u64, u64),
    /// The same of waits.
    #[serde(default)]
    pub wait_bounds: (u64, u64),
    /// Whether the run was cut off by its bound.
    pub cut: bool,
}

/// The figures of some records.
pub fn metrics(records: &[Record], sites: &[Site], course: Option<&Course>) -> Metrics {
    let mut tally = Tally::new(sites, &Workflows::default());
    records.iter().for_each(|record| tally.add(record));
    tally.finish(course)
}

/// What figures are made of, record by record; none is kept.
pub struct Tally<'a> {
    sites: &'a [Site],
    workflows: Workflows,
    jobs: u64,
    fates: BTreeMap<&'static str, u64>,
    wait: Distribution,
    response: Distribution,
    slowdown: Distribution,
    /// Node-seconds that were used, and the same weighed by the wait before.
    used: (f64, f64),
    /// What was paid, and node-seconds of work on nodes of performance 1.
    paid: (f64, f64),
    income: Vec<f64>,
    /// Those with a budget, and those of them that missed it; then the same of deadlines.
    budgets: (u64, u64),
    deadlines: (u64, u64),
    promises: (u64, u64),
    energy: f64,
    /// The sum of slowdowns and their number, by user.
    users: BTreeMap<Option<i64>, (f64, f64)>,
    content: Content,
    first: Option<Time>,
    last: Option<Time>,
}

impl<'a> Tally<'a> {
    /// Nothing yet; some jobs may be workflows.
    pub fn new(sites: &'a [Site], workflows: &Workflows) -> Tally<'a> {
        Tally {
            sites,
            workflows: workflows.clone(),
            jobs: 0,
            fates: BTreeMap::new(),
            wait: Distribution::default(),
            response: Distribution::default(),
            slowdown: Distribution::default(),
            used: (0.0, 0.0),
            paid: (0.0, 0.0),
            income: vec![0.0; sites.len()],
            budgets: (0, 0),
            deadlines: (0, 0),
            promises: (0, 0),
            energy: 0.0,
            users: BTreeMap::new(),
            content: Content::default(),
            first: None,
            last: None,
        }
    }

    /// Takes in what became of a job.
    pub fn add(&mut self, record: &Record) {
        self.jobs += 1;
        *self.fates.entry(record.fate.name()).or_default() += 1;
        let submit = record.job.submit;
        self.first = Some(self.first.map_or(submit, |first| first.min(submit)));
        let count = |of: &mut (u64, u64), has: bool, missed: bool| {
            *of = (of.0 + u64::from(has), of.1 + u64::from(has && missed));
        };
        count(&mut self.budgets, record.job.budget.is_some(), over_budget(record));
        count(&mut self.deadlines, record.job.deadline.is_some(), record.misses_deadline());
        count(&mut self.promises, record.promised.is_some(), record.is_late());
        if self.workflows.get(record.job.number).is_none() {
            self.content.add(record, self.sites);
        }
        if let Some(ran) = record.ran {
            self.ran(record, ran);
        }
    }

    fn ran(&mut self, record: &Record, ran: Ran) {
        let seconds = |span: Option<Span>| span.map(|span| span.as_millis() as f64 / 1_000.0);
        let used = ran.used as f64 / 1_000.0;
        self.used.0 += used;
        if let Some(wait) = seconds(record.wait()) {
            self.wait.add(wait);
            self.used.1 += wait * used;
        }
        if let Some(response) = seconds(record.response()) {
            self.response.add(response);
        }
        if let Some(slowdown) = record.bounded_slowdown() {
            self.slowdown.add(slowdown);
            let (sum, count) = self.users.entry(record.job.user).or_default();
            (*sum, *count) = (*sum + slowdown, *count + 1.0);
        }
        let cost = ran.cost.as_micros() as f64 / 1e6;
        // The work of a workflow is that of its tasks, however many nodes were held for it.
        let work = self.workflows.get(record.job.number).map_or_else(|| record.job.area(), work);
        self.paid = (self.paid.0 + cost, self.paid.1 + work as f64 / 1_000.0);
        if let Some(of) = self.income.get_mut(ran.site as usize) {
            *of += cost;
        }
        let watts = self.sites.get(ran.site as usize).and_then(|site| site.watts);
        self.energy += watts.map_or(0, |watts| watts.as_milliwatts()) as f64 / 1e6 * used / 3_600.0;
        self.last = Some(self.last.map_or(ran.end, |last| last.max(ran.end)));
    }

    /// The figures.
    pub fn finish(self, course: Option<&Course>) -> Metrics {
        let nodes: f64 = self.sites.iter().map(|site| f64::from(site.nodes)).sum();
        let extent = self.first.zip(self.last);
        let makespan = extent.map_or(0.0, |(first, last)| (last - first) as f64 / 1_000.0);
        let share = |(all, some): (u64, u64)| ratio(some as f64, all as f64);
        Metrics {
            jobs: self.jobs,
            fates: self.fates.iter().map(|(fate, count)| ((*fate).to_owned(), *count)).collect(),
            wait: Spread::of(&self.wait),
            response: Spread::of(&self.response),
            slowdown: Spread::of(&self.slowdown),
            wait_by_work: ratio(self.used.1, self.used.0),
            makespan,
            utilisation: ratio(self.used.0, makespan * nodes),
            cost: self.paid.0,
            cost_of_work: ratio(self.paid.0, self.paid.1),
            income: self.income(course),
            budget_misses: share(self.budgets),
            deadline_misses: share(self.deadlines),
            fairness: self.fairness(),
            promises: self.promises,
            energy: self.energy,
            outcomes: self.content.outcomes(),
            broker: course.map(of_broker),
        }
    }

    fn income(&self, course: Option<&Course>) -> BTreeMap<String, f64> {
        let mut all = BTreeMap::new();
        let mut earn = |site: &Site, income: f64| *all.entry(site.whole().to_owned()).or_default() += income;
        match course {
            Some(course) => wholes(self.sites).zip(&course.income).for_each(|(kinds, income)| {
                earn(&kinds[0], income.as_micros() as f64 / 1e6);
            }),
            None => self.sites.iter().zip(&self.income).for_each(|(site, income)| earn(site, *income)),
        }
        all
    }

    /// Jain's index (Jain, Chiu, Hawe 1984) over the users' mean slowdowns.
    fn fairness(&self) -> f64 {
        let means = || self.users.values().map(|(sum, count)| sum / count);
        let squares: f64 = means().map(|mean| mean * mean).sum();
        ratio(means().sum::<f64>().powi(2), self.users.len() as f64 * squares)
    }
}

/// Node-milliseconds of all tasks on nodes of performance 1.
fn work(workflow: &Workflow) -> i128 {
    workflow.tasks().iter().filter_map(|task| task.work).map(|work| i128::from(work.as_millis())).sum()
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn over_budget(record: &Record) -> bool {
    record.fate == Fate::TooDear
        || record.ran.zip(record.job.budget).is_some_and(|(ran, budget)| ran.cost > budget)
}

fn of_broker(course: &Course) -> BrokerMetrics {
    let mean = |(sum, count): (i64, u64)| ratio(sum as f64 / 1e6, count as f64);
    let satisfaction = course.satisfaction.iter().map(|(who, sum)| (who.clone(), mean(*sum)));
    let (kept, broken) = course.quotes;
    let share = |part: u64, all: u64| if all == 0 { 1.0 } else { ratio(part as f64, all as f64) };
    BrokerMetrics {
        cycles: course.cycles,
        batch: ratio(course.batched as f64, course.cycles as f64),
        reservations: (course.reservations, course.broken),
        gap: mean((course.gaps.1, course.gaps.0)),
        bound_gap: (course.bounds.0 > 0).then(|| mean((course.bounds.1, course.bounds.0))),
        quotes_asked: course.asked,
        quotes_kept: share(kept, kept + broken),
        quotes_met: share(course.accepted.1, course.accepted.0),
        satisfaction: satisfaction.collect(),
        run_bounds: course.run_bounds,
        wait_bounds: course.wait_bounds,
        cut: course.cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let used = i128::from(2_000 * (end - start));
        let ran = Some(Ran { site: 0, start: time(start), end: time(end), cost, used });
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
