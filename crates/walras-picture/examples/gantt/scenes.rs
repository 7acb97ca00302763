//! Scenes to draw: the worked example with six nodes, and generated ones of any size.

use walras_model::interval::complement;
use walras_model::{
    Alternative, Attributes, Batch, Interval, JobId, Node, NodeId, Offers, Performance, Placement, Rate,
    Request, Site, SiteId, Slot, SlotKey, Span, Time, Window, Work,
};

/// What a scene borrows.
pub(crate) struct Stage {
    /// Nodes and free time.
    pub(crate) offers: Offers,
    /// Jobs.
    pub(crate) batch: Batch,
    /// Windows.
    pub(crate) alternatives: Vec<Alternative>,
}

/// Six nodes, three jobs, eight windows.
pub(crate) fn small() -> Stage {
    let busy: [&[(i64, i64)]; 6] =
        [&[(20, 150), (370, 580)], &[(0, 230)], &[(0, 450)], &[(300, 580)], &[(0, 420)], &[(170, 270)]];
    let prices = [5, 4, 2, 5, 9, 12];
    let nodes = (1..=6).map(|number| node(&format!("cpu{number}"), 0, 10)).collect();
    let slots =
        (0..6).flat_map(|n| free_slots(n, 600, busy[n as usize], prices[n as usize] * 1_000)).collect();
    let offers = Offers::new(seconds(0, 600), vec![site("campus")], nodes, slots).expect("fixed offers");
    let windows: [(u32, i64, i64, &[u32]); 8] = [
        (1, 150, 230, &[1, 4]),
        (2, 230, 260, &[1, 2, 4]),
        (3, 450, 500, &[2, 3]),
        (1, 260, 340, &[1, 2]),
        (2, 340, 370, &[1, 2, 6]),
        (3, 500, 550, &[2, 3]),
        (2, 420, 450, &[2, 5, 6]),
        (3, 550, 600, &[2, 3]),
    ];
    let alternative = |(job, start, end, nodes): (u32, i64, i64, &[u32])| {
        let placements = nodes.iter().map(|node| place(&offers, NodeId::new(node - 1), seconds(start, end)));
        alternative(job - 1, placements.map(|placement| placement.expect("free")).collect())
    };
    let alternatives = windows.map(alternative).to_vec();
    Stage {
        offers,
        batch: Batch::new(vec![job("J1", 2, 80), job("J2", 3, 30), job("J3", 2, 50)]),
        alternatives,
    }
}

/// So many nodes, sites and jobs over ten hours, the same at every call; every tenth job has no window.
pub(crate) fn large(nodes: u32, sites: u32, jobs: u32) -> Stage {
    const HORIZON: i64 = 36_000;
    let mut dice = Dice(7);
    let names = ["aurora", "borealis", "campus", "delta"];
    let site_name = |n: u32| names.get(n as usize).map_or(format!("site{n}"), |name| (*name).to_owned());
    let per_site = nodes.div_ceil(sites);
    let machines: Vec<Node> = (0..nodes)
        .map(|n| {
            node(
                &format!("{}{:03}", &site_name(n / per_site)[..1], n % per_site + 1),
                n / per_site,
                dice.roll(8, 30),
            )
        })
        .collect();
    let mut slots = Vec::new();
    for (n, machine) in (0..).zip(&machines) {
        let busy = owners_work(&mut dice, HORIZON);
        let rate = machine.performance.as_millionths() / 1_000 + dice.roll(0, 800);
        slots.extend(free_slots(n, HORIZON, &busy, rate));
    }
    let sites = (0..sites).map(|n| site(&site_name(n))).collect();
    let offers = Offers::new(seconds(0, HORIZON), sites, machines, slots).expect("generated offers");
    let requests = (1..=jobs).map(|n| job(&format!("J{n}"), dice.small(2, 9), dice.roll(900, 4_000)));
    let batch = Batch::new(requests.collect());
    let alternatives = generate_windows(&mut dice, &offers, &batch, HORIZON);
    Stage { offers, batch, alternatives }
}

fn owners_work(dice: &mut Dice, horizon: i64) -> Vec<(i64, i64)> {
    let mut busy = Vec::new();
    let mut at = dice.roll(0, 4_000);
    while at < horizon {
        let end = (at + dice.roll(600, 6_000)).min(horizon);
        busy.push((at, end));
        at = end + dice.roll(2_000, 14_000);
    }
    busy
}

