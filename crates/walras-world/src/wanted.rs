//! What users and the VO of a world want beside what is drawn for every world. It is drawn apart, so that other worlds are as they were.

use crate::settings::{Planning, Settings};
use crate::setup;
use walras_broker::Input;
use walras_broker::job::JobSpec;
use walras_broker::policy::Policy;
use walras_broker::site::{SiteKind, Timing};
use walras_core::prefer::{Aggregation, Criterion as Wanted, Preference, Weighted};
use walras_core::search::Mode;
use walras_core::{Algorithm, Criterion};
use walras_model::Span;
use walras_random::Stream;

/// The ways in which windows are searched here.
pub(crate) static SEARCHES: [Algorithm; 5] = [
    Algorithm::Alp,
    Algorithm::Amp,
    Algorithm::Criterion(Criterion::Cost),
    Algorithm::Criterion(Criterion::Finish),
    Algorithm::Criterion(Criterion::NodeTime),
];

/// How long before its start a part is sent to a cluster, in milliseconds.
const AHEAD: i64 = 30_000;

/// Sites are clusters: they hear of starts ahead, and begin windows over several of them together.
pub(crate) fn of_clusters(input: &mut Input) {
    if let (Input::AddSite(spec), Some(ahead)) = (input, Span::from_millis(AHEAD))
        && spec.kind == SiteKind::Slots
    {
        spec.timing = Timing { ahead, together: true, ..Timing::NOTHING };
    }
}

/// The VO searches windows by any of them, for so many alternatives, or on the fly.
pub(crate) fn search_otherwise(policy: &mut Policy, chance: &mut Stream) {
    if let Some(algorithm) = chance.one_of(&SEARCHES) {
        policy.search.algorithm = algorithm.clone();
    }
    policy.search.limits.alternatives_per_job_max = u32::try_from(chance.between(1, 6)).unwrap_or(1);
    if chance.happens(500) {
        policy.search.mode = Mode::FirstOnTheFly;
    }
}

/// A job as the settings of a world want it.
pub(crate) fn as_set(spec: JobSpec, number: u64, settings: &Settings) -> JobSpec {
    let spec = if settings.late { setup::in_tasks(spec, settings.seed) } else { spec };
    match settings.planning {
        Planning::Content { .. } => preferring(spec, settings.seed, number),
        Planning::Drawn | Planning::Bounded | Planning::Searched => spec,
    }
}

/// The same job with a preference of its own: ranges, a learnt utility, every way in which criteria become one, and what history says.
fn preferring(spec: JobSpec, seed: u64, number: u64) -> JobSpec {
    let mut chance = Stream::open(seed, 100 + number);
    let mut cost = Weighted::new(Wanted::Cost, chance.between(1, 5));
    if chance.happens(500) {
        cost.range = Some((0, 1_000_000 * chance.between(5, 40)));
        cost.segments = vec![chance.between(0, 3), chance.between(1, 3)];
    }
    let ends = [Wanted::Finish, Wanted::Finish, Wanted::LikelyFinish, Wanted::FinishDeviation];
    let end = chance.one_of(&ends).cloned().unwrap_or(Wanted::Finish);
    let all = [Aggregation::CRITERIA, Aggregation::Mean, Aggregation::Lexicographic];
    let aggregation = chance.one_of(&all).copied().unwrap_or(Aggregation::Mean);
    let weighted = vec![cost, Weighted::new(end, chance.between(1, 5))];
    JobSpec { preference: Preference::new(weighted, aggregation).ok(), ..spec }
}
