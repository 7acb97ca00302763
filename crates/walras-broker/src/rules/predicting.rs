//! What history says of jobs: how long they run, how long they wait, how long queues keep them.
//!
//! Predictions are for people and for judging alternatives. What is promised, held, charged and ended rests on what users ask for,
//! never on them.

use crate::model::job::{Job, JobSpec};
use crate::model::policy::FinishBy;
use crate::model::quote::{Confidence, RunSpread};
use crate::model::state::{SiteState, State};
use walras_core::predict::{Announcement, JobFeatures, Predicted, Prediction};
use walras_core::prefer::{Criterion, Direction, Preference, Spread, Weighted};
use walras_core::{Algorithm, Criterion as Summed};
use walras_model::{Share, Span, Time, Value};

/// So many jobs must have ended for anything to be said of how long the next runs, and so many begun in a queue of its wait.
const JOBS_MIN: u32 = 2;
const BEGUN_MIN: u32 = 3;

/// What is known of a job before it runs, as the history sees it.
pub(crate) fn features(state: &State, spec: &JobSpec) -> JobFeatures {
    let work = spec.request.work.as_millis();
    // Likeness does not hang on a second, nor on the number in a name: of an estimate two binary digits count.
    let digits = work.ilog2().saturating_sub(1);
    let class = Span::from_millis((work >> digits) << digits);
    let user = state.users.get(spec.user.as_str());
    if state.policy.predictions.is_none() {
        let user = user.map(|user| user.number);
        return JobFeatures {
            user,
            size: Some(spec.request.tasks),
            estimate: class,
            ..JobFeatures::default()
        };
    }
    let name = spec.request.name.chars().filter(|character| !character.is_ascii_digit());
    JobFeatures {
        user: user.map(|user| user.number),
        group: user.and_then(|user| user.user.group.as_deref()).map(|group| number_of(group.chars())),
        executable: Some(number_of(name)),
        size: Some(spec.request.tasks),
        estimate: Span::from_millis(work),
        estimate_class: class,
        ..JobFeatures::default()
    }
}

/// A number for a text: the same for the same (FNV-1a).
fn number_of(text: impl Iterator<Item = char>) -> i64 {
    let hash = text.fold(0xcbf2_9ce4_8422_2325_u64, |hash, character| {
        (hash ^ u64::from(u32::from(character))).wrapping_mul(0x0100_0000_01b3)
    });
    i64::from_ne_bytes(hash.to_ne_bytes())
}

/// How long a job is likely to run, and how sure that is; nothing of workflows, and nothing before there is a history. Whoever asks for
/// less time than that gets no more.
pub(crate) fn confidence(state: &State, spec: &JobSpec) -> Option<Confidence> {
    if spec.workflow.is_some() || state.history.jobs() < JOBS_MIN {
        return None;
    }
    let asked = Span::from_millis(spec.request.work.as_millis())?;
    let prediction = state.history.predict(&features(state, spec))?;
    if state.policy.predictions.is_none() {
        return confidence_by_mean(&prediction, asked);
    }
    let margin = prediction.margin.filter(|margin| margin.jobs >= JOBS_MIN)?;
    Some(Confidence {
        expected: prediction.value.min(asked),
        at_least: margin.within_estimate?,
        jobs: margin.jobs,
        nine_in_ten: margin.nine_in_ten.filter(|bound| *bound < asked),
        spread: Some(RunSpread {
            deviation: margin.deviation,
            max: margin.max.min(asked),
            error: prediction.error.unwrap_or(margin.deviation),
        }),
    })
}

/// The same by the times of jobs alike, whatever they asked for (Cantelli's inequality): as it was said before shares were learnt.
fn confidence_by_mean(prediction: &Prediction, asked: Span) -> Option<Confidence> {
    let Predicted::Template { jobs, summary, .. } = prediction.by else { return None };
    let deviation = i128::from(summary.deviation?.as_millis());
    let spare = i128::from(asked.as_millis()) - i128::from(summary.mean.as_millis());
    let square = spare * spare;
    let at_least =
        if spare <= 0 { Share::NOTHING } else { Share::of_whole(square, square + deviation * deviation) };
    Some(Confidence { expected: summary.mean, at_least, jobs, nine_in_ten: None, spread: None })
}

/// What history says of a job that comes now: how long it runs, and how long it waits.
pub(crate) fn expected(state: &State, spec: &JobSpec) -> (Option<Confidence>, Option<Announcement>) {
    match state.policy.predictions {
        Some(_) => (confidence(state, spec), wait(state, spec)),
        None => (None, None),
    }
}

/// How long a job is likely to wait that may start at any time.
fn wait(state: &State, spec: &JobSpec) -> Option<Announcement> {
    if spec.request.earliest.is_some() || state.waits.jobs() < JOBS_MIN {
        return None;
    }
    Some(state.waits.predict(&features(state, spec))?.announcement())
}

