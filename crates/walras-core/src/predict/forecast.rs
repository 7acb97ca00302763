//! The predictor: guesses before, errors after.

use super::category::{Category, Summary};
use super::consensus::{self, Guess};
use super::feature::{Feature, JobFeatures, Key};
use super::kept::Kept;
use super::margin::{Calibration, Margin, Margins};
use super::score::Scores;
use super::template::{self, LIKENESSES, PER_LIKENESS, TEMPLATES, Template};
use imbl::OrdMap;
use std::sync::Arc;
use walras_model::quantity::Span;

/// What is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Quantity {
    /// From start to end; users' estimates are of this.
    RunTime,
    /// From submission to start.
    Wait,
}

/// Histories with longer times than this are impossible: about 32 years, in milliseconds.
pub(super) const LONGEST: i64 = 1_000_000_000_000;

/// A time that no job can have had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{value} s is longer than any job can have taken")]
pub struct Impossible {
    /// The time.
    pub value: Span,
}

/// Learns from finished jobs and predicts the next. A copy takes constant time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Predictor {
    quantity: Quantity,
    categories: OrdMap<(usize, Key), Arc<Category>>,
    scores: OrdMap<(usize, Key), Arc<Scores>>,
    overall: Arc<Scores>,
    /// How many finished jobs had an estimate, and how many of them ran well past it.
    estimated: u64,
    overrun: u64,
    /// How far off predictions were.
    #[cfg_attr(feature = "serde", serde(default))]
    margins: Margins,
    /// Who ended within what they asked for.
    #[cfg_attr(feature = "serde", serde(default))]
    kept: Kept,
}

/// All guesses for one job, made before it ran, and what was made of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    job: JobFeatures,
    guesses: Vec<Option<i64>>,
    prediction: Option<Prediction>,
    announcement: Option<Announcement>,
}

/// What was announced of a job before it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Announcement {
    /// How long it is likely to take.
    pub likely: Span,
    /// What nine of ten such jobs stay within, where that was known.
    pub nine_in_ten: Option<Span>,
}

impl Forecast {
    /// What the guesses agreed on; `None` when nothing like the job had finished and it has no estimate.
    pub fn prediction(&self) -> Option<&Prediction> {
        self.prediction.as_ref()
    }

    /// The same guesses for a job of which something was said at another time, or nothing: that is what is held against what happens.
    pub fn with_announcement(self, announcement: Option<Announcement>) -> Forecast {
        Forecast { announcement, ..self }
    }
}

/// What is expected of a job, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// The expected time.
    pub value: Span,
    /// Where it comes from.
    pub by: Predicted,
    /// The mean absolute error of this template's guesses for jobs like this one so far, latest counting most; `None` before
    /// any such job has finished.
    pub error: Option<Span>,
    /// Whether the template said more than the user's estimate, which is a limit here.
    pub capped: bool,
    /// How far off such predictions were of late; `None` before any.
    pub margin: Option<Margin>,
}

impl Prediction {
    /// What is announced of the job.
    pub fn announcement(&self) -> Announcement {
        Announcement { likely: self.value, nine_in_ten: self.margin.and_then(|margin| margin.nine_in_ten) }
    }
}

/// Where a prediction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicted {
    /// From finished jobs that are alike.
    Template {
        /// What makes them alike, and what is made of them.
        template: Template,
        /// How many there are.
        jobs: u32,
        /// Their mean, spread and so on.
        summary: Summary,
    },
    /// From the user's own estimate.
    Estimate,
}

/// For whom errors are kept, from specific to general; last of all for everybody.
const GROUPS: [&[Feature]; 2] = [&[Feature::User, Feature::RequestedTime], &[Feature::User]];

/// The place of the user's estimate among the guesses.
const ESTIMATE: usize = template::COUNT;

impl Predictor {
    /// One that knows nothing yet.
    pub fn new(quantity: Quantity) -> Predictor {
        Predictor {
            quantity,
            categories: OrdMap::new(),
            scores: OrdMap::new(),
            overall: Arc::new(Scores::of_all(ESTIMATE + 1)),
            estimated: 0,
            overrun: 0,
            margins: Margins::default(),
            kept: Kept::default(),
        }
    }

    /// What every template says of a job that has not run yet, and what they agree on.
    pub fn forecast(&self, job: &JobFeatures) -> Forecast {
        let mut guesses = vec![None; ESTIMATE + 1];
        for (likeness, features) in LIKENESSES.iter().enumerate() {
            let Some(category) = self.category(likeness, features, job) else { continue };
            let places = likeness * PER_LIKENESS..(likeness + 1) * PER_LIKENESS;
            for (guess, template) in guesses[places.clone()].iter_mut().zip(&TEMPLATES[places]) {
                *guess = category.value(template.basis, template.statistic, job.estimate);
            }
        }
        if self.quantity == Quantity::RunTime {
            guesses[ESTIMATE] = job.estimate.map(Span::as_millis);
        }
        let prediction = self.agreed(job, &guesses);
        Forecast {
            job: *job,
            guesses,
            prediction,
            announcement: prediction.map(|prediction| prediction.announcement()),
        }
    }

