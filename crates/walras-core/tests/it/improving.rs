//! Improved plans: never worse than two phases, checked by the verifier, within all limits, and near what is best.

use crate::choosing::{Sums, sums_of};
use crate::random;
use proptest::prelude::*;
use std::collections::BTreeSet;
use walras_core::choose::{LeaveOut, Limit, Objective, Total, VoPolicy};
use walras_core::plan::{
    BatchChoice, BatchPlan, BatchProblem, Improvement, LeftOut, MadeChoice, NoChoice, PlanLimits, PlanScheme,
    QueueUse, plan_batch,
};
use walras_core::prefer::{AccessRule, QueueOffer, Quota, Source, Stakeholders, Who, drop_over_capacity};
use walras_core::search::Mode;
use walras_core::{Algorithm, SearchConfig};
use walras_model::*;
use walras_verify::{ChosenClaim, Claim, ClaimedChoice, Rules, verify_plan};

pub fn objectives() -> Vec<Objective> {
    vec![
        Objective::MinTime,
        Objective::MinCost,
        Objective::MaxIncome,
        Objective::MaxUse,
        Objective::MinMakespan,
        Objective::Weighted(vec![(Total::Cost, 3), (Total::Finish, 2), (Total::Time, 1)]),
        Objective::Weighted(vec![(Total::Income, 1), (Total::SpareTime, 2)]),
        Objective::Lexicographic(vec![Total::Finish, Total::Cost]),
        Objective::Lexicographic(vec![Total::SpareTime, Total::Income]),
        Objective::Satisfaction,
    ]
}

fn algorithms() -> impl Strategy<Value = Algorithm> {
    let names = vec![
        "alp",
        "amp",
        "amp",
        "criterion=cost",
        "criterion=finish",
        "criterion=energy",
        "criterion=sum:noise",
    ];
    prop::sample::select(names).prop_map(|name| name.parse().unwrap())
}

pub fn policy() -> impl Strategy<Value = VoPolicy> {
    let time = prop_oneof![
        3 => Just(Limit::Derived),
        1 => Just(Limit::Unlimited),
        1 => (5..40_i64).prop_map(|most| Limit::Given(Span::from_millis(most).unwrap())),
    ];
    let budget = prop_oneof![
        3 => Just(Limit::Derived),
        1 => Just(Limit::Unlimited),
        1 => (20..200_i64).prop_map(|most| Limit::Given(Money::from_micros(most))),
    ];
    (prop::sample::select(objectives()), time, budget, prop::bool::weighted(0.2)).prop_map(
        |(objective, time_limit, budget_limit, never)| VoPolicy {
            objective,
            time_limit,
            budget_limit,
            leave_out: if never { LeaveOut::Never } else { LeaveOut::WhenNeeded },
        },
    )
}

/// Few searches, so that many cases are quick.
pub fn limits(seed: u64) -> PlanLimits {
    let mut limits = PlanLimits::default();
    limits.improve.searches_per_job_max = 60;
    limits.improve.seed = seed;
    limits
}

pub fn made(plan: &BatchPlan) -> Option<&MadeChoice> {
    match &plan.choice {
        BatchChoice::Made(made) => Some(made),
        BatchChoice::Unwanted | BatchChoice::None(_) => None,
    }
}

/// What a choice is worth, counted anew: the weight that is served, then the objective's sums, less is better.
fn worth(problem: &BatchProblem<'_>, plan: &BatchPlan, made: &MadeChoice) -> (u64, Vec<i128>) {
    let requests = plan.batch.requests();
    let lowest = requests.iter().map(|request| request.priority).min().unwrap();
    let (mut left_out, mut cost, mut time, mut finish, mut last) = (0, 0, 0, 0, 0);
    for (request, pick) in requests.iter().zip(&made.picks) {
        let (price, run, end) = match pick {
            None => {
                left_out += request.priority.abs_diff(lowest) + 1;
                continue;
            }
            Some(Source::Window(place)) => {
                let window = &plan.found.found[*place].window;
                (window.cost().as_micros(), window.runtime().as_millis(), window.end().as_millis())
            }
            Some(Source::Queue(queue)) => {
                let queue = &problem.stakeholders.unwrap().queues[*queue];
                let (interval, each) = queue.expected(request, problem.now).unwrap();
                let cost = each.as_micros() * i64::from(request.tasks);
                (cost, interval.span().as_millis(), interval.end().as_millis())
            }
        };
        (cost, time) = (cost + i128::from(price), time + i128::from(run));
        (finish, last) = (finish + i128::from(end), last.max(i128::from(end)));
    }
    (left_out, sums_of(&problem.policy.objective, Sums { cost, time, finish, last }))
}

