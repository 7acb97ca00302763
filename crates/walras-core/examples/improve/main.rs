//! Plans batches from a seed, by the papers' two phases or improved, and writes one line of JSON for each: the instance and what came
//! out. `scripts/joint-optimum` reads the lines and solves every instance as one problem.
//!
//! `cargo run --release -p walras-core --example improve -- SCHEME OBJECTIVE COUNT NODES JOBS [SEARCHES_PER_JOB]`, for example
//! `improve improved min-cost 100 6-10 6-8`.

mod draw;

use std::fmt::Write;
use walras_core::SearchConfig;
use walras_core::choose::{Limit, Named, Objective, ObjectiveName, VoPolicy};
use walras_core::clearing::{ClearingLimits, clear};
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
        let (offers, batch) = draw::instance(&mut draws, nodes, jobs).ok_or("an instance out of range")?;
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
    let plan = plan_batch(&problem);
    let mut text = json(offers, batch, &search, &plan);
    let by_satisfaction = policy.objective == Objective::Satisfaction;
    // Prices say nothing of satisfaction.
    let cleared = || clear(&problem, &plan, &ClearingLimits::default());
    if let Some(clearing) = (!by_satisfaction).then(cleared).flatten() {
        let _ = write!(
            text,
            ", \"cost_least\": {}, \"served_most\": {}, \"asked\": {}",
            clearing.cost_least, clearing.served_most, clearing.searches
        );
    }
    text + "}"
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
            let (before, after) = (improvement.before, improvement.after);
            let _ = write!(text, ", \"served_before\": {}", before.served);
            let _ = write!(text, ", \"value_before\": {}, \"value\": {}", before.value[0], after.value[0]);
        }
    }
    text
}
