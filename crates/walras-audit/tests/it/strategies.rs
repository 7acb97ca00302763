//! Strategies that the VO gives: honest ones are not accused, others are found.

use crate::story::{diamond, vo};
use crate::world::{World, audit, credits, span, submit, time};
use walras_audit::FindingKind;
use walras_broker::Event;
use walras_broker::event::JobEvent;
use walras_broker::input::Input;
use walras_broker::journal::Entry;
use walras_broker::policy::Policy;
use walras_broker::strategy_rule::{StrategyBy, StrategyRule, WeeklyHours};
use walras_core::prefer::Who;
use walras_core::refine::Strategy;
use walras_model::Rate;

const HOUR: i64 = 3_600_000;

fn unasked(world: &World, user: &str, budget: Option<i64>) -> walras_broker::job::JobSpec {
    let mut flow = diamond(user);
    flow.strategy_by = StrategyBy::Nobody;
    flow.request.budget = budget.map(credits);
    flow.request.deadline = Some(time(world.now + 5 * HOUR));
    flow
}

/// Workflows over a day and a night, of two users, dear and cheap.
fn journal() -> Vec<Entry> {
    let mut world = vo();
    let rule =
        |who, strategy| StrategyRule { who, hours: None, budget_from: None, budget_below: None, strategy };
    let night = WeeklyHours::new([true, false, true, true, true, true, true], 22 * HOUR, 6 * HOUR);
    let rate = Rate::from_micros_per_second(1_000_000);
    let give_strategies = vec![
        StrategyRule { hours: night, budget_below: rate, ..rule(Who::Everybody, Strategy::Alap) },
        StrategyRule { budget_from: rate, ..rule(Who::Group("lab".into()), Strategy::Cheapest) },
        rule(Who::User("bob".into()), Strategy::Balanced),
    ];
    let cycle_every = span(HOUR);
    let policy = Policy { give_strategies, cycle_every, ..(*world.broker.state().policy).clone() };
    world.say(Input::SetPolicy(Box::new(policy)));
    for hour in [1, 7, 23, 26, 47] {
        world.run_until(hour * HOUR);
        for (user, budget) in [("ada", Some(349)), ("ada", Some(350)), ("bob", Some(349)), ("bob", None)] {
            let key = format!("{user}-{budget:?}-{hour}");
            world.say(submit(&key, unasked(&world, user, budget)));
        }
    }
    world.journal
}

#[test]
fn strategies_by_the_rules_are_no_findings_and_all_others_are() {
    let honest = journal();
    assert_eq!(audit(&honest).0, []);
    let mut changed = 0;
    for place in 0..honest.len() {
        for strategy in Strategy::ALL {
            let mut journal = honest[..=place].to_vec();
            let queued = journal[place].events.iter_mut().find_map(|event| match event {
                Event::Job(JobEvent::Queued { spec, .. }) => Some(spec),
                _ => None,
            });
            let Some(spec) = queued else { continue };
            let mut other = (**spec).clone();
            let workflow = other.workflow.as_mut().expect("all are workflows");
            if workflow.strategy == strategy {
                continue;
            }
            (workflow.strategy, other.strategy_by) = (strategy, StrategyBy::Rule(1));
            *spec = std::sync::Arc::new(other);
            let (found, _) = audit(&journal);
            let is_it = |kind: &FindingKind| matches!(kind, FindingKind::WrongStrategy { .. });
            assert!(found.iter().any(|it| is_it(&it.kind)), "{strategy} at {place}");
            changed += 1;
        }
    }
    assert_eq!(changed, 20 * 4);
}
