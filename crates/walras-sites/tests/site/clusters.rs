//! What a cluster is asked for at once, for whom, and what becomes of its nodes.

use crate::bench::{
    Bench, FIRST, Options, after, command, customer, hold, local, now, number, refused, slurm,
};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;
use walras_model::{Interval, NodeId, SiteId};
use walras_sites::local::{Account, Accounts};
use walras_sites::slurm::RunAs;
use walras_sites::{
    CycleNumber, Effect, Free, Hold, PartEnd, Prepare, SiteMessage, SiteRefusal, Stream, Trouble,
};

fn prepare(place: u64, user: &str, holds: Vec<Hold>) -> Effect {
    Effect::Prepare {
        site: SiteId::new(0),
        reservation: number(place),
        customer: customer(user),
        holds,
        expiry: after(now(), 60_000),
    }
}

#[test]
fn many_are_prepared_after_one_look_and_by_few_processes() {
    let (mut bench, fake) = slurm();
    let asked = |place: u64| {
        let from = after(now(), 60_000 + 5_000 * i64::try_from(place).unwrap());
        prepare(place, "ada", vec![hold(0, from, 1_000), hold(1, from, 1_000)])
    };
    let mut effects: Vec<Effect> = (1..=1_000).map(asked).collect();
    // The same time once more, and then something else.
    let Effect::Prepare { holds, .. } = &effects[6] else { unreachable!() };
    effects.push(prepare(1_001, "ada", holds.clone()));
    effects.push(Effect::Confirm { site: SiteId::new(0), reservation: number(1) });
    let answers = bench.site.perform(now(), &effects);
    assert_eq!(answers.len(), effects.len());
    for (answer, place) in answers.iter().zip(1..=1_000) {
        assert_eq!(answer.as_ref().unwrap(), &[SiteMessage::Prepared(number(place))]);
    }
    assert_eq!(answers[1_000].as_ref().unwrap(), &refused(number(1_001), SiteRefusal::Busy));
    assert_eq!(answers[1_001].as_ref().unwrap(), &[SiteMessage::Confirmed(number(1))]);
    let cluster = fake.cluster();
    assert_eq!(cluster.reservations.len(), 2_000);
    // A look is as good as new for a moment; on a busy machine there are some more.
    assert!(cluster.looks <= 4 && cluster.told <= 5, "{} looks, {} processes", cluster.looks, cluster.told);
    let before = cluster.told;
    drop(cluster);
    // They go in the same way; one that was never there is gone, too.
    let release = |place| Effect::Release { site: SiteId::new(0), reservation: number(place) };
    let answers = bench.site.perform(now(), &(1..=1_002).map(release).collect::<Vec<_>>());
    for (answer, place) in answers.iter().zip(1..=1_002) {
        assert_eq!(answer.as_ref().unwrap(), &[SiteMessage::Released(number(place))]);
    }
    let cluster = fake.cluster();
    assert!(
        cluster.reservations.is_empty() && cluster.told <= before + 2,
        "{} processes",
        cluster.told - before
    );
}

#[test]
fn of_many_only_those_fail_that_slurm_does_not_make() {
    let (mut bench, fake) = slurm();
    let seconds = now().as_millis() / 1_000;
    // What the first look finds free; somebody takes it before it is asked for.
    bench.ask(now(), number(9), &[hold(1, after(now(), 900_000), 1_000)], after(now(), 1_000)).unwrap();
    fake.cluster().reservations.insert("theirs".to_owned(), (seconds + 100, seconds + 200, "n2".to_owned()));
    let free = prepare(1, "ada", vec![hold(0, after(now(), 120_000), 1_000)]);
    let both = vec![hold(0, after(now(), 150_000), 1_000), hold(1, after(now(), 150_000), 1_000)];
    fake.cluster().blind = true;
    let answers = bench.site.perform(now(), &[free, prepare(2, "ada", both)]);
    fake.cluster().blind = false;
    assert_eq!(answers[0].as_ref().unwrap(), &[SiteMessage::Prepared(number(1))]);
    assert_eq!(answers[1].as_ref().unwrap(), &refused(number(2), SiteRefusal::Busy));
    let names: Vec<String> = fake.cluster().reservations.keys().cloned().collect();
    assert!(names.iter().all(|name| !name.contains("-2-")), "all of it or nothing: {names:?}");
    assert!(names.iter().any(|name| name.ends_with("-1-0")), "{names:?}");
}

