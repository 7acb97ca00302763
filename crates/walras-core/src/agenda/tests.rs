//! The agenda against definitions: searches against every set of nodes at every moment, plans against what they must keep.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use walras_model::attribute::{Requirement, Test, Value};
use walras_model::id::NodeId;
use walras_model::offer::{Node, Site, Slot};
use walras_model::quantity::{Fixed, Performance, Rate, Work};

pub(super) const HORIZON: i64 = 40;

pub(super) fn at(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

pub(super) fn interval(from: i64, until: i64) -> Interval {
    Interval::new(at(from), at(until)).unwrap()
}

/// A node of a site: how fast it is, what it costs, and when it is free.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) site: u32,
    pub(super) speed: i64,
    pub(super) rate: i64,
    pub(super) free: Vec<(i64, i64)>,
}

fn machines() -> impl Strategy<Value = Vec<Machine>> {
    let free = prop_oneof![
        3 => (0..20_i64).prop_map(|from| vec![(from, HORIZON)]),
        1 => (0..8_i64, 1..10_i64, 1..6_i64).prop_map(|(from, long, gap)| {
            vec![(from, from + long), (from + long + gap, HORIZON)]
        }),
    ];
    let machine = (0..2_u32, 1..3_i64, 1..3_i64, free);
    let machine = machine.prop_map(|(site, speed, rate, free)| Machine { site, speed, rate, free });
    prop::collection::vec(machine, 1..6)
}

pub(super) fn offers(machines: &[Machine]) -> Offers {
    let sites = ["a", "b"].map(|name| Site { name: name.to_owned() });
    let node = |(place, machine): (usize, &Machine)| Node {
        division: Default::default(),
        name: format!("n{place}"),
        site: SiteId::new(machine.site),
        performance: Performance::from_millionths(machine.speed * 1_000_000).unwrap(),
        watts: None,
        attributes: Default::default(),
    };
    let nodes = machines.iter().enumerate().map(node).collect();
    let slots = machines.iter().enumerate().flat_map(|(place, machine)| {
        let rate = Rate::from_micros_per_second(machine.rate * 1_000).unwrap();
        let node = NodeId::from_index(place).unwrap();
        machine.free.iter().filter_map(move |(from, until)| Slot::new(node, interval(*from, *until), rate))
    });
    Offers::new(interval(0, HORIZON), sites.into(), nodes, slots.collect()).unwrap()
}

pub(super) fn request(tasks: u32, work: i64, same_site: bool) -> Request {
    let mut request = Request::new("job", tasks, Work::from_millis(work).unwrap());
    request.scope.same_site = same_site;
    request
}

pub(super) fn waiting<'a>(request: &'a Request, came: i64, value: i64) -> Waiting<'a> {
    let worth = Worth { per_second: value * 1_000, from: at(came) };
    Waiting {
        request,
        came: at(came),
        worth,
        promise: None,
        planned: None,
        payer: None,
        overdue: false,
        owner: 0,
        crowds: false,
        likely: None,
        behind: &[],
    }
}

pub(super) fn problem<'a>(
    offers: &'a Offers,
    jobs: &'a [Waiting<'a>],
    now: i64,
    rules: AgendaRules,
) -> AgendaProblem<'a> {
    let now = at(now);
    AgendaProblem { now, held: now, soon: now, offers, jobs, funds: &[], admits: None, rules }
}

