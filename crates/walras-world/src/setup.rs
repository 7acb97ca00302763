//! The VO of a simulated world: sites, prices, users, and jobs.

use crate::settings::Planning;
use crate::site::FaultySite;
use crate::wanted;
use walras_broker::Input;
use walras_broker::account::Account;
use walras_broker::budget::{Budget, Spender};
use walras_broker::input::User;
use walras_broker::job::{JobSearch, JobSpec, WorkflowSpec};
use walras_broker::policy::{Deciding, FinishBy, Method, Policy, PredictionPolicy, PromisePolicy};
use walras_broker::price::{Demand, PriceRules};
use walras_broker::site::{NodeSpec, QueueSpec, SiteKind, SiteSpec};
use walras_broker::wish::{Wish, Wisher};
use walras_core::agenda::{Late, Precedence, Until};
use walras_core::choose::Objective;
use walras_core::prefer::{AccessRule, Aggregation, Criterion as Wanted, Preference, Rules, Weighted, Who};
use walras_core::refine::Strategy;
use walras_model::workflow::UNSIZED;
use walras_model::{
    Attributes, Data, Division, Edge, Fixed, Interval, Money, Multiplier, NodeId, Performance, Rate, Request,
    Requirement, Share, SiteId, Span, Task, TaskId, Test, Time, Work, Workflow,
};
use walras_random::Stream;
use walras_sites::Offering;
use walras_sites::clock::later;
use walras_sites::simulated::{Behaviour, SimulatedNode, SimulatedSite};
use walras_sites::store::VolatileStore;

/// The users of every world.
pub const USERS: [&str; 4] = ["ada", "bob", "cyd", "dan"];

/// A minute, in milliseconds.
pub const MINUTE: i64 = 60_000;

fn span(millis: i64) -> Span {
    Span::from_millis(millis).unwrap_or(Span::ZERO)
}

fn rate(millicredits: i64) -> Option<Rate> {
    Rate::from_micros_per_second(1_000 * millicredits)
}

/// The rules: short cycles, so that much happens.
pub fn policy(chance: &mut Stream) -> Policy {
    let mut policy = Policy {
        cycle_every: span(MINUTE),
        horizon: span(4 * 60 * MINUTE),
        lead: span(40_000),
        offers_within: span(8_000),
        plan_within: span(30_000),
        prepare_within: span(20_000),
        confirm_within: span(20_000),
        grace: span(30_000),
        overdue_after: span(120 * MINUTE),
        refine_units_max: 2_000,
        labels_max: 100_000,
        bound_searches_max: 0,
        batch_max: 20,
        repeat_within: span(24 * 60 * MINUTE),
        ..Policy::default()
    };
    if chance.happens(250) {
        policy.choice.objective = Objective::Satisfaction;
    }
    policy.search.limits.alternatives_per_job_max = 4;
    policy.search.limits.explanation_slots_max = 10_000;
    policy.quotes.valid_for = span(5 * MINUTE);
    // Whoever takes something here takes it at once.
    policy.quotes.lead = Span::ZERO;
    policy.money.fee = share(1_000 * chance.between(0, 100));
    policy.money.early_refund = share(100_000 * chance.between(0, 10));
    policy.money.compensation = share(50_000 * chance.between(0, 4));
    policy.spares_max = 2;
    if chance.happens(500) {
        policy.deciding = Deciding::Promise(promises(chance));
        policy.lead = span(2_000);
    }
    policy
}

/// The same where jobs come in chains: everybody is promised something, and plans go by cost, so that chains are planned ahead.
pub fn for_chains(input: &mut Input, seed: u64) {
    let Input::SetPolicy(policy) = input else { return };
    if policy.deciding == Deciding::AtOnce {
        policy.deciding = Deciding::Promise(promises(&mut Stream::open(seed, 6)));
        policy.lead = span(2_000);
    }
    if let Deciding::Promise(rules) = &mut policy.deciding {
        rules.replanned_max = rules.replanned_max.max(10);
    }
    policy.choice.objective = Objective::MinCost;
    policy.assign = None;
}

/// Rules for promises of every kind.
fn promises(chance: &mut Stream) -> PromisePolicy {
    let orders = [Precedence::Expansion, Precedence::WaitCubed, Precedence::Arrival, Precedence::AsGiven];
    let drawn = usize::try_from(chance.between(0, 3)).unwrap_or(0);
    let (slack, price_slack, value) = (chance.between(0, 4), chance.between(0, 2), chance.between(0, 4));
    PromisePolicy {
        order: orders[drawn],
        slack: share(250_000 * slack),
        until: match slack {
            4 => Until::Deadline,
            3 => Until::First,
            _ => Until::Planned,
        },
        price_slack: share(100_000 * price_slack),
        value: times(500_000 * value),
        late: if value <= 1 { Late::Run } else { Late::Refused },
        replanned_max: u32::try_from(chance.between(1, 40)).unwrap_or(1),
        ..PromisePolicy::default()
    }
}

