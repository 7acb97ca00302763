//! Smallest changes for workflows, checked by trying every value over every size of window.

use crate::random;
use proptest::prelude::*;
use walras_core::choose::VoPolicy;
use walras_core::plan::{BatchJob, BatchPlan, BatchProblem, plan_batch};
use walras_core::refine::Strategy as Plan;
use walras_core::*;
use walras_model::offer::slots_of_node;
use walras_model::workflow::{Edge, Task};
use walras_model::*;

/// Two to four tasks; each later one may wait for an earlier one, with data that takes time to move.
pub fn workflow() -> impl Strategy<Value = Workflow> {
    let task = (1..7_i64, 0..4_usize, 0..40_i64);
    prop::collection::vec(task, 2..=4).prop_map(|drawn| {
        let tasks = drawn.iter().enumerate();
        let task = |(index, (work, _, _)): (usize, &(i64, usize, i64))| {
            Task::new(&format!("t{index}"), Work::from_millis(*work))
        };
        let edges = drawn.iter().enumerate().filter(|(to, (_, from, _))| from < to);
        let edge = |(to, (_, from, bytes)): (usize, &(i64, usize, i64))| Edge {
            from: TaskId::from_index(*from).unwrap(),
            to: TaskId::from_index(to).unwrap(),
            data: Data::from_bytes(*bytes).unwrap(),
        };
        Workflow::new("w", tasks.map(task).collect(), edges.map(edge).collect()).unwrap()
    })
}

pub fn network() -> impl Strategy<Value = Network> {
    let link = || {
        (0..3_i64, prop::option::of(4_000..20_000_i64)).prop_map(|(latency, speed)| Link {
            latency: Span::from_millis(latency).unwrap(),
            bandwidth: speed.and_then(Bandwidth::from_bytes_per_second),
        })
    };
    (link(), link()).prop_map(|(within_site, between_sites)| Network { within_site, between_sites })
}

/// A workflow, where it could run, and what it wants.
struct Case {
    offers: Offers,
    request: Request,
    workflow: Workflow,
    network: Network,
    strategy: Plan,
    config: SearchConfig,
}

impl Case {
    /// Whether the workflow would be served.
    fn fits(&self, request: &Request) -> bool {
        !self.plan(request).served.is_empty()
    }

    fn fits_with<T>(&self, change: impl Fn(&mut Request, T)) -> impl Fn(&T) -> bool
    where
        T: Copy,
    {
        move |value| {
            let mut request = self.request.clone();
            change(&mut request, *value);
            self.fits(&request)
        }
    }

    fn plan(&self, request: &Request) -> BatchPlan {
        let batch = Batch::new(vec![request.clone()]);
        let jobs = [BatchJob { workflow: Some((&self.workflow, self.strategy)), ..BatchJob::default() }];
        let policy = VoPolicy::default();
        let problem = BatchProblem::new(&self.offers, &batch, &self.config, &policy);
        plan_batch(&BatchProblem { jobs: &jobs, network: self.network, ..problem })
    }

    fn why(&self) -> Option<Explanation> {
        let plan = self.plan(&self.request);
        plan.found.unscheduled.first().map(|unscheduled| unscheduled.explanation.clone())
    }
}

prop_compose! {
    fn case()(
        offers in random::offers(),
        request in random::request(),
        workflow in workflow(),
        network in network(),
        cheapest in any::<bool>(),
        factor in random::factor(),
        alp in any::<bool>(),
    ) -> Case {
        let strategy = if cheapest { Plan::Cheapest } else { Plan::Asap };
        let algorithm = if alp { Algorithm::Alp } else { Algorithm::Amp };
        let config = SearchConfig { algorithm, budget_factor: factor, ..SearchConfig::default() };
        Case { offers, request, workflow, network, strategy, config }
    }
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#?} {:#?} {:#?} {:?}", self.offers, self.request, self.workflow, self.network)
    }
}

