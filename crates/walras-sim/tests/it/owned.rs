//! Baselines on nodes that owners use too and that may fail, against a scheduler that goes moment by moment over lists of those that are taken.

use walras_model::{Interval, NodeId, Share, Span, Time};
use walras_random::Draws;
use walras_sim::baseline::{ATTEMPTS_MAX, Discipline, Placement, Rule, Troubles, simulate, simulate_owned};
use walras_sim::outage::{Failures, Outage};
use walras_sim::owners::{OwnerLoad, Owners};
use walras_sim::record::{Fate, Record, Site};
use walras_sim::workload::Job;
use walras_sites::simulated::Load;

const ALL: [Discipline; 4] =
    [Discipline::Fcfs, Discipline::Easy, Discipline::ShortestEasy, Discipline::Conservative];
/// Beyond every schedule of these tests, and by how much longer than needed free time counts, in milliseconds: these are the moments.
const HORIZON: usize = 1_200;
const DAY: usize = 86_400_000;

fn at(millis: usize) -> Time {
    Time::from_millis(i64::try_from(millis).unwrap()).unwrap()
}

fn span(millis: usize) -> Span {
    Span::from_millis(i64::try_from(millis).unwrap()).unwrap()
}

fn draw(seed: u64) -> (usize, Vec<Job>) {
    let mut draws = Draws::new(seed);
    let nodes = 1 + draws.below(6);
    let mut submit = 0;
    let job = |number: u64| {
        submit += draws.below(6).saturating_sub(1);
        let run = 1 + draws.below(12);
        let estimate = run + draws.below(3) * draws.below(8);
        Job {
            number,
            submit: at(submit),
            nodes: u32::try_from(1 + draws.below(nodes)).unwrap(),
            run: span(run),
            estimate: span(estimate),
            user: None,
            budget: None,
            deadline: None,
        }
    };
    let count = 1 + seed % 12;
    (nodes, (0..count).map(job).collect())
}

/// Owners who use a fifth of a node's time, and leave it alone for four times as long.
const OWNERS: OwnerLoad = OwnerLoad {
    share: Share::percent(20),
    mean: match Span::from_millis(30) {
        Some(mean) => mean,
        None => panic!("a span"),
    },
};

fn owners() -> Owners {
    Owners::Drawn(OWNERS)
}

/// What they use of a site, as if it had been written down.
fn written_down(nodes: usize) -> Owners {
    let load = Load::new(7, OWNERS.share, OWNERS.mean).unwrap();
    let all = Interval::new(at(0), at(100 * HORIZON)).unwrap();
    let uses = (0..u32::try_from(nodes).unwrap()).map(|node| load.of(NodeId::new(node), all));
    Owners::Recorded(vec![uses.collect()].into())
}

/// Nodes that fail now and then.
fn outages(nodes: usize, seed: u64) -> Vec<Outage> {
    let mut draws = Draws::new(seed + 1_000_000);
    let mut all = Vec::new();
    for node in 0..u32::try_from(nodes).unwrap() {
        let mut now = draws.below(40);
        for _ in 0..draws.below(4) {
            let until = now + 1 + draws.below(15);
            all.push(Outage { site: 0, node, from: at(now), until: Some(at(until)) });
            now = until + 1 + draws.below(40);
        }
    }
    all
}

fn simulated(nodes: usize, jobs: &[Job], discipline: Discipline, owners: Option<Owners>) -> Vec<Record> {
    with_failures(nodes, jobs, discipline, owners, &[])
}

fn with_failures(
    nodes: usize,
    jobs: &[Job],
    discipline: Discipline,
    owners: Option<Owners>,
    outages: &[Outage],
) -> Vec<Record> {
    let failures = Failures::Traced(outages.to_vec().into());
    let failures = Some(&failures).filter(|_| !outages.is_empty());
    let troubles = Troubles { owners: owners.as_ref(), failures, patience: None, seed: 7 };
    let sites = [Site::plain("one", u32::try_from(nodes).unwrap())];
    let mut records = Vec::new();
    let mut sink = |record| records.push(record);
    let jobs = jobs.iter().copied();
    simulate_owned(&sites, discipline, Placement::FIRST, troubles, jobs, &mut sink);
    records.sort_by_key(|record| record.job.number);
    records
}

