//! What history says of jobs, as the API shows it.

use super::site_name;
use walras_api::Num;
use walras_api::sentence::likely_text;
use walras_api::service::{CalibrationView, LikelyView, PredictedKind, Stamp};
use walras_broker::State;
use walras_broker::job::{Job, Phase};
use walras_broker::quote::Confidence;
use walras_core::predict::{Announcement, Calibration};
use walras_model::quantity::rounding;
use walras_model::{SiteId, Span, Time, Work};

/// How long a job of so much work is likely to run. With a window it is told for the window's nodes, on which the work takes all of it; what
/// has passed by `now` is not likely any more.
pub fn likely_view(expected: &Confidence, work: Work, window: Option<(Time, Time)>, now: Time) -> LikelyView {
    let whole = window.and_then(|(start, end)| end.span_since(start));
    let at_most = whole.or_else(|| Span::from_millis(work.as_millis())).unwrap_or(Span::ZERO);
    let there = |span: Span| {
        let product = i128::from(span.as_millis()) * i128::from(at_most.as_millis());
        let millis = rounding::up(product, i128::from(work.as_millis()));
        i64::try_from(millis).ok().and_then(Span::from_millis).map_or(at_most, |span| span.min(at_most))
    };
    let (likely, nine) = (there(expected.expected), expected.nine_in_ten.map(there));
    let ends = [Some(likely), nine].into_iter().flatten();
    let ends = ends.filter_map(|span| window?.0.checked_add(span));
    LikelyView {
        run_time: Num::of_span(likely),
        nine_in_ten: nine.map(Num::of_span),
        at_most: Num::of_span(at_most),
        finish: ends.filter(|end| *end > now).min().map(Stamp::from),
        jobs: expected.jobs,
        text: likely_text(likely, nine, at_most),
    }
}

/// When a job that has no window is likely to start: by how long others waited. Once that has passed nothing is likely: the longest that nine of
/// ten waited may be weeks away. Whoever waits for others first does not wait for a window yet.
pub fn likely_start(state: &State, job: &Job) -> Option<Stamp> {
    let Announcement { likely, .. } = job.wait.filter(|_| job.phase != Phase::Waiting)?;
    let start = job.ready_at().checked_add(likely)?;
    (start > state.clock).then(|| Stamp::from(start))
}

/// How often what was said was right, of everything of which something was said.
pub fn calibration_views(state: &State) -> Vec<CalibrationView> {
    let view = |of, site, it: Calibration| CalibrationView {
        of,
        site,
        likely_said: it.announced,
        likely_held: it.likely_held,
        nine_in_ten_said: it.bounded,
        nine_in_ten_held: it.bound_held,
    };
    let mut all = vec![
        view(PredictedKind::RunTime, None, state.history.calibration()),
        view(PredictedKind::Wait, None, state.waits.calibration()),
    ];
    for (index, site) in state.sites.iter().enumerate() {
        let name = SiteId::from_index(index).map(|site| site_name(state, site));
        all.push(view(PredictedKind::QueueWait, name, site.waits.calibration()));
    }
    all.retain(|it| it.likely_said > 0);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Share;

    #[test]
    fn what_is_likely_is_told_for_the_nodes_and_not_after_it_has_passed() {
        let at = |seconds: i64| Time::from_millis(seconds * 1_000).unwrap();
        let span = |seconds: i64| Span::from_millis(seconds * 1_000).unwrap();
        let expected = Confidence {
            expected: span(60),
            at_least: Share::percent(90),
            jobs: 20,
            nine_in_ten: Some(span(80)),
            spread: None,
        };
        let work = Work::from_millis(100_000).unwrap();
        // On nodes that are twice as fast.
        let view = |now| likely_view(&expected, work, Some((at(10), at(60))), at(now));
        let early = view(0);
        assert_eq!((early.run_time.as_str(), early.at_most.as_str()), ("30", "50"));
        assert_eq!(early.text, "likely 30 s, nine of ten within 40 s, at most 50 s");
        let ends = [0, 41, 51].map(|now| view(now).finish.map(Stamp::time));
        assert_eq!(ends, [Some(at(40)), Some(at(50)), None]);
        let nowhere = likely_view(&expected, work, None, at(0));
        assert_eq!((nowhere.run_time.as_str(), nowhere.finish), ("60", None));
    }
}