/// Nodes that are sold whole, or in so many units of two cores.
fn nodes(count: usize, units: u32, chance: &mut Stream) -> Vec<NodeSpec> {
    let resources = [("cores".to_owned(), 2 * u64::from(units))];
    let counted = Division::new(units, resources.into()).ok().filter(Division::is_divided);
    let division = counted.unwrap_or_default();
    let node = |index: usize| NodeSpec {
        division: division.clone(),
        name: format!("n{index}"),
        class: (index == 0).then(|| "big".to_owned()),
        performance: Performance::from_millionths(250_000 * chance.between(4, 8)).unwrap_or(Performance::ONE),
        watts: None,
        attributes: Attributes::new(),
    };
    (0..count).map(node).collect()
}

fn share(millionths: i64) -> Share {
    Share::from_millionths(millionths).expect("a share that is drawn is at most one")
}

fn times(millionths: i64) -> Multiplier {
    Multiplier::from_millionths(millionths).expect("what is drawn is not negative")
}

fn prices(chance: &mut Stream) -> Option<PriceRules> {
    let mut rules = PriceRules::flat(rate(chance.between(1, 9))?);
    rules.classes = [("big".to_owned(), rate(chance.between(5, 12))?)].into();
    if chance.happens(300) {
        rules.demand = Some(Demand {
            min: times(500_000),
            max: times(2_000_000),
            step: times(100_000),
            low: share(200_000),
            high: share(500_000),
        });
    }
    if chance.happens(300) {
        rules.hours = (0..24).map(|_| times(100_000 * chance.between(5, 20))).collect();
    }
    Some(rules)
}

/// How jobs get processors of sites that sell capacity: in a third of the worlds they are assigned.
pub fn assigning(chance: &mut Stream) -> Option<Method> {
    let all = [
        Method::Greedy,
        Method::GreedyCost,
        Method::Mmc,
        Method::Hga,
        Method::Lpga,
        Method::Exact,
        Method::Split,
    ];
    if chance.happens(333) { chance.one_of(&all).copied() } else { None }
}

/// What is said to the broker at the beginning, and the sites that go with it. Where jobs are assigned, two sites sell capacity.
/// Where tasks are late, two of five overrun.
pub fn begin(
    chance: &mut Stream,
    assign: Option<Method>,
    late: bool,
    planning: Planning,
) -> Option<(Vec<Input>, Vec<FaultySite>)> {
    let overruns = if late { Share::percent(40) } else { Behaviour::LIVELY.overruns };
    let behaviour = Behaviour { overruns, ..Behaviour::LIVELY };
    let rules = planned_by(planning, Policy { assign, ..policy(chance) }, chance);
    let mut inputs = vec![Input::SetPolicy(Box::new(rules))];
    for (place, name) in USERS.iter().enumerate() {
        let group = Some(if place < 2 { "physics" } else { "biology" }.to_owned());
        inputs.push(Input::SetUser(User { name: (*name).to_owned(), group, share: 1, lowest: Money::ZERO }));
    }
    if chance.happens(300) {
        let budget = Budget { period: span(60 * MINUTE), amount: Money::from_micros(40_000_000) };
        inputs.push(Input::SetBudget { spender: Spender::Group("physics".to_owned()), budget: Some(budget) });
    }
    let offerings = [
        (Offering::Slots, 3),
        (if assign.is_some() { Offering::Capacity } else { Offering::Slots }, 2),
        (Offering::Slots, 3),
        (Offering::Capacity, 3),
        (Offering::Queue(4), 0),
    ];
    let mut sites = Vec::new();
    let mut first = 0;
    for ((offering, count), number) in offerings.into_iter().zip(0_u32..) {
        // Some sell their nodes in units; of those nothing is proven.
        let units = match number {
            _ if planning == Planning::Bounded => 1,
            2 | 3 if chance.happens(600) => u32::try_from(chance.between(2, 4)).ok()?,
            _ => 1,
        };
        let spec = site(offering, (count, units), number, chance)?;
        let nodes = (first..first + u32::try_from(count).ok()?).map(|id| SimulatedNode {
            owner: owner_load(offering, chance),
            units,
            ..SimulatedNode::new(NodeId::new(id))
        });
        let (nodes, store) = (nodes.collect(), VolatileStore::default());
        let simulated = SimulatedSite::open(offering, nodes, behaviour, None, store).ok()?;
        sites.push(FaultySite::new(SiteId::new(number), simulated).with_nodes(&spec.nodes));
        first += u32::try_from(count).ok()?;
        inputs.push(Input::AddSite(Box::new(spec)));
    }
    if chance.happens(500) {
        inputs.push(wanting(Wisher::Owner(SiteId::new(0)), Wanted::Income, 2)?);
        inputs.push(wanting(Wisher::Administrator, Wanted::Finish, 2)?);
    }
    if let Planning::Content { weight } = planning {
        inputs.push(wanting(Wisher::Owner(SiteId::new(0)), Wanted::Income, weight)?);
    }
    Some((inputs, sites))
}