/// What the verifier says of a plan with its choice.
pub fn violations(problem: &BatchProblem<'_>, plan: &BatchPlan, made: &MadeChoice) -> Vec<String> {
    let name = |job: JobId| plan.batch.request(job).name.clone();
    let found = &plan.found;
    let chosen: Vec<ChosenClaim> = made
        .picks
        .iter()
        .flatten()
        .filter_map(|pick| {
            let Source::Window(place) = *pick else { return None };
            let it = &found.found[place];
            Some(ChosenClaim {
                job: name(it.job),
                alternative: place,
                start: it.window.start(),
                end: it.window.end(),
                cost: it.window.cost(),
                time: it.window.runtime(),
            })
        })
        .collect();
    let served: BTreeSet<&String> = chosen.iter().map(|it| &it.job).collect();
    let with_window: BTreeSet<JobId> = found.found.iter().map(|it| it.job).collect();
    let left_out = with_window.into_iter().map(name).filter(|job| !served.contains(job)).collect();
    let choice = ClaimedChoice {
        left_out,
        time_limit: made.limits.time,
        budget_limit: made.limits.budget,
        cost: made.totals.cost,
        time: made.totals.time,
        makespan: made.totals.makespan,
        jobs: made.totals.served.into(),
        chosen,
    };
    let claim = Claim {
        unscheduled: Some(found.unscheduled.iter().map(|it| name(it.job)).collect()),
        choice: Some(choice),
        ..Claim::of_alternatives(problem.offers, &plan.batch, &found.found)
    };
    let rules = Rules {
        budget_factor: problem.search.budget_factor,
        price_cap: problem.search.algorithm == Algorithm::Alp,
    };
    verify_plan(&claim, problem.offers, &plan.batch, rules).iter().map(ToString::to_string).collect()
}

/// Holds an improved plan against the two phases; gives what became of it.
pub fn held_against_papers(problem: &BatchProblem<'_>) -> Result<Option<Improvement>, TestCaseError> {
    let papers = plan_batch(&BatchProblem { scheme: PlanScheme::Papers, ..*problem });
    let improved = plan_batch(problem);
    prop_assert_eq!(&improved, &plan_batch(problem), "the same again");
    let (Some(before), Some(after)) = (made(&papers), made(&improved)) else {
        // Where nobody may be left out and quotas leave somebody out, a search may still find everybody a place.
        if papers.choice == BatchChoice::None(NoChoice::SomebodyLeftOut) && made(&improved).is_some() {
            let unserved =
                |(_, why): &(JobId, LeftOut)| !matches!(why, LeftOut::NoWindow | LeftOut::NotAdmitted);
            prop_assert!(!improved.left_out.iter().any(unserved), "{:?}", improved.left_out);
            return Ok(None);
        }
        prop_assert_eq!(papers.choice, improved.choice);
        return Ok(None);
    };
    let wrong = violations(problem, &improved, after);
    prop_assert!(wrong.is_empty(), "{:?}", wrong);
    // Limits that follow from listed windows grow by what those need who have none.
    let grown =
        |before: Option<i128>, after: Option<i128>| before.is_some() == after.is_some() && before <= after;
    prop_assert!(
        grown(before.limits.time, after.limits.time) && grown(before.limits.budget, after.limits.budget)
    );
    if papers.found.unscheduled.is_empty() {
        prop_assert_eq!(before.limits, after.limits);
    }
    let picked = after.picks.iter().flatten().count();
    prop_assert_eq!(improved.served.len(), picked, "every pick can be run");
    prop_assert_eq!(improved.left_out.len() + picked, problem.batch.requests().len());
    prop_assert_eq!(before.improvement, None);
    let Some(improvement) = after.improvement else {
        prop_assert_eq!(&papers, &improved);
        return Ok(None);
    };
    if problem.policy.objective == Objective::Satisfaction {
        // What a window is worth depends on what else there is: both are counted on one scale, which only the search knows.
        prop_assert!(
            (improvement.after.left_out, improvement.after.value)
                <= (improvement.before.left_out, improvement.before.value)
        );
        prop_assert_eq!(
            (before.picks.iter().flatten().count(), picked),
            (improvement.before.served, improvement.after.served)
        );
        return Ok(Some(improvement));
    }
    let (was, is) = (worth(problem, &papers, before), worth(problem, &improved, after));
    prop_assert!(is <= was, "{:?} after {:?}", is, was);
    prop_assert_eq!((improvement.after.value[0], u128::from(is.0)), (is.1[0], improvement.after.left_out));
    prop_assert_eq!(
        (improvement.before.value[0], improvement.before.left_out),
        (was.1[0], u128::from(was.0))
    );
    prop_assert!(improvement.bound.is_none_or(|bound| bound <= improvement.after.value[0]));
    if improvement.after != improvement.before {
        prop_assert_eq!(after.value, improvement.after.value[0]);
    }
    Ok(Some(improvement))
}

