//! Of the probabilities with which jobs were said to end within their estimates, what came of them.

use walras_model::Share;

/// So many groups of about the same probability.
const GROUPS: usize = 10;

/// Jobs of which it was said how likely they are to end within their estimates, by tenths of that probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chances {
    groups: [Told; GROUPS],
}

/// Jobs of about the same probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// How many there were.
    pub jobs: u32,
    /// Those that ended within their estimates.
    pub held: u32,
    /// The sum of what was said, in millionths.
    said: i64,
}

impl Told {
    /// What was said, on average; `None` without jobs.
    pub fn said_rate(&self) -> Option<f64> {
        (self.jobs > 0).then(|| self.said as f64 / 1e6 / f64::from(self.jobs))
    }

    /// The share that ended within their estimates; `None` without jobs.
    pub fn held_rate(&self) -> Option<f64> {
        (self.jobs > 0).then(|| f64::from(self.held) / f64::from(self.jobs))
    }
}

impl Chances {
    pub(super) fn add(&mut self, said: Share, held: bool) {
        let millionths = said.as_millionths();
        let place = usize::try_from(millionths / 100_000).map_or(0, |place| place.min(GROUPS - 1));
        let group = &mut self.groups[place];
        *group =
            Told { jobs: group.jobs + 1, held: group.held + u32::from(held), said: group.said + millionths };
    }

    /// All of them together.
    pub fn all(&self) -> Told {
        self.groups.iter().fold(Told::default(), |sum, group| Told {
            jobs: sum.jobs + group.jobs,
            held: sum.held + group.held,
            said: sum.said + group.said,
        })
    }

    /// By tenths of what was said, from the least on; those that are empty among them.
    pub fn groups(&self) -> &[Told] {
        &self.groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_held_against_what_happened_by_tenths() {
        let mut chances = Chances::default();
        assert_eq!((chances.all().said_rate(), chances.all().held_rate()), (None, None));
        for (percent, held) in [(100, true), (95, true), (95, false), (42, false)] {
            chances.add(Share::percent(percent), held);
        }
        let last = chances.groups()[9];
        assert_eq!((last.jobs, last.held), (3, 2));
        assert!((last.said_rate().unwrap() - 0.966_666).abs() < 1e-5);
        assert_eq!((chances.groups()[4].held_rate(), chances.all().held_rate()), (Some(0.0), Some(0.5)));
    }
}