#[test]
fn sites_refuse_whom_they_have_no_account_for() {
    let named = BTreeMap::from([("eve".to_owned(), Account { uid: 65_534, gid: 65_534 })]);
    let of_local = Options::Local(walras_sites::local::LocalOptions {
        accounts: Accounts::Own { named: named.clone(), drawn: None },
        ..local()
    });
    let (bench, fake) = slurm();
    let Options::Slurm(options, _) = bench.options.clone() else { unreachable!() };
    let run_as = RunAs::Users { named, same: false };
    let of_slurm = Options::Slurm(walras_sites::slurm::SlurmOptions { run_as, ..options }, fake);
    for options in [of_local, of_slurm] {
        let mut bench = Bench::new(options);
        let holds = [hold(0, after(now(), 60_000), 5_000)];
        let said = bench.ask(now(), number(1), &holds, after(now(), 60_000)).unwrap();
        assert_eq!(said, refused(number(1), SiteRefusal::NoAccount));
        let eve = customer("eve");
        let asked =
            Prepare { reservation: number(2), customer: &eve, holds: &holds, expiry: after(now(), 60_000) };
        assert_eq!(bench.site.prepare(now(), &asked).unwrap(), [SiteMessage::Prepared(number(2))]);
    }
}

/// The job is submitted in the name of the account, and what it runs in is the account's; what leads there stays ours.
#[test]
fn jobs_run_under_the_accounts_of_their_users() {
    let (bench, fake) = slurm();
    let Options::Slurm(options, _) = bench.options.clone() else { unreachable!() };
    let own = rustix::process::geteuid().as_raw();
    // Only root gives files away; an ordinary user tries with its own account.
    let (uid, gid) = if own == 0 { (65_534, 65_534) } else { (own, rustix::process::getegid().as_raw()) };
    let named = BTreeMap::from([("ada".to_owned(), Account { uid, gid })]);
    let run_as = RunAs::Users { named, same: false };
    let options = walras_sites::slurm::SlurmOptions { run_as, ..options };
    let mut bench = Bench::new(Options::Slurm(options, fake.clone()));
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    assert!(fake.cluster().users.iter().all(|user| *user == uid.to_string()), "the reservation is theirs");
    let said = bench.start(number(1), 1, &command(&["sh", "-c", "echo hello; exit 3"]));
    assert_eq!(bench.wait_end(said, 0), PartEnd::Failed(3));
    let words = fake.cluster().submitted.clone();
    assert!(words.contains(&format!("--uid={uid}")) && words.contains(&format!("--gid={gid}")), "{words:?}");
    let output = bench.site.output(number(1), 0, Stream::Output).unwrap().path();
    assert_eq!(std::fs::read_to_string(&output).unwrap(), "hello\n");
    let work = output.parent().unwrap().canonicalize().unwrap();
    let above = work.parent().unwrap();
    assert_eq!((above.metadata().unwrap().uid(), above.metadata().unwrap().mode() & 0o777), (own, 0o755));
    for theirs in [&work, &above.join("0"), &above.join("0/task.json"), &above.join("hold.json")] {
        assert_eq!(theirs.metadata().unwrap().uid(), uid, "{}", theirs.display());
    }
    bench.cancel(number(1));
}

