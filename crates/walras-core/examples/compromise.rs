//! How long a compromise takes and how near its bound it comes: `compromise JOBS USERS OFFERS UNITS [SEED]`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints, and fails loudly")]

use walras_core::prefer::{
    Aggregation, CompromiseJob, CompromiseOption, CompromiseProblem, Party, PreferLimits, SCALE, Voice,
    compromise,
};
use walras_model::Outcome;

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|text| text.parse().unwrap()).collect();
    let get =
        |place: usize, default: u64| usize::try_from(*arguments.get(place).unwrap_or(&default)).unwrap();
    let (jobs, users, offers, units) = (get(0, 1_000), get(1, 1_000), get(2, 200), get(3, 6));
    let mut state = u64::try_from(get(4, 1)).unwrap();
    // Its own stream, not `walras_random`: docs/performance.md records the gaps of these very instances.
    let mut draw = |below: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(state >> 33).unwrap() % below
    };
    let quality: Vec<i64> = (0..offers).map(|_| draw(SCALE / 2)).collect();
    let jobs: Vec<CompromiseJob> = (0..jobs)
        .map(|index| CompromiseJob {
            user: index % users,
            options: (0..offers)
                .map(|offer| CompromiseOption {
                    loss: (quality[offer] + draw(SCALE / 2)).min(SCALE),
                    takes: vec![(offer, 1)],
                    adds: Vec::new(),
                })
                .collect(),
        })
        .collect();
    let parties = (0..users).map(|index| Party { name: format!("u{index}"), weight: 1, voice: Voice::User });
    let capacities = vec![i64::try_from(units).unwrap(); offers];
    let problem =
        CompromiseProblem::new(jobs, parties.collect(), capacities, Aggregation::STAKEHOLDERS).unwrap();
    match compromise(&problem, &PreferLimits::default()) {
        Outcome::Optimal(best) => println!("proven best: {}, {} unserved", best.value, best.unserved),
        Outcome::Feasible { best, bound } => {
            println!("value {}, bound {bound}, {} unserved", best.value, best.unserved);
        }
        Outcome::Infeasible(reason) => println!("{reason:?}"),
    }
}