/// Rules as they were drawn, but for what the VO plans by.
fn planned_by(planning: Planning, mut policy: Policy, chance: &mut Stream) -> Policy {
    match planning {
        Planning::Drawn => {}
        Planning::Content { .. } => {
            policy.choice.objective = Objective::Satisfaction;
            policy.predictions = Some(PredictionPolicy { finish_by: FinishBy::Prediction });
        }
        Planning::Bounded => {
            policy.choice.objective = Objective::MinCost;
            policy.deciding = Deciding::AtOnce;
            policy.bound_searches_max = 200;
        }
        Planning::Searched => {
            policy.choice.objective = Objective::MinCost;
            policy.deciding = Deciding::AtOnce;
            wanted::search_otherwise(&mut policy, chance);
        }
    }
    policy
}

/// Somebody says what they want of plans.
fn wanting(of: Wisher, criterion: Wanted, weight: u32) -> Option<Input> {
    let preference = Preference::new(vec![Weighted::new(criterion, 1)], Aggregation::CRITERIA).ok()?;
    Some(Input::SetWish { of, wish: Some(Wish { weight, preference }) })
}

fn site(
    offering: Offering,
    (count, units): (usize, u32),
    number: u32,
    chance: &mut Stream,
) -> Option<SiteSpec> {
    let mut access = Rules::default();
    if number == 1 && chance.happens(300) {
        access.access = vec![AccessRule { who: Who::Group("physics".to_owned()), allow: true, hours: None }];
    }
    Some(SiteSpec {
        name: format!("site-{number}"),
        owner: format!("owner-{}", number % 3),
        kind: match offering {
            Offering::Slots => SiteKind::Slots,
            Offering::Capacity => SiteKind::Capacity,
            Offering::Queue(_) => SiteKind::Queue(QueueSpec {
                performance: Performance::ONE,
                watts: None,
                attributes: Attributes::new(),
            }),
        },
        nodes: nodes(count, units, chance),
        prices: prices(chance)?,
        access,
        timing: Default::default(),
    })
}

/// What an owner uses from the beginning; sites that only count processors say nothing of it.
fn owner_load(offering: Offering, chance: &mut Stream) -> Vec<Interval> {
    if offering != Offering::Slots {
        return Vec::new();
    }
    let mut busy = Vec::new();
    let mut at = Time::from_millis(chance.between(0, 60) * MINUTE);
    while let Some(start) = at.filter(|at| at.as_millis() < 6 * 60 * MINUTE) {
        let end = later(start, chance.between(2, 30) * MINUTE);
        busy.extend(Interval::new(start, end));
        at = Some(later(end, chance.between(5, 90) * MINUTE));
    }
    busy
}

/// A deposit for a user.
pub fn deposit(user: &str, key: String, chance: &mut Stream) -> Input {
    let amount = Money::from_micros(1_000_000 * chance.between(2, 60));
    Input::Deposit { key, account: Account::User(user.to_owned()), amount }
}

/// For how long the sites are to hold a quote, if they are.
pub fn held_for(chance: &mut Stream) -> Option<Span> {
    let seconds = chance.between(10, 300);
    if chance.happens(500) { Span::from_millis(seconds * 1_000) } else { None }
}

