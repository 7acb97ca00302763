//! What jobs that were not served would have paid: at which lower prices idle time would have sold.
//!
//! **Method.** A job with a budget that ended without ever having begun, or that waits because nothing fitted, would have paid its budget
//! over its work on a node of a site's middling performance. Those that would have paid less than the site asks, the highest first, are a
//! demand curve. Budgets alone are looked at, not deadlines and wishes: it says what is worth a try. Time O(jobs log jobs) for each site.

use super::sold::span;
use super::{MONEY_DECIMALS, site_name};
use crate::journal::record::Record;
use walras_api::Num;
use walras_api::service::{UnsoldSite, UnsoldStep};
use walras_broker::State;
use walras_broker::job::{JobEnd, Phase};
use walras_model::quantity::rounding;
use walras_model::{Money, Performance, Rate, SiteId, Work};

/// So many steps are shown of each site.
const STEPS_MAX: usize = 20;

/// What somebody would have paid for work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wanted {
    budget: Money,
    work: Work,
}

/// Jobs that were not served.
#[derive(Debug, Default)]
pub struct Unserved(Vec<Wanted>);

impl Unserved {
    /// Sees a job that has ended.
    pub fn see_ended(&mut self, Record::V1(job): &Record) {
        let unserved = match job.end {
            JobEnd::GivenUp(_) | JobEnd::Cancelled => job.start.is_none(),
            JobEnd::Done | JobEnd::Failed(_) => false,
        };
        let wanted = job.budget.zip(job.work).filter(|_| unserved);
        self.0.extend(wanted.map(|(budget, work)| Wanted { budget, work }));
    }

    /// Sees those that wait now, and were left out of the last plan.
    pub fn see_waiting(&mut self, state: &State) {
        for job in state.jobs.values() {
            let left_out = job.phase == Phase::Queued && job.why.is_some();
            let wanted = job.spec.request.budget.zip(whole_work(job.spec.work_millis()));
            self.0.extend(wanted.filter(|_| left_out).map(|(budget, work)| Wanted { budget, work }));
        }
    }

    /// What a site could have sold besides; `unsold` are milliseconds.
    pub fn of_site(&self, state: &State, site: SiteId, unsold: Option<i64>) -> Option<UnsoldSite> {
        let spec = &state.site(site)?.spec;
        let mut nodes: Vec<(Performance, Rate)> = spec
            .nodes
            .iter()
            .map(|node| (node.performance, spec.prices.base_of(&node.name, node.class.as_deref())))
            .collect();
        nodes.sort_by_key(|(performance, rate)| (performance.as_millionths(), rate.as_micros_per_second()));
        let (performance, price) = *nodes.get(nodes.len() / 2)?;
        Some(UnsoldSite {
            site: site_name(state, site),
            unsold: unsold.map(|millis| Num::of_span(span(millis))),
            price: Num::of_rate(price),
            steps: steps(&self.0, performance, price, unsold),
        })
    }
}

/// All of a job's work, where it is so much that it can be told.
pub fn whole_work(millis: i128) -> Option<Work> {
    i64::try_from(millis).ok().and_then(Work::from_millis)
}

/// By falling price below what is asked: how much would have sold at it, no more than stayed unsold.
fn steps(jobs: &[Wanted], performance: Performance, asked: Rate, unsold: Option<i64>) -> Vec<UnsoldStep> {
    let mut wanted: Vec<(Rate, i64)> = jobs.iter().filter_map(|it| would_pay(*it, performance)).collect();
    wanted.retain(|(rate, _)| *rate < asked);
    wanted.sort_by_key(|(rate, _)| std::cmp::Reverse(rate.as_micros_per_second()));
    let (mut all, mut time) = (Vec::new(), 0_i64);
    for ((rate, millis), jobs) in wanted.into_iter().zip(1_u32..) {
        time = time.saturating_add(millis).min(unsold.unwrap_or(i64::MAX));
        let charged = rate.cost_of_millis(i128::from(span(time).as_millis()));
        let charged = charged.expect("two numbers of 64 bits have a product of 128");
        let step = UnsoldStep {
            price: Num::of_rate(rate),
            jobs,
            time: Num::of_span(span(time)),
            charged: Num::from_units(charged, MONEY_DECIMALS),
        };
        if all.last().is_some_and(|last: &UnsoldStep| last.price == step.price) {
            all.pop();
        }
        all.push(step);
    }
    thinned(all)
}

/// At most so many of them, the first and the last among them.
fn thinned(all: Vec<UnsoldStep>) -> Vec<UnsoldStep> {
    let last = all.len().saturating_sub(1);
    if last < STEPS_MAX {
        return all;
    }
    (0..STEPS_MAX).filter_map(|step| all.get(step * last / (STEPS_MAX - 1)).cloned()).collect()
}

/// What a job would have paid for a second on such a node, and for how many milliseconds.
fn would_pay(wanted: Wanted, performance: Performance) -> Option<(Rate, i64)> {
    let millis = i64::try_from(wanted.work.millis_on(performance)).ok().filter(|millis| *millis > 0)?;
    let micros = i128::from(wanted.budget.as_micros()) * 1_000;
    let rate = i64::try_from(rounding::down(micros, i128::from(millis))).ok()?;
    Some((Rate::from_micros_per_second(rate).filter(|_| rate > 0)?, millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(budget: i64, seconds: i64) -> Wanted {
        Wanted {
            budget: Money::from_micros(budget * 1_000_000),
            work: Work::from_millis(seconds * 1_000).unwrap(),
        }
    }

    fn figures(jobs: &[Wanted], unsold: Option<i64>) -> Vec<(String, u32, String, String)> {
        let asked = Rate::from_micros_per_second(1_000_000).unwrap();
        let performance = Performance::from_millionths(2_000_000).unwrap();
        let text = |number: &Num| number.to_string();
        let line = |it: UnsoldStep| (text(&it.price), it.jobs, text(&it.time), text(&it.charged));
        steps(jobs, performance, asked, unsold).into_iter().map(line).collect()
    }

    #[test]
    fn who_would_have_paid_more_is_sold_to_first_and_no_more_than_there_was() {
        // On nodes of performance 2 these would have paid 0.2, 0.8 and, as much as is asked or more, 1 a second.
        let jobs = [wanted(10, 100), wanted(40, 100), wanted(50, 100)];
        let line = |price: &str, jobs, time: &str, charged: &str| {
            (price.to_owned(), jobs, time.to_owned(), charged.to_owned())
        };
        assert_eq!(figures(&jobs, None), [line("0.8", 1, "50", "40"), line("0.2", 2, "100", "20")]);
        assert_eq!(figures(&jobs, Some(60_000)), [line("0.8", 1, "50", "40"), line("0.2", 2, "60", "12")]);
    }

    #[test]
    fn equal_prices_are_one_step_and_many_are_thinned() {
        assert_eq!(figures(&[wanted(10, 100), wanted(20, 200)], None).len(), 1);
        let many: Vec<Wanted> = (1..100).map(|budget| wanted(budget, 500)).collect();
        let shown = figures(&many, None);
        assert_eq!((shown.len(), shown[0].1, shown[19].1), (STEPS_MAX, 1, 99));
    }
}
