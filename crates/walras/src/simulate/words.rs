//! What options say, as values.

use std::path::PathBuf;
use walras_broker::price::Demand;
use walras_core::prefer::{Aggregation, Preference, Weighted};
use walras_model::{Decimal, Multiplier, Share, Span};
use walras_sim::workload::Arrivals;

/// How nodes fail, as it was asked for.
#[derive(Clone, Debug)]
pub(super) enum Failing {
    /// From a seed: the mean time between two failures of a node, and how long it is away.
    Drawn(Span, Span),
    /// From a table.
    File(PathBuf),
}

/// Two spans in hours, or the name of a table.
pub(super) fn failing(text: &str) -> Result<Failing, String> {
    if is_table(text) {
        return Ok(Failing::File(PathBuf::from(text)));
    }
    let read = hours(text).ok().filter(|(between, _)| *between > Span::ZERO);
    read.map(|(between, repair)| Failing::Drawn(between, repair)).ok_or_else(|| {
        format!(
            "'{text}' is not two numbers of hours, the first above 0, as in 500,2, nor the name of a table, as in outages.csv"
        )
    })
}

/// Whether words are the name of a table.
pub(super) fn is_table(text: &str) -> bool {
    let plain = text.strip_suffix(".gz").unwrap_or(text);
    plain.len() > 4 && plain.ends_with(".csv")
}

/// A share, from a percentage.
pub(super) fn percent(text: &str) -> Result<Share, String> {
    share(text).ok_or_else(|| format!("'{text}' is not a percentage from 0 to 100"))
}

/// A percentage is read to its first decimal.
fn share(text: &str) -> Option<Share> {
    units(text, 1)?.checked_mul(1_000).and_then(Share::from_millionths)
}

/// How prices follow demand: between which factors.
pub(super) fn demand(text: &str) -> Result<Demand, String> {
    let (min, max) = range(text)?;
    let factor = Multiplier::from_millionths;
    let demand = |step| Demand { min, max, step, low: Share::percent(30), high: Share::percent(70) };
    let around_one = min <= Multiplier::ONE
        && Multiplier::ONE <= max
        && factor(1_000_000_000).is_some_and(|most| max <= most);
    let read = factor(50_000).filter(|_| around_one).map(demand);
    read.ok_or_else(|| format!("'{text}' is not LOW-HIGH around 1, as in 0.5-2"))
}

/// Who wants what of plans: the administrator, or the owner of a site by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) who: String,
    pub(super) preference: Preference,
    /// As it was said.
    pub(super) words: String,
}

/// Whose wishes are not those of a site's owner.
pub(super) const ADMINISTRATOR: &str = "administrator";

/// What somebody wants of plans, as in `campus:income=2+load=1`.
pub(super) fn wanted(text: &str) -> Result<Wanted, String> {
    let bad = || {
        format!(
            "'{text}' is not WHO:CRITERION=WEIGHT, as in campus:income=2+load=1 or administrator:finish=1"
        )
    };
    let (who, wants) = text.rsplit_once(':').filter(|(who, _)| !who.is_empty()).ok_or_else(bad)?;
    let weigh = |term: &str| {
        let (name, weight) = term.split_once('=').ok_or_else(bad)?;
        let criterion = name.parse().map_err(|_| format!("there is no criterion '{name}'"))?;
        let weight = units(weight, 6).filter(|weight| (0..=WEIGHT_MAX).contains(weight)).ok_or_else(bad)?;
        Ok::<_, String>(Weighted::new(criterion, weight))
    };
    let weighted = wants.split('+').map(weigh).collect::<Result<Vec<_>, _>>()?;
    let preference =
        Preference::new(weighted, Aggregation::CRITERIA).map_err(|why| format!("'{text}': {why}"))?;
    Ok(Wanted { who: who.to_owned(), preference, words: text.to_owned() })
}

/// No weight is larger: a million, in millionths.
const WEIGHT_MAX: i64 = 1_000_000_000_000;

/// When workflows come, as in `poisson:600` or `poisson:600:200`.
pub(super) fn arrivals(text: &str) -> Result<Arrivals, String> {
    let bad = || format!("'{text}' is not poisson:SECONDS or poisson:SECONDS:COUNT, as in poisson:600:200");
    let mut parts = text.strip_prefix("poisson:").ok_or_else(bad)?.split(':');
    let mean = parts.next().and_then(|mean| seconds(mean).ok()).ok_or_else(bad)?;
    let count =
        parts.next().map(|count| count.parse::<u32>().ok().filter(|count| *count > 0).ok_or_else(bad));
    if parts.next().is_some() {
        return Err(bad());
    }
    Ok(Arrivals { mean, count: count.transpose()? })
}

fn units(text: &str, places: u32) -> Option<i64> {
    Decimal::plain(text.trim()).ok()?.rounded(places).and_then(|units| i64::try_from(units).ok())
}

