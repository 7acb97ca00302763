//! How likely a job is to end within the time that it asks for.
//!
//! **Problem.** Whoever asks for an hour wants to know how likely an hour is to be enough. What jobs took against what was
//! predicted of them does not tell: a prediction errs to both sides, and whoever asks for time leaves room for that.
//!
//! **Method.** Of the jobs that ended of late those are counted that ended within what they asked for: of the user with that requested
//! time, of the user, and of everybody; the most specific of these that has enough speaks. Half a job is added to both sides (Jeffreys'
//! prior), so that nothing is said to be sure after a few. Once a count is full it fades with every job that is added.
//!
//! **Complexity.** O(log n) in the number of groups.

use super::feature::Key;
use imbl::OrdMap;
use walras_model::Share;

/// A job, in the unit of counts that fade.
const ONE: u64 = 1 << 16;
/// So many jobs fill a count: of everybody, and of some.
const ALL_MAX: u64 = 400;
const SOME_MAX: u64 = 120;
/// So many make a group enough to speak for itself.
const SOME_MIN: u64 = 20;
/// Before so many nothing is said.
const JOBS_MIN: u64 = 2;

/// Who kept to what they asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Kept {
    some: OrdMap<(usize, Key), Count>,
    all: Count,
}

/// Jobs that ended of late, and those of them that ended within what they asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Count {
    jobs: u64,
    within: u64,
}

impl Count {
    fn add(&mut self, within: bool, most: u64) {
        if self.jobs >= most * ONE {
            self.jobs -= self.jobs / most;
            self.within -= self.within / most;
        }
        self.jobs += ONE;
        self.within += if within { ONE } else { 0 };
    }

    fn share(self) -> Share {
        Share::of_whole(i128::from(self.within + ONE / 2), i128::from(self.jobs + ONE))
    }
}

impl Kept {
    /// How likely a job of these groups is to end within what it asks for; `None` while too few have ended.
    pub(super) fn chance(&self, groups: &[(usize, Key)]) -> Option<Share> {
        let own = groups.iter().filter_map(|group| self.some.get(group));
        let enough = own.copied().find(|count| count.jobs >= SOME_MIN * ONE);
        let count = enough.unwrap_or(self.all);
        (count.jobs >= JOBS_MIN * ONE).then(|| count.share())
    }

    /// A job of these groups has ended, within what it asked for or not.
    pub(super) fn learn(&mut self, groups: &[(usize, Key)], within: bool) {
        self.all.add(within, ALL_MAX);
        for group in groups {
            self.some.entry(*group).or_default().add(within, SOME_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: (usize, Key) = (0, [7, 0, 0, 0, 0, 0]);

    fn taught(jobs: impl Iterator<Item = bool>) -> Kept {
        let mut kept = Kept::default();
        jobs.for_each(|within| kept.learn(&[GROUP], within));
        kept
    }

    #[test]
    fn a_few_jobs_are_a_share_with_half_a_job_on_both_sides() {
        let kept = |jobs: &[bool]| taught(jobs.iter().copied()).chance(&[GROUP]);
        assert_eq!((kept(&[]), kept(&[true])), (None, None));
        assert_eq!(kept(&[true; 3]), Some(Share::of_whole(7, 8)));
        assert_eq!(kept(&[true, false, true]), Some(Share::of_whole(5, 8)));
    }

    #[test]
    fn a_group_speaks_for_itself_once_it_has_enough() {
        let mut kept = taught((0..400).map(|_| true));
        let other = (0, [8, 0, 0, 0, 0, 0]);
        for jobs in 1..=20 {
            kept.learn(&[other], false);
            let said = kept.chance(&[other]).unwrap();
            assert_eq!(said < Share::percent(10), jobs == 20, "{jobs}: {said:?}");
        }
        assert!(kept.chance(&[GROUP]).unwrap() > Share::percent(99));
    }

    #[test]
    fn what_was_long_ago_fades() {
        let kept = taught((0..4_000).map(|job| job < 3_000 || job % 2 == 0));
        let said = kept.chance(&[GROUP]).unwrap().as_millionths();
        assert!((495_000..510_000).contains(&said), "{said}");
    }
}
