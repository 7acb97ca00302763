//! The agenda on nodes that are sold in units: a newcomer against every window that there is, and plans against what is free.

use super::tests::{interval, key, problem, waiting};
use super::*;
use walras_model::attribute::{Requirement, Test, Value};
use walras_model::division::{Division, price_of_units};
use walras_model::id::NodeId;
use walras_model::offer::{Node, Site, Slot};
use walras_model::quantity::{Fixed, Performance, Rate, Work};
use walras_random::Draws;

const HORIZON: i64 = 40;

fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap()
}

fn place(moment: i64) -> usize {
    usize::try_from(moment).unwrap()
}

/// By node and moment: units that are free, and what the node costs.
type Profile = Vec<(u32, i64)>;

fn draw(draws: &mut Draws) -> (Offers, Vec<Profile>) {
    let (mut nodes, mut slots, mut profiles) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..=u32::try_from(draws.below(3)).unwrap() {
        let units = [1, 2, 3, 4, 8][draws.below(5)];
        let cores = u64::from(units) * (1 + draws.below(3) as u64);
        nodes.push(Node {
            division: Division::new(units, [("cores".to_owned(), cores)].into()).unwrap(),
            name: format!("n{number}"),
            site: SiteId::new(u32::try_from(draws.below(2)).unwrap()),
            performance: Performance::from_millionths(1_000_000 * (1 + whole(draws.below(2)))).unwrap(),
            watts: None,
            attributes: Default::default(),
        });
        let (mut profile, mut from) = (vec![(0, 0); place(HORIZON)], draws.below(6));
        while from < profile.len() {
            let until = (from + 1 + draws.below(15)).min(profile.len());
            let free = if units == 1 { 1 } else { u32::try_from(draws.below(units as usize + 1)).unwrap() };
            let rate = 1_000 * (1 + i64::from(draws.below(4) == 0));
            if free > 0 {
                let rate = Rate::from_micros_per_second(rate).unwrap();
                let slot = Slot::new(NodeId::new(number), interval(whole(from), whole(until)), rate).unwrap();
                slots.push(slot.with_units(free));
                profile[from..until].fill((free, rate.as_micros_per_second()));
            }
            from = until + usize::from(units == 1 || draws.below(4) == 0);
        }
        profiles.push(profile);
    }
    let sites = ["a", "b"].map(|name| Site { name: name.to_owned() });
    (Offers::new(interval(0, HORIZON), sites.into(), nodes, slots).unwrap(), profiles)
}

fn request(draws: &mut Draws) -> Request {
    let (tasks, work) = (1 + u32::try_from(draws.below(4)).unwrap(), 1 + whole(draws.below(12)));
    let mut request = Request::new("job", tasks, Work::from_millis(work).unwrap());
    if draws.below(3) > 0 {
        let min = Some(Fixed::from_millionths(1_000_000 * (1 + whole(draws.below(8)))));
        request
            .requires
            .push(Requirement { attribute: "cores".to_owned(), test: Test::Range { min, max: None } });
    }
    if draws.below(4) == 0 {
        request.budget = Some(Money::from_micros(1 + whole(draws.below(40))));
    }
    request.scope.same_site = draws.below(4) == 0;
    request.scope.separate_nodes = draws.below(4) == 0;
    request
}

/// The least of (score, end) over all moments and all numbers of tasks on every node.
fn least(offers: &Offers, profiles: &[Profile], request: &Request, worth: Worth) -> Option<(i128, i64)> {
    let mut least = None;
    for start in 0..HORIZON {
        let mut partial = vec![(0_u32, 0_i64, start, None)];
        for (node, profile) in offers.nodes().iter().zip(profiles) {
            let runtime = request.work.runtime_on(node.performance).unwrap();
            let end = start + runtime.as_millis();
            let Some(units) = node.units_needed(request).filter(|_| end <= HORIZON) else {
                continue;
            };
            let times = &profile[place(start)..place(end)];
            let rate = times[0].1;
            let free = times.iter().map(|(free, of)| if *of == rate { *free } else { 0 }).min().unwrap();
            if free < units {
                continue;
            }
            let part =
                price_of_units(Rate::from_micros_per_second(rate).unwrap(), units, node.division.units());
            let cost = part.cost_of(runtime).unwrap().as_micros();
            let with = |(tasks, sum, last, site): (u32, i64, i64, Option<SiteId>)| {
                let apart = request.scope.same_site && site.is_some_and(|site| site != node.site);
                let room = if request.scope.separate_nodes { 1 } else { free / units };
                let most = if apart { 0 } else { room.min(request.tasks - tasks) };
                (0..=most).map(move |count| match count {
                    0 => (tasks, sum, last, site),
                    _ => (tasks + count, sum + cost * i64::from(count), last.max(end), Some(node.site)),
                })
            };
            partial = partial.into_iter().flat_map(with).collect();
        }
        for (tasks, cost, finish, _) in partial {
            let within = request.budget.is_none_or(|budget| cost <= budget.as_micros());
            if tasks == request.tasks && within {
                let key = (worth.score(cost.into(), finish), finish);
                least = Some(least.map_or(key, |known: (i128, i64)| known.min(key)));
            }
        }
    }
    least
}

