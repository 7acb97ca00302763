//! What Slurm does to reservations and jobs, and what becomes of ours.

use crate::bench::{FIRST, after, command, hold, now, number, refused, slurm};
use crate::fake::FakeSlurm;
use std::time::Duration;
use walras_model::{Interval, NodeId, SiteId};
use walras_sites::{CycleNumber, Effect, Free, PartEnd, SiteMessage, SiteRefusal};

/// The reservation of a hold, which has an instance drawn at random in its name.
fn name(fake: &FakeSlurm, ending: &str) -> String {
    fake.cluster().reservations.keys().find(|name| name.ends_with(ending)).unwrap().clone()
}

#[test]
fn what_others_have_is_neither_sold_nor_reserved() {
    let (mut bench, fake) = slurm();
    let seconds = now().as_millis() / 1_000;
    fake.cluster().others = format!("7|RUNNING|1|{}|n1|(null)|(null)|theirs\n", seconds + 600);
    let horizon = Interval::new(now(), after(now(), 3_600_000)).unwrap();
    let said = bench.site.offers(now(), CycleNumber::new(1), horizon).unwrap();
    let [SiteMessage::Offers { free: Free::Slots(free), .. }] = said.as_slice() else { panic!("{said:?}") };
    let first = free.iter().find(|free| free.node == NodeId::new(FIRST)).unwrap();
    assert!(first.interval.start().as_millis() >= 1_000 * (seconds + 600), "{first:?}");
    let asked = [hold(0, after(now(), 60_000), 1_000)];
    let said = bench.ask(now(), number(1), &asked, after(now(), 1_000)).unwrap();
    assert_eq!(said, refused(number(1), SiteRefusal::Busy));
    // A job that waits and is planned there counts as one that has it.
    fake.cluster().others = format!("8|PENDING|{}|{}||n2|(null)|theirs\n", seconds + 60, seconds + 90);
    std::thread::sleep(Duration::from_millis(300));
    let asked = [hold(1, after(now(), 59_000), 10_000)];
    let said = bench.ask(now(), number(2), &asked, after(now(), 1_000)).unwrap();
    assert_eq!(said, refused(number(2), SiteRefusal::Busy));
    assert!(fake.cluster().reservations.is_empty());
}

#[test]
fn all_holds_are_reserved_or_none() {
    let (mut bench, fake) = slurm();
    // Made by somebody between our look and our asking.
    let holds = [hold(0, after(now(), 60_000), 1_000), hold(1, after(now(), 60_000), 1_000)];
    let horizon = Interval::new(now(), after(now(), 1_000)).unwrap();
    bench.site.offers(now(), CycleNumber::new(1), horizon).unwrap();
    let (start, end) = (now().as_millis() / 1_000, now().as_millis() / 1_000 + 600);
    fake.cluster().reservations.insert("theirs".to_owned(), (start, end, "n2".to_owned()));
    let said = bench.ask(now(), number(1), &holds, after(now(), 1_000)).unwrap();
    assert_eq!(said, refused(number(1), SiteRefusal::Busy));
    assert_eq!(fake.cluster().reservations.keys().collect::<Vec<_>>(), ["theirs"]);
}

#[test]
fn what_slurm_forgets_moves_or_drains_is_taken() {
    for fault in 0..4 {
        let (mut bench, fake) = slurm();
        let asked = hold(0, after(now(), 60_000), 5_000);
        let said = bench.ask(now(), number(1), &[asked], after(now(), 60_000)).unwrap();
        assert_eq!(said, [SiteMessage::Prepared(number(1))]);
        let tag = name(&fake, "-1-0");
        if fault == 3 {
            // Before it is confirmed, it is refused.
            fake.cluster().reservations.clear();
            std::thread::sleep(Duration::from_millis(300));
            assert_eq!(bench.site.confirm(now(), number(1)).unwrap(), refused(number(1), SiteRefusal::Busy));
            continue;
        }
        assert_eq!(bench.site.confirm(now(), number(1)).unwrap(), [SiteMessage::Confirmed(number(1))]);
        match fault {
            0 => fake.cluster().reservations.clear(),
            1 => fake.cluster().reservations.get_mut(&tag).unwrap().0 += 30,
            _ => fake.cluster().state = Some("IDLE+DRAIN".to_owned()),
        }
        let taken = SiteMessage::Taken { node: NodeId::new(FIRST), interval: asked.interval };
        let said = bench.wait(Vec::new(), |message| *message == taken);
        assert_eq!(said.iter().filter(|message| **message == taken).count(), 1);
        bench.cancel(number(1));
        assert!(fake.cluster().reservations.is_empty());
    }
}

