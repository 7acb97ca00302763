//! Large instances, drawn from a fixed seed.

#![allow(unreachable_pub, clippy::unwrap_used, reason = "a module of one benchmark")]

use walras_model::*;

/// What to draw.
pub struct Shape {
    pub nodes: u32,
    pub slots: u32,
    /// Whether all nodes are free together at the end, and only there.
    pub all_free_at_the_end: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape { nodes: 1_000, slots: 100_000, all_free_at_the_end: false }
    }
}

pub fn work(millis: i64) -> Work {
    Work::from_millis(millis).unwrap()
}

/// xorshift64*: enough for drawing instances, and the same everywhere.
// Its own stream, not `walras_random`: figures of docs/performance.md and counts from before are of these very instances.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let mixed = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        i64::try_from(mixed).unwrap() % bound
    }
}

/// Every node has `slots / nodes` slots of 10 to 250 s with gaps of 10 to 150 s, performances of 1 to 3, and
/// prices of 1 to 10 that grow with the performance.
pub fn offers(shape: &Shape) -> Offers {
    let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
    let (mut nodes, mut slots) = (Vec::new(), Vec::new());
    let mut end_max = 0;
    for number in 0..shape.nodes {
        let id = NodeId::new(number);
        let performance = 1_000_000 + draw.below(2_000_001);
        nodes.push(Node {
            division: Default::default(),
            name: format!("n{number}"),
            site: SiteId::new(number % 4),
            performance: Performance::from_millionths(performance).unwrap(),
            watts: None,
            attributes: Attributes::new(),
        });
        let mut at = draw.below(100_000);
        for _ in 0..shape.slots / shape.nodes {
            let length = 10_000 + draw.below(240_001);
            let rate = 500_000 + performance + draw.below(2 * performance);
            slots.push((id, at, at + length, rate));
            end_max = end_max.max(at + length);
            at += length + 10_000 + draw.below(140_001);
        }
    }
    if shape.all_free_at_the_end {
        let late = (0..shape.nodes).map(|node| (NodeId::new(node), end_max, end_max + 300_000, 3_000_000));
        slots.extend(late);
        end_max += 300_000;
    }
    let time = |millis| Time::from_millis(millis).unwrap();
    let interval = |start, end| Interval::new(time(start), time(end)).unwrap();
    let slots = slots.into_iter().map(|(node, start, end, rate)| {
        Slot::new(node, interval(start, end), Rate::from_micros_per_second(rate).unwrap()).unwrap()
    });
    let sites = (0..4).map(|site| Site { name: format!("s{site}") }).collect();
    Offers::new(interval(0, end_max), sites, nodes, slots.collect()).unwrap()
}

/// Jobs of 1 to 6 tasks and 50 to 150 s of work, with a price cap of 1.7^performance, as in the papers.
pub fn jobs(count: usize) -> Batch {
    let mut draw = Draw(0xD1B5_4A32_D192_ED03);
    let job = |number: usize| {
        let tasks = u32::try_from(1 + draw.below(6)).unwrap();
        let mut request = Request::new(&format!("J{number}"), tasks, work(50_000 + draw.below(100_001)));
        request.performance_min = Performance::from_millionths(1_000_000 + draw.below(1_000_001)).unwrap();
        request.price_max = Rate::from_micros_per_second(2_500_000 + draw.below(2_000_001));
        request
    };
    Batch::new((0..count).map(job).collect())
}
