//! How content users are with what became of their jobs, whoever planned them.
//!
//! **Problem.** A plan that chooses among listed alternatives knows how content it leaves everybody, against the best and the worst that was
//! listed. Where windows are promised and move, and in queues, nothing is listed, so that such policies could not be compared with it.
//!
//! **Method.** The same preference, by what came of a job instead of what was planned: cost and finish matter alike, by the aggregation of
//! [`walras_core::prefer`]. Its ranges are what the job could have had. By cost: from the cheapest to the dearest of the sites that are large
//! enough and within its budget, for as long as it runs; by finish: from the earliest end that any of them could give, if nobody
//! else were there, to its deadline. Sites that all cost the same leave the finish alone. A job that was not served has lost all. Jobs without a
//! deadline are not counted, since nothing says how late is as bad as can be; nor are workflows, and those that no site could serve.
//! A user is as content as with their jobs on average.
//!
//! **Complexity.** O(sites) a job.

use crate::record::{Fate, Record, Site};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_core::prefer::{Aggregation, Criterion, Preference, SCALE, Weighted, score};
use walras_model::Time;

/// How content users are with what became of their jobs, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcomes {
    /// The jobs that could be judged.
    pub jobs: u64,
    /// The mean over users.
    pub mean: f64,
    /// The least content user.
    pub least: f64,
}

/// The sum of what jobs were content with and their number, by user.
#[derive(Default)]
pub(super) struct Content(BTreeMap<Option<i64>, (f64, u64)>);

impl Content {
    /// Takes in what became of a job.
    pub(super) fn add(&mut self, record: &Record, sites: &[Site]) {
        if let Some(satisfaction) = satisfaction(record, sites) {
            let (sum, count) = self.0.entry(record.job.user).or_default();
            (*sum, *count) = (*sum + satisfaction, *count + 1);
        }
    }

    /// What it comes to; nothing where no job could be judged.
    pub(super) fn outcomes(&self) -> Option<Outcomes> {
        let means = || self.0.values().map(|(sum, count)| sum / *count as f64);
        let least = means().min_by(f64::total_cmp)?;
        let jobs = self.0.values().map(|(_, count)| count).sum();
        Some(Outcomes { jobs, mean: means().sum::<f64>() / self.0.len() as f64, least })
    }
}

