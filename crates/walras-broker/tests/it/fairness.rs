//! Nobody can stop the market: what one user sends leaves the others where they are.

use crate::promises;
use crate::vo::{MINUTE, Vo, at, credits, policy, span};
use walras_broker::account::Unpayable;
use walras_broker::budget::Spender;
use walras_broker::event::CycleEvent;
use walras_broker::id::JobNumber;
use walras_broker::job::{JobSpec, Why};
use walras_broker::policy::Policy;
use walras_broker::sharing::{Limited, OverLimit, SharePolicy};
use walras_broker::{Answer, Event, Input, Refusal};

/// Both ways of deciding.
pub(crate) fn policies() -> [Policy; 2] {
    [policy(), promises::policy()]
}

/// A VO of four nodes with ada and eve, who has that much money; it has run for five minutes.
pub(crate) fn vo(policy: Policy, money: i64) -> Vo {
    let mut vo = Vo::new(&[(4, 1_000)]);
    vo.say(Input::SetPolicy(Box::new(policy)));
    vo.join("eve", None, money);
    vo.submit(vo.job("first", 1, 1));
    vo.run_until(5 * MINUTE);
    vo
}

pub(crate) fn eves(vo: &Vo, name: &str, tasks: u32, minutes: i64) -> JobSpec {
    JobSpec { user: "eve".to_owned(), ..vo.job(name, tasks, minutes) }
}

fn flood(vo: &mut Vo, count: usize, tasks: u32, minutes: i64) -> Vec<JobNumber> {
    (0..count).map(|number| vo.submit(eves(vo, &format!("e{number}"), tasks, minutes))).collect()
}

/// How long a job of ada's waits that comes ten minutes after what eve does.
pub(crate) fn wait(policy: Policy, money: i64, eve: impl Fn(&mut Vo)) -> (i64, Vo) {
    let mut vo = vo(policy, money);
    eve(&mut vo);
    vo.run_until(vo.now + 10 * MINUTE);
    let came = vo.now;
    let number = vo.submit(vo.job("victim", 2, 10));
    for minute in 1..=600 {
        vo.run_until(came + minute * MINUTE);
        if let Some(start) = vo.started(number) {
            return (start - came, vo);
        }
    }
    panic!("the job never starts");
}

/// How often jobs of eve's were part of a batch.
fn planned_in_vain(vo: &Vo, jobs: &[JobNumber]) -> usize {
    let batches = vo.events.iter().filter_map(|event| match event {
        Event::Cycle(CycleEvent::Opened { batch, .. }) => Some(batch),
        _ => None,
    });
    let jobs: std::collections::BTreeSet<_> = jobs.iter().collect();
    batches.flatten().filter(|ranked| jobs.contains(&ranked.job)).count()
}

#[test]
fn who_cannot_pay_keeps_nobody_waiting() {
    for policy in policies() {
        let (alone, _) = wait(policy.clone(), 0, |_| {});
        eprintln!("waits {alone} ms alone");
        let (beside, vo) = wait(policy, 0, |vo| {
            flood(vo, 1_200, 1, 10);
        });
        assert_eq!(beside, alone);
        let state = vo.broker.state();
        let eves: Vec<_> = state.jobs.values().filter(|job| job.spec.user == "eve").collect();
        assert_eq!(eves.len(), 1_200);
        for job in &eves {
            let Some(Why::NoMoney(Unpayable::Short { available, needed, .. })) = &job.why else {
                panic!("{:?}", job.why)
            };
            assert_eq!((*available, needed.as_micros()), (credits(0), 600_000));
        }
        let numbers: Vec<JobNumber> = eves.iter().map(|job| job.number).collect();
        assert_eq!(planned_in_vain(&vo, &numbers), 0, "none of them was ever planned");
    }
}

#[test]
fn what_could_not_be_paid_runs_once_it_can() {
    for policy in policies() {
        let mut vo = vo(policy, 0);
        let jobs = flood(&mut vo, 3, 1, 10);
        vo.run_until(vo.now + 30 * MINUTE);
        assert!(jobs.iter().all(|job| vo.started(*job).is_none()));
        let paid = vo.now;
        vo.join("eve", None, 0);
        let deposit =
            Input::Deposit { key: "more".into(), account: crate::vo::user("eve"), amount: credits(1) };
        vo.say(deposit);
        vo.run_until(paid + 3 * MINUTE);
        let begun: Vec<i64> = jobs.iter().filter_map(|job| vo.started(*job)).collect();
        assert_eq!(begun.len(), 1, "a credit pays one of three");
        assert!(begun[0] <= paid + 2 * MINUTE, "{begun:?}");
    }
}