/// Tries some starts per job on neighbouring nodes, keeping what is still free.
fn generate_windows(dice: &mut Dice, offers: &Offers, batch: &Batch, horizon: i64) -> Vec<Alternative> {
    let mut taken: Vec<(NodeId, Interval)> = Vec::new();
    let mut found = Vec::new();
    for attempt in 0..8 * batch.requests().len() {
        let job = attempt % batch.requests().len();
        let request = &batch.requests()[job];
        let start = dice.roll(0, horizon / 300) * 300;
        let count = offers.nodes().len();
        let first = dice.small(0, count) as usize;
        let placements: Vec<Placement> = (0..count.min(50))
            .filter_map(|step| NodeId::from_index((first + step) % count))
            .filter_map(|node| {
                let runtime = request.work.runtime_on(offers.node(node).performance)?;
                let start = Time::from_millis(start * 1_000)?;
                place(offers, node, Interval::new(start, start.checked_add(runtime)?)?)
            })
            .filter(|p| !taken.iter().any(|(node, other)| *node == p.node && other.overlaps(p.interval)))
            .take(request.tasks as usize)
            .collect();
        if placements.len() == request.tasks as usize && job % 10 != 9 {
            taken.extend(placements.iter().map(|placement| (placement.node, placement.interval)));
            found.push(alternative(u32::try_from(job).expect("few jobs"), placements));
        }
    }
    found
}

/// A small generator of numbers; the constants are Knuth's.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, from: i64, below: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from + (self.0 >> 33).cast_signed() % (below - from)
    }

    fn small(&mut self, from: u32, below: usize) -> u32 {
        let below = i64::try_from(below).expect("a small number");
        u32::try_from(self.roll(from.into(), below)).expect("a small number")
    }
}

/// A placement on a node, when one slot of it covers the interval.
fn place(offers: &Offers, node: NodeId, interval: Interval) -> Option<Placement> {
    let covers = |slot: &&Slot| {
        slot.node() == node && slot.start() <= interval.start() && interval.end() <= slot.end()
    };
    let slot = offers.slots().iter().find(covers)?;
    let cost = slot.rate().cost_of(interval.span())?;
    Some(Placement {
        units: 1,
        node,
        interval,
        rate: slot.rate(),
        cost,
        source: SlotKey { start: slot.start(), node },
    })
}

fn alternative(job: u32, placements: Vec<Placement>) -> Alternative {
    let window = Window::new(placements).expect("one start, distinct nodes");
    Alternative { job: JobId::new(job), window, bound: None }
}

/// The free slots of a node that is busy at these seconds, for so many thousandths of a credit a second.
pub(crate) fn free_slots(node: u32, horizon: i64, busy: &[(i64, i64)], millicredits: i64) -> Vec<Slot> {
    let busy: Vec<Interval> = busy.iter().map(|(start, end)| seconds(*start, *end)).collect();
    let rate = Rate::from_micros_per_second(millicredits * 1_000).expect("a price");
    let free = complement(seconds(0, horizon), &busy);
    free.into_iter().filter_map(|free| Slot::new(NodeId::new(node), free, rate)).collect()
}

/// A node of that many tenths of the reference performance.
pub(crate) fn node(name: &str, site: u32, tenths: i64) -> Node {
    let performance = Performance::from_millionths(tenths * 100_000).expect("a performance");
    Node {
        division: Default::default(),
        name: name.to_owned(),
        site: SiteId::new(site),
        performance,
        watts: None,
        attributes: Attributes::new(),
    }
}

/// A site.
pub(crate) fn site(name: &str) -> Site {
    Site { name: name.to_owned() }
}

/// A job of so many tasks of so many seconds.
pub(crate) fn job(name: &str, tasks: u32, work: i64) -> Request {
    Request::new(name, tasks, Work::from_millis(work * 1_000).expect("work"))
}

/// `[start, end)` in seconds.
pub(crate) fn seconds(start: i64, end: i64) -> Interval {
    let time = |seconds: i64| {
        let span = Span::from_millis(seconds * 1_000)?;
        Time::from_millis(0)?.checked_add(span)
    };
    time(start).zip(time(end)).and_then(|(start, end)| Interval::new(start, end)).expect("an interval")
}
