//! One eventful day: a journal in which nearly everything happens that can.

use crate::world::{World, credits, interval, job, span, submit, time};
use walras_broker::account::Account;
use walras_broker::budget::{Budget, Spender};
use walras_broker::id::QuoteNumber;
use walras_broker::input::{Answer, Input, SiteMessage};
use walras_broker::job::{JobSpec, PartEnd, WorkflowSpec};
use walras_broker::journal::Entry;
use walras_broker::policy::{Deciding, Policy, PromisePolicy};
use walras_broker::price::PriceRules;
use walras_broker::reservation::{PartState, ReservedPart};
use walras_core::refine::Strategy;
use walras_model::workflow::{Link, Network, UNSIZED};
use walras_model::{Data, Edge, NodeId, Rate, Request, SiteId, Task, TaskId, Work, Workflow};

pub(crate) const NORTH: SiteId = SiteId::new(0);
pub(crate) const SOUTH: SiteId = SiteId::new(1);
pub(crate) const QUEUE: SiteId = SiteId::new(2);

/// A VO with two sites, a queue, two users and budgets.
pub(crate) fn vo() -> World {
    let mut world = World::default();
    let mut policy = Policy { deciding: Deciding::AtOnce, lead: span(30_000), ..Policy::default() };
    policy.money.fee = walras_model::Share::percent(10);
    policy.money.early_refund = walras_model::Share::percent(50);
    policy.network =
        Network { within_site: Link::INSTANT, between_sites: Link { latency: span(2_000), bandwidth: None } };
    world.say(Input::SetPolicy(Box::new(policy)));
    world.site("north", "nora", &[1, 2]);
    world.site("south", "sol", &[1, 1]);
    world.site("queue", "nora", &[]);
    world.user("ada", Some("lab"), 100_000);
    world.user("bob", None, 100_000);
    let budget = |amount| Some(Budget { period: span(86_400_000), amount: credits(amount) });
    world.say(Input::SetBudget { spender: Spender::User("ada".into()), budget: budget(50_000) });
    world.say(Input::SetBudget { spender: Spender::Group("lab".into()), budget: budget(60_000) });
    world.say(Input::SetBudget { spender: Spender::Vo, budget: budget(90_000) });
    let nora = Account::Owner("nora".into());
    world.say(Input::Deposit { key: "start".into(), account: nora, amount: credits(1_000) });
    world.say(Input::Deposit { key: "start".into(), account: Account::Fee, amount: credits(1_000) });
    world
}

/// A workflow: one task, then two, then one.
pub(crate) fn diamond(user: &str) -> JobSpec {
    let task = |name, seconds: i64| Task::new(name, Work::from_millis(seconds * 1_000));
    let tasks = vec![task("split", 100), task("left", 100), task("right", 50), task("merge", 100)];
    let edge = |from, to| Edge { from: TaskId::new(from), to: TaskId::new(to), data: Data::ZERO };
    let edges = vec![edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3)];
    let workflow = Workflow::new("diamond", tasks, edges).unwrap();
    let workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
    JobSpec { workflow, request: Request::new("diamond", 2, UNSIZED), ..job(user, 2, 100) }
}

pub(crate) fn only_on(site: SiteId, mut spec: JobSpec) -> JobSpec {
    spec.request.scope.sites = Some(vec![site]);
    spec
}

/// Asks for a quote, and gives its number.
pub(crate) fn quote(world: &mut World, key: &str, spec: JobSpec) -> QuoteNumber {
    let asked = Input::AskQuote { key: key.into(), job: Box::new(spec), findings: None, hold: None };
    let Answer::Quote(number) = world.say(asked) else { panic!("no quote") };
    number
}

/// The day.
pub(crate) fn day() -> World {
    let mut world = vo();
    world.early = 7_000;
    world.say(submit("a1", job("ada", 2, 300)));
    let mut flow = diamond("ada");
    flow.request.scope.sites = Some(vec![NORTH, SOUTH]);
    world.say(submit("a2", flow));
    let mut late = job("bob", 3, 200);
    late.request.budget = Some(credits(5_000));
    late.request.deadline = Some(time(7_200_000));
    world.say(submit("b1", late));
    world.say(submit("b2", only_on(QUEUE, job("bob", 2, 100))));
    world.run_until(40_000);
    let accepted = quote(&mut world, "q1", job("ada", 1, 50));
    world.say(Input::Accept { user: None, key: "q1-yes".into(), quote: accepted, option: 0 });
    quote(&mut world, "q2", job("bob", 1, 50));
    let mut hopeless = job("bob", 9, 50);
    hopeless.request.budget = Some(credits(1));
    quote(&mut world, "q3", hopeless.clone());
    hopeless.request.deadline = Some(time(100_000));
    world.say(submit("b3", hopeless));
    world.run_until(2_000_000);
    misfortunes(&mut world);
    world.run_until(6_000_000);
    delays(&mut world);
    given_up(&mut world);
    world.run_until(8_000_000);
    promised(&mut world);
    world.run_until(12_000_000);
    world
}

