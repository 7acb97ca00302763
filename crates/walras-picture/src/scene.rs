//! What a picture shows.

use crate::number::{exact, short};
use crate::text::clean_name;
use std::collections::BTreeSet;
use walras_model::quantity::MILLION;
use walras_model::{Alternative, Batch, Interval, JobId, Money, NodeId, Offers, Rate, Time};

/// Everything that one picture shows.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The heading.
    pub title: &'a str,
    /// Nodes, their free time and the horizon.
    pub offers: &'a Offers,
    /// The jobs; those without an alternative are named as such.
    pub batch: &'a Batch,
    /// The windows to draw, in the order found.
    pub alternatives: &'a [Alternative],
    /// Positions in `alternatives` that are drawn solid while the others become outlines; `None` draws all
    /// of them solid.
    pub chosen: Option<&'a [usize]>,
    /// The unit in which times and prices per time are written.
    pub unit: TimeUnit,
    /// What the subtitle says of the plan beside the numbers, where there is room.
    pub note: Option<&'a str>,
    /// Tasks of workflows, drawn over the windows.
    pub tasks: &'a [TaskMark<'a>],
    /// Data that moves between the nodes of tasks, most telling first: beyond [`crate::ARROWS_MAX`] they are left out.
    pub arrows: &'a [Arrow],
    /// Which windows are drawn, where not all of them are to be.
    pub only: Option<Only<'a>>,
}

/// A part of the windows, and why the others are not drawn.
#[derive(Clone, Copy, Debug)]
pub struct Only<'a> {
    /// Positions in the scene's alternatives.
    pub windows: &'a [usize],
    /// What the picture says of the others, such as `only chosen windows are shown`.
    pub reason: &'a str,
}

/// Data on its way from one task to another on another node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Where it comes from, and when it leaves.
    pub from: (NodeId, Time),
    /// Where it goes, and when the task there begins.
    pub to: (NodeId, Time),
    /// Whether the last end of all follows from it.
    pub critical: bool,
}

/// The colour of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskColour {
    /// Tasks of one level look alike; for pictures without windows.
    Level(usize),
    /// A shade of its job's colour, so that nobody takes it for another job's.
    OfJob {
        /// The job's position in the batch.
        job: usize,
        /// The task's place in its workflow: neighbours have different shades.
        place: usize,
    },
}

/// One task of a workflow on a node.
#[derive(Clone, Copy, Debug)]
pub struct TaskMark<'a> {
    /// The task's name.
    pub name: &'a str,
    /// Where it runs.
    pub node: NodeId,
    /// On which of the parts of it that its window holds side by side.
    pub part: u32,
    /// From its start to its end.
    pub interval: Interval,
    /// Which colour it has.
    pub colour: TaskColour,
    /// Whether the last end of all follows from it.
    pub critical: bool,
    /// What it costs.
    pub cost: Money,
}

/// The unit of time in which a scenario is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeUnit {
    /// Times in seconds, prices per second.
    #[default]
    Seconds,
    /// Times in milliseconds, prices per millisecond.
    Milliseconds,
}

/// How a window is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowStyle {
    /// Filled with its job's colour: it is part of the plan.
    Solid,
    /// A frame in its job's colour: it was possible and is not taken.
    Outline,
}

