//! Selling by owners' price rules: from free time to priced slots.
//!
//! **Problem.** An owner states rules, not prices: a base price for a node or a class of nodes, factors by hour and by
//! weekday, a factor that follows demand, times at which nothing is sold. A slot, however, has one price.
//!
//! **Method.** Free time is cut where the rules change. What is left of blackouts is either sold in pieces of one price
//! each ([`Crossing::Cut`]), or whole at the dearest of its prices ([`Crossing::Dearest`]), so that long jobs fit. Rates
//! round up to a micro-credit and are never below one.
//!
//! The demand factor moves by one step after each cycle, inside the owner's bounds: up when more of what was offered is
//! taken than the owner's upper mark, down when less than the lower.
//!
//! **Complexity.** O(hours in the free time) for a node whose rules have hours; O(blackouts) otherwise.

use crate::model::price::{BLACKOUTS_MAX, BadPrices, Blackout, Crossing, Demand, PriceRules, USERS_MAX};
use walras_core::prefer::Calendar;
use walras_model::interval::{complement, merge};
use walras_model::quantity::MILLION;
use walras_model::{Interval, Multiplier, Rate, Share, Span, Time};

const HOUR: i64 = 3_600_000;
/// Free time is cut into at most so many hours; what lies beyond is not offered.
const HOURS_MAX: usize = 24 * 366;

impl PriceRules {
    /// Whether the rules are complete and within their bounds.
    pub fn check(&self) -> Result<(), BadPrices> {
        if !matches!(self.hours.len(), 0 | 24) {
            return Err(BadPrices::Hours(self.hours.len()));
        }
        if !matches!(self.weekdays.len(), 0 | 7) {
            return Err(BadPrices::Weekdays(self.weekdays.len()));
        }
        if self.blackouts.len() > BLACKOUTS_MAX {
            return Err(BadPrices::Blackouts(self.blackouts.len()));
        }
        if self.users.len() > USERS_MAX {
            return Err(BadPrices::Users(self.users.len()));
        }
        let bounds = self.demand.iter().flat_map(|demand| [demand.min, demand.max]);
        for factor in self.hours.iter().chain(&self.weekdays).copied().chain(bounds) {
            if !(1..=1_000 * MILLION).contains(&factor.as_millionths()) {
                return Err(BadPrices::Factor(factor.as_millionths()));
            }
        }
        if let Some(demand @ Demand { min, max, step, low, high }) = self.demand {
            let small = step.as_millionths() <= 1_000 * MILLION;
            if min > Multiplier::ONE || max < Multiplier::ONE || !small || low > high {
                return Err(BadPrices::Demand(demand));
            }
        }
        let steady = self.hours.is_empty() && self.weekdays.is_empty() && self.demand.is_none();
        let plain = steady && self.classes.is_empty() && self.nodes.is_empty();
        if !self.users.is_empty() && !plain {
            return Err(BadPrices::UserPrices);
        }
        let rates = std::iter::once(&self.base)
            .chain(self.users.values())
            .chain(self.classes.values())
            .chain(self.nodes.values());
        match rates.copied().find(|rate| rate.as_micros_per_second() > 1_000_000_000 * MILLION) {
            Some(rate) => Err(BadPrices::TooDear(rate)),
            None => Ok(()),
        }
    }

    /// The base price of a node.
    pub fn base_of(&self, node: &str, class: Option<&str>) -> Rate {
        let of_class = || class.and_then(|class| self.classes.get(class)).copied();
        self.nodes.get(node).copied().or_else(of_class).unwrap_or(self.base)
    }

    /// The least that any user pays on a node.
    pub fn least_of(&self, node: &str, class: Option<&str>) -> Rate {
        self.users.values().copied().fold(self.base_of(node, class), Rate::min)
    }

    /// What a user pays on a node, before factors.
    pub fn base_for(&self, user: &str, node: &str, class: Option<&str>) -> Rate {
        self.users.get(user).copied().unwrap_or_else(|| self.base_of(node, class))
    }

    /// The price of a node at a moment, under a demand factor.
    pub fn rate_at(&self, base: Rate, at: Time, demand: Multiplier, calendar: Calendar) -> Rate {
        let hour = hour_of_week(at, calendar);
        let day = self.weekdays.get(hour / 24).copied().unwrap_or(Multiplier::ONE);
        let hour = self.hours.get(hour % 24).copied().unwrap_or(Multiplier::ONE);
        scaled(base, &[day, hour, demand])
    }

