//! Plans batches from a seed, by the papers' two phases or improved, and writes one line of JSON for each: the instance and what came
//! out. `scripts/joint-optimum` reads the lines and solves every instance as one problem.
//!
//! `cargo run --release -p walras-core --example improve -- SCHEME OBJECTIVE COUNT NODES JOBS [SEARCHES_PER_JOB]`, for example
//! `improve improved min-cost 100 6-10 6-8`.

use std::fmt::Write;
use walras_core::SearchConfig;
use walras_core::choose::{Limit, Named, Objective, ObjectiveName, VoPolicy};
use walras_core::plan::{BatchChoice, BatchPlan, BatchProblem, PlanLimits, PlanScheme, plan_batch};
use walras_model::*;
use walras_random::Draws;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [scheme, objective, count, nodes, jobs, rest @ ..] = args.as_slice() else {
        return Err("expected SCHEME OBJECTIVE COUNT NODES JOBS [SEARCHES_PER_JOB]".into());
    };
    let scheme = if scheme == "papers" { PlanScheme::Papers } else { PlanScheme::Improved };
    let objective =
        ObjectiveName::named(objective).and_then(ObjectiveName::objective).ok_or("no such objective")?;
    let (nodes, jobs) = (range(nodes)?, range(jobs)?);
    let mut limits = PlanLimits::default();
    if let Some(searches) = rest.first() {
        limits.improve.searches_per_job_max = searches.parse()?;
        limits.improve.searches_max = u64::MAX;
    }
    for seed in 0..count.parse()? {
        let mut draws = Draws::new(seed);
        let nodes = nodes.0 + draws.below(nodes.1 - nodes.0 + 1);
        let jobs = jobs.0 + draws.below(jobs.1 - jobs.0 + 1);
        let (offers, batch) = instance(&mut draws, nodes, jobs).ok_or("an instance out of range")?;
        let line = planned(&offers, &batch, scheme, objective.clone(), limits);
        #[expect(clippy::print_stdout, reason = "an example's output")]
        {
            println!("{line}");
        }
    }
    Ok(())
}

fn range(text: &str) -> Result<(usize, usize), Box<dyn std::error::Error>> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    Ok((least.parse()?, most.parse()?))
}

/// Nodes with two or three free slots each, and jobs that take about 60% of them. Speeds and prices are as in the papers'
/// experiment: performance 1 to 3, price 1.7^performance ± 25%, a price cap 10% around that of the least performance.
fn instance(draws: &mut Draws, nodes: usize, jobs: usize) -> Option<(Offers, Batch)> {
    let between = |draws: &mut Draws, least: i64, most: i64| {
        least + i64::try_from(draws.below(usize::try_from(most - least + 1).unwrap_or(1))).unwrap_or(0)
    };
    // 1.7^(p / 10) in thousandths, for p of 10 to 30.
    let price = [
        1_700, 1_793, 1_890, 1_993, 2_102, 2_217, 2_337, 2_465, 2_599, 2_741, 2_890, 3_047, 3_213, 3_389,
        3_573, 3_768, 3_974, 4_190, 4_419, 4_659, 4_913,
    ];
    let tasks_most = i64::try_from(nodes).ok()?.min(5);
    let mut requests = Vec::new();
    let mut work_all = 0;
    for job in 0..jobs {
        let (tasks, work) = (between(draws, 1, tasks_most), between(draws, 50, 150));
        let least = between(draws, 10, 20);
        work_all += tasks * work;
        let mut request =
            Request::new(&format!("j{job}"), u32::try_from(tasks).ok()?, Work::from_millis(work * 1_000)?);
        request.performance_min = Performance::from_millionths(least * 100_000)?;
        let cap = price.get(usize::try_from(least - 10).ok()?)? * between(draws, 90, 130) * 10;
        request.price_max = Rate::from_micros_per_second(cap);
        requests.push(request);
    }
    // At a mean speed of 2, so that about 60% is taken.
    let horizon = (work_all * 10).checked_div(i64::try_from(nodes).ok()? * 2 * 6)?.max(450);
    let (mut list, mut slots) = (Vec::new(), Vec::new());
    for index in 0..nodes {
        let id = NodeId::from_index(index)?;
        let performance = between(draws, 10, 30);
        let rate = price.get(usize::try_from(performance - 10).ok()?)? * between(draws, 75, 125) * 10;
        let mut free = Vec::new();
        let mut at = between(draws, 0, 40);
        while at < horizon {
            let end = at + between(draws, 120, 360);
            let interval =
                Interval::new(Time::from_millis(at * 1_000)?, Time::from_millis(end.min(horizon) * 1_000)?)?;
            free.push(interval);
            at = end + between(draws, 10, 60);
        }
        slots.extend(offer::slots_of_node(id, Rate::from_micros_per_second(rate)?, &free)?);
        list.push(Node {
            name: format!("n{index}"),
            site: SiteId::new(0),
            performance: Performance::from_millionths(performance * 100_000)?,
            watts: None,
            attributes: Attributes::new(),
        });
    }
    let horizon = Interval::new(Time::from_millis(0)?, Time::from_millis(horizon * 1_000)?)?;
    let offers = Offers::new(horizon, vec![Site { name: "s".into() }], list, slots).ok()?;
    Some((offers, Batch::new(requests)))
}