/// A workflow of which a task is late, but not too late, and a quote that cannot be honoured.
fn delays(world: &mut World) {
    world.say(submit("a7", only_on(SOUTH, diamond("ada"))));
    let running = |world: &World| {
        let all = &world.broker.state().reservations;
        let runs = |it: &&ReservedPart| matches!(it.state, PartState::Running(_));
        let mut late = all.iter().filter_map(|(number, it)| Some((number, it.parts.get(2).filter(runs)?)));
        late.next().map(|(number, part)| (*number, part.plan.end.as_millis()))
    };
    let (reservation, end) = loop {
        if let Some(found) = running(world) {
            break found;
        }
        world.run_until(world.now + 1_000);
    };
    world.hear(SOUTH, SiteMessage::Late { reservation, part: 2, until: time(end + 1_000) });
    world.run_until(world.now + 600_000);
    let promised = quote(world, "q4", only_on(SOUTH, job("bob", 1, 50)));
    let lost = world.now;
    world.hear(SOUTH, SiteMessage::Lost(time(lost)));
    world.say(Input::Accept { user: None, key: "q4-yes".into(), quote: promised, option: 0 });
    world.hear(SOUTH, SiteMessage::Back(time(lost + 1)));
    let prices = PriceRules::flat(Rate::from_micros_per_second(2_000_000).unwrap());
    world.say(Input::SetPrices { site: SOUTH, prices });
}

/// Everything that can go wrong, once.
fn misfortunes(world: &mut World) {
    // A site refuses: another allocation, or back to the queue.
    world.refuse.insert(SOUTH);
    world.say(submit("a3", only_on(SOUTH, job("ada", 2, 100))));
    world.run_until(2_400_000);
    // From here on, no spare alternatives are kept.
    let policy = Policy { spares_max: 0, ..(*world.broker.state().policy).clone() };
    world.say(Input::SetPolicy(Box::new(policy)));
    // A part fails by itself.
    world.ends = vec![PartEnd::Failed(3)];
    world.say(submit("a4", only_on(SOUTH, job("ada", 1, 100))));
    world.run_until(2_800_000);
    // A user cancels while it runs.
    let Answer::Job(number) = world.say(submit("b4", only_on(NORTH, job("bob", 1, 400)))) else { panic!() };
    world.run_until(2_950_000);
    world.say(Input::CancelJob { user: "bob".into(), job: number });
    world.run_until(3_200_000);
    // A node fails under a workflow, and comes back.
    world.say(submit("a5", only_on(NORTH, diamond("ada"))));
    world.run_until(3_360_000);
    world.hear(NORTH, SiteMessage::NodeLost { node: NodeId::new(0), at: time(3_360_000) });
    world.run_until(3_600_000);
    world.hear(NORTH, SiteMessage::NodeBack { node: NodeId::new(0), at: time(3_600_000) });
    world.run_until(4_000_000);
    // An owner takes both nodes of a site back.
    let mut alone = only_on(SOUTH, job("bob", 2, 300));
    alone.request.deadline = Some(time(9_000_000));
    world.say(submit("b5", alone));
    world.run_until(4_150_000);
    world.hear(SOUTH, SiteMessage::Taken { node: NodeId::new(2), interval: interval(4_150_000, 6_000_000) });
    world.run_until(4_500_000);
    // A site is lost, and is back later.
    world.say(submit("a6", only_on(NORTH, job("ada", 1, 600))));
    world.run_until(4_700_000);
    world.hear(NORTH, SiteMessage::Lost(time(4_700_000)));
    world.run_until(5_000_000);
    world.hear(NORTH, SiteMessage::Back(time(5_000_000)));
}

/// A job whose site always keeps silent.
fn given_up(world: &mut World) {
    world.say(submit("b6", only_on(NORTH, job("bob", 2, 100))));
    world.quiet = vec![NORTH];
    world.run_until(world.now + 600_000);
    world.quiet = vec![];
}

/// Two jobs that are promised something: the second moves up when the first is cancelled.
fn promised(world: &mut World) {
    let deciding = Deciding::Promise(PromisePolicy::default());
    let policy = Policy { deciding, lead: span(2_000), ..(*world.broker.state().policy).clone() };
    world.say(Input::SetPolicy(Box::new(policy)));
    let first = submit("b8", only_on(NORTH, job("bob", 2, 900)));
    let Answer::Job(first) = world.say(first) else { panic!("a job is submitted") };
    world.run_until(world.now + 100_000);
    world.say(submit("a8", only_on(NORTH, job("ada", 2, 300))));
    world.run_until(world.now + 100_000);
    world.say(Input::CancelJob { user: "bob".into(), job: first });
    world.run_until(world.now + 1_500_000);
}

/// The journal of the day.
pub(crate) fn journal() -> Vec<Entry> {
    day().journal
}

/// A job that is said to be far too late, and is planned again at once.
pub(crate) fn again() -> World {
    let mut world = vo();
    let policy = Policy { spares_max: 0, ..(*world.broker.state().policy).clone() };
    world.say(Input::SetPolicy(Box::new(policy)));
    world.say(submit("a1", only_on(NORTH, job("ada", 1, 1_000))));
    world.run_until(100_000);
    let state = world.broker.state();
    let (reservation, end) = state
        .reservations
        .iter()
        .map(|(number, it)| (*number, it.legs[0].holds[0].interval.end()))
        .next()
        .unwrap();
    let until = time(end.as_millis() + 1_000);
    world.hear(NORTH, SiteMessage::Late { reservation, part: 0, until });
    world.run_until(3_000_000);
    world
}
