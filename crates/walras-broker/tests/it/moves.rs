//! What is planned moves from plan to plan, and nobody into the place of another.

use crate::promises::{job, vo};
use crate::vo::{MINUTE, Vo, at};
use walras_broker::again::BegunCycle;
use walras_broker::decision::{PlanBound, PlannedJob};
use walras_broker::event::{CycleEvent, JobEvent};
use walras_broker::id::CycleNumber;
use walras_broker::input::{Refusal, SiteMessage};
use walras_broker::job::Planned;
use walras_broker::plan::plan;
use walras_broker::{Effect, Event, Input};
use walras_model::NodeId;

/// A plan moves one job away and another into its place; before it is taken over, the node fails to which the first was to go. Both stay
/// where they were: what one of them was promised is broken by no move of the other.
#[test]
fn nobody_takes_the_place_of_who_cannot_leave_it() {
    let mut vo = vo(&[(1, 1_000), (1, 1_000), (1, 1_000)]);
    let begun = vo.now;
    for name in ["one", "two", "three"] {
        vo.submit(vo.job(name, 1, 30));
    }
    vo.run_until(begun + MINUTE);
    let [leaves, comes] = ["leaves", "comes"].map(|name| vo.submit(vo.job(name, 1, 10)));
    vo.run_until(begun + 2 * MINUTE);
    let planned = |vo: &Vo, number| job(vo, number).plan.as_deref().expect("it is planned").clone();
    let [left, other] = [leaves, comes].map(|number| planned(&vo, number));
    let free =
        (0..3).map(NodeId::new).find(|node| ![left.places[0].0, other.places[0].0].contains(node)).unwrap();
    let promises = [leaves, comes].map(|number| job(&vo, number).promise);

    vo.unplanned = true;
    vo.submit(vo.job("last", 1, 10));
    vo.run_until(begun + 3 * MINUTE);
    let cycle = vo.effects.iter().rev().find_map(|effect| match effect {
        Effect::Plan(cycle) => Some(*cycle),
        _ => None,
    });
    let cycle = cycle.expect("a plan is asked for");
    let problem = vo.broker.problem(cycle).expect("it has not been made");
    let mut decision = plan(&problem);
    let move_to = |number, places: &Planned, promise: Option<_>| PlannedJob {
        job: number,
        plan: places.clone(),
        promise: promise.expect("it is promised something"),
        renewed: false,
    };
    let away = Planned { places: vec![(free, left.places[0].1)], ..left.clone() };
    decision.planned = vec![move_to(comes, &left, promises[1]), move_to(leaves, &away, promises[0])];
    vo.heard(free.number(), SiteMessage::NodeLost { node: free, at: at(vo.now) });
    vo.say(Input::Decided { cycle, decision: Box::new(decision) });
    assert_eq!([leaves, comes].map(|number| planned(&vo, number)), [left, other]);

    vo.unplanned = false;
    vo.run_until(begun + 100 * MINUTE);
    let anew = vo.events.iter().filter_map(|event| match event {
        Event::Job(JobEvent::Planned { job, renewed: true, .. }) => Some(*job),
        _ => None,
    });
    assert_eq!(anew.filter(|number| [leaves, comes].contains(number)).count(), 0);
}

/// Beside a plan of windows that may move it is worked out what no plan could beat; nothing is taken of it that claims too much, or is of no plan.
#[test]
fn what_no_plan_could_beat_is_said_beside_plans() {
    let mut vo = vo(&[(1, 1_000)]);
    vo.keeps = true;
    let begun = vo.now;
    for (name, minutes) in [("runs", 30), ("long", 60), ("short", 10)] {
        vo.submit(vo.job(name, 1, minutes));
    }
    vo.run_until(begun + MINUTE);
    let bounded = |cycle: &BegunCycle| {
        let decision = cycle.plan();
        cycle.bound(&decision).map(|bound| (cycle.clone(), decision, bound))
    };
    let found = vo.begun.iter().rev().find_map(bounded);
    let (cycle, decision, bound) = found.expect("some jobs have windows that may move");
    let loss = bound.loss.expect("delays are worth something");
    // All cost the same on the one node; the order decides what is lost, and on one node prices prove it.
    assert!((2..=3).contains(&bound.jobs), "{bound:?}");
    assert_eq!((bound.jobs_most, bound.cost_least), (bound.jobs, bound.cost), "{bound:?}");
    assert!(bound.cost < loss.loss_least && loss.loss_least <= loss.loss, "{bound:?}");
    assert!(bound.searches > 3 && bound.searches <= 8 * vo.broker.state().policy.bound_searches_max);

    let number = cycle.number();
    let refused = |cycle: CycleNumber, bound: PlanBound| {
        vo.broker.decide(at(vo.now), &Input::Bounded { cycle, bound }).err()
    };
    assert_eq!(refused(number.next(), bound), Some(Refusal::NoCycle(number.next())));
    let above = PlanBound { cost_least: loss.loss, ..bound };
    assert_eq!(refused(number, above), Some(Refusal::NoCycle(number)));
    vo.say(Input::Bounded { cycle: number, bound });
    assert_eq!(vo.events.last(), Some(&Event::Cycle(CycleEvent::Bounded { cycle: number, bound })));

    // Where the VO wants none, there is none.
    let mut policy = (*vo.broker.state().policy).clone();
    policy.bound_searches_max = 0;
    assert_eq!(cycle.under(policy).expect("it can be planned").bound(&decision), None);
}