/// The least of (score, end) over all moments and all sets of nodes.
fn least(offers: &Offers, request: &Request, worth: Worth) -> Option<(i128, i64)> {
    let nodes = offers.nodes();
    let mut least = None;
    for start in 0..HORIZON {
        for set in 0_u32..1 << nodes.len() {
            let chosen: Vec<usize> = (0..nodes.len()).filter(|node| set >> node & 1 == 1).collect();
            let sites: BTreeSet<_> = chosen.iter().map(|node| nodes[*node].site).collect();
            if set.count_ones() != request.tasks || request.scope.same_site && sites.len() > 1 {
                continue;
            }
            let mut cost = 0_i128;
            let mut finish = start;
            let fits = chosen.iter().all(|node| {
                let runtime = request.work.runtime_on(nodes[*node].performance).unwrap();
                let end = start + runtime.as_millis();
                finish = finish.max(end);
                let own = offers.slots().iter().find(|slot| {
                    slot.node().index() == *node && slot.start() <= at(start) && at(end) <= slot.end()
                });
                cost += own.map_or(0, |slot| slot.rate().cost_of(runtime).unwrap().as_micros().into());
                own.is_some()
            });
            let within = request.deadline.is_none_or(|deadline| at(finish) <= deadline)
                && request.budget.is_none_or(|budget| cost <= budget.as_micros().into());
            if fits && within {
                let key = (worth.score(cost, finish), finish);
                least = Some(least.map_or(key, |known: (i128, i64)| known.min(key)));
            }
        }
    }
    least
}

pub(super) fn key(placed: &Placed, worth: Worth) -> (i128, i64) {
    let terms = Terms::of(&placed.window);
    (worth.score_of(terms.cost, terms.finish), terms.finish.as_millis())
}

/// Whether windows lie in free time, and none on another.
fn lie_apart(offers: &Offers, windows: &[&Window]) -> bool {
    let placements: Vec<_> = windows.iter().flat_map(|window| window.placements()).collect();
    let offered = placements.iter().all(|it| {
        offers.slots().iter().any(|slot| {
            let around = slot.start() <= it.interval.start() && it.interval.end() <= slot.end();
            slot.node() == it.node && around && slot.rate() == it.rate
        })
    });
    let apart = placements.iter().enumerate().all(|(place, one)| {
        placements[..place]
            .iter()
            .all(|other| one.node != other.node || !one.interval.overlaps(other.interval))
    });
    offered && apart
}

