//! The paper's arithmetic, under the reading that gives its digits.

use super::{Assignment, Config};

/// Values of the three users' jobs on the four providers.
pub(super) type Values = [[f64; 4]; 3];

/// What the paper prints in table 3: the values of A, B, C, the total, C_max and the time.
pub(super) const TABLE_3: [(Assignment, [f64; 6]); 6] = [
    ([0, 1, 3], [0.565, 0.439, 0.517, 0.524, 160.0, 50.0]),
    ([0, 1, 2], [0.565, 0.439, 0.854, 1.166, 135.0, 60.0]),
    ([1, 0, 3], [0.842, 0.854, 0.517, 1.241, 160.0, 50.0]),
    ([1, 0, 2], [0.363, 0.371, 0.758, 1.41, 95.0, 60.0]),
    ([3, 2, 1], [0.842, 0.854, 0.854, 1.301, 135.0, 60.0]),
    ([3, 2, 0], [0.796, 0.476, 0.277, 1.022, 180.0, 60.0]),
];

/// The values of table 3 that follow from the printed data: job, provider, printed.
pub(super) const SOUND: [(usize, usize, f64); 7] =
    [(0, 0, 0.565), (0, 3, 0.796), (1, 0, 0.854), (1, 2, 0.476), (2, 0, 0.277), (2, 2, 0.854), (2, 3, 0.517)];

/// What the paper prints in table 6: the values of A, B, C, the total, C_max and the mean start.
pub(super) const TABLE_6: [(Assignment, [f64; 6]); 6] = [
    ([0, 1, 2], [0.721, 0.509, 0.758, 1.1, 125.0, 73.333]),
    ([1, 2, 3], [0.363, 0.417, 0.675, 0.375, 100.0, 60.0]),
    ([3, 1, 2], [0.183, 0.509, 0.758, 0.133, 95.0, 60.0]),
    ([1, 3, 2], [0.363, 0.371, 0.758, 0.046, 95.0, 60.0]),
    ([3, 2, 1], [0.183, 0.417, 0.590, 0.013, 100.0, 60.0]),
    ([2, 3, 1], [0.146, 0.371, 0.590, 0.0, 100.0, 60.0]),
];

/// Values scaled over the providers so that 1 is best.
fn scaled(values: [f64; 4], less_is_better: bool) -> [f64; 4] {
    let low = values.into_iter().fold(f64::INFINITY, f64::min);
    let high = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    values.map(|value| match high > low {
        true if less_is_better => (high - value) / (high - low),
        true => (value - low) / (high - low),
        false => 1.0,
    })
}

fn normalised(weights: [f64; 3]) -> [f64; 3] {
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// Chebyshev plus 0.01 times L1.
fn norm(weights: [f64; 3], values: [f64; 3]) -> f64 {
    let parts: Vec<f64> = weights.iter().zip(values).map(|(weight, value)| weight * value).collect();
    parts.iter().copied().fold(0.0, f64::max) + 0.01 * parts.iter().sum::<f64>()
}

/// Model (i): one minus the distance to the ideal.
pub(super) fn queue_values(config: &Config) -> Values {
    let criteria: Vec<[f64; 4]> =
        (0..3).map(|k| scaled(config.queues.map(|provider| provider[k]), k == 0)).collect();
    config.weights_queues.map(|weights| {
        let weights = normalised(weights);
        [0, 1, 2, 3].map(|provider| 1.0 - norm(weights, [0, 1, 2].map(|k| 1.0 - criteria[k][provider])))
    })
}

/// Model (ii): the norm of what is good.
pub(super) fn slot_values(config: &Config) -> Values {
    [0, 1, 2].map(|job| {
        let weights = normalised(config.weights_slots[job]);
        let criteria: Vec<[f64; 4]> =
            (0..3).map(|k| scaled(config.slots[job].map(|offer| offer[k]), true)).collect();
        [0, 1, 2, 3].map(|provider| norm(weights, [0, 1, 2].map(|k| criteria[k][provider])))
    })
}

/// Model (ii): the total of an assignment, each user's value min–maxed over the listed solutions.
pub(super) fn total(values: &Values, assignment: Assignment) -> f64 {
    let normal = [0, 1, 2].map(|job| {
        let listed = TABLE_6.map(|(listed, _)| values[job][listed[job]]);
        let low = listed.into_iter().fold(f64::INFINITY, f64::min);
        let high = listed.into_iter().fold(f64::NEG_INFINITY, f64::max);
        if high > low { (values[job][assignment[job]] - low) / (high - low) } else { 1.0 }
    });
    let least = normal.into_iter().fold(f64::INFINITY, f64::min);
    least + 0.1 * normal.iter().sum::<f64>() / 3.0
}

/// All 64 assignments, or the 24 that give every job a provider of its own.
pub(super) fn assignments(distinct: bool) -> Vec<Assignment> {
    let all = (0..64).map(|number: usize| [number / 16, number / 4 % 4, number % 4]);
    all.filter(|[a, b, c]| !distinct || (a != b && b != c && a != c)).collect()
}

/// The assignment with the greatest value; the first among equals.
pub(super) fn best(distinct: bool, value: impl Fn(Assignment) -> f64) -> Assignment {
    let mut best = ([0, 0, 0], f64::NEG_INFINITY);
    for assignment in assignments(distinct) {
        let worth = value(assignment);
        if worth > best.1 {
            best = (assignment, worth);
        }
    }
    best.0
}

/// Job by job the provider that is least by a measure and still free: MST, MCT and the shortest queue.
pub(super) fn greedy(measure: impl Fn(usize, usize) -> f64) -> Assignment {
    let mut taken = [false; 4];
    [0, 1, 2].map(|job| {
        let free = (0..4).filter(|provider| !taken[*provider]);
        let least = free.min_by(|one, other| measure(job, *one).total_cmp(&measure(job, *other)));
        let provider = least.unwrap_or(0);
        taken[provider] = true;
        provider
    })
}
