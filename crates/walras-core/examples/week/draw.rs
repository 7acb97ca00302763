//! A week of a federation, drawn from a fixed seed.

use std::fmt::Write;
use walras_model::offer::slots_of_node;
use walras_model::*;

const WEEK: i64 = 7 * 24 * 3_600;
const SITES: u32 = 10;

/// xorshift64*: enough for drawing instances, and the same everywhere.
// Its own stream, not `walras_random`: docs/performance.md records what is found in these very instances.
struct Draw(u64);

impl Draw {
    /// From `least` to `most`, both included.
    fn of(&mut self, least: i64, most: i64) -> i64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let mixed = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        least + i64::try_from(mixed).unwrap() % (most - least + 1)
    }
}

/// A node: thousandths of performance and of credits a second, and when it is free, in seconds.
pub struct DrawnNode {
    performance: i64,
    price: i64,
    watts: i64,
    noise: i64,
    free: Vec<(i64, i64)>,
}

/// A job: its tasks, the seconds of work of each, thousandths of the least performance and of the greatest price.
pub struct DrawnJob {
    tasks: u32,
    work: i64,
    performance_min: i64,
    price_max: i64,
}

/// Nodes of performances 1 to 3, free for 1 to 12 hours and busy for 30 minutes to 8 hours in turn; prices that
/// grow with the performance, with a factor of 0.75 to 1.25.
pub fn nodes(count: usize) -> Vec<DrawnNode> {
    let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
    let node = |_| {
        let performance = draw.of(1_000, 3_000);
        let price = performance * draw.of(750, 1_250) / 1_000;
        let (mut free, mut at) = (Vec::new(), draw.of(0, 6 * 3_600));
        while at < WEEK {
            let end = (at + draw.of(3_600, 12 * 3_600)).min(WEEK);
            free.push((at, end));
            at = end + draw.of(1_800, 8 * 3_600);
        }
        DrawnNode { performance, price, watts: draw.of(100, 400), noise: draw.of(0, 99), free }
    };
    (0..count).map(node).collect()
}

/// Jobs of 1 to 6 tasks of half an hour to three and a half hours, whose prices suffice for about half of the nodes.
pub fn jobs(count: usize) -> Vec<DrawnJob> {
    let mut draw = Draw(0xD1B5_4A32_D192_ED03);
    let job = |_| {
        let performance_min = draw.of(1_000, 2_000);
        DrawnJob {
            tasks: u32::try_from(draw.of(1, 6)).unwrap(),
            work: draw.of(1_800, 12_600),
            performance_min,
            price_max: performance_min * draw.of(900, 1_300) / 1_000,
        }
    };
    (0..count).map(job).collect()
}

fn interval(start: i64, end: i64) -> Interval {
    let time = |seconds: i64| Time::from_millis(seconds * 1_000).unwrap();
    Interval::new(time(start), time(end)).unwrap()
}

pub fn offers(drawn: &[DrawnNode]) -> Offers {
    let (mut nodes, mut slots) = (Vec::new(), Vec::new());
    for (number, node) in (0_u32..).zip(drawn) {
        let noise = Value::Number(Fixed::from_millionths(node.noise * 1_000_000));
        nodes.push(Node {
            division: Default::default(),
            name: format!("n{number}"),
            site: SiteId::new(number % SITES),
            performance: Performance::from_millionths(node.performance * 1_000).unwrap(),
            watts: Watts::from_milliwatts(node.watts * 1_000),
            attributes: Attributes::from([("noise".to_owned(), noise)]),
        });
        let free: Vec<Interval> = node.free.iter().map(|(start, end)| interval(*start, *end)).collect();
        let rate = Rate::from_micros_per_second(node.price * 1_000).unwrap();
        slots.extend(slots_of_node(NodeId::new(number), rate, &free).unwrap());
    }
    let sites = (0..SITES).map(|site| Site { name: format!("s{site}") }).collect();
    Offers::new(interval(0, WEEK), sites, nodes, slots).unwrap()
}

pub fn batch(drawn: &[DrawnJob]) -> Batch {
    let request = |(number, job): (usize, &DrawnJob)| {
        let work = Work::from_millis(job.work * 1_000).unwrap();
        let mut request = Request::new(&format!("J{number}"), job.tasks, work);
        request.performance_min = Performance::from_millionths(job.performance_min * 1_000).unwrap();
        request.price_max = Rate::from_micros_per_second(job.price_max * 1_000);
        request
    };
    Batch::new(drawn.iter().enumerate().map(request).collect())
}

/// The same as a scenario in JSON, for `walras plan`.
pub fn scenario(nodes: &[DrawnNode], jobs: &[DrawnJob]) -> String {
    let thousandths = |number: i64| format!("{}.{:03}", number / 1_000, number % 1_000);
    let mut sites = vec![Vec::new(); SITES as usize];
    for (number, node) in nodes.iter().enumerate() {
        let free: Vec<String> = node.free.iter().map(|(start, end)| format!("[{start},{end}]")).collect();
        sites[number % SITES as usize].push(format!(
            "{{\"name\":\"n{number}\",\"performance\":{},\"price\":{},\"watts\":{},\"attributes\":{{\"noise\":{}}},\"free\":[{}]}}",
            thousandths(node.performance), thousandths(node.price), node.watts, node.noise, free.join(","),
        ));
    }
    let mut text = format!("{{\"walras\":\"scenario/1\",\"horizon\":[0,{WEEK}],\"sites\":[");
    for (number, nodes) in sites.iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(text, "{comma}{{\"name\":\"s{number}\",\"nodes\":[{}]}}", nodes.join(","));
    }
    let jobs: Vec<String> = jobs
        .iter()
        .enumerate()
        .map(|(number, job)| {
            format!(
                "{{\"name\":\"J{number}\",\"tasks\":{},\"work\":{},\"performance_min\":{},\"price_max\":{}}}",
                job.tasks,
                job.work,
                thousandths(job.performance_min),
                thousandths(job.price_max),
            )
        })
        .collect();
    let _ = write!(text, "],\"jobs\":[{}]}}", jobs.join(","));
    text
}
