//! How long at most: what nine of ten jobs stay within, and whether they did.
//!
//! **Problem.** A prediction is a middle: half of the jobs take longer. Whoever plans wants to know what nine of ten
//! stay within, whoever the users are and however they change.
//!
//! **Method.** What happened is held against what was said, as a share of it: so that a short job says something of a
//! long one; or, where jobs are ended at what they ask for, against that, for how much of their time users leave unused changes less than how
//! far off predictions are. The latest such shares are kept for the user with that requested time, for the user, and for everybody;
//! what is said of the next job, or what it asks for, times a quantile of the most specific of these that has enough is its bound. Were all
//! jobs alike, the quantile of nine tenths would do. They are not, so the level at which it is taken follows what came
//! of it: a little up with every bound that did not hold, a ninth of that down with every one that did. In the long run
//! nine of ten hold, whatever comes.
//!
//! Jobs that end first are the short ones, and who sends hundreds at once is told hundreds of bounds before the first is
//! known not to hold: then even the longest of the latest shares is too short. So the level may pass the whole: beyond
//! it the longest share grows, doubling with every twentieth, until bounds hold again.
//!
//! Where jobs are ended at what they ask for, nobody knows how long those would have taken that were: what such a job took is
//! only known to be more. A bound that is not below what a job asks for says nothing that this does not, and would be judged by jobs that
//! never showed whether it holds; so none is said. How likely the job is to end by then is told apart (`kept.rs`). What is said is
//! judged by all, by those that were ended too.
//!
//! **Complexity.** A bound sorts at most 400 numbers.
//!
//! Source: adaptive conformal inference, Gibbs and Candès (2021).

use super::feature::Key;
use super::forecast::{Announcement, LONGEST};
use imbl::OrdMap;
use std::collections::VecDeque;
use std::sync::Arc;
use walras_model::Share;
use walras_model::quantity::{MILLION, Span, rounding};

/// What of the jobs stays within a bound, in millionths: nine of ten.
pub const LEVEL: i64 = 900_000;
/// How far the level moves with a bound that does not hold; with one that holds it moves a ninth of that.
const STEP_UP: i64 = 4_500;
const STEP_DOWN: i64 = STEP_UP * (MILLION - LEVEL) / LEVEL;
/// Beyond the whole, the longest share doubles with every such step of the level, at most twenty times.
const DOUBLES: i64 = 50_000;
const LEVEL_MAX: i64 = MILLION + 20 * DOUBLES;
/// How far a level above its aim falls with a job of which no bound was said: so far that one comes to be said again, and so little that it
/// hardly counts beside those that are judged.
const STEP_BACK: i64 = STEP_DOWN / 50;
/// How many of the latest shares are kept: of everybody, and of some.
const ALL_MAX: usize = 400;
const SOME_MAX: usize = 120;
/// So many make a group enough to speak for itself.
const SOME_MIN: usize = 20;
/// Below so many a tenth cannot be told.
const BOUND_MIN: usize = 9;
/// What is said to take less than a second is held against a second.
const SHORTEST: i64 = 1_000;

/// What was announced of jobs, and how it came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Calibration {
    /// Jobs of which something was announced that have ended.
    #[cfg_attr(feature = "serde", serde(rename = "said"))]
    pub announced: u64,
    /// Those that took no longer than what was likely.
    pub likely_held: u64,
    /// Those of which a bound was announced that nine of ten stay within.
    pub bounded: u64,
    /// Those that stayed within it.
    pub bound_held: u64,
}

/// How far off such predictions were of late, as times around what is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margin {
    /// From so many jobs; at least one.
    pub jobs: u32,
    /// Nine of ten jobs take no longer; `None` while there are too few to tell a tenth, and where that is not below the limit.
    pub nine_in_ten: Option<Span>,
    /// How far from what is predicted, as the root of the mean square.
    pub deviation: Span,
    /// What it would be if it were as far off as the worst.
    pub max: Span,
    /// The job ends within the user's estimate with this probability; `None` without an estimate, and while too few have ended.
    pub within_estimate: Option<Share>,
}

