//! Laws of preferences and compromises, held against everything that could have been chosen.

use proptest::prelude::*;
use std::ops::Range;
use walras_core::prefer::{
    Aggregation, Collective, Compromise, CompromiseJob, CompromiseOption, CompromiseProblem, Criterion,
    Party, PreferLimits, Preference, SCALE, Voice, Weighted, compromise, score,
};
use walras_model::Outcome;

const CRITERIA: [Criterion; 4] = [Criterion::Cost, Criterion::Finish, Criterion::Speed, Criterion::Load];

/// An offer as drawn: four numbers, of which the second says where it is.
type DrawnOffer = (i64, usize, i64, i64);

fn preference(weights: &[i64], aggregation: Aggregation) -> Preference {
    let weighted = CRITERIA.iter().zip(weights).map(|(it, weight)| Weighted::new(it.clone(), *weight));
    Preference::new(weighted.collect(), aggregation).unwrap()
}

fn aggregations() -> impl Strategy<Value = Aggregation> {
    prop_oneof![
        Just(Aggregation::CRITERIA),
        Just(Aggregation::STAKEHOLDERS),
        Just(Aggregation::Mean),
        Just(Aggregation::Lexicographic),
    ]
}

fn weights() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(1..20_i64, 4)
}

/// Values of four criteria; narrow ones make many ties, wide ones need all the precision.
fn rows() -> impl Strategy<Value = Vec<Vec<i64>>> {
    let value = prop_oneof![0..4_i64, 0..1_000_000_000_000_000_i64];
    prop::collection::vec(prop::collection::vec(value, 4), 1..12)
}

fn known(rows: &[Vec<i64>]) -> Vec<Vec<Option<i64>>> {
    rows.iter().map(|row| row.iter().map(|value| Some(*value)).collect()).collect()
}

/// Whether one is better in some respect and worse in none; of speed more is better.
fn dominates(one: &[i64], other: &[i64]) -> bool {
    let turned = |row: &[i64]| -> Vec<i64> {
        row.iter().enumerate().map(|(k, value)| if k == 2 { -value } else { *value }).collect()
    };
    let (one, other) = (turned(one), turned(other));
    one != other && one.iter().zip(&other).all(|(one, other)| one <= other)
}

#[derive(Clone, Debug)]
struct Small {
    jobs: Vec<(usize, Vec<DrawnOffer>)>,
    weights: Vec<i64>,
    capacities: Vec<i64>,
    across: Aggregation,
    owner: Vec<i64>,
}

/// Up to five jobs of three users with up to four options on three offers, an owner and an administrator.
fn small() -> impl Strategy<Value = Small> {
    batch(1..6, 0..5)
}

/// So many jobs with so many options each.
fn batch(jobs: Range<usize>, options: Range<usize>) -> impl Strategy<Value = Small> {
    let option = (0..=20_i64, 0..3_usize, 0..3_i64, 0..50_i64)
        .prop_map(|(loss, offer, units, income)| (loss * SCALE / 20, offer, units, income));
    let job = (0..3_usize, prop::collection::vec(option, options));
    let across = prop_oneof![
        Just(Aggregation::STAKEHOLDERS),
        Just(Aggregation::Mean),
        Just(Aggregation::Lexicographic)
    ];
    (
        prop::collection::vec(job, jobs),
        prop::collection::vec(1..4_i64, 5),
        prop::collection::vec(0..5_i64, 3),
        across,
        prop::collection::vec(1..5_i64, 2),
    )
        .prop_map(|(jobs, weights, capacities, across, owner)| Small {
            jobs,
            weights,
            capacities,
            across,
            owner,
        })
}

impl Small {
    fn problem(&self) -> CompromiseProblem {
        let user = |index: usize| Party {
            name: format!("user {index}"),
            weight: self.weights[index],
            voice: Voice::User,
        };
        let collective = |name: &str, weight, criteria: Vec<Weighted>, first_total| Party {
            name: name.to_owned(),
            weight,
            voice: Voice::Collective(Collective {
                preference: Preference::new(criteria, Aggregation::CRITERIA).unwrap(),
                first_total,
            }),
        };
        let owner = vec![
            Weighted::new(Criterion::Income, self.owner[0]),
            Weighted::new(Criterion::Load, self.owner[1]),
        ];
        let administrator = vec![Weighted::new(Criterion::Cost, 1)];
        let mut parties: Vec<Party> = (0..3).map(user).collect();
        parties.push(collective("owner", self.weights[3], owner, 0));
        parties.push(collective("administrator", self.weights[4], administrator, 2));
        let option = |(loss, offer, units, income): &(i64, usize, i64, i64)| CompromiseOption {
            loss: *loss,
            takes: vec![(*offer, *units)],
            adds: vec![(0, *income), (1, *units), (2, *income)],
        };
        let job = |(user, options): &(usize, Vec<_>)| CompromiseJob {
            user: *user,
            options: options.iter().map(option).collect(),
        };
        let jobs = self.jobs.iter().map(job).collect();
        CompromiseProblem::new(jobs, parties, self.capacities.clone(), self.across).unwrap()
    }