#[test]
fn what_fits_nowhere_keeps_nobody_waiting_and_is_tried_less_and_less() {
    for policy in policies() {
        let (alone, _) = wait(policy.clone(), 900, |_| {});
        let (beside, mut vo) = wait(policy, 900, |vo| {
            flood(vo, 1_200, 5, 1);
        });
        assert_eq!(beside, alone);
        vo.run_until(vo.now + 600 * MINUTE);
        let eves: Vec<JobNumber> = vo.broker.state().jobs.keys().copied().collect();
        assert_eq!(eves.len(), 1_200);
        // In ten hours of cycles of a minute: 1, 2, 4, 8 minutes apart, then ten.
        let tries = planned_in_vain(&vo, &eves);
        assert!((1_200 * 30..1_200 * 70).contains(&tries), "{tries}");
    }
}

#[test]
fn what_fits_nowhere_is_tried_at_once_when_nodes_come() {
    for policy in policies() {
        let mut vo = vo(policy, 900);
        let wide = vo.submit(eves(&vo, "wide", 6, 1));
        vo.run_until(vo.now + 100 * MINUTE);
        assert!(vo.broker.state().jobs[&wide].missed.is_some_and(|(times, _)| times > 4));
        let came = vo.now;
        vo.add_site(
            walras_broker::site::SiteKind::Slots,
            4,
            walras_broker::price::PriceRules::flat(crate::vo::rate(1_000)),
        );
        vo.run_until(came + 4 * MINUTE);
        let start = vo.started(wide).expect("it fits on ten nodes");
        assert!(start <= came + 3 * MINUTE, "{}", start - came);
    }
}

/// Jobs that can be paid and run are served, but a user with few does not wait for the end of somebody's many.
#[test]
fn a_user_with_few_jobs_does_not_wait_for_another_with_many() {
    let mut policy = promises::policy();
    let (wait_promised, _) = wait(policy.clone(), 9_000, |vo| {
        flood(vo, 600, 1, 10);
    });
    eprintln!("waits {} s under promises", wait_promised / 1_000);
    assert!(wait_promised <= 60 * MINUTE, "{} min", wait_promised / MINUTE);
    // Where windows never move, only so much is given out ahead.
    policy = crate::vo::policy();
    policy.sharing.as_mut().unwrap().ahead = span(30 * MINUTE);
    let (wait_reserved, _) = wait(policy, 9_000, |vo| {
        flood(vo, 600, 1, 10);
    });
    eprintln!("waits {} s where windows are reserved at once", wait_reserved / 1_000);
    assert!(wait_reserved <= 45 * MINUTE, "{} min", wait_reserved / MINUTE);
}

#[test]
fn stating_a_priority_only_lowers_the_others_of_the_same_user() {
    let mut vo = vo(policy(), 900);
    let low = vo.submit(eves(&vo, "low", 5, 1));
    let mut proud = eves(&vo, "proud", 5, 1);
    proud.request.priority = 1_000_000;
    let proud = vo.submit(proud);
    let plain = vo.submit(vo.job("plain", 5, 1));
    let ranked = walras_broker::ranked(vo.broker.state(), at(vo.now));
    let of = |number: JobNumber| ranked.iter().find(|it| it.job == number).unwrap().aspects.priority;
    assert_eq!((of(plain), of(proud), of(low)), (1_000_000, 1_000_000, 0));
}

#[test]
fn rank_counts_what_can_be_paid() {
    let mut vo = vo(policy(), 1);
    let mut boast = eves(&vo, "boast", 1, 10);
    boast.request.budget = Some(credits(1_000_000));
    let boast = vo.submit(boast);
    let mut honest = vo.job("honest", 1, 10);
    honest.request.budget = Some(credits(2));
    let honest = vo.submit(honest);
    let ranked = walras_broker::ranked(vo.broker.state(), at(vo.now));
    let of = |number: JobNumber| ranked.iter().find(|it| it.job == number).unwrap().aspects.price;
    assert_eq!((of(honest), of(boast)), (1_000_000, 499_849), "{ranked:#?}");
}