/// How far off predictions were, for whom, and the level at which bounds hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Margins {
    some: Shares,
    all: Arc<VecDeque<i64>>,
    level: i64,
    calibration: Calibration,
    /// What jobs took of their limits, where there are limits: of some, and of everybody.
    #[cfg_attr(feature = "serde", serde(default))]
    some_used: Shares,
    #[cfg_attr(feature = "serde", serde(default))]
    all_used: Arc<VecDeque<i64>>,
}

impl Default for Margins {
    fn default() -> Margins {
        Margins {
            some: OrdMap::new(),
            all: Arc::default(),
            level: LEVEL,
            calibration: Calibration::default(),
            some_used: OrdMap::new(),
            all_used: Arc::default(),
        }
    }
}

impl Margins {
    /// How what was said came out.
    pub(super) fn calibration(&self) -> Calibration {
        self.calibration
    }

    /// The margin around what is predicted, from the first of the groups that has enough. No job takes longer than the limit.
    pub(super) fn around(
        &self,
        likely: Span,
        groups: &[(usize, Key)],
        within_estimate: Option<Share>,
        limit: Option<Span>,
    ) -> Option<Margin> {
        let shares = enough(&self.some, &self.all, groups);
        let scaled = |share: i128| times(likely, share);
        let limited = |span: Span| limit.map_or(span, |limit| span.min(limit));
        let bound = match limit {
            Some(limit) => self.bound(limit, &enough(&self.some_used, &self.all_used, groups)),
            None => self.bound(likely, &shares),
        };
        let bound = bound.map(|bound| bound.max(likely));
        Some(Margin {
            jobs: u32::try_from(shares.len()).ok()?,
            nine_in_ten: bound.filter(|bound| limit.is_none_or(|limit| *bound < limit)),
            deviation: limited(scaled(off(&shares)?)?),
            max: limited(scaled(i128::from(*shares.last()?))?).max(likely),
            within_estimate,
        })
    }

    /// What nine of ten stay within by the shares, in order, that others took of such a time.
    fn bound(&self, of: Span, shares: &[i64]) -> Option<Span> {
        times(of, self.grown(*shares.get(self.place(shares.len())?)?))
    }

    /// The place of the quantile among so many, in order; `None` for too few.
    fn place(&self, count: usize) -> Option<usize> {
        if count < BOUND_MIN {
            return None;
        }
        let reached = (i64::try_from(count).ok()? + 1).checked_mul(self.level.min(MILLION))?;
        let place = rounding::up(i128::from(reached), i128::from(MILLION)) - 1;
        Some(usize::try_from(place.max(0)).ok()?.min(count - 1))
    }

    /// A share as it is taken where the level has passed the whole: doubled so often, evenly in between.
    fn grown(&self, share: i64) -> i128 {
        let beyond = (self.level - MILLION).max(0);
        let doubled = i128::from(share) << (beyond / DOUBLES);
        doubled + doubled * i128::from(beyond % DOUBLES) / i128::from(DOUBLES)
    }

    /// Holds what was said of a job of these groups against how long it took; what nobody was told is not judged. With a limit, what it took
    /// of that is learnt too.
    pub(super) fn learn(
        &mut self,
        groups: &[(usize, Key)],
        announcement: Announcement,
        told: bool,
        value: Span,
        limit: Option<Span>,
    ) {
        if told {
            self.judge(announcement, value);
        }
        remember(&mut self.some, &mut self.all, groups, share(value, announcement.likely));
        if let Some(limit) = limit {
            remember(&mut self.some_used, &mut self.all_used, groups, share(value, limit));
        }
    }
}

impl Margins {
    fn judge(&mut self, announcement: Announcement, value: Span) {
        let calibration = &mut self.calibration;
        calibration.announced += 1;
        calibration.likely_held += u64::from(value <= announcement.likely);
        if let Some(bound) = announcement.nine_in_ten {
            let held = value <= bound;
            calibration.bounded += 1;
            calibration.bound_held += u64::from(held);
            let step = if held { -STEP_DOWN } else { STEP_UP };
            self.level = (self.level + step).clamp(0, LEVEL_MAX);
        } else if self.level > LEVEL {
            self.level = (self.level - STEP_BACK).max(LEVEL);
        }
    }
}

