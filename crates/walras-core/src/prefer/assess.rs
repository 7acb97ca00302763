//! What an alternative is worth by each criterion: windows with guaranteed times, and queues without.
//!
//! Both are judged by the same criteria, so that one batch can choose among them. A window's start is guaranteed
//! and expected alike; a queue guarantees nothing, and its expected start is now plus its expected wait.

use super::criterion::{Criterion, Direction};
use walras_model::attribute::{Attributes, Value};
use walras_model::division::{time_of_units, watts_of_units};
use walras_model::id::SiteId;
use walras_model::offer::Offers;
use walras_model::quantity::{MILLION, Money, Performance, Rate, Span, Time, Watts, Work};
use walras_model::request::Request;
use walras_model::window::Window;

/// Best effort: what a site's queue says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueOffer {
    /// Unique among the queues.
    pub name: String,
    /// Whose it is.
    pub site: SiteId,
    /// How long a job is expected to wait.
    pub wait: Span,
    /// Speed of its nodes.
    pub performance: Performance,
    /// What a node costs.
    pub rate: Rate,
    /// How many nodes jobs may have there together; no limit, without.
    pub units: Option<u32>,
    /// Power that one of its nodes draws.
    pub watts: Option<Watts>,
    /// What else requests may ask for.
    pub attributes: Attributes,
}

/// What history says of a job's run time, at performance 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Its standard deviation.
    pub deviation: Span,
    /// The longest so far.
    pub max: Span,
    /// The mean error of predictions so far.
    pub error: Span,
    /// How long it is likely to take; by the user's estimate, without.
    pub likely: Option<Span>,
}

/// What the criteria need to know beside the alternative.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// What is for sale.
    pub offers: &'a Offers,
    /// The job.
    pub request: &'a Request,
    /// When waiting begins.
    pub now: Time,
    /// What history says.
    pub spread: Option<Spread>,
    /// The load of every site, in millionths.
    pub loads: &'a [i64],
}

/// The share of each site's time in the horizon that is not for sale, in millionths.
pub fn site_loads(offers: &Offers) -> Vec<i64> {
    let horizon = i128::from(offers.horizon().span().as_millis());
    let (mut all, mut free) = (vec![0_i128; offers.sites().len()], vec![0_i128; offers.sites().len()]);
    for node in offers.nodes() {
        all[node.site.index()] += horizon;
    }
    for slot in offers.slots() {
        let node = offers.node(slot.node());
        let part = time_of_units(slot.span(), slot.units(), node.division.units());
        free[node.site.index()] += i128::from(part);
    }
    let load = |(all, free): (&i128, &i128)| {
        let taken = (all - free) * i128::from(MILLION);
        taken.checked_div(*all).and_then(|load| i64::try_from(load).ok()).unwrap_or(0)
    };
    all.iter().zip(&free).map(load).collect()
}

/// The value of a window; with a site, only what lies there counts. `None` when it says nothing of the criterion.
pub fn of_window(
    facts: &Facts<'_>,
    window: &Window,
    criterion: &Criterion,
    site: Option<SiteId>,
) -> Option<i64> {
    let node = |placement: &walras_model::window::Placement| facts.offers.node(placement.node);
    let placements = || {
        let there = move |placement: &&walras_model::window::Placement| {
            site.is_none_or(|site| node(placement).site == site)
        };
        window.placements().iter().filter(there)
    };
    placements().next()?;
    let slowest = placements().map(|placement| node(placement).performance).min()?;
    match criterion {
        Criterion::GuaranteedStart | Criterion::Start => Some(window.start().as_millis()),
        Criterion::Finish => Some(window.end().as_millis()),
        Criterion::Wait => Some(window.start() - facts.now),
        Criterion::Cost | Criterion::Income => {
            Some(placements().map(|placement| placement.cost).sum::<Money>().as_micros())
        }
        Criterion::Speed => Some(slowest.as_millionths()),
        Criterion::Energy => placements().try_fold(0_i64, |sum, placement| {
            let node = node(placement);
            let watts = watts_of_units(node.watts?, placement.units, node.division.units());
            sum.checked_add(energy(watts, placement.interval.span())?)
        }),
        Criterion::Load => {
            placements().map(|placement| facts.loads.get(node(placement).site.index()).copied()).max()?
        }
        Criterion::Memory | Criterion::Attribute(..) => {
            worst(criterion, placements().map(|placement| &node(placement).attributes))
        }
        Criterion::SpareTime => facts.request.deadline.map(|deadline| deadline - window.end()),
        Criterion::LikelyFinish
        | Criterion::FinishDeviation
        | Criterion::FinishMax
        | Criterion::FinishError => spread(facts, criterion, window.start(), slowest),
    }
}