fn refused(vo: &Vo, input: &Input) -> Refusal {
    vo.broker.decide(at(vo.now), input).expect_err("it is refused")
}

#[test]
fn a_user_has_only_so_much_here() {
    let mut vo = vo(policy(), 1_000);
    let mut limited = policy();
    let rules = limited.sharing.as_mut().unwrap();
    (rules.user.jobs, rules.user.quotes, rules.user.keys, rules.user.bytes) = (3, 2, 8, 3_000);
    rules.user.node_time = span(100 * MINUTE);
    vo.say(Input::SetPolicy(Box::new(limited.clone())));
    let over = |what, most| Refusal::OverLimit(OverLimit { whose: Spender::User("eve".into()), what, most });
    let submit = |vo: &Vo, name: &str, tasks, minutes| Input::Submit {
        key: name.to_owned(),
        job: Box::new(eves(vo, name, tasks, minutes)),
    };
    let jobs = flood(&mut vo, 3, 5, 1);
    assert_eq!(refused(&vo, &submit(&vo, "more", 5, 1)), over(Limited::Jobs, 3));
    vo.say(Input::CancelJob { user: "eve".into(), job: jobs[0] });
    assert_eq!(refused(&vo, &submit(&vo, "long", 1, 91)), over(Limited::NodeTime, 6_000));
    let mut large = eves(&vo, "large", 1, 1);
    large.script = Some("x".repeat(3_000));
    let large = Input::Submit { key: "large".into(), job: Box::new(large) };
    assert_eq!(refused(&vo, &large), over(Limited::Bytes, 3_000));
    let ask = |vo: &Vo, key: &str| Input::AskQuote {
        key: key.to_owned(),
        job: Box::new(eves(vo, key, 1, 1)),
        findings: None,
        hold: None,
    };
    for key in ["q1", "q2"] {
        assert!(matches!(vo.say(ask(&vo, key)), Some(Answer::Quote(_))));
    }
    assert_eq!(refused(&vo, &ask(&vo, "q3")), over(Limited::Quotes, 2));
    // Quotes expire, requests are remembered.
    vo.run_until(vo.now + 10 * MINUTE);
    for key in ["q3", "q4", "q5"] {
        assert!(matches!(vo.say(ask(&vo, key)), Some(Answer::Quote(_))), "{key}");
        vo.run_until(vo.now + 10 * MINUTE);
    }
    assert_eq!(refused(&vo, &ask(&vo, "q6")), over(Limited::Keys, 8));
    assert!(vo.broker.decide(at(vo.now), &ask(&vo, "q5")).is_ok(), "what is remembered may be repeated");
    // A broker that is read from its state counts the same.
    let again = walras_broker::Broker::from_state(vo.broker.state().clone());
    assert_eq!(again.state(), vo.broker.state());
    vo.run_until(vo.now + 25 * 60 * MINUTE);
    assert!(vo.broker.decide(at(vo.now), &ask(&vo, "q6")).is_ok(), "by then all are forgotten");
}

#[test]
fn a_group_has_only_so_much_here() {
    let mut vo = vo(policy(), 0);
    for name in ["fay", "gil"] {
        vo.join(name, Some("lab"), 100);
    }
    let mut limited = policy();
    limited.sharing.as_mut().unwrap().group.jobs = 3;
    vo.say(Input::SetPolicy(Box::new(limited)));
    let mut job = vo.job("a", 5, 1);
    let mut submit = |vo: &mut Vo, user: &str, key: &str| {
        (job.user, job.request.name) = (user.to_owned(), key.to_owned());
        let input = Input::Submit { key: key.to_owned(), job: Box::new(job.clone()) };
        vo.broker.handle(at(vo.now), &input).map(|_| ())
    };
    for (user, key) in [("fay", "1"), ("gil", "2"), ("fay", "3")] {
        assert_eq!(submit(&mut vo, user, key), Ok(()));
    }
    let over = OverLimit { whose: Spender::Group("lab".into()), what: Limited::Jobs, most: 3 };
    assert_eq!(submit(&mut vo, "gil", "4"), Err(Refusal::OverLimit(over)));
    assert_eq!(submit(&mut vo, "ada", "5"), Ok(()), "others are not of the group");
}

/// Jain's index of what users got by share: one for all alike, 1/n for one who has all.
fn jain(got: &[(i64, u32)]) -> f64 {
    let by_share = got.iter().map(|(millis, share)| *millis as f64 / f64::from(*share));
    let (sum, squares) = by_share.fold((0.0, 0.0), |(sum, squares), it| (sum + it, squares + it * it));
    sum * sum / (got.len() as f64 * squares)
}