impl Confidence {
    /// What was said of the run time.
    pub(crate) fn announcement(&self) -> Announcement {
        Announcement { likely: self.expected, nine_in_ten: self.nine_in_ten }
    }

    /// The same as alternatives are judged by.
    pub(crate) fn judged(&self) -> Option<Spread> {
        let RunSpread { deviation, max, error } = self.spread?;
        Some(Spread { deviation, max, error, likely: Some(self.expected) })
    }
}

/// How alternatives of a job are judged that came at a moment: as it says; otherwise by cost and by when it ends, as the policy has it.
pub(crate) fn preference(
    state: &State,
    spec: &JobSpec,
    expected: Option<&Confidence>,
    came: Time,
) -> Preference {
    let by_prediction = state.policy.predictions.is_some_and(|it| it.finish_by == FinishBy::Prediction);
    let plain = || match expected.filter(|_| by_prediction) {
        Some(_) => Preference::plain_by_prediction(),
        None => Preference::plain(),
    };
    spec.preference
        .as_ref()
        .map_or_else(plain, |it| if it.has_ranges() { since(it, came) } else { it.clone() })
}

/// A preference whose ranges of points in time count from a moment.
fn since(preference: &Preference, came: Time) -> Preference {
    let shifted = |weighted: &Weighted| {
        let moved = |(low, high): (i64, i64)| {
            (low.saturating_add(came.as_millis()), high.saturating_add(came.as_millis()))
        };
        let range = if weighted.criterion.is_point() { weighted.range.map(moved) } else { weighted.range };
        Weighted { range, ..weighted.clone() }
    };
    let weighted = preference.weighted().iter().map(shifted).collect();
    // Ranges that were moved have the length that they had.
    Preference::new(weighted, preference.aggregation()).unwrap_or_else(|_| preference.clone())
}

/// The first criterion that a job weighs, or searches by, and of which nothing is known here.
pub(crate) fn unknown_criterion(state: &State, spec: &JobSpec) -> Option<Criterion> {
    let weighted = spec.preference.as_ref().map_or(&[][..], Preference::weighted);
    let searched = spec.search.as_ref().and_then(|search| match &search.algorithm {
        Algorithm::Criterion(Summed::Energy) => Some(Criterion::Energy),
        Algorithm::Criterion(Summed::Attribute(name)) => {
            Some(Criterion::Attribute(name.clone(), Direction::Less))
        }
        Algorithm::Criterion(_) | Algorithm::Alp | Algorithm::Amp => None,
    });
    let mut criteria = weighted.iter().map(|weighted| weighted.criterion.clone()).chain(searched);
    criteria.find(|criterion| !is_known(state, spec, criterion))
}

fn is_known(state: &State, spec: &JobSpec, criterion: &Criterion) -> bool {
    match criterion {
        Criterion::LikelyFinish
        | Criterion::FinishDeviation
        | Criterion::FinishMax
        // Only what is learnt of jobs says how far off it may be.
        | Criterion::FinishError => confidence(state, spec).is_some_and(|it| it.spread.is_some()),
        Criterion::SpareTime => spec.request.deadline.is_some(),
        Criterion::Energy => state
            .sites
            .iter()
            .any(|site| site.spec.nodes.iter().any(|node| node.watts.is_some()) || queue_watts(site)),
        Criterion::Memory => is_stated(state, "memory"),
        Criterion::Attribute(name, _) => is_stated(state, name),
        Criterion::GuaranteedStart
        | Criterion::Start
        | Criterion::Finish
        | Criterion::Cost
        | Criterion::Wait
        | Criterion::Speed
        | Criterion::Income
        | Criterion::Load => true,
    }
}

fn queue_watts(site: &SiteState) -> bool {
    site.spec.queue().is_some_and(|queue| queue.watts.is_some())
}

/// Whether any node or queue states a number under this name.
fn is_stated(state: &State, name: &str) -> bool {
    let number = |value: Option<&Value>| matches!(value, Some(Value::Number(_)));
    state.sites.iter().any(|site| {
        let nodes = site.spec.nodes.iter().any(|node| number(node.attributes.get(name)));
        nodes || site.spec.queue().is_some_and(|queue| number(queue.attributes.get(name)))
    })
}

impl SiteState {
    /// How long a job that goes to this queue now is expected to wait: what those before it did, once there are some; before that
    /// what the site says.
    pub fn queue_wait(&self, said: Span) -> Span {
        if self.waits.jobs() < BEGUN_MIN {
            return said;
        }
        self.waits.predict(&JobFeatures::default()).map_or(said, |prediction| prediction.value)
    }
}

/// What was said of a job when it came.
pub(crate) fn announcement_of(job: &Job) -> Option<Announcement> {
    job.expected.as_ref().map(Confidence::announcement)
}
