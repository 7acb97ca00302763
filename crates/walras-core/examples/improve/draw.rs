//! Batches from a seed.

use walras_model::*;
use walras_random::Draws;

/// Nodes with two or three free slots each, and jobs that take about 60% of them. Speeds and prices are as in the papers'
/// experiment: performance 1 to 3, price 1.7^performance ± 25%, a price cap 10% around that of the least performance.
pub(crate) fn instance(draws: &mut Draws, nodes: usize, jobs: usize) -> Option<(Offers, Batch)> {
    let between = |draws: &mut Draws, least: i64, most: i64| {
        least + i64::try_from(draws.below(usize::try_from(most - least + 1).unwrap_or(1))).unwrap_or(0)
    };
    // 1.7^(p / 10) in thousandths, for p of 10 to 30.
    let price = [
        1_700, 1_793, 1_890, 1_993, 2_102, 2_217, 2_337, 2_465, 2_599, 2_741, 2_890, 3_047, 3_213, 3_389,
        3_573, 3_768, 3_974, 4_190, 4_419, 4_659, 4_913,
    ];
    let tasks_most = i64::try_from(nodes).ok()?.min(5);
    let mut requests = Vec::new();
    let mut work_all = 0;
    for job in 0..jobs {
        let (tasks, work) = (between(draws, 1, tasks_most), between(draws, 50, 150));
        let least = between(draws, 10, 20);
        work_all += tasks * work;
        let mut request =
            Request::new(&format!("j{job}"), u32::try_from(tasks).ok()?, Work::from_millis(work * 1_000)?);
        request.performance_min = Performance::from_millionths(least * 100_000)?;
        let cap = price.get(usize::try_from(least - 10).ok()?)? * between(draws, 90, 130) * 10;
        request.price_max = Rate::from_micros_per_second(cap);
        requests.push(request);
    }
    // At a mean speed of 2, so that about 60% is taken.
    let horizon = (work_all * 10).checked_div(i64::try_from(nodes).ok()? * 2 * 6)?.max(450);
    let (mut list, mut slots) = (Vec::new(), Vec::new());
    for index in 0..nodes {
        let id = NodeId::from_index(index)?;
        let performance = between(draws, 10, 30);
        let rate = price.get(usize::try_from(performance - 10).ok()?)? * between(draws, 75, 125) * 10;
        let mut free = Vec::new();
        let mut at = between(draws, 0, 40);
        while at < horizon {
            let end = at + between(draws, 120, 360);
            let interval =
                Interval::new(Time::from_millis(at * 1_000)?, Time::from_millis(end.min(horizon) * 1_000)?)?;
            free.push(interval);
            at = end + between(draws, 10, 60);
        }
        slots.extend(offer::slots_of_node(id, Rate::from_micros_per_second(rate)?, &free)?);
        list.push(Node {
            division: Default::default(),
            name: format!("n{index}"),
            site: SiteId::new(0),
            performance: Performance::from_millionths(performance * 100_000)?,
            watts: None,
            attributes: Attributes::new(),
        });
    }
    let horizon = Interval::new(Time::from_millis(0)?, Time::from_millis(horizon * 1_000)?)?;
    let offers = Offers::new(horizon, vec![Site { name: "s".into() }], list, slots).ok()?;
    Some((offers, Batch::new(requests)))
}