/// Shares of some groups, and of everybody.
type Shares = OrdMap<(usize, Key), Arc<VecDeque<i64>>>;

/// The latest shares of the first group that has enough, else of everybody, in order.
fn enough(some: &Shares, all: &VecDeque<i64>, groups: &[(usize, Key)]) -> Vec<i64> {
    let own = groups.iter().filter_map(|group| some.get(group)).find(|it| it.len() >= SOME_MIN);
    let mut shares: Vec<i64> = own.map_or(all, Arc::as_ref).iter().copied().collect();
    shares.sort_unstable();
    shares
}

fn remember(some: &mut Shares, all: &mut Arc<VecDeque<i64>>, groups: &[(usize, Key)], share: i64) {
    add(Arc::make_mut(all), share, ALL_MAX);
    for group in groups {
        add(Arc::make_mut(some.entry(*group).or_default()), share, SOME_MAX);
    }
}

/// What a time is of another, in millionths, rounded up.
fn share(value: Span, of: Span) -> i64 {
    let whole = i128::from(value.as_millis()) * i128::from(MILLION);
    i64::try_from(rounding::up(whole, i128::from(of.as_millis().max(SHORTEST)))).unwrap_or(i64::MAX)
}

/// A time so many millionths of a time; none is longer than any job can have taken.
fn times(of: Span, share: i128) -> Option<Span> {
    let whole = i128::from(of.as_millis().max(SHORTEST)).saturating_mul(share);
    let millis = rounding::down(whole, i128::from(MILLION)).min(i128::from(LONGEST));
    Span::from_millis(i64::try_from(millis).ok()?)
}

fn add(shares: &mut VecDeque<i64>, share: i64, most: usize) {
    if shares.len() >= most {
        shares.pop_front();
    }
    shares.push_back(share);
}