/// A controller that was started again does not know its nodes for some seconds. That is no news of them.
#[test]
fn what_a_controller_does_not_know_yet_is_not_taken() {
    for state in ["UNKNOWN", "UNKNOWN*", "UNKNOWN+PLANNED"] {
        let (mut bench, fake) = slurm();
        bench.book(number(1), &[hold(0, after(now(), 60_000), 5_000)]);
        fake.cluster().state = Some(state.to_owned());
        let looks = fake.cluster().looks;
        let mut said = Vec::new();
        while fake.cluster().looks < looks + 3 {
            said.extend(bench.site.poll(now()).unwrap());
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(said, [], "{state}");
    }
}

#[test]
fn what_slurm_revives_goes_again() {
    let (mut bench, fake) = slurm();
    bench.book(number(1), &[hold(0, after(now(), 60_000), 5_000)]);
    let tag = name(&fake, "-1-0");
    bench.cancel(number(1));
    fake.cluster().reservations.insert(tag, (1, 9_999_999_999, "n1".to_owned()));
    fake.cluster().reservations.insert("theirs".to_owned(), (1, 2, "n1".to_owned()));
    bench.poll_until(|| fake.cluster().reservations.len() == 1);
    assert_eq!(fake.cluster().reservations.keys().collect::<Vec<_>>(), ["theirs"]);
}

/// A supervisor that waits in Slurm and never came up does not hear that it is to stop: it is cancelled, each by its name.
#[test]
fn all_jobs_of_a_reservation_are_cancelled() {
    let (mut bench, fake) = slurm();
    bench.book(number(1), &[hold(0, after(now(), 5_000), 5_000), hold(1, after(now(), 5_000), 5_000)]);
    bench.poll_until(|| fake.cluster().jobs.len() == 2);
    let mut names: Vec<String> = fake.cluster().jobs.iter().map(|job| job.name.clone()).collect();
    assert_eq!(names.len(), 2);
    fake.stop_all();
    bench.cancel(number(1));
    let mut cancelled = fake.cluster().cancelled.clone();
    for all in [&mut names, &mut cancelled] {
        all.sort();
        all.dedup();
    }
    assert_eq!(cancelled, names);
}

/// Slurm may keep a job that has ended completing for minutes, and its reservation as long: nobody waits for that, and it goes when it can.
#[test]
fn what_slurm_does_not_let_go_of_is_given_up_all_the_same() {
    let (mut bench, fake) = slurm();
    let asked = [hold(0, after(now(), 60_000), 5_000), hold(1, after(now(), 60_000), 5_000)];
    for (place, together) in [(1, false), (2, true)] {
        bench.book(number(place), &asked);
        fake.cluster().keeps = true;
        let release = |bench: &mut crate::bench::Bench, at| {
            if !together {
                return bench.site.release(at, number(place)).unwrap();
            }
            let releases = [number(place), number(99)]
                .map(|it| Effect::Release { site: SiteId::new(0), reservation: it });
            bench.site.perform(at, &releases).into_iter().next().unwrap().unwrap()
        };
        assert_eq!(release(&mut bench, now()), [], "it may go at once");
        assert_eq!(release(&mut bench, after(now(), 5_000)), []);
        assert_eq!(release(&mut bench, after(now(), 20_000)), [SiteMessage::Released(number(place))]);
        // It is not forgotten.
        fake.cluster().keeps = false;
        bench.poll_until(|| fake.cluster().reservations.is_empty());
        assert!(fake.cluster().reservations.is_empty());
    }
}

#[test]
fn what_slurm_starts_twice_runs_once() {
    let (mut bench, fake) = slurm();
    let trace = bench.data.path().join("trace");
    let program = command(&["sh", "-c", r#"echo run >> "$0"; sleep 0.3"#, trace.to_str().unwrap()]);
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    fake.start_again();
    let said = bench.start(number(1), 1, &program);
    fake.start_again();
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
    fake.start_again();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(std::fs::read_to_string(trace).unwrap(), "run\n");
}

#[test]
fn a_controller_that_does_not_answer_keeps_nothing_from_starting_or_ending() {
    let (mut bench, fake) = slurm();
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    bench.book(number(2), &[hold(1, now(), 60_000)]);
    fake.cluster().away = true;
    let said = bench.start(number(1), 1, &command(&["sh", "-c", "exit 3"]));
    assert_eq!(bench.wait_end(said, 0), PartEnd::Failed(3));
    let horizon = Interval::new(now(), after(now(), 60_000)).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let said = bench.site.offers(now(), CycleNumber::new(1), horizon).unwrap();
    let free = Free::Slots(Vec::new());
    assert_eq!(said, [SiteMessage::Offers { cycle: CycleNumber::new(1), free }]);
    // Nothing of it can begin any more: that is said at once, and what is left in Slurm goes later.
    bench.cancel(number(1));
    bench.cancel(number(2));
    assert_eq!(fake.cluster().reservations.len(), 2);
    fake.cluster().away = false;
    bench.poll_until(|| fake.cluster().reservations.is_empty());
    assert!(fake.cluster().reservations.is_empty());
}

#[test]
fn an_owners_job_that_we_have_moved_goes_first() {
    let (mut bench, fake) = slurm();
    let seconds = now().as_millis() / 1_000;
    let planned = |start: i64| format!("8|PENDING|{start}|{}||n2|(null)|theirs\n", start + 60);
    fake.cluster().others = planned(seconds + 30);
    let asked = hold(0, after(now(), 40_000), 5_000);
    bench.book(number(1), &[asked]);
    fake.cluster().others = planned(seconds + 90);
    let taken = SiteMessage::Taken { node: NodeId::new(FIRST), interval: asked.interval };
    bench.wait(Vec::new(), |message| *message == taken);
}

#[test]
fn a_look_serves_all_reservations() {
    let (mut bench, fake) = slurm();
    for place in 1..=20_i64 {
        let asked = hold(0, after(now(), 60_000 + 10_000 * place), 1_000);
        bench.book(number(place.unsigned_abs()), &[asked]);
    }
    bench.site.poll(now()).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let before = fake.cluster().looks;
    bench.site.poll(now()).unwrap();
    assert!(fake.cluster().looks <= before + 1, "{} looks", fake.cluster().looks - before);
}