fn planned(
    offers: &Offers,
    batch: &Batch,
    scheme: PlanScheme,
    objective: Objective,
    limits: PlanLimits,
) -> String {
    let search = SearchConfig::default();
    let policy = VoPolicy {
        objective,
        time_limit: Limit::Unlimited,
        budget_limit: Limit::Unlimited,
        ..VoPolicy::default()
    };
    let problem = BatchProblem { scheme, limits, ..BatchProblem::new(offers, batch, &search, &policy) };
    json(offers, batch, &search, &plan_batch(&problem))
}

/// Times in milliseconds, money in micro-credits.
fn json(offers: &Offers, batch: &Batch, search: &SearchConfig, plan: &BatchPlan) -> String {
    let mut text = String::from("{\"slots\": [");
    for (place, slot) in offers.slots().iter().enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        let (start, end) = (slot.start().as_millis(), slot.end().as_millis());
        let _ = write!(text, "{comma}[{}, {start}, {end}]", slot.node().number());
    }
    text += "], \"jobs\": [";
    for (place, request) in batch.requests().iter().enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        let budget = request.budget_limit(search.budget_factor).map_or(i64::MAX, Money::as_micros);
        let fit = |slot: &Slot| {
            let node = offers.node(slot.node());
            let fits = node.performance >= request.performance_min;
            let runtime = request.work.runtime_on(node.performance).filter(|_| fits)?;
            Some((runtime.as_millis(), slot.rate().cost_of(runtime)?.as_micros()))
        };
        let each = offers.slots().iter().map(|slot| match fit(slot) {
            Some((runtime, cost)) => format!("[{runtime}, {cost}]"),
            None => "null".to_owned(),
        });
        let each: Vec<String> = each.collect();
        let _ = write!(
            text,
            "{comma}{{\"tasks\": {}, \"budget\": {budget}, \"on\": [{}]}}",
            request.tasks,
            each.join(", ")
        );
    }
    text += "]";
    if let BatchChoice::Made(made) = &plan.choice {
        let (totals, improvement) = (&made.totals, made.improvement);
        let makespan = totals.makespan.map_or(0, Time::as_millis);
        let _ = write!(
            text,
            ", \"served\": {}, \"cost\": {}, \"makespan\": {makespan}",
            totals.served, totals.cost
        );
        if let Some(improvement) = improvement {
            let bound = improvement.bound.map_or("null".to_owned(), |bound| bound.to_string());
            let _ = write!(text, ", \"searches\": {}, \"bound\": {bound}", improvement.searches);
        }
    }
    text + "}"
}