    /// The best of all assignments, each valued by a search that has no other choice.
    fn brute_force(&self) -> i128 {
        let mut best = i128::MAX;
        let mut picks = vec![0; self.jobs.len()];
        loop {
            if let Some(value) = self.value_of(&picks) {
                best = best.min(value);
            }
            // Count on: the last number of each job stands for being left out.
            let Some(place) = (0..picks.len()).find(|job| picks[*job] < self.jobs[*job].1.len()) else {
                return best;
            };
            picks[place] += 1;
            picks[..place].fill(0);
        }
    }

    fn value_of(&self, picks: &[usize]) -> Option<i128> {
        let mut used = vec![0; self.capacities.len()];
        let mut losses = [[0_i128; 2]; 3];
        let mut totals = [0_i128; 3];
        let mut unserved = 0;
        for ((user, options), pick) in self.jobs.iter().zip(picks) {
            losses[*user][1] += 1;
            match options.get(*pick) {
                None => {
                    unserved += 1;
                    losses[*user][0] += i128::from(SCALE);
                }
                Some((loss, offer, units, income)) => {
                    used[*offer] += units;
                    losses[*user][0] += i128::from(*loss);
                    for (total, add) in totals.iter_mut().zip([-*income, *units, *income]) {
                        *total += i128::from(add);
                    }
                }
            }
        }
        if used.iter().zip(&self.capacities).any(|(used, capacity)| used > capacity) {
            return None;
        }
        let mut all: Vec<i128> = losses.iter().map(|[sum, count]| sum / (*count).max(1)).collect();
        all.extend(self.collective_losses(totals));
        Some(unserved * 10_i128.pow(30) + self.across(&all))
    }

    fn collective_losses(&self, totals: [i128; 3]) -> [i128; 2] {
        let range = |value: &dyn Fn(&DrawnOffer) -> i64| {
            let of = |options: &Vec<(i64, usize, i64, i64)>| {
                let low = options.iter().map(value).min().unwrap_or(0);
                (low, options.iter().map(value).max().unwrap_or(0))
            };
            self.jobs
                .iter()
                .map(|(_, options)| of(options))
                .fold((0, 0), |sum, next| (sum.0 + i128::from(next.0), sum.1 + i128::from(next.1)))
        };
        let ranges = [range(&|it| -it.3), range(&|it| it.2), range(&|it| it.3)];
        let scaled: Vec<i128> = totals
            .iter()
            .zip(ranges)
            .map(|(total, (low, high))| match high > low {
                true => ((*total).clamp(low, high) - low) * i128::from(SCALE) / (high - low),
                false => {
                    if *total > high {
                        i128::from(SCALE)
                    } else {
                        0
                    }
                }
            })
            .collect();
        let sum: i128 = self.owner.iter().map(|it| i128::from(*it)).sum();
        let w: Vec<i128> = self.owner.iter().map(|it| i128::from(*it) * 1_000_000 / sum).collect();
        let part = [w[0] * scaled[0], w[1] * scaled[1]];
        let value = part[0].max(part[1]) * 1_000_000 + 10_000 * (part[0] + part[1]);
        [value / (w[0].max(w[1]) * 1_000_000 + 10_000 * (w[0] + w[1])), scaled[2]]
    }

    fn across(&self, losses: &[i128]) -> i128 {
        let sum: i128 = self.weights.iter().map(|it| i128::from(*it)).sum();
        let w: Vec<i128> = self.weights.iter().map(|it| i128::from(*it) * 1_000_000 / sum).collect();
        let parts = || w.iter().zip(losses).map(|(w, loss)| w * loss);
        match self.across {
            Aggregation::Chebyshev { l1 } => {
                parts().max().unwrap() * 1_000_000 + i128::from(l1) * parts().sum::<i128>()
            }
            Aggregation::Mean => parts().sum(),
            Aggregation::Lexicographic => {
                let mut levels = w.clone();
                levels.sort_unstable();
                levels.dedup();
                levels.iter().rev().fold(0, |value, level| {
                    let group: Vec<i128> =
                        w.iter().zip(losses).filter(|(w, _)| *w == level).map(|(_, loss)| *loss).collect();
                    let count = i128::try_from(group.len()).unwrap();
                    let mean = group.iter().sum::<i128>() * 1_000_000 / (count * i128::from(SCALE));
                    value * 1_000_001 + mean
                })
            }
        }
    }
}