proptest! {
    /// A newcomer gets the best of all windows.
    #[test]
    fn a_newcomer_gets_the_best_window(
        machines in machines(),
        tasks in 1..4_u32,
        work in 1..12_i64,
        value in 0..4_i64,
        same_site: bool,
        deadline in prop::option::of(5..HORIZON),
        budget in prop::option::of(1..60_i64),
    ) {
        let offers = offers(&machines);
        let mut request = request(tasks, work, same_site);
        request.deadline = deadline.map(at);
        request.budget = budget.map(Money::from_micros);
        let jobs = [waiting(&request, 0, value)];
        let agenda = plan_agenda(&problem(&offers, &jobs, 0, AgendaRules::default()));
        let found = agenda.placed[0].as_ref().map(|placed| key(placed, jobs[0].worth));
        prop_assert_eq!(found, least(&offers, &request, jobs[0].worth));
    }

    /// A newcomer that cannot end by its deadline is refused, or ends as soon as it can.
    #[test]
    fn who_is_late_ends_first(
        machines in machines(),
        tasks in 1..4_u32,
        work in 1..12_i64,
        value in 0..4_i64,
        same_site: bool,
        deadline in 1..20_i64,
        budget in prop::option::of(1..60_i64),
    ) {
        let offers = offers(&machines);
        let mut request = request(tasks, work, same_site);
        request.budget = budget.map(Money::from_micros);
        let at_any_price = Worth { per_second: 1_000_000, from: at(0) };
        let soonest = least(&offers, &request, at_any_price).map(|(_, finish)| finish);
        request.deadline = Some(at(deadline));
        let jobs = [waiting(&request, 0, value)];
        let in_time = least(&offers, &request, jobs[0].worth);
        for until in [Until::Planned, Until::Deadline] {
            let run = AgendaRules { until, late: Late::Run, ..AgendaRules::default() };
            let placed = plan_agenda(&problem(&offers, &jobs, 0, run)).placed[0].clone();
            let found = placed.as_ref().map(|placed| key(placed, jobs[0].worth));
            match in_time {
                Some(best) => prop_assert_eq!(found, Some(best)),
                None => prop_assert_eq!(found.map(|(_, finish)| finish), soonest),
            }
            let Some(placed) = placed else { continue };
            let by = placed.window.end().max(at(deadline));
            prop_assert!(placed.promise.finish <= by && placed.promise.is_kept_by(&Terms::of(&placed.window)));
            prop_assert!(until == Until::Planned || placed.promise.finish == by);
            // Later plans keep what was promised, although the deadline is passed.
            let mut again = waiting(&request, 0, value);
            (again.promise, again.planned) = (Some(placed.promise), Some(placed.window.into()));
            let kept = plan_agenda(&problem(&offers, &[again], 0, run)).placed[0].clone();
            prop_assert!(kept.is_some_and(|kept| !kept.renewed && kept.promise == placed.promise));
        }
    }

    /// Jobs come one by one while time passes: what is planned lies apart in free time, and every promise is kept by every later
    /// plan as long as what is free does not shrink.
    #[test]
    fn promises_are_kept_by_every_later_plan(
        machines in machines(),
        jobs in prop::collection::vec((1..4_u32, 1..9_i64, 0..3_i64, any::<bool>()), 1..9),
        slack in 0..4_u8,
        trials in 0..4_u32,
        replanned_max in 0..6_u32,
        order in 0..5_usize,
        deadlines in prop::collection::vec(prop::option::of(1..30_i64), 9),
        until in prop_oneof![Just(Until::Planned), Just(Until::Deadline)],
        late in prop_oneof![Just(Late::Refused), Just(Late::Run)],
    ) {
        let orders = [
            Precedence::Expansion, Precedence::WaitCubed, Precedence::Arrival, Precedence::Shortest, Precedence::AsGiven,
        ];
        let rules = AgendaRules {
            precedence: orders[order], slack: Share::percent(25 * slack), trials, replanned_max, until, late,
            ..AgendaRules::default()
        };
        let offers = offers(&machines);
        let mut requests: Vec<Request> =
            jobs.iter().map(|(tasks, work, _, same)| request(*tasks, *work, *same)).collect();
        for (request, deadline) in requests.iter_mut().zip(&deadlines) {
            request.deadline = deadline.map(at);
        }
        let mut known: Vec<(usize, Option<Promise>, Option<Window>)> = Vec::new();
        for (place, (_, _, step, _)) in jobs.iter().enumerate() {
            let now = i64::try_from(place).unwrap() * step;
            // What has started is no longer planned, and its time is no longer free.
            let (gone, stay): (Vec<_>, Vec<_>) = known.into_iter().partition(|(_, _, window)| {
                window.as_ref().is_some_and(|window| window.start() <= at(now))
            });
            let held = gone.iter().filter_map(|(_, _, window)| window.as_ref()).flat_map(|it| it.placements());
            let held = held.map(|it| (it.node, it.interval));
            let past = (0..machines.len()).map(|node| (NodeId::from_index(node).unwrap(), interval(-1, now.max(0))));
            let left = offers.without(held.chain(past));
            known = stay;
            known.push((place, None, None));
            let waits: Vec<Waiting<'_>> = known.iter().map(|(job, promise, window)| {
                let mut waits = waiting(&requests[*job], i64::try_from(*job).unwrap(), jobs[*job].2);
                (waits.promise, waits.planned) = (*promise, window.clone().map(Into::into));
                waits
            }).collect();
            let agenda = plan_agenda(&problem(&left, &waits, now, rules));
            let windows: Vec<&Window> = agenda.placed.iter().flatten().map(|placed| &placed.window).collect();
            prop_assert!(lie_apart(&left, &windows));
            for ((_, promise, window), placed) in known.iter_mut().zip(&agenda.placed) {
                match placed {
                    Some(placed) => {
                        prop_assert!(placed.promise.is_kept_by(&Terms::of(&placed.window)));
                        prop_assert!(!placed.renewed);
                        prop_assert!(promise.is_none_or(|promise| promise == placed.promise));
                        (*promise, *window) = (Some(placed.promise), Some(placed.window.clone()));
                    }
                    None => prop_assert!(promise.is_none(), "who was promised something has a place"),
                }
            }
            known.retain(|(_, promise, _)| promise.is_some());
        }
    }
}

