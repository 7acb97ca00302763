//! Preferences: what users, owners and the administrator want, and the compromise between them.
//!
//! **Problem.** A job has several alternatives: windows with guaranteed times, or queues that only say how long one
//! may wait. Each stakeholder weighs different criteria. Which alternative should every job get, so that all are as
//! content as they can be together?
//!
//! **Method.** Hard constraints filter ([`Rules`]): access, days and hours, quotas, attributes, deadlines. Soft ones
//! score. Every criterion becomes a *loss* between 0 (the best that is available, or that the stakeholder calls
//! ideal) and 1 (the worst); a stakeholder's losses are aggregated by a [`Preference`], and the stakeholders' losses
//! the same way once more ([`CompromiseProblem`]). [`compromise`] looks for the assignment with the least aggregate: exactly,
//! by branch and bound, within a limit on work; beyond it by local search, with a bound.
//!
//! **Aggregation.** Chebyshev plus a little L1: the greatest weighted loss, plus ξ times the sum of all. The first
//! term keeps anybody from paying for everybody; the second makes sure that nothing is chosen to which another
//! alternative is better in some respect and worse in none. (The paper of Kurowski et al. uses ξ = 0.01 for
//! criteria and 0.1 for stakeholders; so do we.) A lexicographic order and a weighted mean are there as well.
//!
//! **Precision.** Losses are integers in 10⁻⁹ ([`SCALE`]), weights in 10⁻⁶ of their sum, aggregates exact in 128
//! bits. Only ratios of weights count: scaling all of them changes not one bit.
//!
//! ```
//! use walras_core::prefer::{Aggregation, Criterion, Preference, SCALE, Weighted, score};
//! let weights = vec![Weighted::new(Criterion::Cost, 5), Weighted::new(Criterion::Finish, 1)];
//! let thrifty = Preference::new(weights, Aggregation::CRITERIA).unwrap();
//! // Two alternatives: cheap and late, dear and early.
//! let scored = score(&thrifty, &[vec![Some(10), Some(900)], vec![Some(30), Some(100)]]).unwrap();
//! assert!(scored[0].loss < scored[1].loss && scored[1].loss <= SCALE);
//! ```

mod assess;
mod best;
mod bound;
mod choose;
mod constraint;
mod criterion;
mod gate;
mod learn;
mod local;
mod negotiate;
mod pareto;
mod preference;
mod problem;
mod relax;
mod stakeholders;
mod state;
mod weighted;

pub use assess::{Facts, QueueOffer, Spread, of_queue, of_window, site_loads};
pub use choose::{NoCompromise, PreferLimits, compromise, compromise_from, drop_over_capacity, valued};
pub use constraint::{AccessRule, Calendar, Hours, Quota, Refusal, Rules, Who};
pub use criterion::{Criterion, Direction};
pub(crate) use gate::Gate;
pub use learn::{Choice, LearnError, Learnt, LearntCriterion, learn};
pub use pareto::{Point, pareto_front};
pub use preference::{Aggregation, Preference, PreferenceError, Scored, score};
pub use problem::{
    Collective, Compromise, CompromiseError, CompromiseJob, CompromiseOption, CompromiseProblem, Party,
    Shared, Voice,
};
pub use stakeholders::{
    CollectiveWish, JobWish, Negotiation, NegotiationTerms, Source, Stakeholders, User, WishError,
};
pub use weighted::{SCALE, SEGMENTS_MAX, Weighted};