/// The value of a queue for the job. `None` when it says nothing of the criterion.
pub fn of_queue(facts: &Facts<'_>, queue: &QueueOffer, criterion: &Criterion) -> Option<i64> {
    let runtime = facts.request.work.runtime_on(queue.performance)?;
    let start = facts.now.checked_add(queue.wait)?;
    let finish = start.checked_add(runtime)?;
    let tasks = i64::from(facts.request.tasks);
    match criterion {
        Criterion::GuaranteedStart => None,
        Criterion::Start => Some(start.as_millis()),
        Criterion::Finish => Some(finish.as_millis()),
        Criterion::Wait => Some(queue.wait.as_millis()),
        Criterion::Cost | Criterion::Income => queue.rate.cost_of(runtime)?.as_micros().checked_mul(tasks),
        Criterion::Speed => Some(queue.performance.as_millionths()),
        Criterion::Energy => energy(queue.watts?, runtime)?.checked_mul(tasks),
        Criterion::Load => facts.loads.get(queue.site.index()).copied(),
        Criterion::Memory | Criterion::Attribute(..) => worst(criterion, std::iter::once(&queue.attributes)),
        Criterion::SpareTime => facts.request.deadline.map(|deadline| deadline - finish),
        Criterion::LikelyFinish
        | Criterion::FinishDeviation
        | Criterion::FinishMax
        | Criterion::FinishError => spread(facts, criterion, start, queue.performance),
    }
}

/// Milliwatts times milliseconds: microjoules.
fn energy(watts: Watts, span: Span) -> Option<i64> {
    watts.as_milliwatts().checked_mul(span.as_millis())
}

/// The worst value of a numeric attribute among nodes; `None` when one does not state it.
fn worst<'a>(criterion: &Criterion, nodes: impl Iterator<Item = &'a Attributes>) -> Option<i64> {
    let (name, direction) = match criterion {
        Criterion::Attribute(name, direction) => (name.as_str(), *direction),
        _ => ("memory", Direction::More),
    };
    let values = nodes.map(|attributes| match attributes.get(name) {
        Some(Value::Number(number)) => Some(number.as_millionths()),
        _ => None,
    });
    let values: Option<Vec<i64>> = values.collect();
    match direction {
        Direction::Less => values?.into_iter().max(),
        Direction::More => values?.into_iter().min(),
    }
}

