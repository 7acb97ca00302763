//! Who is looked at first when there is room to start and promises allow it.
//!
//! The rules are ratios of powers. They are compared exactly: multiplied out, as whole numbers of as many 64-bit digits as there are
//! factors.

use std::cmp::Ordering;

/// Who is looked at first; ties go to who came first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Precedence {
    /// Largest expansion first, weighed so that short jobs go ahead of long ones of the same expansion: by
    /// (wait + estimate) / estimate^1.5.
    #[cfg_attr(feature = "serde", serde(rename = "lxf"))]
    Expansion,
    /// By (wait / estimate)³ × nodes, the largest first (W. Tang et al., "Fault-aware, utility-based job scheduling on Blue
    /// Gene/P systems", CLUSTER 2009).
    #[cfg_attr(feature = "serde", serde(rename = "wfp3"))]
    WaitCubed,
    /// Who came first.
    #[cfg_attr(feature = "serde", serde(rename = "fcfs"))]
    Arrival,
    /// The shortest.
    #[cfg_attr(feature = "serde", serde(rename = "sjf"))]
    Shortest,
    /// As they are given: by the rank that the caller gives them.
    #[cfg_attr(feature = "serde", serde(rename = "rank"))]
    AsGiven,
}

/// What the rules look at; times in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Since when it waits.
    pub came: i64,
    /// How long it says that it will run.
    pub estimate: i64,
    /// On how many nodes.
    pub nodes: u32,
}

impl Precedence {
    /// By the name that people write.
    pub fn named(name: &str) -> Option<Precedence> {
        Some(match name {
            "lxf" => Precedence::Expansion,
            "wfp3" => Precedence::WaitCubed,
            "fcfs" => Precedence::Arrival,
            "sjf" => Precedence::Shortest,
            "rank" => Precedence::AsGiven,
            _ => return None,
        })
    }

    /// `Less` when `one` is to be looked at before `other`.
    pub fn compare(self, now: i64, one: Claim, other: Claim) -> Ordering {
        match self {
            // The squares: (w + e)² / e³.
            Precedence::Expansion => {
                let side = |of: Claim, against: Claim| {
                    let (whole, by) = (of.wait(now).saturating_add(of.time()), against.time());
                    product([whole, whole, by, by, by])
                };
                side(other, one).cmp(&side(one, other))
            }
            Precedence::WaitCubed => {
                let side = |of: Claim, against: Claim| {
                    let (wait, by) = (of.wait(now), against.time());
                    product([wait, wait, wait, by, by, by, u64::from(of.nodes)])
                };
                side(other, one).cmp(&side(one, other))
            }
            Precedence::Shortest => one.time().cmp(&other.time()),
            Precedence::Arrival | Precedence::AsGiven => Ordering::Equal,
        }
    }
}

impl Claim {
    fn wait(&self, now: i64) -> u64 {
        now.saturating_sub(self.came).max(0).unsigned_abs()
    }

    fn time(&self) -> u64 {
        self.estimate.max(0).unsigned_abs()
    }
}

/// The product of as many factors as it has digits, the greatest digit first, so that arrays compare as numbers do.
#[allow(clippy::cast_possible_truncation, reason = "the rest is carried")]
fn product<const N: usize>(factors: [u64; N]) -> [u64; N] {
    let mut digits = [0; N];
    if let Some(last) = digits.last_mut() {
        *last = 1;
    }
    for factor in factors {
        let mut carry = 0;
        for digit in digits.iter_mut().rev() {
            let sum = u128::from(*digit) * u128::from(factor) + carry;
            (*digit, carry) = (sum as u64, sum >> 64);
        }
    }
    digits
}
#[cfg(test)]
mod tests {
    use super::*;
    use walras_random::Draws;

    #[test]
    fn products_are_whole_numbers() {
        assert_eq!(product([3, 5, 7]), [0, 0, 105]);
        assert_eq!(product([u64::MAX, u64::MAX]), [u64::MAX - 1, 1]);
        assert_eq!(product([1 << 40, 1 << 40, 1 << 60]), [1 << 12, 0, 0]);
    }

    /// Small enough for 128 bits, where both rules are plain fractions.
    #[test]
    fn orders_are_those_of_the_fractions() {
        let mut draws = Draws::new(5);
        let mut below = |count: usize| u128::try_from(draws.below(count)).unwrap();
        for _ in 0..5_000 {
            let now = 1_000;
            let mut draw = || (below(1_000), 1 + below(500), 1 + below(64));
            let ((came, time, nodes), (came2, time2, nodes2)) = (draw(), draw());
            let claim = |came: u128, time: u128, nodes: u128| Claim {
                came: i64::try_from(came).unwrap(),
                estimate: i64::try_from(time).unwrap(),
                nodes: u32::try_from(nodes).unwrap(),
            };
            let (one, other) = (claim(came, time, nodes), claim(came2, time2, nodes2));
            let (wait, wait2) = (1_000 - came, 1_000 - came2);
            let lxf = ((wait2 + time2).pow(2) * time.pow(3)).cmp(&((wait + time).pow(2) * time2.pow(3)));
            assert_eq!(Precedence::Expansion.compare(now, one, other), lxf);
            let wfp3 = (wait2.pow(3) * nodes2 * time.pow(3)).cmp(&(wait.pow(3) * nodes * time2.pow(3)));
            assert_eq!(Precedence::WaitCubed.compare(now, one, other), wfp3);
            assert_eq!(Precedence::Arrival.compare(now, one, other), Ordering::Equal);
        }
    }

    #[test]
    fn the_largest_claims_do_not_overflow() {
        let huge = Claim { came: i64::MIN, estimate: i64::MAX, nodes: u32::MAX };
        let small = Claim { came: 0, estimate: 1, nodes: 1 };
        assert_eq!(Precedence::Expansion.compare(i64::MAX, small, huge), Ordering::Less);
        assert_eq!(Precedence::Expansion.compare(i64::MAX, huge, huge), Ordering::Equal);
        assert_eq!(Precedence::WaitCubed.compare(i64::MAX, small, huge), Ordering::Less);
    }
}
