//! Rounds in which jobs are assigned to sites that sell capacity: who never fits says so, and nobody waits for that.

use crate::vo::{MINUTE, Vo, rate, span};
use walras_broker::Input;
use walras_broker::job::{Unassigned, Why};
use walras_broker::policy::{Method, Policy};
use walras_broker::price::PriceRules;
use walras_broker::site::SiteKind;
use walras_model::Performance;

const METHODS: [Method; 6] =
    [Method::Greedy, Method::GreedyCost, Method::Mmc, Method::Hga, Method::Lpga, Method::Exact];

/// Two sites of four processors; jobs are overdue after ten minutes. Every other processor is as fast as is said.
fn capacity(method: Method, others: Option<Performance>) -> Vo {
    let mut vo = Vo::new(&[]);
    let policy = Policy { assign: Some(method), overdue_after: span(10 * MINUTE), ..crate::vo::policy() };
    vo.say(Input::SetPolicy(Box::new(policy)));
    vo.join("bob", None, 1_000_000);
    vo.others = others;
    for _ in 0..2 {
        vo.add_site(SiteKind::Capacity, 4, PriceRules::flat(rate(100_000)));
    }
    vo
}

/// A job of so many tasks and then, when that is overdue, one that fits; what is said of the first.
fn wide_and_small(vo: &mut Vo, tasks: u32) -> Option<Why> {
    let of = |vo: &Vo, name: &str, tasks| {
        let mut job = vo.job(name, tasks, 10);
        job.user = "bob".to_owned();
        job
    };
    let wide = vo.submit(of(vo, "wide", tasks));
    vo.run_until(30 * MINUTE);
    assert_eq!(vo.started(wide), None);
    let small = vo.submit(of(vo, "small", 2));
    vo.run_until(40 * MINUTE);
    assert!(vo.started(small).is_some(), "{:?}", vo.broker.state().jobs[&small].why);
    vo.broker.state().jobs[&wide].why.clone()
}

#[test]
fn who_is_wider_than_every_site_says_so_and_nobody_waits_for_that() {
    for method in METHODS {
        let why = wide_and_small(&mut capacity(method, None), 6);
        assert_eq!(why, Some(Why::Unassigned(Unassigned::TooWide { tasks: 6, most: 4 })), "{method}");
    }
    let mut vo = capacity(Method::Split, None);
    let mut job = vo.job("wide", 6, 10);
    job.user = "bob".to_owned();
    let wide = vo.submit(job);
    vo.run_until(5 * MINUTE);
    assert!(vo.started(wide).is_some(), "who may be split is");
}

/// Processors of one site that differ are as if of several sites.
#[test]
fn who_is_wider_than_what_is_alike_says_so_and_nobody_waits_for_that() {
    for method in METHODS {
        let why = wide_and_small(&mut capacity(method, Performance::from_millionths(2_000_000)), 4);
        assert_eq!(why, Some(Why::Unassigned(Unassigned::TooWide { tasks: 4, most: 2 })), "{method}");
    }
}

/// What a job costs whole is held against its budget, and not what it would cost in parts.
#[test]
fn who_could_only_pay_for_parts_says_so() {
    for method in METHODS {
        let mut vo = capacity(method, None);
        vo.add_site(SiteKind::Capacity, 1, PriceRules::flat(rate(1)));
        let mut job = vo.job("poor", 4, 10);
        (job.user, job.request.budget) = ("bob".to_owned(), Some(crate::vo::credits(200)));
        let poor = vo.submit(job);
        vo.run_until(5 * MINUTE);
        let why = vo.broker.state().jobs[&poor].why.clone();
        let Some(Why::Unassigned(Unassigned::TooDear { cheapest, .. })) = why else { panic!("{why:?}") };
        assert_eq!(cheapest, crate::vo::credits(240), "four processors for ten minutes: {method}");
    }
}