/// A job, of any kind.
pub fn job(number: u64, now: Time, chance: &mut Stream) -> Option<JobSpec> {
    let user = (*chance.one_of(&USERS)?).to_owned();
    let work = Work::from_millis(chance.between(1, 15) * MINUTE)?;
    let tasks = u32::try_from(chance.between(1, 4)).ok()?;
    let mut request = Request::new(&format!("job-{number}"), tasks, work);
    if chance.happens(400) {
        request.budget = Some(Money::from_micros(1_000_000 * chance.between(1, 30)));
    }
    if chance.happens(400) {
        request.deadline = Some(later(now, chance.between(20, 240) * MINUTE));
    }
    if chance.happens(300) {
        let min = Fixed::from_millionths(1_000_000 * chance.between(1, 5));
        let test = Test::Range { min: Some(min), max: None };
        request.requires.push(Requirement { attribute: "cores".to_owned(), test });
    }
    request.priority = chance.between(0, 3);
    (request.scope.same_site, request.scope.separate_nodes) = (chance.happens(200), number % 4 == 1);
    let workflow = if chance.happens(250) { Some(workflow(&mut request, now, chance)?) } else { None };
    let search = if chance.happens(200) { Some(search(chance)?) } else { None };
    let command = ["run".to_owned(), number.to_string()].into();
    Some(JobSpec { search, workflow, command, ..JobSpec::plain(user, request) })
}

/// The same user's job as a workflow of tasks that wait for nothing but a node, for as many nodes less one: who comes second on a node
/// has another to go to. Drawn apart, so that other worlds are as they were.
pub fn in_tasks(spec: JobSpec, seed: u64) -> JobSpec {
    let mut chance = Stream::open(seed, 5);
    let work = Work::from_millis(chance.between(4, 10) * MINUTE);
    let count = chance.between(1, 2) * 2 + 1;
    let tasks = (0..count).map(|index| Task::new(&format!("t{index}"), work)).collect();
    let Ok(workflow) = Workflow::new("flow", tasks, Vec::new()) else { return spec };
    let request = Request::new(&spec.request.name, 1, UNSIZED);
    let workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
    JobSpec { workflow, command: spec.command, ..JobSpec::plain(spec.user, request) }
}

/// The same user's job as a workflow of a task, two that take several nodes, and one more, some of which wait for each other. Drawn apart.
pub fn in_gangs(spec: JobSpec, seed: u64, number: u64) -> JobSpec {
    let mut chance = Stream::open(seed, 1_000 + number);
    let nodes = |chance: &mut Stream| u32::try_from(chance.between(2, 3)).unwrap_or(2);
    let widths = [1, nodes(&mut chance), nodes(&mut chance), 1];
    let mut task = |(index, nodes): (usize, u32)| Task {
        nodes,
        ..Task::new(&format!("t{index}"), Work::from_millis(chance.between(2, 8) * MINUTE))
    };
    let tasks: Vec<Task> = widths.into_iter().enumerate().map(&mut task).collect();
    let all = [(0, 1), (0, 2), (1, 3), (2, 3)].map(|(from, to)| (TaskId::new(from), TaskId::new(to)));
    let edge = |(from, to): (TaskId, TaskId)| Edge { from, to, data: Data::ZERO };
    let edges = all.into_iter().filter(|_| chance.happens(700)).map(edge).collect();
    let Ok(workflow) = Workflow::new("gangs", tasks, edges) else { return spec };
    let request = Request { tasks: 1, work: UNSIZED, requires: Vec::new(), ..spec.request };
    let workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
    JobSpec { workflow, command: spec.command, ..JobSpec::plain(spec.user, request) }
}

/// A search that a job asks for itself.
fn search(chance: &mut Stream) -> Option<JobSearch> {
    let alternatives = u32::try_from(chance.between(1, 3)).ok()?;
    Some(JobSearch { algorithm: chance.one_of(&wanted::SEARCHES)?.clone(), alternatives })
}

fn workflow(request: &mut Request, now: Time, chance: &mut Stream) -> Option<WorkflowSpec> {
    let count = usize::try_from(chance.between(2, 6)).ok()?;
    let mut tasks = Vec::new();
    for index in 0..count {
        tasks.push(Task::new(&format!("t{index}"), Work::from_millis(chance.between(1, 6) * MINUTE)));
    }
    let mut edges = Vec::new();
    for to in 1..count {
        for from in 0..to {
            if chance.happens(400) {
                let (from, to) = (TaskId::from_index(from)?, TaskId::from_index(to)?);
                edges.push(Edge { from, to, data: Data::from_bytes(chance.between(0, 1_000_000))? });
            }
        }
    }
    (request.tasks, request.work) = (1, UNSIZED);
    let strategy = *chance.one_of(&[Strategy::Asap, Strategy::Cheapest])?;
    if strategy.needs_deadline() {
        request.deadline = Some(later(now, chance.between(60, 240) * MINUTE));
    }
    Some(WorkflowSpec { workflow: Workflow::new("flow", tasks, edges).ok()?, strategy, programs: Vec::new() })
}
