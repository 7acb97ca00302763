//! Proofs against the best of all schedules.

use super::super::baseline::Baseline;
use super::super::best::{Best, Fuel};
use super::super::instance::Instance;
use super::super::list::Board;
use super::super::strategy::Goal;
use super::super::{bound, exact, improve, random};
use super::prove;

/// HEFT's schedule, and the best of all.
fn heft_and_best(instance: &Instance) -> (Best, Best) {
    let heft = Baseline::Heft.place(instance, &mut Board::new(instance));
    let heft = Best::new(instance, Goal::Finish, heft);
    let mut best = heft.clone();
    assert!(exact::search(instance, Goal::Finish, &mut best, &mut Fuel { left: 400_000_000 }));
    (heft, best)
}

/// Three to seven tasks, some that take no time, with little and with much data, on one to four lanes of two sites, of which some may be alike.
fn drawn(seed: u64) -> Instance {
    let bytes = [1, 20, 60, 200][usize::try_from(seed % 4).unwrap()];
    let tasks = 3 + u32::try_from(seed % 5).unwrap();
    let lanes = 1 + u32::try_from(seed / 4 % 4).unwrap();
    random::drawn(tasks, lanes, seed, bytes, seed.is_multiple_of(3))
}

/// Nothing is proven that is not so, and everything is proven in the end: forwards and backwards, from a schedule that is not the best.
#[test]
fn what_is_proven_is_the_best_of_all() {
    for seed in 0..240 {
        let drawn = drawn(seed);
        for instance in [&drawn, &drawn.mirror()] {
            let (mut known, mut best) = heft_and_best(instance);
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

/// The same where lanes are free only for a while.
#[test]
fn free_time_begins_and_ends() {
    let mut cases = 0;
    for seed in 0..120_u64 {
        let mut instance = drawn(seed);
        for (lane, free) in (0_i64..).zip(&mut instance.free) {
            let seed = i64::try_from(seed).unwrap();
            *free = vec![(seed * (lane + 3) % 50, 60 + seed * (lane + 5) % 300)];
        }
        for instance in [&instance, &instance.mirror()] {
            let (mut known, best) = heft_and_best(instance);
            if known.score.missing > 0 {
                continue;
            }
            let optimum = best.placed.finish();
            let proven = prove(instance, instance.earliest, &mut known, &mut Fuel { left: 40_000_000 });
            assert_eq!((known.placed.finish(), proven), (optimum, optimum), "seed {seed}");
            cases += 1;
        }
    }
    assert!(cases > 60, "{cases} of 240 have a schedule");
}

/// The same where data moves faster between sites than within one.
#[test]
fn other_sites_may_be_nearer() {
    for seed in 0..120_u64 {
        let instance = random::drawn_with(6, 4, seed, 30, seed.is_multiple_of(2), (20, 1));
        let (mut known, best) = heft_and_best(&instance);
        let optimum = best.placed.finish();
        let proven = prove(&instance, instance.earliest, &mut known, &mut Fuel { left: 40_000_000 });
        assert_eq!((known.placed.finish(), proven), (optimum, optimum), "seed {seed}");
    }
}

/// Within a budget no schedule that is too dear is taken, and no bound is above the best one that is not.
#[test]
fn a_budget_is_kept() {
    let mut dear = 0;
    for seed in 0..120 {
        let mut instance = drawn(seed);
        let (heft, free) = heft_and_best(&instance);
        instance.budget = heft.placed.cost(&instance);
        let (mut known, best) = heft_and_best(&instance);
        let optimum = best.placed.finish();
        dear += u32::from(optimum > free.placed.finish());
        let proven = prove(&instance, instance.earliest, &mut known, &mut Fuel { left: 4_000_000 });
        assert!(known.placed.cost(&instance) <= instance.budget, "seed {seed}");
        assert!(proven <= optimum && optimum <= known.placed.finish(), "seed {seed}: {proven}, {optimum}");
    }
    assert!(dear > 0, "a budget makes some schedules too dear");
}

/// Larger ones, which are proven more often than not: what improvement finds is never below a bound.
#[test]
fn no_bound_is_above_a_schedule() {
    let (mut proven, mut before, mut cases) = (0, 0, 0);
    for seed in 0..12_u64 {
        let instance = random::drawn(16, 4, seed, 60, seed.is_multiple_of(2));
        let heft = Baseline::Heft.place(&instance, &mut Board::new(&instance));
        let mut best = Best::new(&instance, Goal::Finish, heft);
        let mut other = best.clone();
        let known = bound::finish(&instance, true);
        let raised = prove(&instance, known, &mut best, &mut Fuel { left: 4_000_000 });
        let mut fuel = Fuel { left: 1_000_000 };
        improve::improve(&instance, Goal::Finish, &mut other, known, seed, &mut fuel);
        let least = best.placed.finish().min(other.placed.finish());
        assert!(known <= raised && raised <= least, "seed {seed}: {raised} is above {least}");
        before += u32::from(known == least);
        proven += u32::from(raised == best.placed.finish());
        cases += 1;
    }
    assert!(proven > before && 2 * proven > cases, "{before} of {cases} were proven, {proven} are");
}

/// The example of the module: three tasks of 10 do not end before 20 on two nodes, and what waits for all of them not before 30.
#[test]
fn three_tasks_do_not_fit_on_two_nodes() {
    let instance = random::join(&[10, 10, 10], 10, 0);
    let (mut known, _) = heft_and_best(&instance);
    assert_eq!(prove(&instance, 0, &mut known, &mut Fuel { left: 1_000_000 }), 30);
}
