//! A plan made by hand: two sites, six unlike nodes, three jobs, four windows.
//!
//! ```text
//! second        0    20   40   60   80   100  ...  200       320
//! campus/c1 x1  .....|----sim 0-----|busy to 150 ............
//! campus/c2 x2.5.....|sim 0|..|sim 1||render|................
//! campus/c3 x3  ..........           |render|................
//! lab/l1    x2                       |-render-|..............
//! lab/l2    x.5 ..................................|---fold---|
//! lab/l3    x2.2..............|sim 1|.............|fold|.....
//! ```

use crate::{
    AlternativeAt, ChosenClaim, Claim, ClaimedAlternative, ClaimedChoice, ClaimedSlot, Rules, SlotAt,
    Violation, verify_plan, verify_window,
};
use walras_model::market::Capacity;

use std::collections::BTreeMap;
use walras_model::*;

/// A claim and what it is held against; offers are always [`offers`].
#[derive(Clone)]
pub(super) struct Fixture {
    pub(super) claim: Claim,
    pub(super) requests: Vec<Request>,
    pub(super) rules: Rules,
}

/// Everything about it is right, and many limits are met exactly.
pub(super) fn valid() -> Fixture {
    let claim = Claim {
        alternatives: vec![
            window("sim", 20.0, 100.0, 704.0, &[("campus/c1", 100.0, 400.0), ("campus/c2", 52.0, 304.0)]),
            window(
                "sim",
                60.0,
                96.364,
                525.8204,
                &[("campus/c2", 92.0, 304.0), ("lab/l3", 96.364, 221.8204)],
            ),
            window(
                "render",
                92.0,
                142.001,
                966.6879,
                &[
                    ("campus/c2", 132.001, 380.0095),
                    ("campus/c3", 125.334, 376.6742),
                    ("lab/l1", 142.001, 210.0042),
                ],
            ),
            window(
                "fold",
                200.0,
                320.0,
                286.3653,
                &[("lab/l2", 320.0, 120.0), ("lab/l3", 227.273, 166.3653)],
            ),
        ],
        ..Claim::default()
    };
    Fixture { claim, requests: requests(), rules: Rules { budget_factor: Factor::ONE, price_cap: false } }
}

/// The same with a choice that is right in everything: the second window of sim and the one of fold; render is
/// left out. Both limits are met exactly, and `idle` has no window.
pub(super) fn chosen() -> Fixture {
    let mut fixture = valid();
    fixture.requests.push(request("idle", 9, 1.0, 1.0));
    fixture.claim.unscheduled = Some(vec!["idle".into()]);
    fixture.claim.choice = Some(ClaimedChoice {
        chosen: vec![fixture.chosen_claim(1), fixture.chosen_claim(3)],
        left_out: vec!["render".into()],
        time_limit: Some(156_364),
        budget_limit: Some(812_185_700),
        cost: 812_185_700,
        time: 156_364,
        makespan: Some(at(320.0)),
        jobs: 2,
    });
    fixture
}

pub(super) fn window(
    job: &str,
    start: f64,
    end: f64,
    cost: f64,
    slots: &[(&str, f64, f64)],
) -> ClaimedAlternative {
    let slots = slots.iter().map(|(place, end, cost)| {
        let (site, node) = place.split_once('/').unwrap();
        let (start, end, cost) = (at(start), at(*end), money(*cost));
        ClaimedSlot {
            units: 1,
            site: site.into(),
            node: node.into(),
            start,
            end,
            cost,
            capacity: site == "grid",
        }
    });
    let slots = slots.collect();
    ClaimedAlternative { job: job.into(), start: at(start), end: at(end), cost: money(cost), slots }
}