/// The root of the mean square of how far the shares are from one, in millionths.
fn off(shares: &[i64]) -> Option<i128> {
    let square = |share: &i64| {
        let away = i128::from(share.abs_diff(MILLION));
        away.saturating_mul(away)
    };
    let sum = shares.iter().map(square).fold(0_i128, i128::saturating_add);
    let mean = sum.checked_div(i128::try_from(shares.len()).ok()?)?;
    i128::try_from(mean.unsigned_abs().isqrt()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: (usize, Key) = (0, [7, 0, 0, 0, 0, 0]);

    fn seconds(value: i64) -> Span {
        Span::from_millis(value * 1_000).unwrap()
    }

    /// Jobs of which ten seconds were said, and that took so long.
    fn taught(values: impl Iterator<Item = i64>) -> Margins {
        let mut margins = Margins::default();
        for value in values {
            let announcement = Announcement { likely: seconds(10), nine_in_ten: None };
            margins.learn(&[GROUP], announcement, true, seconds(value), Some(seconds(20)));
        }
        margins
    }

    #[test]
    fn a_bound_is_the_quantile_of_shares() {
        let margin = |count| taught(1..=count).around(seconds(20), &[], None, None).unwrap();
        assert_eq!(margin(8).nine_in_ten, None);
        // The ninth of nine, as a share of ten seconds, of twenty.
        assert_eq!((margin(9).nine_in_ten, margin(9).max), (Some(seconds(20)), seconds(20)));
        assert_eq!(margin(19).nine_in_ten, Some(seconds(36)));
    }

    /// Where jobs are ended at a limit, their bound follows from what others took of theirs, and what is not below it is not said.
    #[test]
    fn a_bound_below_a_limit_is_a_share_of_it() {
        let limited = |longest, likely| {
            let margins = taught((1..=longest).chain([20]));
            let margin = margins.around(seconds(likely), &[], None, Some(seconds(40))).unwrap();
            (margin.nine_in_ten, margin.max)
        };
        // Of 19 that had 20 seconds the eighteenth took 18 of them; of 10, one of which took all, the last counts.
        assert_eq!(limited(18, 20), (Some(seconds(36)), seconds(40)));
        assert_eq!(limited(18, 38), (Some(seconds(38)), seconds(40)));
        assert_eq!(limited(9, 20), (None, seconds(40)));
    }

    #[test]
    fn the_deviation_is_from_what_was_said() {
        let margin = taught([7, 13].into_iter()).around(seconds(100), &[], None, None).unwrap();
        assert_eq!((margin.jobs, margin.deviation), (2, seconds(30)));
    }

    #[test]
    fn a_group_speaks_for_itself_once_it_has_enough() {
        let mut margins = taught((0..400).map(|_| 10));
        let other = (0, [8, 0, 0, 0, 0, 0]);
        for jobs in 1..=20 {
            margins.learn(
                &[other],
                Announcement { likely: seconds(10), nine_in_ten: None },
                true,
                seconds(30),
                None,
            );
            let bound = margins.around(seconds(10), &[other], None, None).unwrap().nine_in_ten;
            assert_eq!(bound, Some(seconds(if jobs < 20 { 10 } else { 30 })), "{jobs}");
        }
    }

    #[test]
    fn the_level_follows_what_came_of_it() {
        let mut margins = Margins::default();
        let announcement = Announcement { likely: seconds(10), nine_in_ten: Some(seconds(20)) };
        margins.learn(&[], announcement, true, seconds(21), None);
        // What nobody was told is learnt from, and not judged.
        margins.learn(&[], announcement, false, seconds(21), None);
        assert_eq!(margins.level, LEVEL + STEP_UP);
        for _ in 0..9 {
            margins.learn(&[], announcement, true, seconds(9), None);
        }
        assert_eq!(margins.level, LEVEL);
        let expected = Calibration { announced: 10, likely_held: 9, bounded: 10, bound_held: 9 };
        assert_eq!(margins.calibration(), expected);
    }

    #[test]
    fn bounds_grow_beyond_the_longest_until_they_hold() {
        let mut margins = taught((0..60).map(|_| 10));
        let bound = |margins: &Margins| margins.around(seconds(10), &[], None, None).unwrap().nine_in_ten;
        margins.level = MILLION;
        assert_eq!(bound(&margins), Some(seconds(10)));
        margins.level = MILLION + DOUBLES / 2;
        assert_eq!(bound(&margins), Some(seconds(15)));
        margins.level = MILLION + 3 * DOUBLES;
        assert_eq!(bound(&margins), Some(seconds(80)));
        // No bound is longer than any job can have taken.
        let announcement = Announcement { likely: seconds(10), nine_in_ten: Some(seconds(1)) };
        for _ in 0..1_000 {
            margins.learn(&[], announcement, true, seconds(LONGEST / 1_000), None);
        }
        assert_eq!((margins.level, bound(&margins)), (LEVEL_MAX, Some(Span::from_millis(LONGEST).unwrap())));
    }

    /// Where so much has gone wrong that no bound is below what jobs ask for, bounds come to be said again.
    #[test]
    fn a_level_at_which_nothing_is_said_falls_back() {
        let mut margins = taught((0..60).map(|_| 10));
        margins.level = MILLION + 3 * DOUBLES;
        let around = |margins: &Margins| margins.around(seconds(10), &[], None, Some(seconds(60))).unwrap();
        let mut jobs = 0;
        while around(&margins).nine_in_ten.is_none() && jobs < 10_000 {
            let announcement = Announcement { likely: seconds(10), nine_in_ten: None };
            margins.learn(&[], announcement, true, seconds(10), Some(seconds(60)));
            jobs += 1;
        }
        assert!((100..5_000).contains(&jobs), "{jobs}");
        // It falls no lower than its aim.
        margins.level = LEVEL + 1;
        let announcement = Announcement { likely: seconds(10), nine_in_ten: None };
        for _ in 0..2 {
            margins.learn(&[], announcement, true, seconds(10), Some(seconds(60)));
        }
        assert_eq!(margins.level, LEVEL);
    }
}
