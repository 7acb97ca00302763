//! Every variant of every reason has its sentence: a table each, which does not compile while a variant is missing.

mod audit;
mod refusal;
mod why;

use super::{Context, MoneyLimit, Names, Setting};
use crate::service::JobFile;
use std::collections::BTreeMap;
use walras_broker::job::JobSpec;
use walras_model::{
    Explanation, Interval, Money, NodeId, Reason, Requirement, SiteId, SmallestChange, Span, Test, Time,
    Value,
};

/// A number that no sentence may show, because what it stands for has a name.
const SECRET: u32 = 4711;
const SITE: SiteId = SiteId::new(SECRET);
const NODE: NodeId = NodeId::new(SECRET);

/// All sites are called `campus`, and all nodes `n1`.
struct Campus;

impl Names for Campus {
    fn site(&self, _: SiteId) -> Option<&str> {
        Some("campus")
    }

    fn node(&self, _: NodeId) -> Option<(SiteId, &str)> {
        Some((SITE, "n1"))
    }
}

fn context() -> Context<'static> {
    Context::new(&Campus, Setting::Service)
}

/// Rows of a pattern, a value that it matches, and the sentence. The patterns together must match everything.
macro_rules! table {
    ($type:ty, $say:expr; $($pattern:pat => $value:expr => $text:expr;)+) => {{
        let _complete = |it: &$type| match it { $($pattern => (),)+ };
        let say = $say;
        $(
            let value: $type = $value;
            assert!(matches!(value, $pattern), "{value:?} is in the wrong row");
            let text: String = say(&value);
            assert_eq!(text, $text, "{value:?}");
            $crate::sentence::tests::is_plain(&text);
        )+
    }};
}
pub(super) use table;

/// What holds for all sentences.
fn is_plain(text: &str) {
    assert!(!text.contains(&SECRET.to_string()), "an id in place of a name: {text}");
    for bad in ["makes no sense", "It is so", "want to", "{", "}", "  "] {
        assert!(!text.contains(bad), "{bad:?} in {text}");
    }
}

fn credits(credits: i64) -> Money {
    Money::from_micros(credits * 1_000_000)
}

fn seconds(seconds: i64) -> Span {
    Span::from_millis(seconds * 1_000).unwrap()
}

/// So many seconds after the beginning of 2026.
fn at(seconds: i64) -> Time {
    Time::from_millis((1_767_225_600 + seconds) * 1_000).unwrap()
}

fn interval(start: i64, end: i64) -> Interval {
    Interval::new(at(start), at(end)).unwrap()
}

fn gpu() -> Requirement {
    Requirement { attribute: "gpu".to_owned(), test: Test::Equals(Value::Flag(true)) }
}

/// A workflow of the tasks `fit` and `sum`.
fn workflow() -> JobSpec {
    let text = r#"{"walras":"job/1","name":"flow","workflow":{"walras":"workflow/1","tasks":[
        {"name":"fit","work":10},{"name":"sum","work":10}]}}"#;
    let file: JobFile = crate::service::read_job(text.as_bytes(), "test").unwrap();
    file.into_spec("ada", &BTreeMap::new(), "test").unwrap()
}

#[test]
fn a_limit_of_the_user_is_told_from_one_of_the_job() {
    let (budget, needed) = (credits(1), credits(8));
    let explanation = Explanation {
        reasons: vec![Reason::BudgetTooSmall { budget, needed }],
        smallest_change: SmallestChange { budget: Some(needed), ..SmallestChange::default() },
    };
    assert_eq!(
        context().limited(MoneyLimit::OfUser).no_fit(&explanation),
        "The user can spend 1 credit now, by account and budgets, which is 7 credits short of the cheapest window, \
         which costs 8 credits. This would do: 8 credits that the user can spend."
    );
    assert_eq!(
        context().no_fit(&explanation),
        "The budget of 1 credit is 7 credits short of the cheapest window, which costs 8 credits. This would do: a \
         budget of 8 credits."
    );
}

#[test]
fn a_job_that_fits_nowhere_is_told_what_would_help() {
    let explanation = Explanation {
        reasons: vec![Reason::DeadlineTooEarly { deadline: at(0), needed: at(60) }],
        smallest_change: SmallestChange {
            budget: Some(Money::from_micros(1_500_000)),
            deadline: Some(at(60)),
            ..SmallestChange::default()
        },
    };
    assert_eq!(
        context().no_fit(&explanation),
        "The deadline 2026-01-01T00:00:00.000Z is too early: the first window ends at 2026-01-01T00:01:00.000Z. Any of \
         these would do: a budget of 1.5 credits; a deadline of 2026-01-01T00:01:00.000Z."
    );
}

#[test]
fn what_has_no_name_is_told_by_number() {
    let why = walras_broker::job::Why::NodeLost(NodeId::new(3));
    assert_eq!(Context::nameless().why(&why), "Node 3 failed.");
}
