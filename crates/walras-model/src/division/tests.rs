use super::*;
use crate::quantity::Work;

fn node(units: u32) -> Division {
    let resources = [("cores", 64), ("memory_gb", 256), ("gpus", 8)];
    Division::new(units, resources.map(|(name, amount)| (name.to_owned(), amount)).into()).unwrap()
}

fn least(name: &str, millionths: i64) -> Requirement {
    let min = Some(Fixed::from_millionths(millionths));
    Requirement { attribute: name.to_owned(), test: Test::Range { min, max: None } }
}

#[test]
fn the_dearest_need_counts() {
    let units = |requires: &[Requirement]| node(8).units_of_all(requires, &Attributes::new());
    assert_eq!(units(&[]), Some(1));
    assert_eq!(units(&[least("cores", 8_000_000)]), Some(1));
    assert_eq!(units(&[least("cores", 8_000_001)]), Some(2));
    // All memory is the whole node, however few cores.
    assert_eq!(units(&[least("cores", 1_000_000), least("memory_gb", 256_000_000)]), Some(8));
    assert_eq!(units(&[least("memory_gb", 256_000_001)]), None);
    assert_eq!(units(&[least("fpgas", 1_000_000)]), None);
    assert_eq!(units(&[least("cores", -5)]), Some(1));
    let equals = |value| Requirement { attribute: "gpus".to_owned(), test: Test::Equals(value) };
    assert_eq!(units(&[equals(Value::Number(Fixed::from_millionths(2_000_000)))]), Some(2));
    assert_eq!(units(&[equals(Value::Flag(true))]), None);
    assert_eq!(units(&[least("gpus|cores", 9_000_000)]), Some(2));
    let gpus = |millions: i64| Fixed::from_millionths(millions * 1_000_000);
    let asks = |test| units(&[Requirement { attribute: "gpus".to_owned(), test }]);
    assert_eq!(asks(Test::Range { min: Some(gpus(4)), max: Some(gpus(6)) }), Some(4));
    assert_eq!(asks(Test::Range { min: Some(gpus(9)), max: Some(gpus(16)) }), None);
    assert_eq!(asks(Test::OneOf(vec![Value::Number(gpus(8)), Value::Number(gpus(6))])), Some(6));
    assert_eq!(asks(Test::OneOf(vec![Value::Text("8".to_owned())])), None);
    let exclusive = Requirement { attribute: "exclusive".to_owned(), ..equals(Value::Flag(true)) };
    assert_eq!(units(&[exclusive]), Some(8));
    assert_eq!(node(1).units_of_all(&[least("cores", 8_000_001)], &Attributes::new()), Some(1));
}

/// What a task of a request takes that requires this.
fn needed(division: &Division, requires: &[Requirement]) -> Option<u32> {
    let mut request = Request::new("J", 1, Work::from_millis(1).unwrap());
    request.requires = requires.to_vec();
    division.units_needed(&request, &Attributes::new())
}

