//! Arithmetic, on plain 128-bit integers: milliseconds, micro-credits, millionths.

use walras_broker::allocation::{Allocation, Hold, Part};
use walras_model::{
    Attributes, Division, Interval, Link, Network, Performance, Rate, Requirement, SiteId, Test, Time, Value,
    Work,
};

/// How many millionths make one.
pub(crate) const MILLION: i128 = 1_000_000;

/// `a / b` towards more, for `a >= 0` and `b > 0`.
pub(crate) fn divide_upwards(a: i128, b: i128) -> i128 {
    a / b + i128::from(a % b > 0)
}

/// What a length of time costs at a rate.
pub(crate) fn cost_of(rate: Rate, millis: i128) -> i128 {
    divide_upwards(i128::from(rate.as_micros_per_second()) * millis.max(0), 1_000)
}

/// How long work takes on a node.
pub(crate) fn runtime_of(work: Work, performance: Performance) -> i128 {
    divide_upwards(i128::from(work.as_millis()) * MILLION, i128::from(performance.as_millionths()))
}

/// A share of a non-negative amount, in millionths, rounded down.
pub(crate) fn share_of(amount: i128, millionths: i64) -> i128 {
    amount * i128::from(millionths) / MILLION
}

/// Milliseconds from one moment to another; negative when the other is earlier.
pub(crate) fn millis_between(from: Time, to: Time) -> i128 {
    i128::from(to.as_millis()) - i128::from(from.as_millis())
}

/// How long an interval lasts.
pub(crate) fn length(interval: Interval) -> i128 {
    millis_between(interval.start(), interval.end())
}

/// Whether two half-open stretches of time share a point.
pub(crate) fn meet(a: (Time, Time), b: (Time, Time)) -> bool {
    a.0 < b.1 && b.0 < a.1
}

/// How long data is on its way between two nodes.
pub(crate) fn lag_of<N: PartialEq>(
    network: &Network,
    bytes: i128,
    from: (SiteId, N),
    to: (SiteId, N),
) -> i128 {
    if from == to {
        return 0;
    }
    let link: &Link = if from.0 == to.0 { &network.within_site } else { &network.between_sites };
    let moving =
        link.bandwidth.map_or(0, |it| divide_upwards(bytes * 1_000, it.as_bytes_per_second().into()));
    i128::from(link.latency.as_millis()) + moving
}

/// Whether a node whose attribute has this value, or none, is what is asked for.
pub(crate) fn passes(requirement: &Requirement, attributes: &Attributes) -> bool {
    let mut values = requirement.attribute.split('|').map(|name| attributes.get(name));
    values.any(|value| is_met(requirement, value))
}

/// How many units of a node a task needs that requires this; `None` where the node does not have it. What a node counts is used by a requirement
/// that names an amount, the least of several, and the unit that is needed most of decides.
pub(crate) fn units_needed(
    requires: &[Requirement],
    attributes: &Attributes,
    division: Option<&Division>,
) -> Option<u32> {
    let mut most = division.map_or(1, Division::least_units);
    for requirement in requires {
        if requirement.attribute == "exclusive" && requirement.test == Test::Equals(Value::Flag(true)) {
            most = division.map_or(1, Division::units);
            continue;
        }
        let wanted = wanted(requirement);
        let names = || requirement.attribute.split('|');
        let counted = names().filter_map(|name| Some((division?, *division?.resources().get(name)?)));
        let mut uses = counted.filter_map(|it| Some((it.0, it.1, wanted?))).peekable();
        if uses.peek().is_none() {
            if !passes(requirement, attributes) {
                return None;
            }
            continue;
        }
        let units = uses.filter_map(|(division, amount, wanted)| {
            let unit = i128::from(amount) * MILLION / i128::from(division.units());
            let units = u32::try_from(divide_upwards(i128::from(wanted.max(0)), unit)).ok()?;
            (units <= division.units()).then_some(units)
        });
        most = most.max(units.min()?);
    }
    Some(most)
}

/// The amount that a requirement names, in millionths.
fn wanted(requirement: &Requirement) -> Option<i64> {
    match &requirement.test {
        Test::Equals(Value::Number(number)) => Some(number.as_millionths()),
        Test::Range { min, .. } => min.map(|min| min.as_millionths()),
        Test::OneOf(values) => least_number(values),
        Test::Equals(Value::Text(_) | Value::Flag(_)) => None,
    }
}

/// Whether an owner keeps a node for others than whoever asks for this: those that ask for so much of one of several things.
pub(crate) fn is_kept<'a>(
    asked: impl Iterator<Item = &'a Requirement> + Clone,
    division: Option<&Division>,
) -> bool {
    let Some(only_for) = division.and_then(Division::only_for) else { return false };
    let enough = |(resource, amount): (&String, &u64)| {
        asked.clone().any(|it| {
            let named = it.attribute.split('|').any(|name| name == resource);
            named && wanted(it).is_some_and(|wanted| i128::from(wanted) >= i128::from(*amount) * MILLION)
        })
    };
    !only_for.iter().any(enough)
}

/// The least number among values, in millionths.
fn least_number(values: &[Value]) -> Option<i64> {
    let number = |value: &Value| if let Value::Number(it) = value { Some(it.as_millionths()) } else { None };
    values.iter().filter_map(number).min()
}