#[test]
fn a_node_that_does_not_answer_is_down_until_it_does() {
    let (mut bench, fake) = slurm();
    let asked = hold(0, after(now(), 60_000), 5_000);
    bench.book(number(1), &[asked]);
    fake.cluster().state = Some("DOWN*+NOT_RESPONDING".to_owned());
    let node = NodeId::new(FIRST);
    let is_down = |it: &SiteMessage| matches!(it, SiteMessage::NodeDown { node: it, .. } if *it == node);
    let said = bench.wait(Vec::new(), is_down);
    // It is no fault of the owner's.
    assert!(!said.iter().any(|it| matches!(it, SiteMessage::Taken { .. })), "{said:?}");
    for _ in 0..4 {
        std::thread::sleep(Duration::from_millis(60));
        assert!(!bench.site.poll(now()).unwrap().iter().any(is_down), "it is said once");
    }
    // A service that begins again knows what was said.
    bench.reopen();
    fake.cluster().state = None;
    bench.wait(Vec::new(), |it| matches!(it, SiteMessage::NodeBack { node: it, .. } if *it == node));
}

/// It swallows jobs, one after another, and Slurm calls it idle.
#[test]
fn a_node_on_which_no_supervisor_comes_up_is_not_sold() {
    let (mut bench, fake) = slurm();
    fake.cluster().barren = true;
    bench.book(number(1), &[hold(0, after(now(), 30_000), 30_000)]);
    let node = NodeId::new(FIRST);
    let said = bench.wait(Vec::new(), |it| matches!(it, SiteMessage::NodeDown { .. }));
    assert!(said.iter().any(|it| matches!(it, SiteMessage::NodeDown { node: which, .. } if *which == node)));
    assert_eq!(sold(&mut bench), [NodeId::new(FIRST + 1)]);
}

/// The nodes that have something to sell within ten minutes.
fn sold(bench: &mut Bench) -> Vec<NodeId> {
    let horizon = Interval::new(now(), after(now(), 600_000)).unwrap();
    let said = bench.site.offers(now(), CycleNumber::new(1), horizon).unwrap();
    let sold = |it: &SiteMessage| match it {
        SiteMessage::Offers { free: Free::Slots(free), .. } => free.iter().map(|it| it.node).collect(),
        _ => Vec::new(),
    };
    said.iter().flat_map(sold).collect()
}

/// A partition that its administrator has closed starts nothing, and what is longer than its limit waits for ever.
#[test]
fn a_partition_that_is_closed_or_too_short_sells_nothing() {
    let (mut bench, fake) = slurm();
    assert_eq!(sold(&mut bench).len(), 2);
    fake.cluster().closed = true;
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(sold(&mut bench), []);
    let mut asked = |which: u64, length: i64| {
        bench
            .ask(now(), number(which), &[hold(0, after(now(), 60_000), length)], after(now(), 60_000))
            .unwrap()
    };
    assert_eq!(asked(1, 5_000), refused(number(1), SiteRefusal::Busy));
    (fake.cluster().closed, fake.cluster().longest) = (false, Some("00:10:00".to_owned()));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(asked(2, 600_000), refused(number(2), SiteRefusal::Busy));
    assert_eq!(asked(3, 480_000), [SiteMessage::Prepared(number(3))]);
}