/// A day for users who all want more than there is, some ten times as much: what each was charged, and their share.
fn day(policy: Policy, users: usize, nodes: usize, share_of: impl Fn(usize) -> u32) -> Vec<(i64, u32)> {
    let mut vo = Vo::new(&[(nodes, 1_000)]);
    vo.say(Input::SetPolicy(Box::new(policy)));
    let shares: i64 = (0..users).map(|user| i64::from(share_of(user))).sum();
    let unit = 24 * 60 * i64::try_from(nodes).unwrap() / shares;
    for user in 0..users {
        let name = format!("u{user:02}");
        vo.join(&name, None, 1_000_000);
        let share = share_of(user);
        let terms = walras_broker::input::User { name: name.clone(), group: None, share, lowest: credits(0) };
        vo.say(Input::SetUser(terms));
        // Jobs of 5 to 15 minutes on one or two nodes; twice the fair share for some, ten times for others.
        let (minutes, tasks) = ([5, 8, 10, 12, 15][user % 5], 1 + u32::try_from(user % 2).unwrap());
        let wanted = unit * i64::from(share) * if user % 10 == 3 { 10 } else { 2 };
        let count = wanted / (minutes * i64::from(tasks)) + 1;
        for number in 0..count {
            let job = JobSpec { user: name.clone(), ..vo.job(&format!("j{number}"), tasks, minutes) };
            let key = format!("{name}-{number}");
            vo.broker.handle(at(vo.now), &Input::Submit { key, job: Box::new(job) }).unwrap();
        }
    }
    vo.run_until(24 * 60 * MINUTE);
    let state = vo.broker.state();
    let mut got = Vec::new();
    for user in 0..users {
        let name = format!("u{user:02}");
        let spent = 1_000_000_000_000 - state.books.balance(&crate::vo::user(&name)).as_micros();
        let held = state.reservations.values().filter(|it| it.user == name).map(|it| it.lien.as_micros());
        got.push((spent - held.sum::<i64>(), share_of(user)));
    }
    got
}

fn quick(mut policy: Policy) -> Policy {
    if let walras_broker::policy::Deciding::Promise(rules) = &mut policy.deciding {
        (rules.replanned_max, rules.trials, rules.replan_every) = (100, 0, span(5 * MINUTE));
    }
    policy.cycle_every = span(5 * MINUTE);
    // What is reserved runs soon, so that what was given is what was got.
    policy.horizon = span(180 * MINUTE);
    policy.sharing = Some(SharePolicy { ahead: span(60 * MINUTE), ..SharePolicy::default() });
    policy
}

fn equal_shares(policy: Policy) {
    let got = day(quick(policy), 100, 50, |_| 1);
    let index = jain(&got);
    let mean = got.iter().map(|(millis, _)| *millis).sum::<i64>() / 100;
    let worst = got.iter().map(|(millis, _)| (millis - mean).abs() * 100 / mean).max().unwrap();
    eprintln!("Jain {index:.4}, worst {worst} % off, mean {mean}");
    assert!(index > 0.98 && worst <= 10, "Jain {index}, worst {worst} %: {got:?}");
}

#[test]
fn a_hundred_users_of_equal_share_get_the_same() {
    equal_shares(promises::policy());
}

#[test]
fn and_where_windows_are_reserved_at_once() {
    equal_shares(policy());
}

/// What the index is worth: it notices when users do not take turns.
#[test]
fn without_fair_share_the_same_day_is_unfair() {
    let got = day(Policy { sharing: None, ..quick(policy()) }, 21, 20, |_| 1);
    let index = jain(&got);
    eprintln!("without turns: Jain {index:.4}");
    assert!(index < 0.98, "Jain {index}: {got:?}");
}

fn weighted_shares(policy: Policy) {
    let got = day(quick(policy), 21, 20, |user| [1, 2, 4][user % 3]);
    let index = jain(&got);
    eprintln!("Jain {index:.4}: {got:?}");
    assert!(index > 0.98, "Jain {index}: {got:?}");
}

#[test]
fn weights_are_kept_in_proportion() {
    weighted_shares(promises::policy());
}

#[test]
fn and_weights_where_windows_are_reserved_at_once() {
    weighted_shares(policy());
}