/// Who ends early makes room, and who waits moves up: that is all the difference to reserving at first sight.
#[test]
fn time_that_is_free_again_goes_to_who_waits() {
    let machine = Machine { site: 0, speed: 1, rate: 1, free: vec![(0, HORIZON)] };
    let late = offers(&[Machine { free: vec![(10, HORIZON)], ..machine.clone() }]);
    let request = request(1, 5, true);
    let first = [waiting(&request, 0, 1)];
    let agenda = plan_agenda(&problem(&late, &first, 0, AgendaRules::default()));
    let placed = agenda.placed[0].clone().unwrap();
    assert_eq!(
        (placed.window.start(), placed.promise.start, placed.promise.finish),
        (at(10), at(12), at(17))
    );
    // What ran until 10 has ended at 3.
    let early = offers(&[Machine { free: vec![(3, HORIZON)], ..machine }]);
    let mut again = waiting(&request, 0, 1);
    (again.promise, again.planned) = (Some(placed.promise), Some(placed.window.into()));
    let agenda = plan_agenda(&problem(&early, &[again], 3, AgendaRules::default()));
    let moved = agenda.placed[0].clone().unwrap();
    assert_eq!(
        (moved.window.start(), moved.promise, moved.changed, moved.renewed),
        (at(3), placed.promise, true, false)
    );
}

/// A short job goes ahead of a long one that is planned for now, if that keeps what the long one was promised.
#[test]
fn the_short_go_ahead_within_what_the_long_were_promised() {
    let machine = Machine { site: 0, speed: 1, rate: 1, free: vec![(8, HORIZON)] };
    let busy = offers(std::slice::from_ref(&machine));
    let (long, short) = (request(1, 20, true), request(1, 1, true));
    let jobs = [waiting(&long, 0, 1), waiting(&short, 0, 1)];
    let agenda = plan_agenda(&problem(&busy, &jobs, 0, AgendaRules::default()));
    let starts = |agenda: &Agenda| -> Vec<i64> {
        agenda.placed.iter().flatten().map(|placed| placed.window.start().as_millis()).collect()
    };
    assert_eq!(starts(&agenda), [8, 28]);
    let mut later = jobs.to_vec();
    for (job, placed) in later.iter_mut().zip(&agenda.placed) {
        let placed = placed.clone().unwrap();
        (job.promise, job.planned) = (Some(placed.promise), Some(placed.window.into()));
    }
    let free = offers(&[Machine { free: vec![(8, HORIZON)], ..machine }]);
    let agenda = plan_agenda(&problem(&free, &later, 8, AgendaRules::default()));
    assert_eq!(starts(&agenda), [9, 8]);
}

/// A window that is no longer free is planned again within its promise, or gets another and says so.
#[test]
fn what_a_promise_rested_on_may_go() {
    let machine = |from: i64| Machine { site: 0, speed: 1, rate: 1, free: vec![(from, HORIZON)] };
    let request = request(1, 5, true);
    let two = offers(&[machine(0), machine(1)]);
    let jobs = [waiting(&request, 0, 1)];
    let placed = plan_agenda(&problem(&two, &jobs, 0, AgendaRules::default())).placed[0].clone().unwrap();
    let mut again = waiting(&request, 0, 1);
    (again.promise, again.planned) =
        (Some(Promise { start: at(2), ..placed.promise }), Some(placed.window.into()));
    again.promise = again.promise.map(|promise| Promise { finish: at(7), ..promise });
    let jobs = [again];
    // The first node is gone; the second is free soon enough, or is not.
    let soon = offers(&[Machine { free: vec![], ..machine(0) }, machine(1)]);
    let kept = plan_agenda(&problem(&soon, &jobs, 0, AgendaRules::default())).placed[0].clone().unwrap();
    assert_eq!((kept.window.start(), kept.renewed), (at(1), false));
    let late = offers(&[Machine { free: vec![], ..machine(0) }, machine(9)]);
    let lost = plan_agenda(&problem(&late, &jobs, 0, AgendaRules::default())).placed[0].clone().unwrap();
    assert_eq!((lost.window.start(), lost.renewed, lost.promise.start), (at(9), true, at(11)));
}