/// A factor of load.
pub(crate) fn multiplier(text: &str) -> Result<Multiplier, String> {
    let read = units(text, 6).filter(|millionths| *millionths > 0).and_then(Multiplier::from_millionths);
    read.ok_or_else(|| format!("'{text}' is not a factor above 0"))
}

/// Two factors, each read to its third decimal, as in `1.2-3`.
pub(super) fn range(text: &str) -> Result<(Multiplier, Multiplier), String> {
    let factor = |text| units(text, 3)?.checked_mul(1_000).and_then(Multiplier::from_millionths);
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let read = factor(low).zip(factor(high)).filter(|(low, high)| 0 < low.as_millionths() && low <= high);
    read.ok_or_else(|| format!("'{text}' is not LOW-HIGH, as in 1.2-3"))
}

/// Two spans in hours, as in `500,2`.
pub(super) fn hours(text: &str) -> Result<(Span, Span), String> {
    let bad = || format!("'{text}' is not two numbers of hours, as in 500,2");
    let (one, other) = text.split_once(',').ok_or_else(bad)?;
    hour(one).zip(hour(other)).ok_or_else(bad)
}

/// From when until when, in hours, as in `24,48`.
pub(super) fn interval(text: &str) -> Result<(Span, Span), String> {
    let read = hours(text).ok().filter(|(from, until)| from < until);
    read.ok_or_else(|| {
        format!("'{text}' is not two numbers of hours, the first below the second, as in 24,48")
    })
}

fn hour(text: &str) -> Option<Span> {
    Span::from_millis(units(text, 6)?.checked_mul(36)? / 10)
}

/// A share and a span, as in `10,3`.
pub(super) fn share_and_hours(text: &str) -> Result<(Share, Span), String> {
    let bad = || format!("'{text}' is not a percentage and hours, as in 10,3");
    let (percentage, mean) = text.split_once(',').ok_or_else(bad)?;
    let can_be_sold = |share: &Share| Share::NOTHING < *share && *share <= Share::percent(90);
    let share = share(percentage).filter(can_be_sold).ok_or_else(bad)?;
    Ok((share, hour(mean).filter(|mean| *mean > Span::ZERO).ok_or_else(bad)?))
}

/// A span in seconds.
pub(super) fn seconds(text: &str) -> Result<Span, String> {
    units(text, 3).and_then(Span::from_millis).ok_or_else(|| format!("'{text}' is not a number of seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_or_refused() {
        let in_millionths =
            |(low, high): (Multiplier, Multiplier)| (low.as_millionths(), high.as_millionths());
        assert_eq!(range("1.2-3").map(in_millionths), Ok((1_200_000, 3_000_000)));
        assert_eq!(
            hours("0.5,2").map(|(one, other)| (one.as_millis(), other.as_millis())),
            Ok((1_800_000, 7_200_000))
        );
        assert_eq!(share_and_hours("10,3").map(|(share, _)| share), Ok(Share::percent(10)));
        assert_eq!(seconds("1.5").map(Span::as_millis), Ok(1_500));
        assert_eq!(multiplier("1.1").map(Multiplier::as_millionths), Ok(1_100_000));
        for wrong in ["", "x", "3-1", "0-1", "-1"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
        assert!(matches!(failing("o.csv.gz"), Ok(Failing::File(_))) && failing("o.txt").is_err());
        assert!(matches!(failing("5,1"), Ok(Failing::Drawn(..))));
        assert_eq!((percent("12.5"), percent("101").is_err()), (Ok(Share::of_whole(1, 8)), true));
        assert_eq!(demand("0.5-2").map(|demand| demand.max.as_millionths()), Ok(2_000_000));
        assert!(demand("2-3").is_err() && demand("0.1-0.5").is_err());
        assert_eq!(arrivals("poisson:60:5").map(|it| (it.mean.as_millis(), it.count)), Ok((60_000, Some(5))));
        for wrong in ["60", "poisson:", "poisson:x", "poisson:1:0", "poisson:1:2:3"] {
            assert!(arrivals(wrong).is_err(), "{wrong}");
        }
        assert!(failing("0,1").is_err() && interval("3,1").is_err() && interval("1,3").is_ok());
        assert!(hours("5").is_err() && share_and_hours("0,1").is_err() && share_and_hours("10,0").is_err());
        assert!(seconds("-1").is_err() && multiplier("0").is_err());
        let wants = wanted("campus@eu:income=2+load=1").unwrap();
        assert_eq!((wants.who.as_str(), wants.preference.weighted().len()), ("campus@eu", 2));
        for wrong in
            ["income=1", ":income=1", "campus:", "campus:beauty=1", "campus:income=0", "campus:income=-1"]
        {
            assert!(wanted(wrong).is_err(), "{wrong}");
        }
    }
}