    /// The least price of a node in any hour of any day, under a demand factor.
    pub fn least_rate(&self, base: Rate, demand: Multiplier) -> Rate {
        let least = |of: &[Multiplier]| of.iter().copied().min().unwrap_or(Multiplier::ONE);
        scaled(base, &[least(&self.weekdays), least(&self.hours), demand])
    }

    /// The price of a node where it is the same at all times, and all of them are sold.
    pub(crate) fn steady(&self, base: Rate, demand: Multiplier) -> Option<Rate> {
        let even = self.hours.is_empty() && self.weekdays.is_empty() && self.blackouts.is_empty();
        even.then(|| scaled(base, &[demand]))
    }

    /// A node's free time as it is sold: pieces in order, each with its price.
    pub fn sell(
        &self,
        free: Interval,
        base: Rate,
        demand: Multiplier,
        calendar: Calendar,
    ) -> Vec<(Interval, Rate)> {
        let mut pieces: Vec<(Interval, Rate)> = Vec::new();
        for open in complement(free, &self.closed(free, calendar)) {
            let prices = self.pieces(open, base, demand, calendar);
            match (self.crossing, prices.first(), prices.last()) {
                (Crossing::Dearest, Some(first), Some(last)) => {
                    let dearest = prices.iter().map(|piece| piece.1).fold(first.1, Rate::max);
                    let whole = Interval::new(first.0.start(), last.0.end());
                    pieces.extend(whole.map(|whole| (whole, dearest)));
                }
                _ => pieces.extend(prices),
            }
        }
        pieces
    }

    /// The blackouts that touch an interval.
    fn closed(&self, free: Interval, calendar: Calendar) -> Vec<Interval> {
        let mut closed = Vec::new();
        for blackout in &self.blackouts {
            match blackout {
                Blackout::Once(interval) => closed.extend(interval.intersection(free)),
                Blackout::Weekly(hours) => {
                    let within = hours_of(free, calendar).filter(|hour| hours.meet(*hour, calendar));
                    closed.extend(within);
                }
            }
        }
        merge(&closed)
    }

    /// Free time cut where the price changes.
    fn pieces(
        &self,
        open: Interval,
        base: Rate,
        demand: Multiplier,
        calendar: Calendar,
    ) -> Vec<(Interval, Rate)> {
        if self.hours.is_empty() && self.weekdays.is_empty() {
            return vec![(open, scaled(base, &[demand]))];
        }
        let mut pieces: Vec<(Interval, Rate)> = Vec::new();
        for hour in hours_of(open, calendar) {
            let rate = self.rate_at(base, hour.start(), demand, calendar);
            match pieces.last_mut() {
                Some((piece, same)) if *same == rate && piece.end() == hour.start() => {
                    *piece = Interval::new(piece.start(), hour.end()).expect("pieces follow each other");
                }
                _ => pieces.push((hour, rate)),
            }
        }
        pieces
    }
}

impl Demand {
    /// The factor after a cycle in which this share of what was offered was taken.
    pub fn after(&self, factor: Multiplier, taken: Share) -> Multiplier {
        let moved = if taken > self.high {
            factor.more_by(self.step)
        } else if taken < self.low {
            factor.less_by(self.step)
        } else {
            factor
        };
        moved.clamp(self.min, self.max)
    }
}

/// The hour of the week, from 0 (Monday, midnight) on.
fn hour_of_week(at: Time, calendar: Calendar) -> usize {
    usize::try_from(calendar.since_monday_began(at).as_millis() / HOUR).expect("a week has few hours")
}

/// An interval cut at full hours of the calendar, at most [`HOURS_MAX`] pieces.
fn hours_of(interval: Interval, calendar: Calendar) -> impl Iterator<Item = Interval> {
    let mut from = Some(interval.start());
    let next = move || {
        let start = from?;
        let into = calendar.since_monday_began(start).as_millis() % HOUR;
        let step = Span::from_millis(HOUR - into)?;
        let end = start.checked_add(step).unwrap_or(interval.end()).min(interval.end());
        from = Some(end).filter(|end| *end < interval.end());
        Interval::new(start, end)
    };
    std::iter::from_fn(next).take(HOURS_MAX)
}