impl<'a> Scene<'a> {
    /// A scene in seconds that draws every alternative solid.
    pub fn new(
        title: &'a str,
        offers: &'a Offers,
        batch: &'a Batch,
        alternatives: &'a [Alternative],
    ) -> Scene<'a> {
        let unit = TimeUnit::Seconds;
        Scene {
            title,
            offers,
            batch,
            alternatives,
            chosen: None,
            unit,
            note: None,
            tasks: &[],
            arrows: &[],
            only: None,
        }
    }

    /// The style of each alternative, in their order.
    pub fn styles(&self) -> Vec<WindowStyle> {
        let Some(chosen) = self.chosen else {
            return vec![WindowStyle::Solid; self.alternatives.len()];
        };
        let mut styles = vec![WindowStyle::Outline; self.alternatives.len()];
        for index in chosen {
            if let Some(style) = styles.get_mut(*index) {
                *style = WindowStyle::Solid;
            }
        }
        styles
    }

    /// The positions of the windows that are to be drawn, in order.
    pub(crate) fn asked_for(&self) -> Vec<usize> {
        let all = 0..self.alternatives.len();
        match self.only {
            None => all.collect(),
            Some(Only { windows, .. }) => {
                let windows: BTreeSet<usize> = windows.iter().copied().collect();
                all.filter(|index| windows.contains(index)).collect()
            }
        }
    }

    /// The jobs whose tasks are drawn in their windows.
    pub(crate) fn jobs_with_tasks(&self) -> BTreeSet<usize> {
        let job = |task: &TaskMark<'_>| match task.colour {
            TaskColour::OfJob { job, .. } => Some(job),
            TaskColour::Level(_) => None,
        };
        self.tasks.iter().filter_map(job).collect()
    }

    /// The number of each alternative among those of its job, from 1, in their order.
    pub(crate) fn numbers(&self) -> Vec<usize> {
        let mut seen = std::collections::BTreeMap::new();
        let next = |alternative: &Alternative| {
            let count = seen.entry(alternative.job).or_insert(0);
            *count += 1;
            *count
        };
        self.alternatives.iter().map(next).collect()
    }

    /// How many alternatives each job of the batch has.
    pub(crate) fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.batch.requests().len()];
        for alternative in self.alternatives {
            if let Some(count) = counts.get_mut(alternative.job.index()) {
                *count += 1;
            }
        }
        counts
    }

    /// The job's name, fit to be shown; its number when the batch does not have it.
    pub(crate) fn job_name(&self, job: JobId) -> String {
        let request = self.batch.requests().get(job.index());
        request.map_or_else(|| format!("job {}", job.number()), |request| clean_name(&request.name))
    }

    /// The node's name, fit to be shown, alone or after its site's.
    pub(crate) fn node_name(&self, node: NodeId, with_site: bool) -> String {
        let name = clean_name(&self.offers.node(node).name);
        if with_site { format!("{}/{name}", clean_name(&self.offers.site_of(node).name)) } else { name }
    }

    /// Per node the lowest and highest price of its slots, or of its users; `None` for a node that offers nothing.
    pub(crate) fn prices(&self) -> Vec<Option<(Rate, Rate)>> {
        let mut prices: Vec<Option<(Rate, Rate)>> = vec![None; self.offers.nodes().len()];
        for slot in self.offers.slots() {
            let range = &mut prices[slot.node().index()];
            let own = self.offers.capacity_of(slot.node()).map(|offer| &offer.capacity);
            let (least, most) =
                own.map_or((slot.rate(), slot.rate()), |own| (own.price_least(), own.price_most()));
            let (low, high) = range.unwrap_or((least, most));
            *range = Some((low.min(least), high.max(most)));
        }
        prices
    }

    /// What a tooltip says of a node.
    pub(crate) fn node_line(&self, node: NodeId, price: Option<(Rate, Rate)>) -> String {
        let of_node = self.offers.node(node);
        let price = price.map_or("no free time".to_owned(), |range| {
            format!("price {} per {}", self.unit.price_range(range, exact), self.unit.symbol())
        });
        let kind = self.offers.capacity_of(node).map_or("", |_| "processor ");
        format!(
            "{kind}{} at {}: {price}, performance {}",
            clean_name(&of_node.name),
            clean_name(&self.offers.site_of(node).name),
            of_node.performance
        )
    }
}

impl TimeUnit {
    /// `s` or `ms`.
    pub fn symbol(self) -> &'static str {
        match self {
            TimeUnit::Seconds => "s",
            TimeUnit::Milliseconds => "ms",
        }
    }

    /// Milliseconds in one unit.
    pub(crate) fn millis(self) -> i64 {
        match self {
            TimeUnit::Seconds => 1_000,
            TimeUnit::Milliseconds => 1,
        }
    }

    /// A point or length of time as a plain number in this unit.
    pub(crate) fn time(self, millis: i64) -> String {
        exact(millis, self.millis())
    }

    /// `5`, or `4–9` when slots of a node differ; `write` gives the digits.
    pub(crate) fn price_range(self, range: (Rate, Rate), write: fn(i64, i64) -> String) -> String {
        let per_unit = MILLION * 1_000 / self.millis();
        let digits = |rate: Rate| write(rate.as_micros_per_second(), per_unit);
        match range {
            (low, high) if low == high => digits(low),
            (low, high) => format!("{}–{}", digits(low), digits(high)),
        }
    }
}

/// An amount of money with the digits that matter.
pub(crate) fn short_money(money: Money) -> String {
    short(money.as_micros(), MILLION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_per_unit_of_time() {
        let rate = |micros| Rate::from_micros_per_second(micros).unwrap();
        let range = (rate(5_000_000), rate(9_500_000));
        assert_eq!(TimeUnit::Seconds.price_range(range, exact), "5–9.5");
        assert_eq!(TimeUnit::Milliseconds.price_range(range, exact), "0.005–0.0095");
        assert_eq!(TimeUnit::Seconds.price_range((range.0, range.0), exact), "5");
    }

    #[test]
    fn times_are_in_the_unit() {
        assert_eq!(TimeUnit::Seconds.time(-1_500), "-1.5");
        assert_eq!(TimeUnit::Milliseconds.time(1_500), "1500");
    }
}