    /// What the guesses for a job agree on; `None` when nothing like it has finished and it has no estimate.
    pub fn predict(&self, job: &JobFeatures) -> Option<Prediction> {
        self.forecast(job).prediction
    }

    /// How what was said of jobs came out.
    pub fn calibration(&self) -> Calibration {
        self.margins.calibration()
    }

    /// What these guesses agree on, by what is known now of how good each is.
    fn agreed(&self, job: &JobFeatures, guesses: &[Option<i64>]) -> Option<Prediction> {
        let groups = groups(job);
        let scores: Vec<&Arc<Scores>> =
            groups.iter().rev().filter_map(|group| self.scores.get(group)).collect();
        let error = |place: usize| {
            let overall = self.overall.mean(place, None);
            scores.iter().fold(overall, |general, scores| scores.mean(place, general))
        };
        let guesses = guesses.iter().enumerate();
        let guesses: Vec<Guess> = guesses
            .filter_map(|(place, guess)| Some(Guess { value: (*guess)?, error: error(place), place }))
            .collect();
        let Guess { value: guess, error, place } = consensus::weighted_median(guesses)?;
        let limit = job.estimate.filter(|_| self.estimates_are_limits());
        let guess = Span::from_millis(guess)?;
        let value = limit.map_or(guess, |limit| guess.min(limit));
        let asked = job.estimate.filter(|_| self.quantity == Quantity::RunTime);
        let within = asked.and_then(|_| self.kept.chance(&groups));
        Some(Prediction {
            value,
            by: self.source(place, job)?,
            error: error.and_then(|error| Span::from_millis(i64::try_from(error).ok()?)),
            capped: value < guess,
            margin: self.margins.around(value, &groups, within, limit),
        })
    }

    /// Learns how a job ended of which a forecast was made.
    pub fn learn(&mut self, forecast: &Forecast, value: Span) -> Result<(), Impossible> {
        if value.as_millis() > LONGEST {
            return Err(Impossible { value });
        }
        self.score(forecast, value);
        let job = &forecast.job;
        let could_say = forecast.prediction.map(|prediction| prediction.announcement());
        if let Some(announcement) = forecast.announcement.or(could_say) {
            let limit = job.estimate.filter(|_| self.estimates_are_limits());
            let told = forecast.announcement.is_some();
            self.margins.learn(&groups(job), announcement, told, value, limit);
        }
        for (likeness, features) in LIKENESSES.iter().enumerate() {
            if let Some(key) = job.key(features) {
                let category = self.categories.entry((likeness, key)).or_default();
                Arc::make_mut(category).add(value, job.estimate);
            }
        }
        if let Some(estimate) = job.estimate.filter(|_| self.quantity == Quantity::RunTime) {
            self.kept.learn(&groups(job), value <= estimate);
            self.estimated += 1;
            // Clusters end a job a little after its limit: that is no overrun.
            let tolerated = estimate.as_millis().saturating_add(estimate.as_millis() / 20);
            self.overrun += u64::from(value.as_millis() > tolerated);
        }
        Ok(())
    }

    /// How many finished jobs it has learnt from.
    pub fn jobs(&self) -> u32 {
        let all = self.category(LIKENESSES.len() - 1, &[], &JobFeatures::default());
        all.and_then(Category::summary).map_or(0, |summary| summary.jobs)
    }

    fn category(&self, likeness: usize, features: &[Feature], job: &JobFeatures) -> Option<&Category> {
        self.categories.get(&(likeness, job.key(features)?)).map(Arc::as_ref)
    }

    fn source(&self, place: usize, job: &JobFeatures) -> Option<Predicted> {
        let Some(template) = TEMPLATES.get(place) else { return Some(Predicted::Estimate) };
        let summary = self.category(place / PER_LIKENESS, template.features, job)?.summary()?;
        Some(Predicted::Template { template: *template, jobs: summary.jobs, summary })
    }

    /// Writes down how far off every guess was.
    fn score(&mut self, forecast: &Forecast, value: Span) {
        let errors = || {
            let guesses = forecast.guesses.iter().enumerate();
            guesses.filter_map(|(place, guess)| {
                // Errors beyond the longest time tell nothing more, and would only make sums long.
                let error = (*guess)?.saturating_sub(value.as_millis()).saturating_abs().min(LONGEST);
                Some((place, error))
            })
        };
        for group in groups(&forecast.job) {
            let scores = self.scores.entry(group).or_insert_with(|| Arc::new(Scores::of_some(ESTIMATE + 1)));
            let scores = Arc::make_mut(scores);
            errors().for_each(|(place, error)| scores.add(place, error));
        }
        let overall = Arc::make_mut(&mut self.overall);
        errors().for_each(|(place, error)| overall.add(place, error));
    }

