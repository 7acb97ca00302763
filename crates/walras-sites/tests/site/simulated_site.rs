//! The simulated site without its connector: time and chances are passed in, so everything is exact.

use crate::bench::{FIRST, STEADY, command, hold, number};
use walras_model::{Interval, NodeId, Share, Time};
use walras_random::Stream;
use walras_sites::simulated::{Behaviour, SimulatedNode, SimulatedSite};
use walras_sites::store::VolatileStore;
use walras_sites::{
    CycleNumber, Free, Hold, JobNumber, Offering, PartEnd, ReservationNumber, SiteAnswer, SiteError,
    SiteMessage, SiteRefusal, Start, StartPart,
};

type Site = SimulatedSite<VolatileStore>;

const JOB: JobNumber = JobNumber::new(4);

fn at(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

fn node(place: u32) -> NodeId {
    NodeId::new(FIRST + place)
}

fn site(offering: Offering, behaviour: Behaviour) -> Site {
    let nodes = if matches!(offering, Offering::Queue(_)) { 0 } else { 2 };
    let nodes = (0..nodes).map(|place| SimulatedNode::new(node(place))).collect();
    SimulatedSite::open(offering, nodes, behaviour, None, VolatileStore::default()).unwrap()
}

/// Confirms holds from a second on.
fn booked(site: &mut Site, reservation: ReservationNumber, holds: &[Hold]) {
    assert_eq!(
        site.prepare(at(0), reservation, holds, at(10)).unwrap(),
        [SiteMessage::Prepared(reservation)]
    );
    assert_eq!(site.confirm(at(0), reservation).unwrap(), [SiteMessage::Confirmed(reservation)]);
}

/// Starts one part on every hold: a task with an end, or one of the tasks of a parallel job.
fn start(site: &mut Site, now: i64, reservation: ReservationNumber, task_end: Option<i64>) -> SiteAnswer {
    start_by(site, now, reservation, task_end, 1)
}

/// The same, as it goes by one of several chances.
fn start_by(
    site: &mut Site,
    now: i64,
    reservation: ReservationNumber,
    task_end: Option<i64>,
    seed: u64,
) -> SiteAnswer {
    let holds = site.book().get(reservation).map_or(1, |booking| booking.holds.len());
    let task = task_end.map(|_| "t".to_owned());
    let end = at(task_end.unwrap_or(60_000));
    let parts = (0..u32::try_from(holds).unwrap()).map(|place| StartPart {
        part: place,
        hold: place,
        gang: None,
        task: task.clone(),
        program: None,
        start: at(now),
        end,
    });
    let (parts, program) = (parts.collect::<Vec<_>>(), command(&[]));
    let start = Start {
        reservation,
        job: JOB,
        parts: &parts,
        size: 1,
        peers: &[],
        program: &program,
        together: false,
    };
    site.start(at(now), &start, &mut Stream::open(seed, 1))
}

fn ended(part: u32, millis: i64, end: PartEnd) -> SiteMessage {
    SiteMessage::Ended { reservation: number(1), part, at: at(millis), end, used: None }
}

fn started(part: u32, millis: i64) -> SiteMessage {
    SiteMessage::Started { reservation: number(1), parts: vec![part], at: at(millis) }
}

#[test]
fn a_part_begins_with_its_hold_and_ends_by_itself() {
    let mut site = site(Offering::Slots, STEADY);
    booked(&mut site, number(1), &[hold(0, at(1_000), 1_000)]);
    assert_eq!(start(&mut site, 0, number(1), None).unwrap(), []);
    assert_eq!((site.next(), site.running(at(999))), (Some(at(1_000)), vec![]));
    assert_eq!(site.pass(at(1_000)), [started(0, 1_000)]);
    assert_eq!((site.next(), site.running(at(1_050))), (Some(at(1_100)), vec![(JOB, number(1))]));
    assert_eq!(site.pass(at(5_000)), [ended(0, 1_100, PartEnd::Done)]);
    assert_eq!((site.next(), site.running(at(1_100))), (None, vec![]));
    assert_eq!(site.pass(at(5_000)), []);
    assert_eq!(site.observe(at(5_000), number(1)), [started(0, 1_000), ended(0, 1_100, PartEnd::Done)]);
}

#[test]
fn a_part_that_needs_more_than_it_holds_is_stopped_with_its_hold() {
    let mut site = site(Offering::Slots, Behaviour { overruns: Share::WHOLE, ..STEADY });
    booked(&mut site, number(1), &[hold(0, at(1_000), 1_000)]);
    start(&mut site, 0, number(1), None).unwrap();
    assert_eq!(site.pass(at(9_000)), [started(0, 1_000), ended(0, 2_000, PartEnd::TimedOut)]);
}

#[test]
fn a_task_that_will_be_late_says_so_at_once() {
    let mut site = site(Offering::Slots, Behaviour { overruns: Share::WHOLE, ..STEADY });
    booked(&mut site, number(1), &[hold(0, at(1_000), 1_000)]);
    let until = at(1_000 + 13 * 500 / 10);
    let said = start(&mut site, 0, number(1), Some(1_500)).unwrap();
    assert_eq!(said, [SiteMessage::Late { reservation: number(1), part: 0, until }]);
}

#[test]
fn how_late_a_task_is_follows_from_how_long_it_takes() {
    let behaviour = Behaviour { takes: (Share::percent(30), Share::WHOLE), overruns: Share::WHOLE, ..STEADY };
    let mut late = std::collections::BTreeSet::new();
    for seed in 0..60 {
        let mut site = site(Offering::Slots, behaviour);
        booked(&mut site, number(1), &[hold(0, at(1_000), 1_000)]);
        let said = start_by(&mut site, 0, number(1), Some(1_500), seed).unwrap();
        let [SiteMessage::Late { until, .. }] = said[..] else { panic!("{said:?}") };
        late.insert(until.as_millis() - 1_500);
    }
    assert!(*late.first().unwrap() >= 50 && *late.last().unwrap() <= 150, "{late:?}");
    assert!(late.len() > 20, "{late:?}");
}

#[test]
fn in_a_queue_parts_wait_and_then_have_all_of_their_time() {
    let behaviour = Behaviour { wait: (700, 700), overruns: Share::WHOLE, expected_wait: (5, 5), ..STEADY };
    let mut site = site(Offering::Queue(1), behaviour);
    let unplaced = Hold { node: None, ..hold(0, at(1_000), 1_000) };
    booked(&mut site, number(1), &[unplaced]);
    start(&mut site, 100, number(1), None).unwrap();
    assert_eq!(site.pass(at(9_000)), [started(0, 800), ended(0, 1_800, PartEnd::TimedOut)]);
    let horizon = Interval::new(at(0), at(9_000)).unwrap();
    let offers = site.offers(at(0), CycleNumber::new(1), horizon, &mut Stream::open(1, 1));
    let Some(SiteMessage::Offers { free: Free::Queue { wait, units }, .. }) = offers else {
        panic!("{offers:?}")
    };
    assert_eq!((wait.as_millis(), units), (5, 1));
    // A node cannot be asked for.
    let said = site.prepare(at(0), number(2), &[hold(0, at(0), 1)], at(10)).unwrap();
    assert_eq!(said, [SiteMessage::Refused { reservation: number(2), refusal: SiteRefusal::Busy }]);
}

#[test]
fn a_lost_node_ends_what_runs_there_and_sells_nothing_until_it_is_back() {
    let mut site = site(Offering::Slots, STEADY);
    booked(&mut site, number(1), &[hold(0, at(0), 10_000), hold(1, at(0), 10_000)]);
    start(&mut site, 0, number(1), None).unwrap();
    let lost = SiteMessage::NodeLost { node: node(1), at: at(500) };
    assert_eq!(site.lose_node(at(500), node(1)).unwrap(), Some(lost.clone()));
    assert_eq!(site.lose_node(at(600), node(1)).unwrap(), None);
    assert_eq!(site.node_news().collect::<Vec<_>>(), [lost]);
    assert_eq!(site.pass(at(2_000)), [ended(0, 1_000, PartEnd::Done), ended(1, 500, PartEnd::Lost)]);
    let said = site.prepare(at(600), number(2), &[hold(1, at(20_000), 5)], at(900)).unwrap();
    assert_eq!(said, [SiteMessage::Refused { reservation: number(2), refusal: SiteRefusal::Busy }]);
    assert_eq!(site.bring_back(at(500), node(1)).unwrap(), None, "not in the moment in which it failed");
    let back = SiteMessage::NodeBack { node: node(1), at: at(700) };
    assert_eq!(site.bring_back(at(700), node(1)).unwrap(), Some(back));
    let said = site.prepare(at(700), number(2), &[hold(1, at(20_000), 5)], at(900)).unwrap();
    assert_eq!(said, [SiteMessage::Prepared(number(2))]);
}

#[test]
fn an_unknown_node_is_an_error() {
    let mut site = site(Offering::Slots, STEADY);
    let unknown =
        SiteError::UnknownNode { name: "9".to_owned(), known: vec!["3".to_owned(), "4".to_owned()] };
    let interval = Interval::new(at(0), at(1)).unwrap();
    assert_eq!(site.lose_node(at(0), NodeId::new(9)), Err(unknown.clone()));
    assert_eq!(site.bring_back(at(0), NodeId::new(9)), Err(unknown.clone()));
    assert_eq!(site.take(at(0), NodeId::new(9), interval), Err(unknown));
}

#[test]
fn what_an_owner_takes_ends_even_before_it_began() {
    let mut site = site(Offering::Slots, STEADY);
    booked(&mut site, number(1), &[hold(0, at(5_000), 1_000), hold(1, at(5_000), 1_000)]);
    start(&mut site, 0, number(1), None).unwrap();
    let interval = Interval::new(at(5_500), at(7_000)).unwrap();
    let taken = SiteMessage::Taken { node: node(0), interval };
    assert_eq!(site.take(at(100), node(0), interval).unwrap(), taken);
    assert_eq!(site.pass(at(100)), [started(0, 100), ended(0, 100, PartEnd::TakenBack)]);
    assert_eq!(site.pass(at(9_000)), [started(1, 5_000), ended(1, 5_100, PartEnd::Done)]);
}

#[test]
fn a_lost_site_hears_nothing_and_keeps_only_what_was_confirmed() {
    let mut site = site(Offering::Slots, STEADY);
    booked(&mut site, number(1), &[hold(0, at(0), 10_000)]);
    start(&mut site, 0, number(1), None).unwrap();
    site.prepare(at(0), number(2), &[hold(1, at(0), 10)], at(90_000)).unwrap();
    site.fail(at(500)).unwrap();
    let horizon = Interval::new(at(0), at(9_000)).unwrap();
    assert_eq!(site.offers(at(600), CycleNumber::new(1), horizon, &mut Stream::open(1, 1)), None);
    assert_eq!(site.prepare(at(600), number(3), &[hold(1, at(0), 10)], at(900)).unwrap(), []);
    assert_eq!(site.confirm(at(600), number(2)).unwrap(), []);
    assert_eq!(site.release(at(600), number(1)).unwrap(), []);
    assert_eq!(start(&mut site, 600, number(1), None).unwrap(), []);
    assert_eq!(site.observe(at(600), number(1)), []);
    assert_eq!((site.pass(at(600)), site.next()), (vec![], None));
    site.recover(at(700));
    assert_eq!(site.pass(at(700)), [ended(0, 500, PartEnd::Lost)]);
    let held: Vec<ReservationNumber> = site.book().iter().map(|(number, _)| number).collect();
    assert_eq!(held, [number(1)]);
    let refusal = SiteRefusal::Expired;
    let said = site.confirm(at(800), number(2)).unwrap();
    assert_eq!(said, [SiteMessage::Refused { reservation: number(2), refusal }]);
}