/// A site, moment by moment: on which nodes which are taken, and which nodes are away now.
struct Moments {
    taken: Vec<Vec<bool>>,
    away: Vec<bool>,
}

impl Moments {
    fn new(nodes: usize) -> Moments {
        let load = Load::new(7, OWNERS.share, OWNERS.mean).unwrap();
        let all = Interval::new(at(0), at(HORIZON)).unwrap();
        let moments = |node: usize| {
            let mut taken = vec![false; HORIZON];
            for used in load.of(NodeId::new(u32::try_from(node).unwrap()), all) {
                let whole = |time: Time| usize::try_from(time.as_millis()).unwrap().min(HORIZON);
                taken[whole(used.start())..whole(used.end())].fill(true);
            }
            taken
        };
        Moments { taken: (0..nodes).map(moments).collect(), away: vec![false; nodes] }
    }

    fn is_free(&self, node: usize, from: usize, lasts: usize) -> bool {
        !self.away[node] && self.taken[node][from..from + lasts].iter().all(|taken| !taken)
    }

    /// The nodes that are free so long; what is not free much longer first.
    fn free(&self, from: usize, lasts: usize) -> Vec<usize> {
        let mut free: Vec<usize> =
            (0..self.taken.len()).filter(|node| self.is_free(*node, from, lasts)).collect();
        let until = |node: usize| self.taken[node][from..].iter().position(|taken| *taken).unwrap_or(DAY);
        free.sort_by_key(|node| (until(*node).min(lasts + DAY), *node));
        free
    }

    fn earliest(&self, now: usize, nodes: usize, lasts: usize) -> Option<usize> {
        (now..HORIZON - lasts).find(|from| self.free(*from, lasts).len() >= nodes)
    }

    fn set(&mut self, nodes: &[usize], from: usize, until: usize, taken: bool) {
        nodes.iter().for_each(|node| self.taken[*node][from..until].fill(taken));
    }
}