    /// Whether fewer than a tenth of the jobs ran well past their estimates.
    fn estimates_are_limits(&self) -> bool {
        self.quantity == Quantity::RunTime && self.overrun * 10 <= self.estimated
    }
}

/// The groups that a job belongs to, from specific to general.
fn groups(job: &JobFeatures) -> Vec<(usize, Key)> {
    let groups = GROUPS.iter().enumerate();
    groups.filter_map(|(group, features)| Some((group, job.key(features)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::{Basis, Statistic};

    fn seconds(value: i64) -> Span {
        Span::from_millis(value * 1_000).unwrap()
    }

    fn job(user: i64, size: u32, estimate: i64) -> JobFeatures {
        JobFeatures {
            user: Some(user),
            size: Some(size),
            estimate: Some(seconds(estimate)),
            ..JobFeatures::default()
        }
    }

    fn taught(jobs: &[(JobFeatures, i64)]) -> Predictor {
        let mut predictor = Predictor::new(Quantity::RunTime);
        for (job, value) in jobs {
            let forecast = predictor.forecast(job);
            predictor.learn(&forecast, seconds(*value)).unwrap();
        }
        predictor
    }

    #[test]
    fn without_history_the_estimate_is_all_there_is() {
        let predictor = taught(&[]);
        let prediction = predictor.predict(&job(1, 1, 50)).unwrap();
        assert_eq!((prediction.value, prediction.by), (seconds(50), Predicted::Estimate));
        assert_eq!(predictor.predict(&JobFeatures::default()), None);
        assert_eq!(Predictor::new(Quantity::Wait).predict(&job(1, 1, 50)), None);
    }

    #[test]
    fn the_template_with_the_least_error_is_used_and_named() {
        // The run time follows the size, whoever asks and whatever is estimated.
        let history: Vec<_> = (0..60)
            .map(|n: u32| (job(1, 1 + n % 3, i64::from(500 + n)), i64::from(1 + n % 3) * 100))
            .collect();
        let prediction = taught(&history).predict(&job(1, 2, 999)).unwrap();
        assert_eq!(prediction.value, seconds(200));
        let Predicted::Template { template, jobs, summary } = prediction.by else { panic!("{prediction:?}") };
        assert_eq!(template.features, [Feature::User, Feature::Size]);
        assert_eq!((jobs, summary.mean, summary.deviation), (20, seconds(200), Some(Span::ZERO)));
    }

    #[test]
    fn a_stranger_falls_back_to_general_templates() {
        let history: Vec<_> = (0..10).map(|n| (job(1, 4, 100 + n), 60)).collect();
        let stranger = JobFeatures { user: Some(2), ..JobFeatures::default() };
        let prediction = taught(&history).predict(&stranger).unwrap();
        assert_eq!(prediction.value, seconds(60));
        let Predicted::Template { template, .. } = prediction.by else { panic!("{prediction:?}") };
        assert!(template.features.is_empty());
    }

    #[test]
    fn shares_are_used_where_jobs_follow_their_estimates() {
        let history: Vec<_> =
            (1..40).map(|n| (job(1, 1, n * 97 % 1_000 + 10), (n * 97 % 1_000 + 10) / 2)).collect();
        let prediction = taught(&history).predict(&job(1, 1, 5_000)).unwrap();
        let Predicted::Template { template, .. } = prediction.by else { panic!("{prediction:?}") };
        assert_eq!(template.basis, Basis::Share);
        assert!((2_400..=2_500).contains(&(prediction.value.as_millis() / 1_000)), "{prediction:?}");
    }

    #[test]
    fn estimates_are_limits_where_nobody_overruns_them() {
        let history: Vec<_> = (0..20).map(|_| (job(1, 1, 100), 90)).collect();
        let prediction = taught(&history).predict(&job(1, 1, 40)).unwrap();
        assert!(prediction.value <= seconds(40));
        let overrun: Vec<_> = (0..20).map(|_| (job(1, 1, 30), 90)).collect();
        let prediction = taught(&overrun).predict(&job(1, 1, 40)).unwrap();
        assert_eq!((prediction.value, prediction.capped), (seconds(90), false));
    }

    #[test]
    fn impossible_times_are_refused() {
        let mut predictor = taught(&[]);
        let forecast = predictor.forecast(&job(1, 1, 1));
        let value = Span::from_millis(LONGEST + 1).unwrap();
        assert_eq!(predictor.learn(&forecast, value), Err(Impossible { value }));
        assert_eq!(predictor.jobs(), 0);
    }

    #[test]
    fn the_order_of_templates_breaks_ties() {
        let history: Vec<_> = (0..5).map(|_| (job(1, 1, 100), 10)).collect();
        let prediction = taught(&history).predict(&job(1, 1, 100)).unwrap();
        let Predicted::Template { template, .. } = prediction.by else { panic!("{prediction:?}") };
        assert_eq!(template.statistic, Statistic::LastTwo);
        assert_eq!(template.features, [Feature::User, Feature::Size, Feature::RequestedTime]);
    }
}