proptest! {
    // Each tries hundreds of plans.
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_smallest_change_is_over_all_sizes(case in case()) {
        let Some(explanation) = case.why() else { return Ok(()) };
        prop_assert!(!explanation.reasons.is_empty());
        let change = &explanation.smallest_change;
        prop_assert_eq!(change.tasks, None, "nobody asks for a number of nodes");

        let by_cap = case.config.algorithm != Algorithm::Alp && case.request.price_max.is_some();
        let budget_binds = case.request.budget.is_some() || by_cap;
        let with_budget = case.fits_with(|request, value| request.budget = Some(Money::from_micros(value)));
        // Less than was given is no help, although other windows are found with it.
        let above = case.request.budget.map_or(0, Money::as_micros) + 1;
        let least = if budget_binds { (above..500_i64).find(with_budget) } else { None };
        prop_assert_eq!(change.budget.map(Money::as_micros), least, "budget");

        let with_deadline = case.fits_with(|request, value| request.deadline = Time::from_millis(value));
        let later = |given: Time| given.as_millis() + 1..=random::HORIZON;
        let least = case.request.deadline.and_then(|given| later(given).find(with_deadline));
        prop_assert_eq!(change.deadline.map(Time::as_millis), least, "deadline");

        let with_price = case.fits_with(|request, value| request.price_max = Rate::from_micros_per_second(value));
        if let Some(price) = change.price_max.map(Rate::as_micros_per_second) {
            prop_assert!(with_price(&price), "a price_max of {} gives a window", price);
            let lower = (1..price).rev().take(50).chain((1..price).step_by(97)).find(with_price);
            prop_assert_eq!(lower, None, "less than {} does not", price);
        }
        let with_performance = case.fits_with(|request, value| request.performance_min = value);
        let nodes = case.offers.nodes().iter().map(|node| node.performance);
        let slower = nodes.filter(|performance| *performance < case.request.performance_min);
        prop_assert_eq!(change.performance_min, slower.filter(with_performance).max(), "performance");
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_change_that_is_named_has_the_workflow_served(case in case()) {
        let Some(explanation) = case.why() else { return Ok(()) };
        let change = explanation.smallest_change;
        let own = &case.request;
        let changed = [
            change.budget.map(|budget| Request { budget: Some(budget), ..own.clone() }),
            change.price_max.map(|price_max| Request { price_max: Some(price_max), ..own.clone() }),
            change.deadline.map(|deadline| Request { deadline: Some(deadline), ..own.clone() }),
            change.performance_min.map(|performance_min| Request { performance_min, ..own.clone() }),
        ];
        for request in changed.iter().flatten() {
            prop_assert_eq!(case.plan(request).served.len(), 1, "{:?}", request);
        }
        let unlimited = Request { budget: None, price_max: None, deadline: None, ..own.clone() };
        for reason in &explanation.reasons {
            match reason {
                Reason::BudgetTooSmall { budget, needed } => prop_assert!(budget < needed),
                Reason::DeadlineTooEarly { deadline, needed } => prop_assert!(deadline < needed),
                Reason::SeveralLimits => prop_assert!(case.fits(&unlimited)),
                Reason::SlotsTooShort { .. } | Reason::TooFewAtOnce { .. } => {
                    prop_assert!(!case.fits(&unlimited), "{:?}", reason);
                }
                _ => {}
            }
        }
    }
}

/// Two nodes at 1 credit a second, free for so many seconds, and two tasks of 4,800 s side by side.
fn side_by_side(free: i64, budget: i64) -> Option<Explanation> {
    let at = |seconds: i64| Time::from_millis(seconds * 1_000).unwrap();
    let horizon = Interval::new(at(0), at(20_000)).unwrap();
    let node = |name: &str| Node {
        division: Default::default(),
        name: name.into(),
        site: SiteId::new(0),
        performance: Performance::ONE,
        watts: None,
        attributes: Attributes::new(),
    };
    let rate = Rate::from_micros_per_second(1_000_000).unwrap();
    let slots = (0..2).flat_map(|index| {
        slots_of_node(NodeId::new(index), rate, &[Interval::new(at(0), at(free)).unwrap()]).unwrap()
    });
    let sites = vec![Site { name: "campus".into() }];
    let offers = Offers::new(horizon, sites, vec![node("a"), node("b")], slots.collect()).unwrap();
    let tasks = vec![
        Task::new("left", Work::from_millis(4_800_000)),
        Task::new("right", Work::from_millis(4_800_000)),
    ];
    let mut request = Request::new("w", 1, Work::from_millis(1).unwrap());
    request.budget = Some(Money::from_micros(budget * 1_000_000));
    let case = Case {
        offers,
        request,
        workflow: Workflow::new("w", tasks, Vec::new()).unwrap(),
        network: Network::INSTANT,
        strategy: Plan::Asap,
        config: SearchConfig::default(),
    };
    case.why()
}

#[test]
fn a_budget_that_buys_two_nodes_for_half_the_time_is_named() {
    // One node would be needed for 9,600 s, and none is free that long; two for 4,800 s cost as much.
    let credits = |credits: i64| Money::from_micros(credits * 1_000_000);
    let why = side_by_side(5_000, 9_599).unwrap();
    assert_eq!(why.reasons, [Reason::BudgetTooSmall { budget: credits(9_599), needed: credits(9_600) }]);
    assert_eq!(why.smallest_change.budget, Some(credits(9_600)));
    assert_eq!(side_by_side(5_000, 9_600), None);
    // Without enough time on either, the shorter of the two is what is missing.
    let why = side_by_side(4_000, 9_600).unwrap();
    let runtime_min = Span::from_millis(4_800_000).unwrap();
    assert_eq!(why.reasons, [Reason::SlotsTooShort { runtime_min }]);
}
