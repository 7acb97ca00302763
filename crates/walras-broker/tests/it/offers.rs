//! Slots, capacity and queues take part alike.

use crate::vo::{MINUTE, Vo, rate};
use walras_broker::Event;
use walras_broker::price::PriceRules;
use walras_broker::site::SiteKind;
use walras_core::SiteId;

/// A VO with one site of each kind, at rising prices.
fn all_kinds() -> Vo {
    let mut vo = Vo::new(&[(2, 1_000)]);
    vo.add_site(SiteKind::Capacity, 2, PriceRules::flat(rate(2_000)));
    vo.add_site(Vo::queue_kind(), 0, PriceRules::flat(rate(3_000)));
    vo
}

#[test]
fn a_job_runs_on_every_kind_of_site() {
    for site in 0..3 {
        let mut vo = all_kinds();
        let mut job = vo.job("j", 2, 10);
        job.request.scope.sites = Some(vec![SiteId::new(site)]);
        vo.submit(job);
        vo.run_until(60 * MINUTE);
        assert_eq!(vo.broker.state().totals.done, 1, "site {site}");
        let used = vo.events.iter().find_map(|event| match event {
            Event::ReservationAsked { way, .. } => Some(way.legs[0].site),
            _ => None,
        });
        assert_eq!(used, Some(SiteId::new(site)));
    }
}

#[test]
fn a_batch_mixes_them() {
    let mut vo = all_kinds();
    for number in 0..3 {
        vo.submit(vo.job(&format!("j{number}"), 2, 300));
    }
    let mut policy = crate::vo::policy();
    policy.choice.objective = walras_core::choose::Objective::MinMakespan;
    policy.horizon = crate::vo::span(400 * MINUTE);
    vo.say(walras_broker::Input::SetPolicy(Box::new(policy)));
    vo.run_until(2 * MINUTE);
    let state = vo.broker.state();
    let used: std::collections::BTreeSet<SiteId> =
        state.reservations.values().map(|reservation| reservation.way.legs[0].site).collect();
    assert_eq!(used.len(), 3, "each job on another kind of site");
}
