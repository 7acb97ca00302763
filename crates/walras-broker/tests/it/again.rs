//! Cycles planned again: just so, under other rules, and without a job.

use crate::vo::{MINUTE, Vo, at, credits, span};
use walras_broker::again::BegunCycle;
use walras_broker::id::JobNumber;
use walras_broker::policy::{Deciding, Policy};
use walras_broker::{Event, Input, event::CycleEvent};
use walras_core::choose::Objective;
use walras_core::plan::PlanScheme;
use walras_model::{SiteId, Time};

/// Two jobs of an hour for a cheap node and a dear one, decided in one cycle.
fn decided(deciding: Deciding) -> (Vo, [JobNumber; 2]) {
    let mut vo = Vo::new(&[(1, 1_000), (1, 9_000)]);
    vo.keeps = true;
    vo.say(Input::SetPolicy(Box::new(Policy {
        deciding,
        cycle_every: span(600 * MINUTE),
        ..crate::vo::policy()
    })));
    let jobs = ["first", "second"].map(|name| {
        let job = vo.job(name, 1, 60);
        vo.submit(job)
    });
    vo.say(Input::CycleNow);
    (vo, jobs)
}

fn cycle(vo: &Vo) -> &BegunCycle {
    vo.begun.iter().find(|begun| begun.problem().jobs.len() == 2).expect("both were in one batch")
}

fn starts(cycle: &BegunCycle) -> Vec<Option<Time>> {
    cycle.outlook(&cycle.plan()).values().map(|terms| terms.map(|terms| terms.start)).collect()
}

#[test]
fn planning_again_decides_the_same() {
    for deciding in [Deciding::AtOnce, Policy::default().deciding] {
        let (vo, _) = decided(deciding);
        let begun = cycle(&vo);
        let verdicts = vo.events.iter().filter_map(|event| match event {
            Event::Cycle(CycleEvent::Decided { cycle, verdict }) if *cycle == begun.number() => {
                Some((**verdict).clone())
            }
            _ => None,
        });
        assert_eq!(verdicts.collect::<Vec<_>>(), [begun.plan().verdict]);
        assert_eq!(begun.under((*begun.state().policy).clone()).map(|same| same.plan()), Some(begun.plan()));
        assert!(!begun.is_idle());
    }
}

#[test]
fn without_the_first_the_second_has_its_place() {
    let (vo, [first, second]) = decided(Deciding::AtOnce);
    let begun = cycle(&vo);
    let with = starts(begun);
    assert!(with.iter().all(Option::is_some), "{with:?}");
    let (before, after) = (begun.outlook(&begun.plan()), begun.without(first));
    let after = after.outlook(&after.plan());
    assert_eq!(after.keys().collect::<Vec<_>>(), [&second]);
    let (before, after) = (before[&second].unwrap(), after[&second].unwrap());
    assert!(after.start < before.start || after.cost < before.cost, "{before:?} {after:?}");
}

#[test]
fn other_rules_decide_otherwise() {
    let (vo, _) = decided(Deciding::AtOnce);
    let begun = cycle(&vo);
    let under = |objective: Objective| {
        let mut policy = (*begun.state().policy).clone();
        policy.choice.objective = objective;
        policy.plan = PlanScheme::Improved;
        let other = begun.under(policy).unwrap();
        let outlook = other.outlook(&other.plan());
        let terms: Vec<_> = outlook.values().map(|terms| terms.unwrap()).collect();
        let cost = terms.iter().map(|terms| terms.cost).fold(credits(0), |sum, cost| sum + cost);
        (cost, terms.iter().map(|terms| terms.finish).max().unwrap())
    };
    let (cheap, soon) = (under(Objective::MinCost), under(Objective::MinMakespan));
    assert!(cheap.0 < soon.0 && cheap.1 > soon.1, "{cheap:?} {soon:?}");
    // Nothing is for sale as far as this looks.
    let mut short = (*begun.state().policy).clone();
    short.horizon = span(1);
    let nobody = begun.under(short).map(|other| starts(&other));
    assert!(nobody.is_none_or(|starts| starts == [None, None]));
    assert!(begun.state().clock <= at(vo.now));
}

/// Where windows may move, offers of before a cycle are planned from; whoever asks what reserving at once would have done has those too.
#[test]
fn rules_that_reserve_at_once_plan_from_what_was_known() {
    let (mut vo, _) = decided(Policy::default().deciding);
    vo.silent.extend([SiteId::new(0), SiteId::new(1)]);
    vo.run_until(vo.now + 3 * MINUTE);
    let job = vo.job("third", 1, 20);
    vo.submit(job);
    vo.say(Input::CycleNow);
    vo.run_until(vo.now + 7 * MINUTE);
    let begun: Vec<&BegunCycle> = vo.begun.iter().filter(|begun| !begun.problem().jobs.is_empty()).collect();
    assert!(begun.len() >= 2, "{}", begun.len());
    for begun in begun {
        let policy = Policy { deciding: Deciding::AtOnce, ..(*begun.state().policy).clone() };
        let served = starts(&begun.under(policy).unwrap());
        assert!(!served.is_empty() && served.iter().all(Option::is_some), "{served:?}");
    }
}
