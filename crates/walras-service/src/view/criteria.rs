//! What the alternatives of a quote are worth by each criterion that its job weighs.
//!
//! One number for all criteria says which alternative suits best, and not why: of two alternatives that are each the best by one of two
//! criteria it says the same. So each criterion is shown by itself.

use walras_api::service::{ChoiceView, ChoicesView, CriterionView};
use walras_api::{CHOICES_TAG, Num};
use walras_broker::State;
use walras_broker::quote::{Chosen, Quote, QuoteOption};
use walras_core::prefer::{Criterion, Direction, SCALE, Weighted};
use walras_model::quantity::rounding;
use walras_model::{Attributes, Performance, Share, Span, Value, Watts};

/// What an alternative is worth by each criterion that the job weighs itself; nothing where it leaves that to the VO.
pub(super) fn criteria_views(state: &State, quote: &Quote, place: u32) -> Vec<CriterionView> {
    let Some(preference) = &quote.spec.preference else { return Vec::new() };
    let view = |weighted: &Weighted| {
        let criterion = &weighted.criterion;
        let values: Vec<Option<i64>> =
            quote.options.iter().map(|option| value(state, quote, option, criterion)).collect();
        let own = values.get(place as usize).copied().flatten();
        let decimals = if criterion.is_time() { 3 } else { 6 };
        CriterionView {
            criterion: criterion.to_string(),
            weight: Num::of_millionths(weighted.weight),
            value: own.map(|value| Num::from_units(i128::from(value), decimals)),
            satisfaction: Num::of_millionths(suits(weighted, own, &values).as_millionths()),
        }
    };
    preference.weighted().iter().map(view).collect()
}

/// What a user took of quotes with several alternatives.
pub fn choices_view(state: &State, user: &str) -> ChoicesView {
    let choice = |chosen: &std::sync::Arc<Chosen>| ChoiceView {
        alternatives: chosen
            .shown
            .iter()
            .map(|(finish, price)| vec![Num::of_money(*price), Num::of_span(*finish)])
            .collect(),
        picked: chosen.taken,
    };
    let choices = state.users.get(user).map(|user| user.choices.iter().map(choice).collect());
    ChoicesView {
        walras: CHOICES_TAG.to_owned(),
        criteria: [Criterion::Cost, Criterion::Finish].map(|it| it.to_string()).to_vec(),
        choices: choices.unwrap_or_default(),
    }
}

/// Where a value lies between the worst and the best.
fn suits(weighted: &Weighted, own: Option<i64>, all: &[Option<i64>]) -> Share {
    let Some(own) = own else { return Share::NOTHING };
    let turned = |value: i64| i128::from(weighted.criterion.turned(value));
    let known = || all.iter().flatten().map(|value| turned(*value));
    // A range of points in time counts from when the quote was asked for, and values from the first start.
    let given = weighted.range.filter(|_| !weighted.criterion.is_point());
    let given = given.map(|(low, high)| (turned(low), turned(high)));
    let ends = given.map(|(one, other)| (one.min(other), one.max(other)));
    let (best, worst) = ends.unwrap_or((known().min().unwrap_or(0), known().max().unwrap_or(0)));
    let loss = weighted.loss(turned(own), (best, worst));
    Share::of_whole(i128::from(SCALE - loss), i128::from(SCALE))
}

/// The value of an alternative; points in time count from the first start of all. `None` where it says nothing of the criterion.
fn value(state: &State, quote: &Quote, option: &QuoteOption, criterion: &Criterion) -> Option<i64> {
    let first = quote.options.iter().map(|option| option.start).min()?;
    let spread = option.confidence.and_then(|it| it.spread);
    let after = |time: walras_model::Time| time - first;
    match criterion {
        Criterion::GuaranteedStart => (!option.allocation.is_queue()).then(|| after(option.start)),
        Criterion::Start | Criterion::Wait => Some(after(option.start)),
        Criterion::Finish => Some(after(option.finish)),
        Criterion::LikelyFinish => {
            Some(after(option.start) + there(quote, option, option.confidence?.expected)?)
        }
        Criterion::FinishMax => Some(after(option.start) + there(quote, option, spread?.max)?),
        Criterion::FinishDeviation => there(quote, option, spread?.deviation),
        Criterion::FinishError => there(quote, option, spread?.error),
        Criterion::Cost | Criterion::Income => Some(option.price.as_micros()),
        Criterion::SpareTime => quote.spec.request.deadline.map(|deadline| deadline - option.finish),
        Criterion::Speed => places(state, option).map(|place| Some(place?.0.as_millionths())).min()?,
        Criterion::Energy => {
            let joules =
                |watts: Option<Watts>, span: Span| watts?.as_milliwatts().checked_mul(span.as_millis());
            let holds = places(state, option).zip(option.allocation.holds());
            holds.map(|(place, (_, hold))| joules(place?.1, hold.interval.span())).sum()
        }
        Criterion::Memory => worst(state, option, "memory", Direction::More),
        Criterion::Attribute(name, direction) => worst(state, option, name, *direction),
        // How much of a site is taken is known to plans, and changes with them.
        Criterion::Load => None,
    }
}

/// A time at performance 1 as it is on the option's slowest node.
fn there(quote: &Quote, option: &QuoteOption, span: Span) -> Option<i64> {
    let whole = i128::from(option.finish - option.start);
    let scaled = i128::from(span.as_millis()) * whole;
    i64::try_from(rounding::up(scaled, i128::from(quote.spec.request.work.as_millis()))).ok()
}

/// What every node, or the queue, is like.
fn places<'a>(
    state: &'a State,
    option: &'a QuoteOption,
) -> impl Iterator<Item = Option<(Performance, Option<Watts>, &'a Attributes)>> {
    option.allocation.holds().map(|(site, hold)| match hold.node {
        Some(node) => state.node_spec(node).map(|it| (it.performance, it.watts, &it.attributes)),
        None => {
            let queue = state.site(site)?.spec.queue()?;
            Some((queue.performance, queue.watts, &queue.attributes))
        }
    })
}

/// The worst value of a numeric attribute; `None` when a node does not state it.
fn worst(state: &State, option: &QuoteOption, name: &str, direction: Direction) -> Option<i64> {
    let number = |attributes: &Attributes| match attributes.get(name) {
        Some(Value::Number(number)) => Some(number.as_millionths()),
        Some(Value::Text(_) | Value::Flag(_)) | None => None,
    };
    let values: Option<Vec<i64>> = places(state, option).map(|place| number(place?.2)).collect();
    match direction {
        Direction::Less => values?.into_iter().max(),
        Direction::More => values?.into_iter().min(),
    }
}
