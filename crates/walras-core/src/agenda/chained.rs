//! Those who are planned behind others of the same plan.

use super::tests::{HORIZON, Machine, at, offers, problem, request, waiting};
use super::{AgendaRules, Behind, Placed, Terms, Waiting, plan_agenda};
use walras_model::{Money, Span};
use walras_random::Draws;

fn behind(place: usize, ended: bool, lag: i64) -> Behind {
    Behind { place, ended, lag: Span::from_millis(lag).unwrap() }
}

fn planned(machines: &[Machine], jobs: &[Waiting<'_>], now: i64) -> Vec<Option<Placed>> {
    let offers = offers(machines);
    plan_agenda(&problem(&offers, jobs, now, AgendaRules::default())).placed
}

/// Nobody starts before those they wait for have come so far by promise; and who waits for nobody that is planned has no window.
#[test]
fn chains_start_after_what_is_promised_of_their_members() {
    let (mut followed, mut left) = (0, 0);
    for seed in 0..2_000 {
        let mut draws = Draws::new(seed);
        let mut below = |count: usize| i64::try_from(draws.below(count)).unwrap();
        let count = 1 + usize::try_from(below(3)).unwrap();
        let machines: Vec<Machine> = (0..count)
            .map(|_| Machine { site: 0, speed: 1, rate: 1, free: vec![(below(6), HORIZON)] })
            .collect();
        let requests: Vec<_> =
            (0..6).map(|_| request(u32::try_from(1 + below(2)).unwrap(), 1 + below(9), false)).collect();
        let mut behinds: Vec<Vec<Behind>> = Vec::new();
        for place in 0..6_usize {
            let count = if place == 0 || below(3) == 0 { 0 } else { 1 + below(2) };
            let mut of = || {
                let before = usize::try_from(below(place.max(1))).unwrap();
                behind(before, below(3) > 0, below(3))
            };
            behinds.push((0..count).map(|_| of()).collect());
        }
        // Some of them have lost a window that they were promised.
        let promises: Vec<Option<Terms>> = (0..6)
            .map(|_| {
                let (start, lasts) = (1 + below(12), 9);
                let (start, finish) = (at(start), at(start + lasts));
                (below(3) == 0).then_some(Terms { start, finish, cost: Money::from_micros(1_000) })
            })
            .collect();
        let jobs: Vec<Waiting<'_>> = (0..6)
            .map(|place| Waiting {
                behind: &behinds[place],
                promise: promises[place],
                ..waiting(&requests[place], 0, 1)
            })
            .collect();
        let placed = planned(&machines, &jobs, 0);
        for (place, of) in placed.iter().enumerate() {
            let Some(of) = of else {
                left += i32::from(behinds[place].iter().any(|it| placed[it.place].is_none()));
                continue;
            };
            assert!(of.promise.is_kept_by(&Terms::of(&of.window)), "seed {seed}");
            for before in &behinds[place] {
                let promise = placed[before.place].as_ref().expect("who is waited for is planned").promise;
                let moment = if before.ended { promise.finish } else { promise.start };
                let from = moment.checked_add(before.lag).unwrap();
                assert!(of.window.start() >= from, "seed {seed}, place {place}");
                followed += 1;
            }
            let lost = promises[place].filter(|_| of.renewed);
            assert!(lost.is_none_or(|lost| !lost.is_kept_by(&Terms::of(&of.window))), "seed {seed}");
        }
    }
    assert!(followed > 5_000 && left > 100, "{followed} {left}");
}

/// It keeps what it was promised where it can, and is promised anew where those before it are too late.
#[test]
fn who_lost_its_window_with_those_before_it_keeps_its_promise_if_they_allow() {
    let machine = || [Machine { site: 0, speed: 1, rate: 1, free: vec![(3, HORIZON)] }];
    let (first, second) = (request(1, 5, false), request(1, 4, false));
    let after = [behind(0, true, 1)];
    for (by, renewed) in [(30, false), (8, true)] {
        let promised = Terms { start: at(by), finish: at(by + 4), cost: Money::from_micros(100) };
        let promise = Some(promised);
        let jobs = [waiting(&first, 0, 1), Waiting { behind: &after, promise, ..waiting(&second, 0, 1) }];
        let placed = planned(&machine(), &jobs, 0);
        let [first, second] = [0, 1].map(|place: usize| placed[place].as_ref().unwrap());
        assert!(second.window.start() > first.promise.finish);
        assert_eq!((second.renewed, second.promise == promised), (renewed, !renewed));
    }
}