/// Starts by definition: the last of each job, or none where it was lost too often.
fn by_moments(nodes: usize, jobs: &[Job], discipline: Discipline, outages: &[Outage]) -> Vec<Option<usize>> {
    let whole = |span: Span| usize::try_from(span.as_millis()).unwrap();
    let wanted = |it: usize| (jobs[it].nodes as usize, whole(jobs[it].estimate));
    let mut site = Moments::new(nodes);
    let mut starts: Vec<Option<usize>> = vec![None; jobs.len()];
    let mut held: Vec<Option<(usize, Vec<usize>)>> = vec![None; jobs.len()];
    let mut queue: Vec<usize> = Vec::new();
    let mut lost = vec![0; jobs.len()];
    let all = discipline == Discipline::Conservative;
    for now in 0..HORIZON / 2 {
        if outages.is_empty() && starts.iter().all(Option::is_some) {
            break;
        }
        let mut early = false;
        for it in 0..jobs.len() {
            let (lasts, estimate) = (whole(jobs[it].lasts()), whole(jobs[it].estimate));
            if let Some(start) = starts[it].filter(|start| start + lasts == now) {
                site.set(&held[it].as_ref().unwrap().1, now, start + estimate, false);
                early |= lasts < estimate;
            }
        }
        let there = site.away.clone();
        for outage in outages.iter().filter(|outage| outage.from == at(now)) {
            let node = outage.node as usize;
            site.away[node] = true;
            let runs = |it: &usize| {
                let ends = |start: usize| start + whole(jobs[*it].lasts());
                starts[*it].is_some_and(|start| start < now && ends(start) > now)
                    && held[*it].as_ref().is_some_and(|held| held.1.contains(&node))
            };
            let Some(it) = (0..jobs.len()).find(runs) else { continue };
            let (start, on) = held[it].take().unwrap();
            site.set(&on, now, start + whole(jobs[it].estimate), false);
            (starts[it], lost[it]) = (None, lost[it] + 1);
            let place = if discipline == Discipline::ShortestEasy { queue.len() } else { 0 };
            if lost[it] < ATTEMPTS_MAX {
                queue.insert(place, it);
            }
        }
        outages
            .iter()
            .filter(|it| it.until == Some(at(now)))
            .for_each(|it| site.away[it.node as usize] = false);
        let struck = site.away != there;
        if discipline == Discipline::ShortestEasy {
            queue.sort_by_key(|it| jobs[*it].estimate);
        }
        let again = |site: &mut Moments, it: usize| {
            let (nodes, lasts) = wanted(it);
            let start = site.earliest(now, nodes, lasts)?;
            let mut free = site.free(start, lasts);
            if !all {
                free.sort_by_key(|node| site.is_free(*node, now, 1));
            }
            free.truncate(nodes);
            site.set(&free, start, start + lasts, true);
            Some((start, free))
        };
        let let_go = |site: &mut Moments, it: usize, held: &mut Option<(usize, Vec<usize>)>| {
            if let Some((start, nodes)) = held.take() {
                site.set(&nodes, start, start + wanted(it).1, false);
            }
        };
        if struck && all {
            queue.iter().for_each(|it| let_go(&mut site, *it, &mut held[*it]));
            queue.iter().for_each(|it| held[*it] = again(&mut site, *it));
            early = false;
        }
        for it in queue.iter().copied().filter(|_| early || !all) {
            // Whose time has come stays where they are.
            if all && held[it].as_ref().is_some_and(|held| held.0 == now) {
                continue;
            }
            let_go(&mut site, it, &mut held[it]);
            if all {
                held[it] = again(&mut site, it);
            }
        }
        for it in (0..jobs.len()).filter(|it| jobs[*it].submit == at(now)) {
            queue.push(it);
            held[it] = if all { again(&mut site, it) } else { None };
        }
        if discipline == Discipline::ShortestEasy {
            queue.sort_by_key(|it| jobs[*it].estimate);
        }
        let mut first = true;
        for it in queue.clone() {
            let (nodes, lasts) = wanted(it);
            if !all {
                let mut free = site.free(now, lasts);
                if free.len() >= nodes {
                    free.truncate(nodes);
                    site.set(&free, now, now + lasts, true);
                    held[it] = Some((now, free));
                } else if std::mem::take(&mut first) {
                    held[it] = again(&mut site, it);
                    if discipline == Discipline::Fcfs {
                        break;
                    }
                }
            }
            if held[it].as_ref().is_some_and(|held| held.0 == now) {
                starts[it] = Some(now);
                queue.retain(|other| *other != it);
            }
        }
    }
    starts
}

#[test]
fn queues_on_nodes_of_owners_are_as_moment_by_moment() {
    let mut turned_away = 0;
    for seed in 0..300 {
        let (nodes, jobs) = draw(seed);
        for discipline in ALL {
            let found = simulated(nodes, &jobs, discipline, Some(owners()));
            assert_eq!(found.len(), jobs.len());
            let able: Vec<Job> =
                found.iter().filter(|record| record.fate != Fate::TooWide).map(|record| record.job).collect();
            turned_away += jobs.len() - able.len();
            let starts = found
                .iter()
                .filter(|record| record.fate != Fate::TooWide)
                .map(|record| record.ran.map(|ran| usize::try_from(ran.start.as_millis()).unwrap()));
            let starts: Vec<Option<usize>> = starts.collect();
            assert_eq!(starts, by_moments(nodes, &able, discipline, &[]), "seed {seed}, {discipline:?}");
            assert!(found.iter().all(|record| !record.is_late()));
        }
    }
    assert_eq!(turned_away, 0);
}