/// A rate times factors; what is beyond the range of prices costs the most there is, and nobody buys it.
fn scaled(base: Rate, factors: &[Multiplier]) -> Rate {
    Multiplier::all_of(factors, base).unwrap_or(Rate::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_core::prefer::Hours;

    fn hours(from: i64, to: i64) -> Interval {
        let time = |hours: i64| Time::from_millis(hours * HOUR).unwrap();
        Interval::new(time(from), time(to)).unwrap()
    }

    fn rate(micros: i64) -> Rate {
        Rate::from_micros_per_second(micros).unwrap()
    }

    fn times(millionths: i64) -> Multiplier {
        Multiplier::from_millionths(millionths).unwrap()
    }

    /// Nights (0 to 8) at half price.
    fn nights() -> PriceRules {
        let factors = (0..24).map(|hour| times(if hour < 8 { 500_000 } else { 1_000_000 })).collect();
        PriceRules { hours: factors, ..PriceRules::flat(rate(100)) }
    }

    #[test]
    fn free_time_is_cut_where_the_price_changes() {
        let sold = nights().sell(hours(2, 30), rate(100), Multiplier::ONE, Calendar::default());
        let expected = [(hours(2, 8), rate(50)), (hours(8, 24), rate(100)), (hours(24, 30), rate(50))];
        assert_eq!(sold, expected);
    }

    #[test]
    fn or_sold_whole_at_the_dearest_price() {
        let rules = PriceRules { crossing: Crossing::Dearest, ..nights() };
        assert_eq!(
            rules.sell(hours(2, 30), rate(100), Multiplier::ONE, Calendar::default()),
            [(hours(2, 30), rate(100))]
        );
        assert_eq!(
            rules.sell(hours(2, 7), rate(100), Multiplier::ONE, Calendar::default()),
            [(hours(2, 7), rate(50))]
        );
    }

    #[test]
    fn blackouts_are_not_sold() {
        let weekend = Hours::new([false, false, false, false, false, true, true], 0, 24 * HOUR).unwrap();
        let blackouts = vec![Blackout::Once(hours(3, 4)), Blackout::Weekly(weekend)];
        let rules = PriceRules { blackouts, ..PriceRules::flat(rate(7)) };
        let sold = rules.sell(hours(0, 8 * 24), rate(7), Multiplier::ONE, Calendar::default());
        let expected = [hours(0, 3), hours(4, 5 * 24), hours(7 * 24, 8 * 24)];
        assert_eq!(sold.iter().map(|piece| piece.0).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn demand_moves_inside_the_bounds() {
        let (min, max, step) = (times(800_000), times(1_500_000), times(400_000));
        let demand = Demand { min, max, step, low: Share::percent(30), high: Share::percent(70) };
        assert_eq!(demand.after(Multiplier::ONE, Share::percent(90)), times(1_400_000));
        assert_eq!(demand.after(times(1_400_000), Share::percent(90)), times(1_500_000));
        assert_eq!(demand.after(Multiplier::ONE, Share::percent(10)), times(800_000));
        assert_eq!(demand.after(Multiplier::ONE, Share::percent(50)), Multiplier::ONE);
        assert_eq!(scaled(rate(3), &[times(1_500_000)]), rate(5));
        assert_eq!(scaled(rate(1), &[times(1)]), rate(1));
    }

    #[test]
    fn rules_that_cannot_be_are_refused() {
        let flat = || PriceRules::flat(rate(1));
        assert_eq!(PriceRules { hours: vec![times(1); 23], ..flat() }.check(), Err(BadPrices::Hours(23)));
        assert_eq!(PriceRules { weekdays: vec![times(0); 7], ..flat() }.check(), Err(BadPrices::Factor(0)));
        let (min, max, low, high) = (times(2_000_000), times(3_000_000), Share::NOTHING, Share::NOTHING);
        let demand = Demand { min, max, step: times(1), low, high };
        let rules = PriceRules { demand: Some(demand), ..flat() };
        assert_eq!(rules.check(), Err(BadPrices::Demand(demand)));
        assert_eq!(nights().check(), Ok(()));
    }
}
