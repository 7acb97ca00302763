//! Random instances larger than a block, with many equal starts.

use std::collections::BTreeMap;
use walras_model::*;
use walras_random::Draws;

/// What instances are drawn with.
pub(super) struct Draw(Draws);

impl Draw {
    pub(super) fn new(seed: u64) -> Draw {
        Draw(Draws::new(seed))
    }

    pub(super) fn below(&mut self, bound: i64) -> i64 {
        i64::try_from(self.0.below(usize::try_from(bound).unwrap())).unwrap()
    }

    pub(super) fn percent(&mut self, percent: i64) -> bool {
        self.below(100) < percent
    }

    pub(super) fn one_of(&mut self, values: &[i64]) -> i64 {
        values[usize::try_from(self.below(i64::try_from(values.len()).unwrap())).unwrap()]
    }

    pub(super) fn factor(&mut self) -> Factor {
        Factor::from_millionths(self.one_of(&[1_000_000, 750_000, 333_333])).unwrap()
    }

    fn id(&mut self, bound: i64) -> u32 {
        u32::try_from(self.below(bound)).unwrap()
    }
}

pub(super) fn time(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

pub(super) fn interval(start: i64, end: i64) -> Interval {
    Interval::new(time(start), time(end)).unwrap()
}

/// Several rates per node, starts on a grid, some nodes without watts.
pub(super) fn offers(draw: &mut Draw, nodes: i64, horizon: i64) -> Offers {
    let (mut list, mut slots) = (Vec::new(), Vec::new());
    let grid = draw.one_of(&[1, 1, 5, 10]);
    let longest = draw.one_of(&[8, 20, 60, 300]);
    for index in 0..nodes {
        let id = NodeId::new(u32::try_from(index).unwrap());
        list.push(node(draw, index));
        let mut at = draw.below(20) / grid * grid;
        while at < horizon {
            let end = (at + 1 + draw.below(longest)).div_ceil_to(grid).min(horizon).max(at + 1);
            let rate = if draw.percent(30) { 1_000 } else { 1 + draw.below(9_000) };
            let rate = Rate::from_micros_per_second(rate).unwrap();
            slots.push(Slot::new(id, interval(at, end), rate).unwrap());
            at = end + draw.below(12) / grid * grid;
        }
    }
    let sites = ["a", "b", "c"].map(|name| Site { name: name.into() }).to_vec();
    Offers::new(interval(0, horizon + 1), sites, list, slots).unwrap()
}

trait DivCeilTo {
    fn div_ceil_to(self, grid: i64) -> i64;
}

impl DivCeilTo for i64 {
    fn div_ceil_to(self, grid: i64) -> i64 {
        (self + grid - 1) / grid * grid
    }
}

fn node(draw: &mut Draw, index: i64) -> Node {
    let performance = draw.one_of(&[500_000, 1_000_000, 1_000_000, 1_300_000, 2_000_000, 3_000_000]);
    let noise = draw.below(5);
    let attributes = BTreeMap::from([
        ("noise".to_owned(), Value::Number(Fixed::from_millionths(noise))),
        ("gpu".to_owned(), Value::Flag(draw.percent(50))),
    ]);
    Node {
        division: Default::default(),
        name: format!("n{index}"),
        site: SiteId::new(draw.id(3)),
        performance: Performance::from_millionths(performance).unwrap(),
        watts: if draw.percent(90) { Watts::from_milliwatts(noise * 7 + draw.below(20)) } else { None },
        attributes,
    }
}

pub(super) fn request(draw: &mut Draw, nodes: i64, horizon: i64) -> Request {
    let tasks = 1 + if draw.percent(50) { draw.below(nodes.min(4)) } else { draw.below(nodes) };
    let work = 1 + if draw.percent(70) { draw.below(8) } else { draw.below(40) };
    let mut request = Request::new("J", u32::try_from(tasks).unwrap(), Work::from_millis(work).unwrap());
    let performance = draw.one_of(&[500_000, 900_000, 1_000_000, 2_000_000]);
    request.performance_min = Performance::from_millionths(performance).unwrap();
    if draw.percent(50) {
        request.price_max = Rate::from_micros_per_second(1 + draw.below(9_000));
    }
    if draw.percent(35) {
        request.budget = Some(Money::from_micros(1 + draw.below(tasks * 40)));
    }
    if draw.percent(30) {
        request.deadline = Some(time(draw.below(horizon + 20)));
    }
    if draw.percent(30) {
        request.earliest = Some(time(draw.below(horizon)));
    }
    request.priority = draw.below(3) - 1;
    request.scope.same_site = draw.percent(20);
    if draw.percent(15) {
        request.scope.sites = Some(vec![SiteId::new(draw.id(3))]);
    }
    if draw.percent(10) {
        let test = Test::Equals(Value::Flag(true));
        request.requires = vec![Requirement { attribute: "gpu".into(), test }];
    }
    request
}

pub(super) fn batch(draw: &mut Draw, jobs: i64, nodes: i64, horizon: i64) -> Batch {
    let job = |index| Request { name: format!("J{index}"), ..request(draw, nodes, horizon) };
    Batch::new((0..jobs).map(job).collect())
}