#[test]
fn owners_keep_special_nodes_from_small_tasks() {
    let terms = |least_units, only_for: &[(&str, u64)]| {
        let only_for = only_for.iter().map(|(name, asked)| ((*name).to_owned(), *asked)).collect();
        node(8).on_terms(SaleTerms { least_units, only_for })
    };
    let gpus = terms(2, &[("gpus", 1), ("memory_gb", 128)]).unwrap();
    let units = |requires: &[Requirement]| needed(&gpus, requires);
    assert_eq!((units(&[]), units(&[least("cores", 64_000_000)])), (None, None));
    // A part of a GPU is none, and whoever asks for one takes two units; of several resources one is enough.
    assert_eq!((units(&[least("gpus", 999_999)]), units(&[least("gpus", 1_000_000)])), (None, Some(2)));
    assert_eq!(
        (units(&[least("gpus|fpgas", 3_000_000)]), units(&[least("memory_gb", 128_000_000)])),
        (Some(3), Some(4))
    );
    // Who takes the node whole asks for no GPU either.
    let all = Test::Equals(Value::Flag(true));
    assert_eq!(units(&[Requirement { attribute: "exclusive".to_owned(), test: all.clone() }]), None);
    assert_eq!(units(&[Requirement { attribute: "gpus".to_owned(), test: all }]), None);
    assert_eq!(needed(&gpus.of_units(1), &[least("gpus", 1_000_000)]), Some(1));
    assert_eq!(needed(&terms(3, &[]).unwrap(), &[]), Some(3));
    assert_eq!(terms(1, &[]), Ok(node(8)));
    for units in [0, 9] {
        assert_eq!(terms(units, &[]), Err(BadDivision::LeastUnits { least: units, units: 8 }));
    }
    assert_eq!(terms(1, &[("fpgas", 1)]), Err(BadDivision::OnlyForUncounted("fpgas".to_owned())));
    for asked in [0, 9] {
        let wrong = BadDivision::OnlyForTooMuch { resource: "gpus".to_owned(), asked, amount: 8 };
        assert_eq!(terms(1, &[("gpus", asked)]), Err(wrong));
    }
}

#[test]
fn what_is_not_counted_is_a_test() {
    let attributes = Attributes::from([("cores".to_owned(), Value::Number(Fixed::from_millionths(4)))]);
    let plain = Division::default();
    assert_eq!(plain.units_of_all(&[least("cores", 4)], &attributes), Some(1));
    assert_eq!(plain.units_of_all(&[least("cores", 5)], &attributes), None);
}

#[test]
fn divisions_that_cannot_be_are_refused() {
    let with = |units, amount| Division::new(units, [("gpus".to_owned(), amount)].into());
    assert_eq!(with(0, 8), Err(BadDivision::Units(0)));
    assert_eq!(with(UNITS_MAX + 1, 8), Err(BadDivision::Units(UNITS_MAX + 1)));
    assert_eq!(with(2, 0), Err(BadDivision::Amount { resource: "gpus".to_owned(), amount: 0 }));
    let indivisible = BadDivision::Indivisible { resource: "gpus".to_owned(), amount: 8, units: 3 };
    assert_eq!(with(3, 8), Err(indivisible));
}

#[test]
fn parts_are_never_dearer_than_the_whole() {
    for micros in [1, 7, 1_000, 999_999_999_999] {
        let rate = Rate::from_micros_per_second(micros).unwrap();
        for of in 1..=64_u32 {
            let prices: Vec<i64> =
                (1..=of).map(|units| price_of_units(rate, units, of).as_micros_per_second()).collect();
            assert!(prices.is_sorted() && prices.last() == Some(&micros));
            let apart = prices[0] * i64::from(of);
            assert!((micros..micros + i64::from(of)).contains(&apart));
            let (watts, span) = (Watts::from_milliwatts(micros).unwrap(), Span::from_millis(micros).unwrap());
            for (units, price) in (1..=of).zip(&prices) {
                assert_eq!(watts_of_units(watts, units, of).as_milliwatts(), *price);
                assert_eq!(time_of_units(span, units, of), *price);
            }
        }
    }
}

#[test]
fn free_units_are_counted_moment_by_moment() {
    let at = |millis: i64| Time::from_millis(millis).unwrap();
    let interval = |from, until| Interval::new(at(from), at(until)).unwrap();
    let taken = [(2, 6), (2, 6), (4, 9), (6, 9), (4, 5), (30, 40), (-5, 1)].map(|(a, b)| interval(a, b));
    let free = free_units(interval(0, 12), 3, &taken);
    for moment in 0..12 {
        let used = taken.iter().filter(|it| it.contains(interval(moment, moment + 1))).count();
        let found = free.iter().find(|(it, _)| it.contains(interval(moment, moment + 1)));
        assert_eq!(3_usize.saturating_sub(used), found.map_or(0, |(_, units)| *units as usize), "{moment}");
    }
    assert!(free.windows(2).all(|pair| pair[0].0.end() < pair[1].0.start() || pair[0].1 != pair[1].1));
}
