//! Nodes of a cluster that are sold in units: several hold some of one at a time, beside owners' jobs.

use crate::bench::{Bench, FIRST, Options, after, command, hold, now, number, refused, slurm};
use crate::fake::FakeSlurm;
use std::time::Duration;
use walras_model::{Interval, NodeId, Time};
use walras_sites::slurm::SlurmOptions;
use walras_sites::{CycleNumber, Free, Hold, PartEnd, SiteMessage, SiteRefusal};

/// A cluster whose first node is sold in four units, each of a core of two threads, 2 GiB and a GPU.
fn cluster() -> (Bench, FakeSlurm) {
    let (bench, fake) = slurm();
    let Options::Slurm(options, _) = bench.options.clone() else { unreachable!() };
    let units = [(NodeId::new(FIRST), 4)].into();
    let has = "CPUTot=4 Sockets=1 CoresPerSocket=4 RealMemory=8500 Gres=gpu:4";
    fake.cluster().has = has.to_owned();
    fake.cluster().select =
        "SelectType = select/cons_tres\nSelectTypeParameters = CR_CORE_MEMORY\n".to_owned();
    (Bench::new(Options::Slurm(SlurmOptions { units, ..options }, fake.clone())), fake)
}

/// An owner's job on the first node, as `squeue` has it.
fn theirs(state: &str, from: i64, to: i64, has: &str) -> String {
    let (nodes, planned) = if state == "RUNNING" { ("n1", "(null)") } else { ("", "n1") };
    format!("7|{state}|{from}|{to}|{nodes}|{planned}|(null)|{has}|N/A|N/A|N/A|theirs\n")
}

fn units(count: u32, from: Time, millis: i64) -> Hold {
    Hold { units: count, ..hold(0, from, millis) }
}

/// What is free of the first node from now on, with how many units.
fn free(bench: &mut Bench) -> Vec<(i64, i64, Option<u32>)> {
    // Every look is another.
    std::thread::sleep(Duration::from_millis(60));
    let horizon = Interval::new(now(), after(now(), 3_600_000)).unwrap();
    let said = bench.site.offers(now(), CycleNumber::new(1), horizon).unwrap();
    let [SiteMessage::Offers { free: Free::Slots(free), .. }] = said.as_slice() else { panic!("{said:?}") };
    let first = free.iter().filter(|free| free.node == NodeId::new(FIRST));
    let seconds = |time: Time| time.as_millis().div_euclid(1_000);
    first.map(|it| (seconds(it.interval.start()), seconds(it.interval.end()), it.units)).collect()
}

#[test]
fn what_owners_leave_of_a_node_is_sold_in_units() {
    let (mut bench, fake) = cluster();
    let seconds = now().as_millis() / 1_000;
    assert_eq!(free(&mut bench).iter().map(|it| it.2).collect::<Vec<_>>(), [None]);
    // One core, more memory than a unit has: two units until it ends, with a second around it.
    let running = theirs("RUNNING", 1, seconds + 600, "1|1|OK|cpu=1,mem=2049M,node=1|N/A");
    // Then all GPUs, and as a job that has its node for itself.
    let planned = theirs("PENDING", seconds + 900, seconds + 1_000, "1|1|OK|cpu=1,mem=1M,node=1|gres:gpu:4");
    let alone = theirs("PENDING", seconds + 1_500, seconds + 1_600, "1|1|NO|cpu=1,mem=1M,node=1|N/A");
    fake.cluster().others = format!("{running}{planned}{alone}");
    let sold = free(&mut bench);
    let of = |place: usize| (sold[place].0 - seconds, sold[place].1 - seconds, sold[place].2);
    assert_eq!((sold.len(), of(0).1, of(0).2), (4, 601, Some(2)), "{sold:?}");
    assert_eq!(of(1), (601, 899, None));
    assert_eq!(of(2), (1_001, 1_499, None));
    assert_eq!((of(3).0, of(3).2), (1_601, None));
}