#[test]
fn queues_on_nodes_of_owners_that_fail_are_as_moment_by_moment() {
    let mut given_up = 0;
    for seed in 0..200 {
        let (nodes, jobs) = draw(seed);
        let outages = outages(nodes, seed);
        for discipline in ALL {
            let found = with_failures(nodes, &jobs, discipline, Some(owners()), &outages);
            let start = |it: &Record| it.ran.map(|ran| usize::try_from(ran.start.as_millis()).unwrap());
            let starts: Vec<Option<usize>> = found.iter().map(start).collect();
            assert_eq!(starts, by_moments(nodes, &jobs, discipline, &outages), "seed {seed}, {discipline:?}");
            given_up += found.iter().filter(|record| record.fate == Fate::GivenUp).count();
            assert!(found.iter().all(|it| it.ran.is_some() || it.fate == Fate::GivenUp), "seed {seed}");
        }
    }
    assert!(given_up > 0);
}

#[test]
fn what_owners_used_counts_as_what_is_drawn() {
    let mut waited = 0;
    for seed in 0..40 {
        let (nodes, jobs) = draw(seed);
        for discipline in ALL {
            let found = simulated(nodes, &jobs, discipline, Some(written_down(nodes)));
            let drawn = simulated(nodes, &jobs, discipline, Some(owners()));
            assert_eq!(found, drawn, "seed {seed}, {discipline:?}");
            let alone = simulated(nodes, &jobs, discipline, Some(Owners::Recorded(Vec::new().into())));
            waited += usize::from(found != alone);
        }
    }
    assert!(waited > 40, "owners stand in somebody's way: {waited}");
}

#[test]
fn where_owners_use_nothing_queues_are_the_same() {
    for seed in 0..1_500 {
        let (nodes, jobs) = draw(seed);
        for discipline in [Discipline::Fcfs, Discipline::Easy, Discipline::ShortestEasy] {
            let mut plain = Vec::new();
            let sites = [Site::plain("one", u32::try_from(nodes).unwrap())];
            let mut sink = |record| plain.push(record);
            simulate(&sites, discipline, Placement::FIRST, jobs.iter().copied(), &mut sink);
            plain.sort_by_key(|record: &Record| record.job.number);
            assert_eq!(simulated(nodes, &jobs, discipline, None), plain, "seed {seed}, {discipline:?}");
        }
    }
}

/// Several sites, users who give up, jobs for which no owner leaves time.
#[test]
fn everybody_is_accounted_for() {
    let (_, mut jobs) = draw(11);
    // Every node is used once in 150.
    jobs.push(Job { number: 99, run: span(900), estimate: span(900), ..jobs[jobs.len() - 1] });
    let sites = [Site::plain("one", 6), Site::plain("two", 6)];
    let rules = ALL.into_iter().zip([Rule::FirstFit, Rule::Cheapest, Rule::StartFirst, Rule::EndFirst]);
    for ((discipline, rule), failing) in rules.flat_map(|rule| [(rule, false), (rule, true)]) {
        let mut records: Vec<Record> = Vec::new();
        let placement = Placement { rule, knows_speed: true };
        let (patience, sink) = (Some(span(5)), &mut |record| records.push(record));
        let (owners, failures) = (owners(), Failures::Drawn { between: span(400), repair: span(9) });
        let (owners, failures) = (Some(&owners), Some(&failures).filter(|_| failing));
        let troubles = Troubles { owners, failures, patience, seed: 3 };
        simulate_owned(&sites, discipline, placement, troubles, jobs.iter().copied(), sink);
        records.sort_by_key(|record| record.job.number);
        let numbers: Vec<u64> = records.iter().map(|record| record.job.number).collect();
        assert_eq!(numbers, jobs.iter().map(|job| job.number).collect::<Vec<u64>>());
        assert_eq!(records[records.len() - 1].fate, Fate::TooWide);
        // Who was lost on the way may have begun in time before.
        let waited = records.iter().filter_map(Record::wait).max().filter(|_| !failing).unwrap_or(Span::ZERO);
        assert!(waited < span(5), "{discipline:?}: {waited:?}");
    }
}
