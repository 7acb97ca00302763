//! Choices without optimisation, for comparison.
//!
//! The papers' NO OPT takes a random alternative of every job, within the limit; plain queues take the first.

use super::{AppliedLimits, Combination, Menu, MenuItem, MenuJob, Totals};

/// The first alternative of every job, in batch order, as far as the limits allow.
pub fn choose_first(menu: &Menu, limits: AppliedLimits) -> Combination {
    choose_in_turn(menu, limits, &mut |_| 0)
}

/// A random alternative of every job among those that leave the others enough, as far as the limits allow.
///
/// `draw` gives a number below the one it is given.
pub fn choose_random(
    menu: &Menu,
    limits: AppliedLimits,
    draw: &mut dyn FnMut(usize) -> usize,
) -> Combination {
    choose_in_turn(menu, limits, draw)
}

/// What is left of a limit; no limit is never used up.
#[derive(Clone, Copy)]
struct Left(Option<i128>);

impl Left {
    fn allows(self, amount: i128, reserved: i128) -> bool {
        self.0.is_none_or(|left| amount <= left - reserved)
    }

    fn take(&mut self, amount: i128) {
        self.0 = self.0.map(|left| left - amount);
    }
}

fn cost(item: &MenuItem) -> i128 {
    i128::from(item.cost.as_micros())
}

fn time(item: &MenuItem) -> i128 {
    i128::from(item.time.as_millis())
}

fn least(job: &MenuJob, measure: impl Fn(&MenuItem) -> i128) -> i128 {
    job.items.iter().map(measure).min().unwrap_or(0)
}

/// Job by job: one of the items that leave the jobs to come their least.
fn choose_in_turn(menu: &Menu, limits: AppliedLimits, draw: &mut dyn FnMut(usize) -> usize) -> Combination {
    let (mut money, mut hours) = (Left(limits.budget), Left(limits.time));
    let mut cost_to_come: i128 = menu.jobs.iter().map(|job| least(job, cost)).sum();
    let mut time_to_come: i128 = menu.jobs.iter().map(|job| least(job, time)).sum();
    let mut items = Vec::with_capacity(menu.jobs.len());
    let mut totals = Totals::default();
    for job in &menu.jobs {
        cost_to_come -= least(job, cost);
        time_to_come -= least(job, time);
        let fits = |item: &MenuItem| {
            money.allows(cost(item), cost_to_come) && hours.allows(time(item), time_to_come)
        };
        let fitting: Vec<usize> = (0..job.items.len()).filter(|index| fits(&job.items[*index])).collect();
        let chosen = match fitting.len() {
            0 => None,
            count => fitting.get(draw(count)).copied(),
        };
        if let Some(item) = chosen.map(|index| &job.items[index]) {
            money.take(cost(item));
            hours.take(time(item));
            totals.add(item);
        }
        items.push(chosen);
    }
    Combination { items, totals, limits, value: 0 }
}