#[test]
fn several_hold_parts_of_a_node_side_by_side_and_no_more_than_there_is() {
    let (mut bench, fake) = cluster();
    let (from, seconds) = (after(now(), 60_000), now().as_millis() / 1_000);
    // An owner's job has a core.
    fake.cluster().others = theirs("RUNNING", 1, seconds + 600, "1|1|OK|cpu=1,mem=1M,node=1|N/A");
    bench.book(number(1), &[units(1, from, 5_000), units(1, from, 5_000)]);
    let said = bench.ask(now(), number(2), &[units(2, from, 5_000)], after(now(), 9_000)).unwrap();
    assert_eq!(said, refused(number(2), SiteRefusal::Busy), "two of four are held, and one is the owner's");
    bench.book(number(3), &[units(1, from, 5_000)]);
    let said = bench.ask(now(), number(4), &[units(1, from, 5_000)], after(now(), 9_000)).unwrap();
    assert_eq!(said, refused(number(4), SiteRefusal::Busy));
    // Later the owner is gone, and all of it can be had, which is asked for by its cores all the same.
    bench.book(number(5), &[units(4, after(now(), 700_000), 5_000)]);
    let cluster = fake.cluster();
    let counts: Vec<usize> = cluster.cores.values().map(Vec::len).collect();
    assert_eq!((counts.len(), counts.iter().sum::<usize>()), (4, 7), "{:?}", cluster.cores);
}

#[test]
fn what_runs_on_a_part_is_asked_for_by_what_that_has() {
    let (mut bench, fake) = cluster();
    bench.book(number(1), &[units(3, now(), 60_000)]);
    bench.book(number(2), &[units(1, now(), 60_000)]);
    let said = bench.start(number(1), 1, &command(&["true"]));
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
    let said = bench.start(number(2), 1, &command(&["true"]));
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
    let cluster = fake.cluster();
    let submitted = cluster.submitted.join(" ");
    assert!(submitted.contains("--cpus-per-task=1 --mem=2048 --gres=gpu:1"), "{submitted}");
    assert!(!submitted.contains("--exclusive"), "{submitted}");
}

/// Slurm reserves cores and no memory, lets operators shrink what is reserved, and makes a reservation of a whole node over those of its parts.
#[test]
fn who_has_a_part_that_is_taken_goes_and_the_others_stay() {
    for fault in 0..4 {
        let (mut bench, fake) = cluster();
        let (from, seconds) = (after(now(), 60_000), now().as_millis() / 1_000);
        bench.book(number(1), &[units(1, from, 5_000)]);
        bench.book(number(2), &[units(2, from, 5_000)]);
        let name = |place: u32| {
            let ending = format!("-{place}-0");
            fake.cluster().reservations.keys().find(|name| name.ends_with(&ending)).unwrap().clone()
        };
        let (first, second) = (name(1), name(2));
        {
            let mut cluster = fake.cluster();
            match fault {
                // A core that is not reserved, and six of eight GiB.
                0 => cluster.others = theirs("RUNNING", 1, seconds + 600, "1|1|OK|cpu=1,mem=6G,node=1|N/A"),
                1 => cluster.cores.insert(second.clone(), vec![1]).map(|_| ()).unwrap(),
                // Both have the same core.
                2 => {
                    cluster.cores.insert(first.clone(), vec![1]);
                }
                _ => {
                    let all = (seconds, seconds + 600, "n1".to_owned());
                    cluster.reservations.insert("maintenance".to_owned(), all);
                }
            }
        }
        let gone = |place: u64| refused(number(place), SiteRefusal::TakenBack).remove(0);
        let said = bench.wait(Vec::new(), |message| *message == gone(2));
        // Where nothing is left, the other goes too.
        let both = fault == 3;
        let said = if both { bench.wait(said, |message| *message == gone(1)) } else { said };
        assert_eq!(said.contains(&gone(1)), both, "{fault}: {said:?}");
        assert!(!said.iter().any(|message| matches!(message, SiteMessage::Taken { .. })), "{said:?}");
        bench.cancel(number(2));
        assert!(!fake.cluster().reservations.contains_key(&second));
    }
}

#[test]
fn a_part_whose_cores_somebody_has_is_not_confirmed() {
    let (mut bench, fake) = cluster();
    let from = after(now(), 60_000);
    bench.book(number(1), &[units(1, from, 5_000)]);
    let said = bench.ask(now(), number(2), &[units(1, from, 5_000)], after(now(), 9_000)).unwrap();
    assert_eq!(said, [SiteMessage::Prepared(number(2))]);
    fake.cluster().cores.values_mut().for_each(|cores| *cores = vec![0]);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(bench.site.confirm(now(), number(2)).unwrap(), refused(number(2), SiteRefusal::Busy));
    assert_eq!(fake.cluster().reservations.len(), 1);
}

#[test]
fn what_cannot_be_divided_any_more_is_not_sold() {
    let (mut bench, fake) = cluster();
    fake.cluster().has = "CPUTot=6 RealMemory=8500 Gres=gpu:4".to_owned();
    assert_eq!(free(&mut bench), []);
    let said =
        bench.ask(now(), number(1), &[units(1, after(now(), 60_000), 5_000)], after(now(), 9_000)).unwrap();
    assert_eq!(said, refused(number(1), SiteRefusal::Busy));
}