fn requests() -> Vec<Request> {
    let linux = Requirement { attribute: "os".into(), test: Test::Equals(Value::Text("linux".into())) };
    let memory = |test| Requirement { attribute: "memory_gb".into(), test };
    let some = memory(Test::OneOf(vec![number(16.0), number(128.0)]));
    let sim = Request {
        price_max: Some(rate(10.0)),
        earliest: Some(at(20.0)),
        deadline: Some(at(100.0)),
        ..request("sim", 2, 80.0, 1.0)
    };
    let render = Request {
        budget: Some(money(966.6879)),
        requires: vec![linux, memory(at_least(16.0))],
        ..request("render", 3, 100.001, 2.0)
    };
    let fold = Request {
        price_max: Some(rate(7.0)),
        requires: vec![some],
        scope: Scope { same_site: true, sites: Some(vec![SiteId::new(1)]), ..Scope::default() },
        ..request("fold", 2, 60.0, 0.5)
    };
    vec![sim, render, fold]
}

fn request(name: &str, tasks: u32, work: f64, performance_min: f64) -> Request {
    let work = Work::from_millis(units(work, 1e3)).unwrap();
    Request { performance_min: performance(performance_min), ..Request::new(name, tasks, work) }
}

/// Site, name, performance, price, operating system, memory, free time.
type NodeRow = (u32, &'static str, f64, f64, &'static str, f64, &'static [(f64, f64)]);

const NODES: [NodeRow; 6] = [
    (0, "c1", 1.0, 5.0, "linux", 8.0, &[(0.0, 100.0), (150.0, 600.0)]),
    (0, "c2", 2.5, 9.5, "linux", 64.0, &[(0.0, 600.0)]),
    (0, "c3", 3.0, 11.3, "linux", 32.0, &[(40.0, 600.0)]),
    (1, "l1", 2.0, 4.2, "linux", 16.0, &[(92.0, 400.0)]),
    (1, "l2", 0.5, 1.0, "bsd", 16.0, &[(0.0, 600.0)]),
    (1, "l3", 2.2, 6.1, "linux", 128.0, &[(0.0, 600.0)]),
];

/// What the plan is cut from.
pub(super) fn offers() -> Offers {
    let sites = ["campus", "lab", "grid"].map(|name| Site { name: name.into() }).to_vec();
    let (mut nodes, mut slots) = (Vec::new(), Vec::new());
    for (index, (site, name, speed, price, os, memory, free)) in NODES.iter().enumerate() {
        nodes.push(Node {
            division: Default::default(),
            name: (*name).into(),
            site: SiteId::new(*site),
            performance: performance(*speed),
            watts: None,
            attributes: Attributes::from([
                ("os".into(), Value::Text((*os).into())),
                ("memory_gb".into(), number(*memory)),
            ]),
        });
        let node = NodeId::from_index(index).unwrap();
        slots.extend(free.iter().map(|(start, end)| {
            Slot::new(node, Interval::new(at(*start), at(*end)).unwrap(), rate(*price)).unwrap()
        }));
    }
    let offers = Offers::new(Interval::new(at(0.0), at(600.0)).unwrap(), sites, nodes, slots).unwrap();
    offers.with_capacity(vec![grid()]).unwrap()
}

/// Three processors, which cost one user less and another one more.
fn grid() -> CapacityOffer {
    let prices = BTreeMap::from([("ada".to_owned(), rate(3.0)), ("bob".to_owned(), rate(7.5))]);
    CapacityOffer {
        site: SiteId::new(2),
        capacity: Capacity { processors: 3, speed: performance(2.0), price: rate(4.0), prices },
        watts: None,
        attributes: Attributes::new(),
    }
}

impl Fixture {
    pub(super) fn verify(&self) -> Vec<Violation> {
        verify_plan(&self.claim, &offers(), &Batch::new(self.requests.clone()), self.rules)
    }

    #[track_caller]
    pub(super) fn expect(&self, name: &str, expected: &[Violation]) {
        assert_eq!(self.verify(), expected, "{name}");
        self.expect_the_same_by_nodes(name);
    }

    /// Every alternative alone has the same wrong with it by the ids of its nodes as by their names, as far as there are such.
    #[track_caller]
    fn expect_the_same_by_nodes(&self, name: &str) {
        let (offers, batch) = (offers(), Batch::new(self.requests.clone()));
        let is_at = |node: &Node, slot: &ClaimedSlot| {
            node.name == slot.node && offers.sites()[node.site.index()].name == slot.site
        };
        for alternative in &self.claim.alternatives {
            let of = |slot: &ClaimedSlot| offers.nodes().iter().position(|node| is_at(node, slot));
            let Some(on) = alternative.slots.iter().map(of).collect::<Option<Vec<usize>>>() else { continue };
            let on: Vec<NodeId> = on.into_iter().filter_map(NodeId::from_index).collect();
            let alone = Claim { alternatives: vec![alternative.clone()], ..Claim::default() };
            let by_name = verify_plan(&alone, &offers, &batch, self.rules);
            assert_eq!(verify_window(alternative, &on, &offers, &batch, self.rules), by_name, "{name}");
        }
    }

    pub(super) fn alternative(&self, index: usize) -> AlternativeAt {
        AlternativeAt { index, job: self.claim.alternatives[index].job.clone() }
    }

    /// An entry that chooses that alternative.
    pub(super) fn chosen_claim(&self, alternative: usize) -> ChosenClaim {
        let ClaimedAlternative { job, start, end, cost, .. } = self.claim.alternatives[alternative].clone();
        ChosenClaim { job, alternative, start, end, cost, time: end.span_since(start).unwrap() }
    }

    /// The choice of a fixture that has one.
    pub(super) fn choice(&mut self) -> &mut ClaimedChoice {
        self.claim.choice.as_mut().unwrap()
    }

    pub(super) fn slot(&self, alternative: usize, index: usize) -> SlotAt {
        let window = &self.claim.alternatives[alternative];
        let ClaimedSlot { site, node, .. } = window.slots[index].clone();
        SlotAt { alternative, job: window.job.clone(), index, site, node }
    }

    /// Puts a slot on another node, with the run time and cost that this node gives.
    pub(super) fn place(&mut self, alternative: usize, slot: usize, node: usize) {
        let window = &mut self.claim.alternatives[alternative];
        let work = self.requests.iter().find(|request| request.name == window.job).unwrap().work;
        let (site, name, speed, price, ..) = NODES[node];
        let start = window.slots[slot].start;
        let span = work.runtime_on(performance(speed)).unwrap();
        window.slots[slot] = ClaimedSlot {
            units: 1,
            site: ["campus", "lab"][site as usize].into(),
            node: name.into(),
            start,
            end: start.checked_add(span).unwrap(),
            cost: rate(price).cost_of(span).unwrap(),
            capacity: false,
        };
        self.settle(alternative);
    }

    /// Moves a whole window to another start.
    pub(super) fn shift(&mut self, alternative: usize, start: f64) {
        let window = &mut self.claim.alternatives[alternative];
        window.start = at(start);
        for slot in &mut window.slots {
            let span = slot.end.span_since(slot.start).unwrap();
            slot.start = at(start);
            slot.end = slot.start.checked_add(span).unwrap();
        }
        self.settle(alternative);
    }

    /// Makes a window's end and cost follow from its slots.
    pub(super) fn settle(&mut self, alternative: usize) {
        let window = &mut self.claim.alternatives[alternative];
        window.end = window.slots.iter().map(|slot| slot.end).max().unwrap();
        window.cost = window.slots.iter().map(|slot| slot.cost).sum();
    }
}

#[expect(clippy::cast_possible_truncation, reason = "test figures are small and written by hand")]
fn units(value: f64, per_unit: f64) -> i64 {
    (value * per_unit).round() as i64
}

pub(super) fn at(seconds: f64) -> Time {
    Time::from_millis(units(seconds, 1e3)).unwrap()
}

pub(super) fn seconds(seconds: f64) -> Span {
    Span::from_millis(units(seconds, 1e3)).unwrap()
}

pub(super) fn money(credits: f64) -> Money {
    Money::from_micros(units(credits, 1e6))
}

pub(super) fn rate(credits_per_second: f64) -> Rate {
    Rate::from_micros_per_second(units(credits_per_second, 1e6)).unwrap()
}

pub(super) fn performance(speed: f64) -> Performance {
    Performance::from_millionths(units(speed, 1e6)).unwrap()
}

pub(super) fn number(value: f64) -> Value {
    Value::Number(Fixed::from_millionths(units(value, 1e6)))
}

pub(super) fn at_least(value: f64) -> Test {
    Test::Range { min: Some(Fixed::from_millionths(units(value, 1e6))), max: None }
}