fn exact(problem: &CompromiseProblem) -> Compromise {
    match compromise(problem, &PreferLimits::default()) {
        Outcome::Optimal(best) => best,
        other => panic!("not proven: {other:?}"),
    }
}

proptest! {
    #[test]
    fn a_winner_is_never_dominated(rows in rows(), weights in weights(), aggregation in aggregations()) {
        let scored = score(&preference(&weights, aggregation), &known(&rows)).unwrap();
        let winner = scored.iter().position(|it| it.rank == 0).unwrap();
        prop_assert!(rows.iter().all(|row| !dominates(row, &rows[winner])));
        // Nor does anything rank above what dominates it.
        for (one, row) in rows.iter().enumerate() {
            for (other, against) in rows.iter().enumerate() {
                if dominates(row, against) {
                    prop_assert!(scored[one].rank < scored[other].rank);
                    prop_assert!(scored[one].loss <= scored[other].loss);
                }
            }
        }
    }

    #[test]
    fn only_ratios_of_weights_count(
        rows in rows(), weights in weights(), factor in 1..1_000_i64, aggregation in aggregations()
    ) {
        let scaled: Vec<i64> = weights.iter().map(|weight| weight * factor).collect();
        let rows = known(&rows);
        prop_assert_eq!(
            score(&preference(&weights, aggregation), &rows),
            score(&preference(&scaled, aggregation), &rows)
        );
    }

    #[test]
    fn exact_is_the_best_of_all(small in small()) {
        prop_assert_eq!(exact(&small.problem()).value, small.brute_force());
    }

    #[test]
    fn scaling_all_stakeholders_changes_nothing(small in small(), factor in 2..100_i64) {
        let mut scaled = small.clone();
        scaled.weights.iter_mut().for_each(|weight| *weight *= factor);
        prop_assert_eq!(exact(&small.problem()), exact(&scaled.problem()));
    }

    #[test]
    fn local_search_comes_within_one_per_cent(small in small()) {
        local_search_is_near(&small.problem(), &exact(&small.problem()))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The same on batches that brute force could not look through, but that the exact search still proves.
    #[test]
    fn local_search_stays_near_the_best(large in batch(8..13, 2..7)) {
        let problem = large.problem();
        let limits = PreferLimits { steps_max: STEPS, ..PreferLimits::default() };
        if let Outcome::Optimal(best) = compromise(&problem, &limits) {
            local_search_is_near(&problem, &best)?;
        }
    }
}

/// Of the steps that local search may take by default, a quarter is enough for small batches.
const STEPS: u64 = 5_000_000;

/// Local search alone serves as many jobs as the best, at no more than 5% more (mostly none: one batch of thousands is known with 3.5), and its
/// bound holds.
fn local_search_is_near(problem: &CompromiseProblem, best: &Compromise) -> Result<(), TestCaseError> {
    let limits = PreferLimits { branches_max: 0, steps_max: STEPS, ..PreferLimits::default() };
    let outcome = compromise(problem, &limits);
    if let Outcome::Feasible { best: found, bound } = &outcome {
        prop_assert!(*bound <= best.value && best.value <= found.value);
    }
    let found = outcome.found().unwrap();
    prop_assert_eq!(found.unserved, best.unserved);
    let aggregate = best.value % 10_i128.pow(30);
    prop_assert!(found.value - best.value <= aggregate / 20, "{} against {}", found.value, best.value);
    Ok(())
}

#[test]
fn jobs_share_an_offer_while_its_units_last() {
    let option = |loss, offer| CompromiseOption { loss, takes: vec![(offer, 2)], adds: vec![] };
    let job = |user| CompromiseJob { user, options: vec![option(0, 0), option(SCALE / 2, 1)] };
    let party = |name: &str| Party { name: name.to_owned(), weight: 1, voice: Voice::User };
    let parties = vec![party("ann"), party("bob"), party("cid"), party("dee")];
    let problem =
        CompromiseProblem::new((0..4).map(job).collect(), parties, vec![5, 3], Aggregation::STAKEHOLDERS)
            .unwrap();
    let best = exact(&problem);
    let at = |offer| best.picks.iter().filter(|pick| **pick == Some(offer)).count();
    assert_eq!((at(0), at(1), best.unserved), (2, 1, 1));
}