#[test]
fn a_newcomer_gets_the_best_part_of_nodes() {
    let (mut placed, mut beside) = (0, 0);
    for seed in 0..4_000 {
        let mut draws = Draws::new(seed);
        let (offers, profiles) = draw(&mut draws);
        let request = request(&mut draws);
        let job = waiting(&request, 0, whole(draws.below(4)));
        let worth = job.worth;
        let jobs = [job];
        let agenda = plan_agenda(&problem(&offers, &jobs, 0, AgendaRules::default()));
        let found = agenda.placed[0].as_ref().map(|placed| key(placed, worth));
        assert_eq!(found, least(&offers, &profiles, &request, worth), "seed {seed}: {request:?}");
        placed += usize::from(found.is_some());
        let window = agenda.placed[0].as_ref().map(|placed| placed.window.placements());
        beside += window.unwrap_or_default().windows(2).filter(|pair| pair[0].node == pair[1].node).count();
    }
    assert!(placed > 1_500 && beside > 500, "{placed} placed, {beside} beside others");
}

#[test]
fn plans_of_many_stay_within_what_is_free() {
    for seed in 0..600 {
        let mut draws = Draws::new(91_000 + seed);
        let (offers, profiles) = draw(&mut draws);
        let requests: Vec<Request> = (0..2 + draws.below(6)).map(|_| request(&mut draws)).collect();
        let mut jobs: Vec<Waiting<'_>> = requests.iter().map(|it| waiting(it, 0, 1)).collect();
        for now in 0..3 {
            let agenda = plan_agenda(&problem(&offers, &jobs, now, AgendaRules::default()));
            let mut left = profiles.clone();
            for (job, placed) in jobs.iter_mut().zip(agenda.placed) {
                let Some(placed) = placed else { continue };
                for it in placed.window.placements() {
                    let node = offers.node(it.node);
                    assert_eq!(Some(it.units), node.units_needed(job.request));
                    let (from, until) = (it.interval.start().as_millis(), it.interval.end().as_millis());
                    for moment in &mut left[it.node.index()][place(from)..place(until)] {
                        moment.0 = moment.0.checked_sub(it.units).expect("no more than is free");
                        let whole = Rate::from_micros_per_second(moment.1).unwrap();
                        assert_eq!(it.rate, price_of_units(whole, it.units, node.division.units()));
                    }
                }
                assert!(job.promise.is_none_or(|promise| promise.is_kept_by(&Terms::of(&placed.window))));
                (job.promise, job.planned) = (Some(placed.promise), Some(placed.window.into()));
            }
        }
    }
}

/// As with nodes that are sold whole: who needs no GPU leaves those that have some to others, where all else is equal.
#[test]
fn small_tasks_leave_special_nodes_alone() {
    let number = |count: i64| Value::Number(Fixed::from_millionths(count * 1_000_000));
    let node = |name: &str, gpus: bool| Node {
        division: Division::new(4, [("cores".to_owned(), 4)].into()).unwrap(),
        name: name.to_owned(),
        site: SiteId::new(0),
        performance: Performance::ONE,
        watts: None,
        attributes: [("cores", 4), ("gpus", 4)]
            .into_iter()
            .filter(|(name, _)| gpus || *name == "cores")
            .map(|(name, count)| (name.to_owned(), number(count)))
            .collect(),
    };
    let rate = Rate::from_micros_per_second(4_000).unwrap();
    let slot = |node| Slot::new(NodeId::new(node), interval(0, HORIZON), rate).unwrap().with_units(4);
    let nodes = vec![node("special", true), node("plain", false)];
    let sites = vec![Site { name: "a".to_owned() }];
    let offers = Offers::new(interval(0, HORIZON), sites, nodes, vec![slot(0), slot(1)]).unwrap();
    let request = Request::new("job", 1, Work::from_millis(10).unwrap());
    let jobs = [(); 5].map(|()| waiting(&request, 0, 1));
    let agenda = plan_agenda(&problem(&offers, &jobs, 0, AgendaRules::default()));
    let on: Vec<u32> =
        agenda.placed.iter().flatten().map(|it| it.window.placements()[0].node.number()).collect();
    assert_eq!(on, [1, 1, 1, 1, 0]);
}