/// How content a user is with what became of a job.
fn satisfaction(record: &Record, sites: &[Site]) -> Option<f64> {
    let job = &record.job;
    let wide = || sites.iter().filter(|site| job.nodes <= site.nodes);
    let payable = |site: &&Site| {
        let most = site.takes(job.estimate).and_then(|span| site.cost(job.nodes, span));
        most.is_some_and(|most| job.budget.is_none_or(|budget| most <= budget))
    };
    let spans = wide().filter(payable).filter_map(|site| Some((site, site.takes(job.lasts())?)));
    let could: Vec<(i64, i64)> = spans
        .filter_map(|(site, span)| Some((site.cost(job.nodes, span)?.as_micros(), span.as_millis())))
        .collect();
    let earliest = job.submit.as_millis().checked_add(could.iter().map(|(_, span)| *span).min()?)?;
    let costs = (could.iter().map(|(cost, _)| *cost).min()?, could.iter().map(|(cost, _)| *cost).max()?);
    let ends = (earliest, job.deadline.map(Time::as_millis)?);
    let between = |(low, high): (i64, i64)| low < high;
    let weigh = |criterion, range| Weighted { range: Some(range), ..Weighted::new(criterion, 1) };
    let mut weights = vec![weigh(Criterion::Finish, ends)];
    weights.extend(between(costs).then(|| weigh(Criterion::Cost, costs)));
    let preference = Preference::new(weights, Aggregation::CRITERIA).ok().filter(|_| between(ends))?;
    let Some(ran) = record.ran.filter(|_| matches!(record.fate, Fate::Done | Fate::Killed)) else {
        return Some(0.0);
    };
    let mut row = vec![Some(ran.end.as_millis())];
    row.extend(between(costs).then(|| Some(ran.cost.as_micros())));
    let scored = score(&preference, &[row]).ok()?;
    Some((SCALE - scored.first()?.loss) as f64 / SCALE as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Ran;
    use crate::workload::Job;
    use walras_model::{Money, Performance, Rate, Span};

    fn at(seconds: i64) -> Time {
        Time::from_millis(1_000 * seconds).unwrap()
    }

    fn sites() -> Vec<Site> {
        let site = |name: &str, speed: i64, price: i64| Site {
            speed: Performance::from_millionths(speed).unwrap(),
            price: Rate::from_micros_per_second(price).unwrap(),
            ..Site::plain(name, 4)
        };
        vec![site("slow", 1_000_000, 1_000_000), site("fast", 2_000_000, 4_000_000)]
    }

    /// A job of 100 s on two nodes, at a site from a moment on; it came at 0 and has a deadline at 450.
    fn record(user: i64, site: Option<(u32, i64)>, deadline: Option<i64>) -> Record {
        let span = Span::from_millis(100_000).unwrap();
        let job = Job {
            number: 1,
            submit: at(0),
            nodes: 2,
            run: span,
            estimate: span,
            user: Some(user),
            budget: None,
            deadline: deadline.map(at),
        };
        let ran = site.map(|(site, start)| {
            let lasts = sites()[site as usize].takes(span).unwrap();
            let cost = sites()[site as usize].cost(2, lasts).unwrap();
            Ran { site, start: at(start), end: at(start).checked_add(lasts).unwrap(), cost, used: 1 }
        });
        Record { job, fate: if ran.is_some() { Fate::Done } else { Fate::GivenUp }, ran, promised: None }
    }

    #[test]
    fn users_are_as_content_as_with_cost_and_finish() {
        let of = |site, deadline| satisfaction(&record(1, site, deadline), &sites());
        // Ends lie between 50 and 450 s, costs between 200 and 400 credits: the greatest loss counts, and a hundredth of the sum.
        let by = |finish: f64, cost: f64| 1.0 - (finish.max(cost) + 0.01 * (finish + cost)) / 1.02;
        let near = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-6;
        assert!(near(of(Some((0, 0)), Some(450)), by(0.125, 0.0)));
        assert!(near(of(Some((1, 0)), Some(450)), by(0.0, 1.0)));
        assert!(near(of(Some((0, 250)), Some(450)), by(0.75, 0.0)));
        // Too late is as bad as can be, and not served at all is worse.
        assert!(near(of(Some((0, 900)), Some(450)), by(1.0, 0.0)));
        assert_eq!(of(None, Some(450)), Some(0.0));
        // Without a deadline, or where none could be kept, nothing can be said.
        assert_eq!((of(Some((0, 0)), None), of(Some((0, 0)), Some(40))), (None, None));
        // One price leaves the finish alone.
        let alone = satisfaction(&record(1, Some((0, 175)), Some(450)), &sites()[..1]);
        assert!(near(alone, 0.5), "{alone:?}");
        // What is beyond the budget could not have been had.
        let mut poor = record(1, Some((0, 0)), Some(450));
        poor.job.budget = Some(Money::from_micros(300_000_000));
        assert_eq!(satisfaction(&poor, &sites()), Some(1.0));
    }

    #[test]
    fn users_count_alike_however_many_jobs_they_have() {
        let mut content = Content::default();
        assert_eq!(content.outcomes(), None);
        for _ in 0..3 {
            content.add(&record(1, None, Some(450)), &sites());
        }
        let mut poor = record(2, Some((0, 0)), Some(450));
        poor.job.budget = Some(Money::from_micros(300_000_000));
        content.add(&poor, &sites());
        assert_eq!(content.outcomes(), Some(Outcomes { jobs: 4, mean: 0.5, least: 0.0 }));
    }
}
