//! Proofs against the best of all schedules.

use super::super::baseline::Baseline;
use super::super::best::{Best, Fuel};
use super::super::list::Board;
use super::super::strategy::Goal;
use super::super::{bound, exact, improve, random};
use super::prove;

/// Nothing is proven that is not so, and everything is proven in the end: against the best of all schedules, forwards and backwards, from
/// the best one known and from a worse one.
#[test]
fn what_is_proven_is_the_best_of_all() {
    for seed in 0..400_u64 {
        let bytes = [1, 20, 60, 200][usize::try_from(seed % 4).unwrap()];
        let tasks = 3 + u32::try_from(seed % 5).unwrap();
        let lanes = 1 + u32::try_from(seed / 4 % 4).unwrap();
        let drawn = random::drawn(tasks, lanes, seed, bytes, seed % 3 == 0);
        for instance in [&drawn, &drawn.mirror()] {
            let heft = Baseline::Heft.place(instance, &mut Board::new(instance));
            let mut known = Best::new(instance, Goal::Finish, heft);
            let mut best = known.clone();
            assert!(exact::search(instance, Goal::Finish, &mut best, &mut Fuel { left: 400_000_000 }));
            let optimum = best.placed.finish();
            let proven = prove(instance, instance.earliest, &mut known, &mut Fuel { left: 40_000_000 });
            assert_eq!((known.placed.finish(), proven), (optimum, optimum), "seed {seed}");
            // Little fuel proves less, and nothing wrong.
            for left in [0, 10_000, 12_000, 20_000] {
                let raised = prove(instance, instance.earliest, &mut best, &mut Fuel { left });
                assert!(raised <= optimum, "seed {seed}: {raised} is above {optimum}");
            }
        }
    }
}

/// Larger ones, of which nobody knows the best: what improvement finds afterwards is never below a bound, and what one bound proves no
/// other one exceeds.
#[test]
fn no_bound_is_above_a_schedule() {
    let (mut proven, mut cases) = (0, 0);
    for seed in 0..12_u64 {
        let instance = random::drawn(16, 4, seed, 60, seed % 2 == 0);
        let heft = Baseline::Heft.place(&instance, &mut Board::new(&instance));
        let mut best = Best::new(&instance, Goal::Finish, heft);
        let mut other = best.clone();
        let known = bound::finish(&instance, true);
        let raised = prove(&instance, known, &mut best, &mut Fuel { left: 4_000_000 });
        let mut fuel = Fuel { left: 2_000_000 };
        improve::improve(&instance, Goal::Finish, &mut other, known, seed, &mut fuel);
        let least = best.placed.finish().min(other.placed.finish());
        assert!(known <= raised && raised <= least, "seed {seed}: {raised} is above {least}");
        proven += u32::from(raised == best.placed.finish());
        cases += 1;
    }
    assert!(2 * proven > cases, "{proven} of {cases} are proven");
}