fn spread(facts: &Facts<'_>, criterion: &Criterion, start: Time, slowest: Performance) -> Option<i64> {
    let on = |span: Span| match Work::from_millis(span.as_millis()) {
        Some(work) => work.runtime_on(slowest).map(Span::as_millis),
        None => Some(0),
    };
    let spread = facts.spread?;
    match criterion {
        Criterion::FinishDeviation => on(spread.deviation),
        Criterion::FinishError => on(spread.error),
        Criterion::LikelyFinish => Some(start.as_millis() + on(spread.likely?)?),
        _ => Some(start.as_millis() + on(spread.max)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::interval::Interval;
    use walras_model::offer::{Node, Site, Slot};
    use walras_model::quantity::Fixed;
    use walras_model::window::Placement;
    use walras_model::{Division, NodeId, SlotKey};

    fn seconds(value: i64) -> Time {
        Time::from_millis(value * 1_000).unwrap()
    }

    fn span(value: i64) -> Span {
        Span::from_millis(value * 1_000).unwrap()
    }

    fn node(site: u32, performance: i64, memory: i64) -> Node {
        Node {
            division: Default::default(),
            name: format!("n{site}"),
            site: SiteId::new(site),
            performance: Performance::from_millionths(performance * MILLION).unwrap(),
            watts: Watts::from_milliwatts(100_000 * performance),
            attributes: [("memory".to_owned(), Value::Number(Fixed::from_millionths(memory * MILLION)))]
                .into(),
        }
    }

    fn offers() -> Offers {
        let horizon = Interval::new(seconds(0), seconds(100)).unwrap();
        let rate = Rate::from_micros_per_second(2 * MILLION).unwrap();
        let slot = |node, end| {
            Slot::new(NodeId::new(node), Interval::new(seconds(0), seconds(end)).unwrap(), rate).unwrap()
        };
        let sites = ["a", "b"].map(|name| Site { name: name.into() }).to_vec();
        Offers::new(horizon, sites, vec![node(0, 1, 8), node(1, 2, 4)], vec![slot(0, 75), slot(1, 100)])
            .unwrap()
    }

    fn window() -> Window {
        let placement = |node, end, cost| Placement {
            units: 1,
            node: NodeId::new(node),
            interval: Interval::new(seconds(10), seconds(end)).unwrap(),
            rate: Rate::from_micros_per_second(2 * MILLION).unwrap(),
            cost: Money::from_micros(cost * MILLION),
            source: SlotKey { start: seconds(0), node: NodeId::new(node) },
        };
        Window::new(vec![placement(0, 50, 80), placement(1, 30, 40)]).unwrap()
    }

    #[test]
    fn windows_and_queues_are_judged_alike() {
        let (offers, window) = (offers(), window());
        let mut request = Request::new("j", 2, Work::from_millis(40_000).unwrap());
        request.deadline = Some(seconds(90));
        let loads = site_loads(&offers);
        assert_eq!(loads, [250_000, 0]);
        let spread = Spread { deviation: span(4), max: span(60), error: span(2), likely: Some(span(30)) };
        let facts = Facts {
            offers: &offers,
            request: &request,
            now: seconds(0),
            spread: Some(spread),
            loads: &loads,
        };
        let queue = QueueOffer {
            name: "q".into(),
            site: SiteId::new(1),
            wait: span(5),
            performance: Performance::from_millionths(2 * MILLION).unwrap(),
            rate: Rate::from_micros_per_second(MILLION).unwrap(),
            units: None,
            watts: Watts::from_milliwatts(1_000),
            attributes: Attributes::new(),
        };
        let expected = [
            ("guaranteed-start", Some(10_000), None),
            ("start", Some(10_000), Some(5_000)),
            ("finish", Some(50_000), Some(25_000)),
            ("likely-finish", Some(40_000), Some(20_000)),
            ("finish-deviation", Some(4_000), Some(2_000)),
            ("finish-max", Some(70_000), Some(35_000)),
            ("finish-error", Some(2_000), Some(1_000)),
            ("cost", Some(120_000_000), Some(40_000_000)),
            ("wait", Some(10_000), Some(5_000)),
            ("speed", Some(1_000_000), Some(2_000_000)),
            ("memory", Some(4_000_000), None),
            ("energy", Some(8_000_000_000), Some(40_000_000)),
            ("spare-time", Some(40_000), Some(65_000)),
            ("income", Some(120_000_000), Some(40_000_000)),
            ("load", Some(250_000), Some(0)),
            ("less:memory", Some(8_000_000), None),
            ("more:disk", None, None),
        ];
        for (name, of_the_window, of_the_queue) in expected {
            let criterion: Criterion = name.parse().unwrap();
            assert_eq!(of_window(&facts, &window, &criterion, None), of_the_window, "{name}");
            assert_eq!(of_queue(&facts, &queue, &criterion), of_the_queue, "{name}");
        }
        // One unit of four draws a quarter, and two that are free of four for all of the time are half of it.
        let divide = |node: &Node| Node { division: Division::new(4, [].into()).unwrap(), ..node.clone() };
        let nodes = offers.nodes().iter().map(divide).collect();
        let slots = offers.slots().iter().map(|slot| slot.with_units(2)).collect();
        let divided = offers.with_nodes(nodes, slots).unwrap();
        assert_eq!(site_loads(&divided), [625_000, 500_000]);
        let parts = Facts { offers: &divided, ..facts };
        assert_eq!(of_window(&parts, &window, &Criterion::Energy, None), Some(2_000_000_000));
        let at = |site, criterion| of_window(&facts, &window, &criterion, Some(SiteId::new(site)));
        assert_eq!(at(1, Criterion::Income), Some(40_000_000));
        assert_eq!(at(2, Criterion::Income), None);
    }
}
