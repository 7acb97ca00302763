//! Laws: no event can vanish or be repeated unnoticed, and honest brokers are never accused.

use crate::story::{NORTH, QUEUE, SOUTH, day, diamond, only_on, quote, vo};
use crate::world::{World, audit, credits, interval, job, submit, time};
use proptest::prelude::*;
use std::sync::LazyLock;
use walras_broker::Event;
use walras_broker::event::{JobEvent, ReservationEvent, SiteEvent, VoEvent};
use walras_broker::input::{Input, SiteMessage};
use walras_broker::job::PartEnd;
use walras_broker::journal::Entry;
use walras_broker::policy::Policy;
use walras_model::NodeId;

static DAY: LazyLock<Vec<Entry>> = LazyLock::new(|| day().journal);

/// That a part began the broker can do without: its end says enough.
fn is_needed(event: &Event) -> bool {
    !matches!(event, Event::Reservation(ReservationEvent::PartStarted { .. }))
}

/// Events that may be said again: what they say is so already.
fn may_repeat(event: &Event) -> bool {
    matches!(
        event,
        Event::Vo(VoEvent::PolicySet(_))
            | Event::Vo(VoEvent::BudgetSet { .. })
            | Event::Vo(VoEvent::UserSet(_))
            | Event::Site(SiteEvent::PricesSet { .. })
    ) || matches!(
        event,
        Event::Job(JobEvent::Noticed(_)) | Event::Reservation(ReservationEvent::Rescheduled { .. })
    )
}

/// The places of the events that are like this.
fn places(like: fn(&Event) -> bool) -> Vec<(usize, usize)> {
    let of = |(at, entry): (usize, &'static Entry)| {
        let events = entry.events.iter().enumerate().filter(move |(_, event)| like(event));
        events.map(move |(event, _)| (at, event))
    };
    DAY.iter().enumerate().flat_map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_event_vanishes_unnoticed((entry, event) in prop::sample::select(places(is_needed))) {
        let mut journal = DAY.clone();
        let gone = journal[entry].events.remove(event);
        prop_assert!(!audit(&journal).0.is_empty(), "{gone:?}");
    }

    #[test]
    fn no_event_happens_twice_unnoticed((entry, event) in prop::sample::select(places(|it| !may_repeat(it)))) {
        let mut journal = DAY.clone();
        let again = journal[entry].events[event].clone();
        journal[entry].events.insert(event, again.clone());
        prop_assert!(!audit(&journal).0.is_empty(), "{again:?}");
    }

    #[test]
    fn no_event_changes_places_unnoticed((entry, event) in prop::sample::select(places(|_| true))) {
        let mut journal = DAY.clone();
        let moved = journal[entry].events.remove(event);
        prop_assume!(entry + 1 < journal.len());
        journal[entry + 1].events.insert(0, moved.clone());
        prop_assert!(!audit(&journal).0.is_empty(), "{moved:?}");
    }
}

/// One thing that happens in a random world, and how long it takes until the next.
#[derive(Clone, Debug)]
struct Step {
    what: u8,
    site: u8,
    size: u8,
    wait: i64,
}

fn step() -> impl Strategy<Value = Step> {
    (0..14_u8, 0..2_u8, 1..4_u8, 0..300_000_i64).prop_map(|(what, site, size, wait)| Step {
        what,
        site,
        size,
        wait,
    })
}

fn happen(world: &mut World, number: usize, step: &Step) {
    let site = [NORTH, SOUTH][usize::from(step.site)];
    let node = NodeId::new(u32::from(step.site) * 2 + u32::from(step.size) % 2);
    let (key, size) = (format!("k{number}"), u32::from(step.size));
    let user = ["ada", "bob"][number % 2];
    let seconds = 20 * i64::from(step.size) + 7;
    let anywhere = |mut spec: walras_broker::job::JobSpec| {
        spec.request.scope.sites = Some(vec![NORTH, SOUTH]);
        spec
    };
    match step.what {
        0 | 1 => drop(world.say(submit(&key, job(user, size, seconds)))),
        2 => drop(world.say(submit(&key, anywhere(diamond(user))))),
        3 => {
            let mut spec = job(user, size, seconds);
            spec.request.deadline = Some(time(world.now + 400_000));
            spec.request.budget = Some(credits(seconds * 3));
            world.say(submit(&key, spec));
        }
        4 => drop(world.say(submit(&key, only_on(QUEUE, job(user, 1, seconds))))),
        5 => {
            let asked = quote(world, &key, anywhere(job(user, size, seconds)));
            let options = world.broker.state().quotes[&asked].options.len();
            if options > 0 {
                world.run_until(world.now + step.wait / 4);
                let accept = Input::Accept { user: None, key: format!("{key}-yes"), quote: asked, option: 0 };
                let at = world.broker.moment(time(world.now));
                if world.broker.decide(at, &accept).is_ok() {
                    world.say(accept);
                }
            }
        }
        6 => drop(world.refuse.insert(site)),
        7 => world.ends.push(PartEnd::Failed(1)),
        8 => {
            let ends = [PartEnd::Lost, PartEnd::TakenBack, PartEnd::TimedOut, PartEnd::Vanished];
            world.ends.push(ends[(usize::from(step.size) + number) % 4]);
        }
        9 => world.hear(site, SiteMessage::NodeLost { node, at: time(world.now) }),
        10 => world.hear(site, SiteMessage::NodeBack { node, at: time(world.now) }),
        11 => {
            let taken = interval(world.now, world.now + 100_000);
            world.hear(site, SiteMessage::Taken { node, interval: taken });
        }
        12 if step.size == 1 => world.hear(site, SiteMessage::Lost(time(world.now))),
        12 => world.hear(site, SiteMessage::Back(time(world.now))),
        _ => cancel_one(world, number),
    }
    world.run_until(world.now + step.wait);
}

fn cancel_one(world: &mut World, number: usize) {
    let jobs: Vec<_> =
        world.broker.state().jobs.values().map(|job| (job.number, job.spec.user.clone())).collect();
    if let Some((job, user)) = jobs.get(number % jobs.len().max(1)).cloned() {
        world.say(Input::CancelJob { user, job });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn an_honest_broker_is_never_accused(steps in prop::collection::vec(step(), 1..25), early in 0..30_000_i64) {
        let mut world = vo();
        world.early = early;
        let policy = Policy { spares_max: 0, ..(*world.broker.state().policy).clone() };
        world.say(Input::SetPolicy(Box::new(policy)));
        for (number, step) in steps.iter().enumerate() {
            happen(&mut world, number, step);
        }
        let (found, summary) = audit(&world.journal);
        prop_assert!(found.is_empty(), "{}", found.iter().map(|it| format!("{it:?}\n")).collect::<String>());
        prop_assert_eq!(summary.total, 0);
        let state = world.broker.state();
        prop_assert_eq!(summary.open_jobs, state.jobs.keys().copied().collect::<Vec<_>>());
        prop_assert_eq!(summary.open_quotes, state.quotes.keys().copied().collect::<Vec<_>>());
        let all = summary.open_reservations.iter().chain(&summary.unreleased).count();
        prop_assert_eq!(all, state.reservations.len());
    }
}
