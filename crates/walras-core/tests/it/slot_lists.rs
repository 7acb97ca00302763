//! The slot list under cuts.

use crate::oracle::{FreeSlot, OracleWindow, free_slots, subtract};
use crate::random::{self, interval, time};
use proptest::prelude::*;
use walras_core::slots::SlotList;
use walras_core::*;
use walras_model::*;

fn listed(list: &SlotList) -> Vec<FreeSlot> {
    let free = |slot: &Slot| FreeSlot {
        start: slot.start().as_millis(),
        node: slot.node(),
        end: slot.end().as_millis(),
        rate: slot.rate().as_micros_per_second(),
    };
    list.iter().map(free).collect()
}

fn node_time(slots: &[FreeSlot]) -> i64 {
    slots.iter().map(|slot| slot.end - slot.start).sum()
}

proptest! {
    #[test]
    fn a_cut_leaves_what_is_before_and_after(offers in random::offers(), batch in random::batch()) {
        let mut list = SlotList::from_offers(&offers);
        let mut plain = free_slots(&offers);
        let found = find_alternatives(&offers, &batch, &SearchConfig::default()).found;
        for Alternative { window, .. } in &found {
            let before = node_time(&listed(&list));
            list.subtract(window).unwrap();
            let taken: i64 =
                window.placements().iter().map(|placement| placement.interval.span().as_millis()).sum();
            prop_assert_eq!(before, node_time(&listed(&list)) + taken, "node-time is conserved");
            subtract(&mut plain, &OracleWindow::of(window));
            prop_assert_eq!(listed(&list), plain.clone());
            prop_assert!(list.subtract(window).is_err(), "nothing can be sold twice");
            prop_assert_eq!(listed(&list), plain.clone(), "a refused cut changes nothing");
        }
    }
}

/// Many nodes and slots, so that blocks and groups fill, split and are passed over.
fn large(nodes: u32, slots_per_node: i64) -> Offers {
    let horizon = interval(0, slots_per_node * 100);
    let (mut list, mut slots) = (Vec::new(), Vec::new());
    let mut state = 88_172_645_463_325_252_u64;
    let mut draw = |bound: i64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        i64::try_from(state % bound.unsigned_abs()).unwrap()
    };
    for index in 0..nodes {
        let performance = Performance::from_millionths(1_000_000 + 250_000 * draw(9)).unwrap();
        let name = format!("n{index}");
        list.push(Node {
            division: Default::default(),
            name,
            site: SiteId::new(index % 3),
            performance,
            watts: None,
            attributes: Attributes::new(),
        });
        for number in 0..slots_per_node {
            let start = number * 100 + draw(60);
            let length = if draw(50) == 0 { 40 } else { 30 };
            let end = (start + 1 + draw(length)).min(number * 100 + 100);
            let rate = Rate::from_micros_per_second(1_000 + draw(5_000)).unwrap();
            slots.push(Slot::new(NodeId::new(index), interval(start, end), rate).unwrap());
        }
    }
    let sites = ["a", "b", "c"].map(|name| Site { name: name.into() }).to_vec();
    Offers::new(horizon, sites, list, slots).unwrap()
}

#[test]
fn skipping_and_resuming_change_nothing_on_a_long_list() {
    let offers = large(24, 120);
    let work = |millis| Work::from_millis(millis).unwrap();
    let wide = Request::new("wide", 14, work(6));
    let mut narrow = Request::new("narrow", 3, work(25));
    narrow.budget = Some(Money::from_micros(130));
    narrow.scope.same_site = true;
    let mut capped = Request::new("capped", 4, work(20));
    capped.price_max = Rate::from_micros_per_second(2_500);
    capped.earliest = Some(time(3_333));
    capped.deadline = Some(time(9_000));
    let batch = Batch::new(vec![wide, narrow, capped]);
    for algorithm in [Algorithm::Alp, Algorithm::Amp] {
        let config = SearchConfig { algorithm: algorithm.clone(), ..SearchConfig::default() };
        let alternatives = find_alternatives(&offers, &batch, &config);
        let found: Vec<(JobId, OracleWindow)> =
            alternatives.found.iter().map(|found| (found.job, OracleWindow::of(&found.window))).collect();
        assert!(found.len() > 100, "the instance is meant to be rich: {}", found.len());
        let expected = crate::oracle::all_alternatives(&offers, &batch, &algorithm, Factor::ONE);
        assert_eq!(found, expected);
    }
}

#[test]
fn count_queries_read_a_fraction_of_the_list() {
    let mut offers = large(60, 400);
    // Far away, all nodes are free at once; nowhere else are so many.
    let end = offers.horizon().end().as_millis();
    let horizon = interval(0, end + 100);
    let mut slots = offers.slots().to_vec();
    for index in 0..60 {
        let rate = Rate::from_micros_per_second(9_000).unwrap();
        slots.push(Slot::new(NodeId::new(index), interval(end, end + 100), rate).unwrap());
    }
    offers = Offers::new(horizon, offers.sites().to_vec(), offers.nodes().to_vec(), slots).unwrap();
    let batch = Batch::new(vec![Request::new("all", 58, Work::from_millis(3).unwrap())]);
    let limits = SearchLimits { alternatives_per_job_max: 1, ..SearchLimits::default() };
    let found = find_alternatives(&offers, &batch, &SearchConfig { limits, ..SearchConfig::default() });
    assert_eq!(found.found[0].window.start(), time(end));
    assert!(found.slots_scanned < 2_000, "{} of {}", found.slots_scanned, offers.slots().len());
    assert!(found.limits_hit.contains(&LimitHit::AlternativesPerJob));
}

#[test]
fn hopeless_lengths_are_answered_without_a_scan() {
    let offers = large(60, 100);
    let list = SlotList::from_offers(&offers);
    let request = Request::new("long", 1, Work::from_millis(100_000).unwrap());
    let batch = Batch::new(vec![request]);
    let found = find_alternatives(&offers, &batch, &SearchConfig::default());
    assert_eq!((found.slots_scanned, found.found.len()), (0, 0));
    assert_eq!(list.len(), 6_000);
}
