//! How long something is likely to take, as people say it.

use walras_model::Span;
use walras_model::quantity::rounding;

/// What is likely, what nine of ten stay within, and what nothing exceeds.
pub fn likely_text(likely: Span, nine_in_ten: Option<Span>, at_most: Span) -> String {
    let nine = nine_in_ten.filter(|nine| *nine < at_most);
    let nine = nine.map_or_else(String::new, |nine| format!(", nine of ten within {}", span_text(nine)));
    format!("likely {}{nine}, at most {}", span_text(likely), span_text(at_most))
}

/// A time to two digits or so: `45 s`, `12 min`, `3.5 h`, `2 d`; never less than it is.
pub fn span_text(span: Span) -> String {
    let millis = i128::from(span.as_millis());
    let whole = |unit: i128| rounding::up(millis, unit);
    let tenths = |unit: i128, name: &str| {
        let tenths = rounding::up(millis * 10, unit);
        if tenths % 10 == 0 {
            format!("{} {name}", tenths / 10)
        } else {
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
    };
    match millis {
        ..10_000 => tenths(1_000, "s"),
        10_000..120_000 => format!("{} s", whole(1_000)),
        120_000..7_200_000 => format!("{} min", whole(60_000)),
        7_200_000..172_800_000 => tenths(3_600_000, "h"),
        _ => tenths(86_400_000, "d"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(value: i64) -> Span {
        Span::from_millis(value * 1_000).unwrap()
    }

    #[test]
    fn times_are_said_as_people_do() {
        let cases = [0, 9, 61, 119, 120, 701, 7_199, 7_200, 12_500, 172_800, 200_000].map(seconds);
        let said = cases.map(span_text).join(", ");
        assert_eq!(said, "0 s, 9 s, 61 s, 119 s, 2 min, 12 min, 120 min, 2 h, 3.5 h, 2 d, 2.4 d");
        assert_eq!(span_text(Span::from_millis(1_250).unwrap()), "1.3 s");
    }

    #[test]
    fn nine_of_ten_are_named_where_they_are_less_than_all() {
        let text = |nine| likely_text(seconds(700), nine, seconds(1_800));
        assert_eq!(text(None), "likely 12 min, at most 30 min");
        assert_eq!(text(Some(seconds(1_800))), "likely 12 min, at most 30 min");
        assert_eq!(text(Some(seconds(1_200))), "likely 12 min, nine of ten within 20 min, at most 30 min");
    }
}
