//! The laws of every connector.

use crate::bench::{
    Bench, FIRST, Options, after, command, ends, hold, local, now, number, refused, simulated, slurm,
};
use crate::process::{line, runs};
use std::time::Duration;
use walras_model::{Interval, NodeId, Span};
use walras_sites::{
    CycleNumber, Free, FreeTime, Hold, JobNumber, Offering, PartEnd, SiteError, SiteMessage, SiteRefusal,
    Start, StartPart, Stream,
};

/// One test for each law and connector. Two are not laws of Slurm's clusters: there, holds of whole seconds keep apart, and free time
/// begins when a supervisor can be up.
macro_rules! laws {
    (of_nodes: [$($of_nodes:ident),* $(,)?], of_all: [$($law:ident),* $(,)?] $(,)?) => {
        mod of_simulated_sites {
            $(#[test] fn $of_nodes() { super::$of_nodes(&mut super::Bench::simulated(super::simulated())); })*
            $(#[test] fn $law() { super::$law(&mut super::Bench::simulated(super::simulated())); })*
        }
        mod of_local_sites {
            $(#[test] fn $of_nodes() { super::$of_nodes(&mut super::Bench::local(super::local())); })*
            $(#[test] fn $law() { super::$law(&mut super::Bench::local(super::local())); })*
        }
        mod of_slurm_clusters {
            $(#[test] fn $law() { super::$law(&mut super::slurm().0); })*
        }
    };
}

laws!(
    of_nodes: [all_time_is_offered, a_number_is_prepared_once],
    of_all: [
        nothing_runs_once_its_time_is_over,
        confirming_twice_is_confirming_once,
        what_was_only_prepared_expires,
        what_has_expired_is_free_for_others_also_after_a_restart,
        a_release_is_for_ever,
        a_release_of_nothing_is_one,
        nothing_starts_that_was_not_confirmed,
        what_is_confirmed_outlives_the_service,
        starting_twice_runs_once,
        parts_run_side_by_side,
        nothing_begins_before_its_time,
        a_part_without_a_hold_is_an_error_and_nothing_starts,
        what_is_cancelled_stops,
        what_ended_meanwhile_is_told,
        what_runs_is_found_again,
        what_was_told_is_told_again_when_asked,
        a_memory_that_was_put_back_knows_nothing_of_what_came_after_it,
    ],
);

fn all_time_is_offered(bench: &mut Bench) {
    let at = now();
    let horizon = Interval::new(after(at, -5), after(at, 1_000)).unwrap();
    let said = bench.site.offers(at, CycleNumber::new(7), horizon).unwrap();
    let interval = Interval::new(at, after(at, 1_000)).unwrap();
    let free = |node| FreeTime::whole(NodeId::new(node), interval);
    let free = Free::Slots(vec![free(FIRST), free(FIRST + 1)]);
    assert_eq!(said, [SiteMessage::Offers { cycle: CycleNumber::new(7), free }]);
}

fn a_number_is_prepared_once(bench: &mut Bench) {
    let at = now();
    let (first, other) = ([hold(0, at, 1_000)], [hold(0, after(at, 500), 1_000)]);
    for _ in 0..2 {
        let said = bench.ask(at, number(1), &first, after(at, 100)).unwrap();
        assert_eq!(said, [SiteMessage::Prepared(number(1))]);
    }
    let said = bench.ask(at, number(2), &other, after(at, 100)).unwrap();
    assert_eq!(said, refused(number(2), SiteRefusal::Busy));
    let elsewhere = [hold(1, at, 1_000), hold(0, after(at, 1_000), 10)];
    let said = bench.ask(at, number(3), &elsewhere, after(at, 100)).unwrap();
    assert_eq!(said, [SiteMessage::Prepared(number(3))]);
    let unknown = [hold(2, at, 1_000)];
    let said = bench.ask(at, number(4), &unknown, after(at, 100)).unwrap();
    assert_eq!(said, refused(number(4), SiteRefusal::Busy));
}

fn confirming_twice_is_confirming_once(bench: &mut Bench) {
    let at = now();
    bench.book(number(1), &[hold(0, at, 1_000)]);
    for _ in 0..2 {
        let said = bench.site.confirm(at, number(1)).unwrap();
        assert_eq!(said, [SiteMessage::Confirmed(number(1))]);
        // A late repetition of the first request changes nothing either.
        let said = bench.ask(at, number(1), &[hold(1, at, 1_000)], after(at, 100)).unwrap();
        assert_eq!(said, [SiteMessage::Prepared(number(1))]);
        bench.reopen();
    }
    // Long after what was prepared would have expired.
    let said = bench.site.confirm(after(at, 600_000), number(1)).unwrap();
    assert_eq!(said, [SiteMessage::Confirmed(number(1))]);
    let said = bench.ask(at, number(2), &[hold(0, at, 1_000)], after(at, 100)).unwrap();
    assert_eq!(said, refused(number(2), SiteRefusal::Busy));
    let said = bench.ask(at, number(3), &[hold(1, at, 1_000)], after(at, 100)).unwrap();
    assert_eq!(said, [SiteMessage::Prepared(number(3))]);
}

fn what_has_expired_is_free_for_others_also_after_a_restart(bench: &mut Bench) {
    let at = now();
    let holds = [hold(0, at, 1_000)];
    bench.ask(at, number(1), &holds, after(at, 100)).unwrap();
    bench.reopen();
    let said = bench.ask(after(at, 99), number(2), &holds, after(at, 900)).unwrap();
    assert_eq!(said, refused(number(2), SiteRefusal::Busy));
    let said = bench.ask(after(at, 100), number(2), &holds, after(at, 900)).unwrap();
    assert_eq!(said, [SiteMessage::Prepared(number(2))]);
    bench.reopen();
    let said = bench.site.confirm(after(at, 110), number(1)).unwrap();
    assert_eq!(said, refused(number(1), SiteRefusal::Expired));
    // An expired number was never released: it may ask again.
    let said = bench.ask(after(at, 110), number(1), &[hold(1, at, 5)], after(at, 900)).unwrap();
    assert_eq!(said, [SiteMessage::Prepared(number(1))]);
}

fn what_was_only_prepared_expires(bench: &mut Bench) {
    let at = now();
    let holds = [hold(0, at, 1_000)];
    bench.ask(at, number(1), &holds, after(at, 100)).unwrap();
    let said = bench.site.confirm(after(at, 100), number(1)).unwrap();
    assert_eq!(said, refused(number(1), SiteRefusal::Expired));
    let said = bench.ask(after(at, 100), number(2), &holds, after(at, 100)).unwrap();
    assert_eq!(said, refused(number(2), SiteRefusal::Expired));
    let said = bench.ask(after(at, 100), number(3), &holds, after(at, 200)).unwrap();
    assert_eq!(said, [SiteMessage::Prepared(number(3))]);
    bench.reopen();
    let said = bench.site.confirm(after(at, 150), number(3)).unwrap();
    assert_eq!(said, [SiteMessage::Confirmed(number(3))]);
}

fn a_release_is_for_ever(bench: &mut Bench) {
    let at = now();
    let holds = [hold(0, at, 1_000)];
    bench.book(number(1), &holds);
    for _ in 0..2 {
        assert_eq!(bench.site.release(at, number(1)).unwrap(), [SiteMessage::Released(number(1))]);
        let said = bench.ask(at, number(1), &holds, after(at, 100)).unwrap();
        assert_eq!(said, refused(number(1), SiteRefusal::Unknown));
        let said = bench.site.confirm(at, number(1)).unwrap();
        assert_eq!(said, refused(number(1), SiteRefusal::Expired));
        bench.reopen();
    }
    bench.book(number(2), &holds);
}

fn a_release_of_nothing_is_one(bench: &mut Bench) {
    let at = now();
    assert_eq!(bench.site.release(at, number(1)).unwrap(), [SiteMessage::Released(number(1))]);
    assert_eq!(bench.site.cancel(at, number(2)).unwrap(), [SiteMessage::Released(number(2))]);
    let said = bench.ask(at, number(2), &[hold(0, at, 5)], after(at, 100)).unwrap();
    assert_eq!(said, refused(number(2), SiteRefusal::Unknown));
}

fn nothing_starts_that_was_not_confirmed(bench: &mut Bench) {
    let at = now();
    bench.ask(at, number(1), &[hold(0, at, 1_000)], after(at, 10_000)).unwrap();
    assert_eq!(bench.start(number(1), 1, &command(&["true"])), refused(number(1), SiteRefusal::Unknown));
    assert_eq!(bench.start(number(2), 1, &command(&["true"])), refused(number(2), SiteRefusal::Unknown));
}

fn what_is_confirmed_outlives_the_service(bench: &mut Bench) {
    let holds = [hold(0, now(), 60_000)];
    bench.book(number(1), &holds);
    bench.reopen();
    assert_eq!(bench.site.confirm(now(), number(1)).unwrap(), [SiteMessage::Confirmed(number(1))]);
    let said = bench.ask(now(), number(2), &holds, after(now(), 1_000)).unwrap();
    assert_eq!(said, refused(number(2), SiteRefusal::Busy));
}

fn starting_twice_runs_once(bench: &mut Bench) {
    let trace = bench.data.path().join("trace");
    let program = command(&["sh", "-c", r#"echo run >> "$0"; sleep 0.1"#, trace.to_str().unwrap()]);
    let room = bench.room(2_000);
    bench.book(number(1), &[hold(0, now(), room)]);
    let mut said = bench.start(number(1), 1, &program);
    said.extend(bench.start(number(1), 1, &program));
    bench.reopen();
    said.extend(bench.start(number(1), 1, &program));
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
    let again = bench.start(number(1), 1, &program);
    assert!(ends(&again).iter().all(|end| *end == (0, PartEnd::Done)));
    if bench.is_local() {
        assert_eq!(std::fs::read_to_string(trace).unwrap(), "run\n");
    }
}

fn parts_run_side_by_side(bench: &mut Bench) {
    let room = bench.room(3_000);
    bench.book(number(1), &[hold(0, now(), room), hold(1, now(), room)]);
    let said = bench.start(number(1), 2, &command(&["sleep", "0.2"]));
    let said = bench.wait(said, |message| matches!(message, SiteMessage::Ended { part: 1, .. }));
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
}

fn nothing_begins_before_its_time(bench: &mut Bench) {
    let from = after(now(), 500);
    bench.book(number(1), &[hold(0, from, 2_000)]);
    let said = bench.start(number(1), 1, &command(&["true"]));
    assert_eq!(said, []);
    assert!(bench.site.next(now()).unwrap() <= after(from, 200));
    for message in bench.wait_start(said) {
        if let SiteMessage::Started { parts, at, .. } = message {
            assert_eq!(parts, [0]);
            assert!(at >= from);
        }
    }
}

fn nothing_runs_once_its_time_is_over(bench: &mut Bench) {
    let from = after(now(), -2_000);
    let program = bench.gated("late");
    bench.book(number(1), &[hold(0, from, 1_000)]);
    let said = bench.start(number(1), 1, &program);
    let said = bench.wait(said, |message| matches!(message, SiteMessage::Ended { .. }));
    let ended = said.iter().find_map(|message| match message {
        SiteMessage::Ended { at, end, .. } => Some((*at, *end)),
        _ => None,
    });
    let (at, end) = ended.unwrap();
    assert!(matches!(end, PartEnd::TimedOut | PartEnd::Lost), "{end:?}");
    // If it is said to have begun at all, then for no time.
    for message in &said {
        assert!(!matches!(message, SiteMessage::Started { at: began, .. } if *began != at), "{said:?}");
    }
    assert!(!bench.data.path().join("late.pid").exists());
}

fn a_part_without_a_hold_is_an_error_and_nothing_starts(bench: &mut Bench) {
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    let end = after(now(), 60_000);
    let parts = [(0, 0), (1, 7)].map(|(part, hold)| StartPart {
        part,
        hold,
        gang: None,
        task: None,
        program: None,
        start: now(),
        end,
    });
    let program = bench.gated("lost");
    let start = Start {
        reservation: number(1),
        job: JobNumber::new(9),
        parts: &parts,
        size: 1,
        peers: &[],
        program: &program,
        together: false,
    };
    let error = bench.site.start(now(), start).unwrap_err();
    assert_eq!(error, SiteError::UnknownHold { reservation: number(1), part: 1, hold: 7 });
    assert_eq!(error.to_string(), "reservation 1 has no hold 7, on which part 1 should run");
    assert_eq!(bench.site.poll(now()).unwrap(), []);
    assert_eq!(bench.site.observe(now(), number(1)).unwrap(), []);
}

fn what_is_cancelled_stops(bench: &mut Bench) {
    let program = bench.gated("cancelled");
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    let said = bench.start(number(1), 1, &program);
    bench.wait_start(said);
    let pid = bench.is_local().then(|| line(&bench.data.path().join("cancelled.pid")));
    bench.cancel(number(1));
    // Once that is said, nothing of it runs: there is nothing to wait for.
    assert!(!pid.is_some_and(|pid| runs(&pid)));
    bench.open_gate();
    assert_eq!(bench.start(number(1), 1, &program), refused(number(1), SiteRefusal::Unknown));
    assert_eq!(ends(&bench.site.poll(bench.now()).unwrap()), []);
    assert!(!bench.data.path().join("cancelled").exists());
    bench.cancel(number(1));
    bench.book(number(2), &[hold(0, now(), 1_000)]);
}

fn what_ended_meanwhile_is_told(bench: &mut Bench) {
    let room = bench.room(3_000);
    bench.book(number(1), &[hold(0, now(), room)]);
    let said = bench.start(number(1), 1, &command(&["sleep", "0.3"]));
    bench.wait_start(said);
    let mut said = Vec::new();
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(100));
        bench.reopen();
        said = bench.site.poll(now()).unwrap();
        if !ends(&said).is_empty() {
            break;
        }
    }
    let [SiteMessage::Started { at: started, .. }, SiteMessage::Ended { at: ended, end, .. }] =
        said.as_slice()
    else {
        panic!("{said:?}");
    };
    assert_eq!(*end, PartEnd::Done);
    assert!(*ended - *started >= 280 && *ended <= now(), "{started} {ended}");
}

fn what_runs_is_found_again(bench: &mut Bench) {
    let program = bench.gated("found");
    bench.book(number(1), &[hold(0, now(), 600_000)]);
    let said = bench.start(number(1), 1, &program);
    bench.wait_start(said);
    bench.reopen();
    let said = bench.site.observe(now(), number(1)).unwrap();
    assert!(matches!(said.as_slice(), [SiteMessage::Started { .. }]), "{said:?}");
    bench.open_gate();
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
}

fn what_was_told_is_told_again_when_asked(bench: &mut Bench) {
    let room = bench.room(1_000);
    bench.book(number(1), &[hold(0, now(), room)]);
    let said = bench.start(number(1), 1, &command(&["true"]));
    bench.wait_end(said, 0);
    assert_eq!(bench.site.poll(now()).unwrap(), []);
    let said = bench.site.observe(now(), number(1)).unwrap();
    assert_eq!(ends(&said), [(0, PartEnd::Done)]);
    assert_eq!(said.len(), 2);
}

fn both() -> [Options; 2] {
    [Options::Simulated(simulated()), Options::Local(local())]
}

fn free(bench: &mut Bench) -> Free {
    let horizon = Interval::new(now(), after(now(), 1_000)).unwrap();
    let said = bench.site.offers(now(), CycleNumber::new(1), horizon).unwrap();
    let Some(SiteMessage::Offers { free, .. }) = said.into_iter().next() else {
        panic!("nothing is offered")
    };
    free
}

#[test]
fn processors_are_counted_and_each_is_a_node() {
    for options in both() {
        let mut bench = Bench::new(options.selling(Offering::Capacity));
        assert_eq!(free(&mut bench), Free::Capacity(2));
        let room = bench.room(2_000);
        bench.book(number(1), &[hold(0, now(), room), hold(1, now(), room)]);
        let said = bench.start(number(1), 2, &command(&["true"]));
        assert_eq!(bench.wait_end(said, 1), PartEnd::Done);
    }
}

#[test]
fn a_queue_has_room_for_so_many() {
    for options in both() {
        let mut bench = Bench::new(options.selling(Offering::Queue(2)));
        assert_eq!(free(&mut bench), Free::Queue { wait: Span::ZERO, units: 2 });
        let unplaced = Hold { node: None, ..hold(0, after(now(), 50_000), 2_000) };
        bench.book(number(1), &[unplaced, unplaced]);
        let said = bench.ask(now(), number(2), &[unplaced], after(now(), 9_000)).unwrap();
        assert_eq!(said, refused(number(2), SiteRefusal::Busy));
        let said = bench.start(number(1), 2, &command(&["true"]));
        let said = bench.wait(said, |message| matches!(message, SiteMessage::Ended { part: 0, .. }));
        assert_eq!(bench.wait_end(said, 1), PartEnd::Done);
        bench.cancel(number(1));
        bench.book(number(3), &[unplaced]);
    }
}

/// Numbers are given out again then, and what was under them is nobody's any more.
fn a_memory_that_was_put_back_knows_nothing_of_what_came_after_it(bench: &mut Bench) {
    let before = bench.back_up();
    bench.book(number(1), &[hold(0, now(), bench.room(1_000))]);
    let said = bench.start(number(1), 1, &command(&["sh", "-c", "echo old > old; echo old"]));
    bench.ahead = if bench.is_local() { 0 } else { 3_600_000 };
    bench.wait_end(said, 0);
    bench.book(number(2), &[hold(1, now(), bench.room(1_000))]);
    let said = bench.start(number(2), 1, &command(&["sleep", "30"]));
    if bench.is_local() {
        bench.wait_start(said);
    }
    bench.put_back(before);
    bench.ahead = 0;
    for (place, node) in [(1, 0), (2, 1)] {
        // What still runs is ended first.
        let holds = [hold(node, now(), bench.room(1_000))];
        let begun = std::time::Instant::now();
        while bench.ask(now(), number(place), &holds, after(now(), 60_000)).unwrap()
            != [SiteMessage::Prepared(number(place))]
        {
            assert!(begun.elapsed() < Duration::from_secs(20), "nothing can be held under number {place}");
            std::thread::sleep(Duration::from_millis(100));
        }
        bench.site.confirm(now(), number(place)).unwrap();
        let said = bench.start(number(place), 1, &command(&["sh", "-c", "ls; echo new"]));
        bench.ahead = if bench.is_local() { 0 } else { 3_600_000 };
        assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
        if bench.is_local() {
            let output = bench.site.output(number(place), 0, Stream::Output).unwrap().path();
            assert_eq!(std::fs::read_to_string(output).unwrap(), "output\nnew\n");
        }
        bench.ahead = 0;
    }
}
