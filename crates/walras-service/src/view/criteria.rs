//! What the alternatives of a quote are worth by each criterion that its job weighs.
//!
//! One number for all criteria says which alternative suits best, and not why: of two alternatives that are each the best by one of two
//! criteria it says the same. So each criterion is shown by itself, and both are on one scale.

use walras_api::service::{ChoiceView, ChoicesView, CriterionView};
use walras_api::{CHOICES_TAG, Num};
use walras_broker::State;
use walras_broker::policy::FinishBy;
use walras_broker::quote::{Chosen, Quote, QuoteOption};
use walras_core::prefer::{Aggregation, Criterion, Direction, Preference, SCALE, Weighted, score};
use walras_model::quantity::rounding;
use walras_model::{Attributes, Performance, Share, Span, Value, Watts};

/// How well an alternative suits, and what it is worth by each criterion that the job weighs itself.
pub(super) struct Judged {
    pub(super) satisfaction: Share,
    /// Nothing where the job leaves it to the VO what counts.
    pub(super) criteria: Vec<CriterionView>,
}

/// All alternatives of a quote, judged on one scale: each criterion by the range that the job gives, or from the worst to the best of those
/// that are listed. What no alternative says anything of does not count.
pub(super) fn judged(state: &State, quote: &Quote) -> Vec<Judged> {
    let stated = quote.spec.preference.as_ref();
    let known = |preference: Preference, weighted: &Weighted| {
        let silent = quote.options.iter().all(|it| value(state, quote, it, &weighted.criterion).is_none());
        if silent { preference.without(&weighted.criterion).unwrap_or(preference) } else { preference }
    };
    let whole = stated.cloned().unwrap_or_else(|| unstated(state, quote));
    let preference = whole.weighted().iter().fold(whole.clone(), known);
    let row = |option: &QuoteOption| -> Vec<Option<i64>> {
        preference.weighted().iter().map(|it| value(state, quote, option, &it.criterion)).collect()
    };
    let rows: Vec<Vec<Option<i64>>> = quote.options.iter().map(row).collect();
    let scored = score(&summed(&preference), &rows).unwrap_or_default();
    let view = |place: usize, (k, weighted): (usize, &Weighted)| {
        let values: Vec<Option<i64>> = rows.iter().map(|row| row[k]).collect();
        let decimals = if weighted.criterion.is_time() { 3 } else { 6 };
        CriterionView {
            criterion: weighted.criterion.to_string(),
            weight: Num::of_millionths(weighted.weight),
            value: values[place].map(|value| Num::from_units(i128::from(value), decimals)),
            satisfaction: Num::of_millionths(standing(weighted, values[place], &values).as_millionths()),
        }
    };
    let one = |place: usize| {
        let loss = scored.get(place).map_or(SCALE, |scored| scored.loss);
        let shown = preference.weighted().iter().enumerate().filter(|_| stated.is_some());
        Judged {
            satisfaction: Share::of_whole(i128::from(SCALE - loss.clamp(0, SCALE)), i128::from(SCALE)),
            criteria: shown.map(|weighted| view(place, weighted)).collect(),
        }
    };
    (0..rows.len()).map(one).collect()
}

/// How alternatives are judged of a job that leaves that to the VO.
fn unstated(state: &State, quote: &Quote) -> Preference {
    let by_prediction = state.policy.predictions.is_some_and(|it| it.finish_by == FinishBy::Prediction);
    let known = quote.options.iter().any(|option| option.confidence.is_some());
    if by_prediction && known { Preference::plain_by_prediction() } else { Preference::plain() }
}

/// The same, summed up as people read it: the worst respect alone, which the planner goes by, says the same of two alternatives that are each
/// the worst in one.
fn summed(preference: &Preference) -> Preference {
    match preference.aggregation() {
        Aggregation::Lexicographic => preference.clone(),
        Aggregation::Chebyshev { .. } | Aggregation::Mean => {
            Preference::new(preference.weighted().to_vec(), Aggregation::Mean)
                .unwrap_or_else(|_| preference.clone())
        }
    }
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
fn standing(weighted: &Weighted, own: Option<i64>, all: &[Option<i64>]) -> Share {
    let Some(own) = own else { return Share::NOTHING };
    let turned = |value: i64| i128::from(weighted.criterion.turned(value));
    let known = || all.iter().flatten().map(|value| turned(*value));
    let given = weighted.range.map(|(low, high)| (turned(low), turned(high)));
    let ends = given.map(|(one, other)| (one.min(other), one.max(other)));
    let (best, worst) = ends.unwrap_or((known().min().unwrap_or(0), known().max().unwrap_or(0)));
    let loss = weighted.loss(turned(own), (best, worst));
    Share::of_whole(i128::from(SCALE - loss), i128::from(SCALE))
}

/// The value of an alternative; points in time count from when the quote was asked for. `None` where it says nothing of the criterion.
fn value(state: &State, quote: &Quote, option: &QuoteOption, criterion: &Criterion) -> Option<i64> {
    let first = quote.asked.or_else(|| quote.options.iter().map(|option| option.start).min())?;
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