/// A chosen window that could begin sooner on its own nodes at no higher price, with the others where they are.
fn waits_for_nothing(problem: &BatchProblem<'_>, plan: &BatchPlan, made: &MadeChoice) -> Option<String> {
    let chosen: Vec<&Alternative> = made
        .picks
        .iter()
        .filter_map(|pick| match pick {
            Some(Source::Window(place)) => Some(&plan.found.found[*place]),
            _ => None,
        })
        .collect();
    for own in &chosen {
        let others = chosen.iter().filter(|other| other.job != own.job);
        let others: Vec<&Placement> = others.flat_map(|other| other.window.placements()).collect();
        let earliest = plan.batch.requests()[own.job.index()].earliest.unwrap_or(Time::MIN);
        let starts = problem.offers.slots().iter().map(Slot::start).chain([earliest]);
        let starts = starts.chain(others.iter().map(|other| other.interval.end()));
        for start in starts.filter(|start| (earliest..own.window.start()).contains(start)) {
            let fits = |own: &Placement| {
                let interval = Interval::new(start, start.checked_add(own.interval.span()).unwrap()).unwrap();
                let holds = |slot: &Slot| {
                    slot.node() == own.node
                        && slot.start() <= interval.start()
                        && interval.end() <= slot.end()
                        && slot.rate() <= own.rate
                };
                problem.offers.slots().iter().any(holds)
                    && !others.iter().any(|other| other.node == own.node && other.interval.overlaps(interval))
            };
            if own.window.placements().iter().all(fits) {
                return Some(format!("{:?} could begin at {start:?}", own.window));
            }
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn nobody_waits_for_nothing(
        offers in random::offers(), batch in random::batch(), seed in any::<u64>(),
        objective in prop::sample::select(vec![Objective::MinCost, Objective::MinTime, Objective::MinMakespan]),
    ) {
        let (search, policy) = (SearchConfig::default(), VoPolicy { objective, ..VoPolicy::default() });
        let problem = BatchProblem { limits: limits(seed), ..BatchProblem::new(&offers, &batch, &search, &policy) };
        let plan = plan_batch(&problem);
        if let Some(made) = made(&plan) {
            prop_assert_eq!(waits_for_nothing(&problem, &plan, made), None);
        }
    }

    #[test]
    fn never_worse_and_always_verified(
        offers in random::offers(), batch in random::batch(), policy in policy(), algorithm in algorithms(),
        factor in random::factor(), seed in any::<u64>(), alternatives in prop_oneof![Just(10_000), 1..3_u32],
        on_the_fly in prop::bool::weighted(0.3),
    ) {
        let mode = if on_the_fly { Mode::FirstOnTheFly } else { Mode::AllAlternatives };
        let mut search = SearchConfig { algorithm, mode, budget_factor: factor, ..SearchConfig::default() };
        search.limits.alternatives_per_job_max = alternatives;
        let problem = BatchProblem { limits: limits(seed), ..BatchProblem::new(&offers, &batch, &search, &policy) };
        held_against_papers(&problem)?;
        if on_the_fly {
            let plan = plan_batch(&problem);
            let listed: BTreeSet<JobId> = plan.found.found.iter().map(|it| it.job).collect();
            prop_assert_eq!(listed.len(), plan.found.found.len(), "everybody has one window");
        }
    }

    #[test]
    fn owners_and_queues_are_kept(
        offers in random::offers(), batch in random::batch(), policy in policy(), seed in any::<u64>(),
        quotas in prop::collection::vec((0..2_usize, 0..3_u32, 1..40_i64), 0..4),
        closed in prop::option::weighted(0.3, 0..2_usize), units in 0..4_u32,
    ) {
        let mut wishes = Stakeholders::plain(&offers, &batch);
        for (site, kind, most) in quotas {
            let quota = match kind {
                0 => Quota::Jobs(u32::try_from(most).unwrap() / 10),
                1 => Quota::NodeTime(Span::from_millis(most).unwrap()),
                _ => Quota::Spend(Money::from_micros(most)),
            };
            wishes.rules[site].quotas.push((Who::Everybody, quota));
        }
        if let Some(site) = closed {
            wishes.rules[site].access = vec![AccessRule { who: Who::User("J0".into()), allow: true, hours: None }];
        }
        wishes.queues = vec![QueueOffer {
            name: "q".into(),
            site: SiteId::new(0),
            wait: Span::from_millis(5).unwrap(),
            performance: Performance::ONE,
            rate: Rate::from_micros_per_second(900).unwrap(),
            units: Some(units),
            watts: None,
            attributes: Attributes::new(),
        }];
        let search = SearchConfig::default();
        let problem = BatchProblem {
            stakeholders: Some(&wishes),
            queues: QueueUse::Always,
            limits: limits(seed),
            ..BatchProblem::new(&offers, &batch, &search, &policy)
        };
        held_against_papers(&problem)?;
        let plan = plan_batch(&problem);
        if let (Some(made), Some(Ok(negotiation))) = (made(&plan), &plan.negotiation) {
            let place = |(options, pick): (&Vec<Source>, &Option<Source>)| {
                pick.map(|pick| options.iter().position(|it| *it == pick).expect("owners let it in"))
            };
            let mut picks: Vec<Option<usize>> = negotiation.sources.iter().zip(&made.picks).map(place).collect();
            let over = drop_over_capacity(&negotiation.problem, &mut picks, &plan.batch.by_priority());
            prop_assert!(over.is_empty(), "no quota is broken");
        }
    }
}
