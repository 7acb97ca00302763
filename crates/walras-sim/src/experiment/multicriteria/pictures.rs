//! Figures 3 and 4 as Gantt charts: a baseline, and the most satisfying assignment.

use super::product::Choices;
use super::{Assignment, Config, name, paper};
use crate::experiment::Picture;
use walras_model::offer::slots_of_node;
use walras_model::{
    Alternative, Attributes, Batch, Interval, JobId, Money, Node, NodeId, Offers, Performance, Placement,
    Rate, Request, Site, SiteId, SlotKey, Time, Window, Work,
};
use walras_picture::{Scene, gantt};

/// Where one job runs: from, to, at what cost.
type Bar = (f64, f64, f64);

/// Both figures, each in two parts; `None` when times are too long to be drawn.
pub(super) fn pictures(config: &Config, choices: &Choices) -> Option<Vec<Picture>> {
    let values = paper::slot_values(config);
    let best = paper::best(true, |assignment| paper::total(&values, assignment));
    // Model (i) knows no run times: bars have the length of 100 / speed, only to be seen.
    let queue = |_: usize, provider: usize| -> Bar {
        let [wait, speed, _] = config.queues[provider];
        (wait, wait + 100.0 / speed.max(0.01), 0.0)
    };
    let slot = |job: usize, provider: usize| -> Bar {
        let [start, completion, cost] = config.slots[job][provider];
        (start, completion, cost)
    };
    type Draw<'a> = &'a dyn Fn(usize, usize) -> Bar;
    let parts: [(&str, &str, Assignment, Draw<'_>); 4] = [
        ("figure-3a", "Model (i), shortest queue", choices.shortest_queue, &queue),
        ("figure-3b", "Model (i), best compromise", choices.queues.best, &queue),
        ("figure-4a", "Model (ii), MCT", choices.mct, &slot),
        ("figure-4b", "Model (ii), best by the paper's total", best, &slot),
    ];
    parts.into_iter().map(|(file, title, assignment, bar)| picture(file, title, assignment, bar)).collect()
}

fn picture(
    file: &str,
    title: &str,
    assignment: Assignment,
    bar: &dyn Fn(usize, usize) -> Bar,
) -> Option<Picture> {
    let bars = [0, 1, 2].map(|job| bar(job, assignment[job]));
    let last = bars.iter().map(|(_, end, _)| *end).fold(1.0, f64::max);
    let horizon = Interval::new(time(0.0)?, time(last * 1.1)?)?;
    let offers = offers(horizon)?;
    let mut found = Vec::new();
    for (job, (start, end, cost)) in bars.into_iter().enumerate() {
        let node = NodeId::from_index(assignment[job])?;
        let placement = Placement {
            units: 1,
            node,
            interval: Interval::new(time(start)?, time(end)?)?,
            // The paper gives costs alone; no picture shows a rate.
            rate: Rate::from_micros_per_second(1)?,
            cost: Money::from_micros(fixed(cost * 1e6)?),
            source: SlotKey { start: horizon.start(), node },
        };
        found.push(Alternative {
            job: JobId::from_index(job)?,
            window: Window::new(vec![placement])?,
            bound: None,
        });
    }
    let request = |name: &str| Some(Request::new(name, 1, Work::from_millis(1)?));
    let batch = Batch::new(["A", "B", "C"].into_iter().map(request).collect::<Option<_>>()?);
    let title = format!("{title}: {}", name(assignment));
    let svg = gantt(&Scene::new(&title, &offers, &batch, &found));
    Some(Picture { file: format!("{file}.svg"), caption: title, svg })
}

/// Four providers of one node each, free all the time.
fn offers(horizon: Interval) -> Option<Offers> {
    let (mut sites, mut nodes, mut slots) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..4 {
        let name = format!("rp{}", index + 1);
        let site = SiteId::from_index(index)?;
        let performance = Performance::ONE;
        nodes.push(Node {
            division: Default::default(),
            name: name.clone(),
            site,
            performance,
            watts: None,
            attributes: Attributes::new(),
        });
        sites.push(Site { name });
        slots.extend(slots_of_node(
            NodeId::from_index(index)?,
            Rate::from_micros_per_second(1)?,
            &[horizon],
        )?);
    }
    Offers::new(horizon, sites, nodes, slots).ok()
}

fn time(seconds: f64) -> Option<Time> {
    Time::from_millis(fixed(seconds * 1e3)?)
}

#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked first")]
fn fixed(value: f64) -> Option<i64> {
    (value.abs() < 1e15).then_some(value.round() as i64)
}