fn is_met(requirement: &Requirement, value: Option<&Value>) -> bool {
    match (&requirement.test, value) {
        (_, None) => false,
        (Test::Equals(wanted), Some(value)) => wanted == value,
        (Test::OneOf(wanted), Some(value)) => wanted.iter().any(|one| one == value),
        (Test::Range { min, max }, Some(Value::Number(number))) => {
            min.is_none_or(|min| min <= *number) && max.is_none_or(|max| *number <= max)
        }
        (Test::Range { .. }, Some(_)) => false,
    }
}

/// The holds of an alternative with their sites and their places in their legs.
pub(crate) fn holds(allocation: &Allocation) -> impl Iterator<Item = (SiteId, u32, &Hold)> {
    allocation
        .legs
        .iter()
        .flat_map(|leg| leg.holds.iter().zip(0_u32..).map(|(hold, at)| (leg.site, at, hold)))
}

/// The hold of a part.
pub(crate) fn hold_of<'a>(allocation: &'a Allocation, part: &Part) -> Option<&'a Hold> {
    allocation.legs.iter().find(|leg| leg.site == part.site)?.holds.get(part.hold as usize)
}

/// What all holds cost.
pub(crate) fn price_of(allocation: &Allocation) -> i128 {
    holds(allocation).map(|(_, _, hold)| i128::from(hold.cost.as_micros())).sum()
}

/// Whether any of it is in a queue.
pub(crate) fn is_queue(allocation: &Allocation) -> bool {
    holds(allocation).any(|(_, _, hold)| hold.node.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::{Bandwidth, Fixed, SaleTerms, Span};

    #[test]
    fn money_and_time_round_upwards() {
        let rate = Rate::from_micros_per_second(1).unwrap();
        assert_eq!(
            [cost_of(rate, 0), cost_of(rate, 1), cost_of(rate, 1_000), cost_of(rate, 1_001)],
            [0, 1, 1, 2]
        );
        let third = Performance::from_millionths(3_000_000).unwrap();
        assert_eq!(runtime_of(Work::from_millis(10).unwrap(), third), 4);
        assert_eq!(share_of(999, 500_000), 499);
    }

    #[test]
    fn data_takes_the_link_between_its_nodes() {
        let slow = Link {
            latency: Span::from_millis(5).unwrap(),
            bandwidth: Bandwidth::from_bytes_per_second(1_000),
        };
        let network = Network { within_site: Link::INSTANT, between_sites: slow };
        let (a, b) = (SiteId::new(0), SiteId::new(1));
        assert_eq!(lag_of(&network, 10, (a, 0), (a, 0)), 0);
        assert_eq!(lag_of(&network, 10, (a, 0), (a, 1)), 0);
        assert_eq!(lag_of(&network, 10, (a, 0), (b, 0)), 15);
    }

    #[test]
    fn of_what_is_counted_the_least_amount_is_used() {
        let division = Division::new(8, [("gpus".to_owned(), 8)].into()).unwrap();
        let gpus = |count: i64| Fixed::from_millionths(count * 1_000_000);
        let needed = |test| {
            let requires = [Requirement { attribute: "gpus".into(), test }];
            units_needed(&requires, &Attributes::new(), Some(&division))
        };
        assert_eq!(needed(Test::Range { min: Some(gpus(4)), max: Some(gpus(6)) }), Some(4));
        assert_eq!(needed(Test::OneOf(vec![Value::Number(gpus(8)), Value::Number(gpus(6))])), Some(6));
        assert_eq!(needed(Test::OneOf(vec![Value::Text("8".into())])), None);
        assert_eq!(needed(Test::Equals(Value::Number(gpus(9)))), None);
    }

    #[test]
    fn nodes_are_kept_for_who_asks_for_enough() {
        let terms = SaleTerms { least_units: 2, only_for: [("gpus".to_owned(), 2)].into() };
        let division = Division::new(8, [("gpus".to_owned(), 8)].into()).unwrap().on_terms(terms).unwrap();
        let asks = |name: &str, count: i64| {
            let test = Test::Equals(Value::Number(Fixed::from_millionths(count * 1_000_000)));
            [Requirement { attribute: name.into(), test }]
        };
        let kept = |requires: &[Requirement]| is_kept(requires.iter(), Some(&division));
        assert!(kept(&[]) && kept(&asks("gpus", 1)) && kept(&asks("cores", 64)));
        assert!(!kept(&asks("gpus", 2)) && !kept(&asks("fpgas|gpus", 3)) && !is_kept([].iter(), None));
        let needed = |requires: &[Requirement]| units_needed(requires, &Attributes::new(), Some(&division));
        assert_eq!((needed(&asks("gpus", 1)), needed(&asks("gpus", 3))), (Some(2), Some(3)));
    }

    #[test]
    fn requirements_compare_like_with_like() {
        let range = Test::Range { min: Some(Fixed::from_millionths(2)), max: None };
        let requirement = Requirement { attribute: "x".into(), test: range };
        assert!(is_met(&requirement, Some(&Value::Number(Fixed::from_millionths(2)))));
        assert!(!is_met(&requirement, Some(&Value::Text("2".into()))));
        assert!(!is_met(&requirement, None));
        let either = Requirement { attribute: "a|b".into(), ..requirement };
        let node =
            |name: &str| Attributes::from([(name.to_owned(), Value::Number(Fixed::from_millionths(2)))]);
        assert!(passes(&either, &node("b")) && !passes(&either, &node("c")));
    }
}
