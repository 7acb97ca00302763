//! Prediction from history: how long a job will run, how long it will wait.
//!
//! **Problem.** Users' estimates are far off. Jobs that are alike (the same user, program, size, …) take about as
//! long as each other, but which likeness tells most differs from user to user and from cluster to cluster.
//!
//! **Method.** A [`Template`] says which features two jobs must share to be alike, and how a value is made from the
//! finished jobs of such a category: their mean, or a median of the latest, as a time or as a share of the user's
//! own estimate. For every job all templates make a guess ([`Predictor::forecast`]). When the job has finished,
//! each guess is compared with what happened ([`Predictor::learn`]), and the errors are kept, fading with time, for
//! the user with that requested time, for the user, and for everybody. The prediction is the median of all guesses,
//! each weighted by how good that template was for jobs like this one; the template that made it is named. The
//! user's own estimate takes part as one more guess, so that it is used where it is the best there is; a job that is
//! like no other falls back to more general templates, then to it.
//!
//! Where jobs hardly ever run past their estimate, it is a limit that the cluster enforces, and no prediction goes
//! beyond it.
//!
//! With the prediction comes a [`Margin`]: what nine of ten such jobs stay within, held to it by what came of the bounds
//! before (`margin.rs`), and how likely the job is to end within what it asks for (`kept.rs`).
//!
//! **Complexity.** A forecast and an update each visit a fixed number of categories in ordered maps: O(log n) in
//! the number of categories. The maps are persistent: a copy, for whoever looks while others learn, is O(1).
//!
//! **Precision.** All integers: milliseconds, shares in millionths, errors weighted in 65,536ths. The same history
//! gives the same predictions everywhere.
//!
//! Source: templates after Smith, Taylor and Foster (1998); the measured choice among them is ours.
//!
//! ```
//! use walras_model::Span;
//! use walras_core::predict::{JobFeatures, Predicted, Predictor, Quantity};
//! let seconds = |s: i64| Span::from_millis(s * 1_000).unwrap();
//! let mut predictor = Predictor::new(Quantity::RunTime);
//! let job = JobFeatures { user: Some(7), size: Some(4), estimate: Some(seconds(3_600)), ..JobFeatures::default() };
//! for _ in 0..3 {
//!     let forecast = predictor.forecast(&job);
//!     predictor.learn(&forecast, seconds(600)).unwrap();
//! }
//! let prediction = predictor.predict(&job).unwrap();
//! assert_eq!(prediction.value, seconds(600));
//! assert!(matches!(prediction.by, Predicted::Template { jobs: 3, .. }));
//! ```

mod category;
mod consensus;
mod feature;
mod forecast;
mod kept;
mod margin;
mod score;
mod template;

pub use category::Summary;
pub use feature::{Feature, JobFeatures};
pub use forecast::{Announcement, Forecast, Impossible, Predicted, Prediction, Predictor, Quantity};
pub use margin::{Calibration, LEVEL, Margin};
pub use template::{Basis, Statistic, TEMPLATES, Template};