/// Whoever has lost its window, and with it what it was promised, keeps its turn where the others can wait within what they were promised.
#[test]
fn who_has_lost_its_window_is_not_last() {
    let machine = |from: i64| Machine { site: 0, speed: 1, rate: 1, free: vec![(from, HORIZON)] };
    let request = request(1, 5, true);
    let terms = |start: i64| Terms { start: at(start), finish: at(start + 5), cost: Money::from_micros(9) };
    let from_five =
        plan_agenda(&problem(&offers(&[machine(5)]), &[waiting(&request, 0, 1)], 0, AgendaRules::default()));
    let planned = from_five.placed[0].clone().map(|placed| placed.window.into());
    // The first was to start by 2, and nobody was there; the second is planned at 5, and may start at 12.
    let lost = Waiting { promise: Some(terms(2)), ..waiting(&request, 0, 1) };
    let next =
        |by: i64| Waiting { promise: Some(terms(by)), planned: planned.clone(), ..waiting(&request, 0, 1) };
    let now = offers(&[machine(4)]);
    let placed =
        |by: i64| plan_agenda(&problem(&now, &[lost.clone(), next(by)], 4, AgendaRules::default())).placed;
    let told = |placed: &Option<Placed>| placed.as_ref().map(|it| (it.window.start(), it.renewed));
    let patient = placed(12);
    assert_eq!((told(&patient[0]), told(&patient[1])), (Some((at(4), true)), Some((at(9), false))));
    // One that cannot wait goes first.
    let impatient = placed(6);
    assert_eq!((told(&impatient[0]), told(&impatient[1])), (Some((at(9), true)), Some((at(4), false))));
}

/// Nodes with a GPU, at the same price, come last where nobody asks for one, whatever their place in the list.
#[test]
fn what_others_need_stays_free() {
    let machine = || Machine { site: 0, speed: 1, rate: 1, free: vec![(0, HORIZON)] };
    let plain = offers(&[machine(), machine(), machine(), machine()]);
    let mut nodes = plain.nodes().to_vec();
    for node in &mut nodes[..2] {
        node.attributes.insert("gpu".to_owned(), Value::Flag(true));
        node.attributes.insert("memory".to_owned(), Value::Number(Fixed::from_millionths(64_000_000)));
    }
    for node in &mut nodes[2..] {
        node.attributes.insert("memory".to_owned(), Value::Number(Fixed::from_millionths(16_000_000)));
    }
    let offers = Offers::new(plain.horizon(), plain.sites().to_vec(), nodes, plain.slots().to_vec()).unwrap();
    let of_gpu = {
        let mut request = request(2, 5, false);
        request
            .requires
            .push(Requirement { attribute: "gpu".to_owned(), test: Test::Equals(Value::Flag(true)) });
        request
    };
    let (two, three) = (request(2, 5, false), request(3, 5, false));
    for (jobs, starts) in [([&two, &of_gpu], [0, 0]), ([&three, &of_gpu], [0, 5])] {
        let jobs = jobs.map(|request| waiting(request, 0, 1));
        let agenda = plan_agenda(&problem(&offers, &jobs, 0, AgendaRules::default()));
        let found = agenda.placed.iter().flatten().map(|placed| placed.window.start().as_millis());
        assert_eq!(found.collect::<Vec<_>>(), starts);
    }
}
