//! What can be done to a simulated site.

use crate::bench::{Bench, FIRST, STEADY, after, command, ends, hold, now, number, simulated};
use walras_model::{Interval, NodeId, Share, Span, Time};
use walras_sites::simulated::{Behaviour, Load, SimulatedOptions};
use walras_sites::{CycleNumber, Fault, Free, PartEnd, SiteMessage};

fn moment(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

#[test]
fn a_silent_site_says_nothing_and_hears_nothing() {
    let mut bench = Bench::simulated(simulated());
    let at = now();
    bench.book(number(1), &[hold(0, at, 1_000)]);
    bench.start(number(1), 1, &command(&[]));
    assert_eq!(bench.site.fault(at, &Fault::Silent { seconds: 60 }).unwrap(), []);
    let (later, horizon) = (after(at, 30_000), Interval::new(at, after(at, 99_000)).unwrap());
    for round in 0..2 {
        assert_eq!(bench.site.offers(later, CycleNumber::new(1), horizon).unwrap(), []);
        let said = bench.ask(later, number(2), &[hold(1, at, 5)], after(at, 90_000)).unwrap();
        assert_eq!(said, [], "round {round}");
        assert_eq!(bench.site.release(later, number(1)).unwrap(), []);
        assert_eq!(bench.site.observe(later, number(1)).unwrap(), []);
        assert_eq!(bench.site.poll(later).unwrap(), []);
        assert_eq!(bench.site.next(later), Some(after(at, 60_000)));
        bench.reopen();
    }
    // What ran has gone on.
    let said = bench.site.poll(after(at, 60_000)).unwrap();
    assert_eq!(ends(&said), [(0, PartEnd::Done)]);
    let said = bench.site.confirm(after(at, 60_000), number(2)).unwrap();
    assert!(matches!(said.as_slice(), [SiteMessage::Refused { .. }]));
}

#[test]
fn a_lost_node_loses_what_runs_on_it_and_offers_nothing_until_it_is_back() {
    let mut bench = Bench::simulated(simulated());
    let (at, node) = (now(), NodeId::new(FIRST));
    bench.book(number(1), &[hold(0, at, 60_000), hold(1, at, 60_000)]);
    bench.start(number(1), 2, &command(&[]));
    let lost = Fault::NodeLost { node: "n1".to_owned() };
    let said = bench.site.fault(after(at, 100), &lost).unwrap();
    assert!(said.contains(&SiteMessage::NodeLost { node, at: after(at, 100) }), "{said:?}");
    assert_eq!(ends(&said), [(0, PartEnd::Lost)]);
    bench.reopen();
    let horizon = Interval::new(at, after(at, 99_000)).unwrap();
    let said = bench.site.offers(after(at, 200), CycleNumber::new(1), horizon).unwrap();
    assert!(said.contains(&SiteMessage::NodeLost { node, at: after(at, 100) }), "{said:?}");
    let Some(SiteMessage::Offers { free: Free::Slots(free), .. }) = said.last() else { panic!("{said:?}") };
    assert!(free.iter().all(|free| free.node != node));
    // Back in the very moment: news of one node never have the same time.
    let back = Fault::NodeBack { node: "n1".to_owned() };
    let said = bench.site.fault(after(at, 100), &back).unwrap();
    assert!(said.contains(&SiteMessage::NodeBack { node, at: after(at, 101) }), "{said:?}");
    let error = bench.site.fault(at, &Fault::NodeLost { node: "n9".to_owned() }).unwrap_err().to_string();
    assert_eq!(error, "there is no node 'n9': the nodes are n1, n2");
}

#[test]
fn an_owner_takes_a_node_back() {
    let mut bench = Bench::simulated(simulated());
    let (at, node) = (now(), NodeId::new(FIRST + 1));
    bench.book(number(1), &[hold(0, at, 60_000), hold(1, at, 60_000)]);
    bench.start(number(1), 2, &command(&[]));
    let said =
        bench.site.fault(after(at, 100), &Fault::Taken { node: "n2".to_owned(), seconds: 60 }).unwrap();
    let interval = Interval::new(after(at, 100), after(at, 60_100)).unwrap();
    assert!(said.contains(&SiteMessage::Taken { node, interval }), "{said:?}");
    assert_eq!(ends(&said), [(1, PartEnd::TakenBack)]);
    assert_eq!(bench.site.owner_use(Interval::new(at, after(at, 500)).unwrap()), [(node, interval)]);
    bench.reopen();
    assert!(bench.site.poll(after(at, 200)).unwrap().contains(&SiteMessage::Taken { node, interval }));
}

#[test]
fn a_lost_site_forgets_what_was_prepared_and_says_when_it_is_back() {
    let mut bench = Bench::simulated(simulated());
    let at = now();
    bench.book(number(1), &[hold(0, at, 60_000)]);
    bench.start(number(1), 1, &command(&[]));
    bench.ask(at, number(2), &[hold(1, at, 60_000)], after(at, 9_000)).unwrap();
    let said = bench.site.fault(after(at, 10), &Fault::SiteLost).unwrap();
    assert_eq!(said, [SiteMessage::Lost(after(at, 10))]);
    assert_eq!(bench.site.confirm(after(at, 20), number(2)).unwrap(), []);
    bench.reopen();
    assert_eq!(bench.site.poll(after(at, 30)).unwrap(), [SiteMessage::Lost(after(at, 10))]);
    let said = bench.site.fault(after(at, 40), &Fault::SiteBack).unwrap();
    assert_eq!(said.first(), Some(&SiteMessage::Back(after(at, 40))));
    assert_eq!(ends(&said), [(0, PartEnd::Lost)]);
    let said = bench.site.confirm(after(at, 50), number(2)).unwrap();
    assert!(matches!(said.as_slice(), [SiteMessage::Refused { .. }]));
}

#[test]
fn what_the_owner_uses_is_not_for_sale() {
    let load = Load::new(4, Share::percent(50), Span::from_millis(60_000).unwrap());
    assert!(load.is_some());
    let mut bench = Bench::simulated(SimulatedOptions { load, seed: 4, ..simulated() });
    let horizon = Interval::new(moment(0), moment(3_600_000)).unwrap();
    let used = bench.site.owner_use(horizon);
    assert!(used.len() > 50);
    let said = bench.site.offers(moment(0), CycleNumber::new(1), horizon).unwrap();
    let [SiteMessage::Offers { free: Free::Slots(free), .. }] = said.as_slice() else { panic!("{said:?}") };
    for free in free {
        assert!(used.iter().all(|(node, used)| *node != free.node || !used.overlaps(free.interval)));
    }
    let total: i64 = free.iter().map(|free| free.interval.span().as_millis()).sum();
    assert!((3_000_000..4_200_000).contains(&total), "{total}");
    let (node, used) = used[0];
    let taken = hold(node.number() - FIRST, used.start(), 1_000);
    let said = bench.ask(moment(0), number(1), &[taken], moment(9_000)).unwrap();
    assert!(matches!(said.as_slice(), [SiteMessage::Refused { .. }]));
}

#[test]
fn chances_are_those_of_the_seed_whoever_asks_when() {
    let behaviour = Behaviour {
        takes: (Share::percent(20), Share::percent(90)),
        fails: Share::percent(30),
        overruns: Share::percent(20),
        ..STEADY
    };
    let lively = SimulatedOptions { behaviour, seed: 8, ..simulated() };
    let run = |together: bool| {
        let mut bench = Bench::simulated(lively.clone());
        let at = moment(0);
        let mut all = Vec::new();
        for round in 1..40 {
            bench.book(
                number(round),
                &[hold(0, after(now(), 1_000_000 * i64::try_from(round).unwrap()), 1_000)],
            );
            if !together {
                bench.reopen();
            }
            bench.start(number(round), 1, &command(&[]));
        }
        let said = bench.site.poll(after(now(), 100_000_000)).unwrap();
        for message in said {
            if let SiteMessage::Ended { reservation, end, .. } = message {
                all.push((reservation, end));
            }
        }
        assert!(bench.site.next(at).is_none());
        all
    };
    let all = run(true);
    assert_eq!(all, run(false));
    for end in [PartEnd::Done, PartEnd::Failed(1), PartEnd::TimedOut] {
        assert!(all.iter().any(|(_, it)| *it == end), "{end:?}");
    }
}