#[test]
fn a_connector_that_goes_on_says_what_is_wrong() {
    let (mut bench, fake) = slurm();
    bench.book(number(1), &[hold(0, after(now(), 60_000), 5_000)]);
    assert_eq!(bench.site.trouble(), None);
    fake.cluster().away = true;
    std::thread::sleep(Duration::from_millis(300));
    bench.site.poll(now()).unwrap();
    assert_eq!(bench.site.trouble().and_then(|error| error.kind()), Some(Trouble::Unreachable));
    // It is not asked again at once.
    let asked = fake.cluster().calls;
    for _ in 0..20 {
        bench.site.poll(now()).unwrap();
    }
    assert_eq!(fake.cluster().calls, asked);
    fake.cluster().away = false;
    for _ in 0..300 {
        bench.site.poll(now()).unwrap();
        if bench.site.trouble().is_none() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it is well, and nobody says so");
}

/// A look serves everybody for a while: what is free, what is held, who has ended. Only what is made or taken away is read once more.
#[test]
fn a_controller_is_asked_no_more_often_than_it_is_looked_at() {
    let every = Duration::from_secs(1);
    let (bench, fake) = slurm();
    let Options::Slurm(options, _) = bench.options.clone() else { unreachable!() };
    let options = walras_sites::slurm::SlurmOptions { look_every: every, ..options };
    let mut bench = Bench::new(Options::Slurm(options, fake.clone()));
    let looks = || fake.cluster().looks;
    let site = SiteId::new(0);
    let from = |place: u64| after(now(), 60_000 + 5_000 * i64::try_from(place).unwrap());
    let prepares: Vec<Effect> =
        (1..=40).map(|it| prepare(it, "ada", vec![hold(0, from(it), 1_000)])).collect();
    bench.site.perform(now(), &prepares);
    assert!(looks() <= 1, "{} looks for prepares", looks());
    let confirms: Vec<Effect> =
        (1..=40).map(|it| Effect::Confirm { site, reservation: number(it) }).collect();
    let answers = bench.site.perform(now(), &confirms);
    assert!(answers.iter().all(|answer| matches!(answer.as_deref(), Ok([SiteMessage::Confirmed(_)]))));
    assert!(looks() <= 2, "{} looks for confirms", looks());
    // Supervisors come up, parts begin and end, and it is asked what is free all the time.
    bench.book(number(50), &[hold(1, now(), 60_000)]);
    let (before, begun) = (looks(), std::time::Instant::now());
    let said = bench.start(number(50), 1, &command(&["sh", "-c", "sleep 0.5; exit 3"]));
    let mut ends = usize::from(said.iter().any(|it| matches!(it, SiteMessage::Ended { .. })));
    while begun.elapsed() < 4 * every {
        let horizon = Interval::new(now(), after(now(), 3_600_000)).unwrap();
        bench.site.offers(now(), CycleNumber::new(1), horizon).unwrap();
        let said = bench.site.poll(now()).unwrap();
        ends += said.iter().filter(|it| matches!(it, SiteMessage::Ended { .. })).count();
        std::thread::sleep(Duration::from_millis(20));
    }
    let seconds = usize::try_from(begun.elapsed().as_secs()).unwrap();
    let asked = looks() - before;
    assert_eq!(ends, 1);
    assert!(asked <= seconds + 2, "{asked} looks in {seconds} s");
    // What is let go together is looked at once before, at most, and once after.
    let before = looks();
    let releases: Vec<Effect> =
        (1..=40).map(|it| Effect::Release { site, reservation: number(it) }).collect();
    let answers = bench.site.perform(now(), &releases);
    assert!(answers.iter().all(Result::is_ok));
    assert!(looks() <= before + 2, "{} looks for releases", looks() - before);
    bench.poll_until(|| fake.cluster().reservations.len() <= 1);
    assert_eq!(fake.cluster().reservations.len(), 1, "only what runs is left");
    // What Slurm does not let go of is asked for again once a second, and not at every poll.
    // Later than all that was let go: of that the book may wait to read that it is gone.
    bench.book(number(60), &[hold(0, after(now(), 600_000), 5_000)]);
    fake.cluster().keeps = true;
    bench.site.release(now(), number(60)).unwrap();
    let (before, begun) = (looks(), std::time::Instant::now());
    while begun.elapsed() < 3 * every {
        bench.site.poll(now()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    let seconds = usize::try_from(begun.elapsed().as_secs()).unwrap();
    let asked = looks() - before;
    assert!((1..=2 * seconds + 3).contains(&asked), "{asked} looks in {seconds} s");
}
