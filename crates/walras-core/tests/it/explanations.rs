//! Smallest changes, checked by trying every value.

use crate::oracle::{every_window, first_window, free_slots};
use crate::random;
use proptest::prelude::*;
use walras_core::slots::SlotList;
use walras_core::*;
use walras_model::*;

fn has_window(offers: &Offers, request: &Request, config: &SearchConfig) -> bool {
    let slots = free_slots(offers);
    first_window(offers, &slots, request, &config.algorithm, config.budget_factor).is_some()
}

/// The first value of `values` with which the request has a window.
fn first_that_fits<T: Copy>(
    offers: &Offers,
    request: &Request,
    config: &SearchConfig,
    values: impl Iterator<Item = T>,
    change: impl Fn(&mut Request, T),
) -> Option<T> {
    let mut values = values;
    values.find(|value| {
        let mut request = request.clone();
        change(&mut request, *value);
        has_window(offers, &request, config)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_smallest_change_is_the_smallest(
        offers in random::offers(), request in random::request(), factor in random::factor(), alp in any::<bool>(),
    ) {
        let algorithm = if alp { Algorithm::Alp } else { Algorithm::Amp };
        let config = SearchConfig { algorithm, budget_factor: factor, ..SearchConfig::default() };
        let list = SlotList::from_offers(&offers);
        let Outcome::Infeasible(NoWindow) = find_window(&list, &offers, &request, &config) else {
            return Ok(());
        };
        let explanation = explain(&list, &offers, &request, &config);
        prop_assert!(!explanation.reasons.is_empty());
        let change = &explanation.smallest_change;
        let try_all = |what: &dyn Fn(&mut Request, i64), values: &mut dyn Iterator<Item = i64>| {
            first_that_fits(&offers, &request, &config, values, |request, value| what(request, value))
        };

        let budget_binds = request.budget.is_some() || (!alp && request.price_max.is_some());
        let set_budget = |request: &mut Request, value| request.budget = Some(Money::from_micros(value));
        let least = if budget_binds { try_all(&set_budget, &mut (1..1_000)) } else { None };
        prop_assert_eq!(change.budget.map(Money::as_micros), least, "budget");

        let set_deadline = |request: &mut Request, value| request.deadline = Time::from_millis(value);
        let least = request.deadline.and_then(|_| try_all(&set_deadline, &mut (0..=random::HORIZON)));
        prop_assert_eq!(change.deadline.map(Time::as_millis), least, "deadline");

        let set_tasks = |request: &mut Request, value| request.tasks = u32::try_from(value).unwrap();
        let most = try_all(&set_tasks, &mut (1..i64::from(request.tasks)).rev());
        prop_assert_eq!(change.tasks.map(i64::from), most, "tasks");
    }

    #[test]
    fn the_highest_performance_that_fits(
        offers in random::offers(), mut request in random::request(), alp in any::<bool>(),
    ) {
        // A coarse grid of performances, so that every value can be tried.
        let algorithm = if alp { Algorithm::Alp } else { Algorithm::Amp };
        let config = SearchConfig { algorithm, ..SearchConfig::default() };
        request.performance_min = Performance::from_millionths(request.performance_min.as_millionths() / 1_000).unwrap();
        let nodes = offers.nodes().iter().map(|node| Node {
            division: Default::default(),
            performance: Performance::from_millionths(node.performance.as_millionths() / 1_000).unwrap(),
            ..node.clone()
        });
        let offers = Offers::new(offers.horizon(), offers.sites().to_vec(), nodes.collect(), offers.slots().to_vec()).unwrap();
        request.work = Work::from_millis(1).unwrap();
        let list = SlotList::from_offers(&offers);
        if let Outcome::Infeasible(NoWindow) = find_window(&list, &offers, &request, &config) {
            let explanation = explain(&list, &offers, &request, &config);
            let values = (1..request.performance_min.as_millionths()).rev();
            let set = |request: &mut Request, value| {
                request.performance_min = Performance::from_millionths(value).unwrap();
            };
            let expected = first_that_fits(&offers, &request, &config, values, set);
            let found = explanation.smallest_change.performance_min.map(Performance::as_millionths);
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_least_price_cap(offers in random::offers(), request in random::request(), factor in random::factor(), alp in any::<bool>()) {
        let algorithm = if alp { Algorithm::Alp } else { Algorithm::Amp };
        let config = SearchConfig { algorithm, budget_factor: factor, ..SearchConfig::default() };
        let list = SlotList::from_offers(&offers);
        let Outcome::Infeasible(NoWindow) = find_window(&list, &offers, &request, &config) else {
            return Ok(());
        };
        let explanation = explain(&list, &offers, &request, &config);
        let with_cap = |rate: i64| Request { price_max: Rate::from_micros_per_second(rate), ..request.clone() };
        match explanation.smallest_change.price_max {
            Some(rate) => {
                let rate = rate.as_micros_per_second();
                prop_assert!(has_window(&offers, &with_cap(rate), &config), "{rate} gives a window");
                prop_assert!(rate == 1 || !has_window(&offers, &with_cap(rate - 1), &config), "less does not");
            }
            None => {
                let helps = request.price_max.is_some() && has_window(&offers, &with_cap(1_000_000), &config);
                prop_assert!(!helps, "a high cap would give a window");
            }
        }
    }

    #[test]
    fn reasons_name_what_binds(offers in random::offers(), request in random::request()) {
        let config = SearchConfig::default();
        let list = SlotList::from_offers(&offers);
        let Outcome::Infeasible(NoWindow) = find_window(&list, &offers, &request, &config) else {
            return Ok(());
        };
        let explanation = explain(&list, &offers, &request, &config);
        let slots = free_slots(&offers);
        let unlimited = Request { price_max: None, budget: None, deadline: None, ..request.clone() };
        let fits_unlimited = !every_window(&offers, &slots, &unlimited, &Algorithm::Amp, Factor::ONE).is_empty();
        for reason in &explanation.reasons {
            let blames_limits = matches!(
                reason,
                Reason::BudgetTooSmall { .. } | Reason::DeadlineTooEarly { .. } | Reason::SeveralLimits
            );
            prop_assert_eq!(blames_limits, fits_unlimited, "{:?}", reason);
        }
    }
}
