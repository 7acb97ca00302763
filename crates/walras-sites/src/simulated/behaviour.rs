//! How long what runs takes, how it ends, and what a queue is like: drawn from a stream of chances.

use super::SimulatedPart;
use crate::clock::later;
use crate::contract::{Hold, JobNumber, PartEnd, StartPart};
use walras_model::{Share, Time};
use walras_random::Stream;

/// How what runs behaves, and what a queue is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// The share of its time that a part takes, at least and at most; it is drawn in whole thousandths.
    pub takes: (Share, Share),
    /// How likely a part takes more than all of its time: a tenth to three tenths more, the more the longer it would have taken otherwise; three
    /// tenths where all take as long.
    pub overruns: Share,
    /// How likely a part fails when it ends.
    pub fails: Share,
    /// How long the queue is said to be, at least and at most, in milliseconds.
    pub expected_wait: (i64, i64),
    /// How long it is.
    pub wait: (i64, i64),
}

impl Behaviour {
    /// Everything happens now and then.
    pub const LIVELY: Behaviour = Behaviour {
        takes: (Share::percent(30), Share::WHOLE),
        overruns: Share::percent(6),
        fails: Share::percent(3),
        expected_wait: (1_000, 600_000),
        wait: (0, 300_000),
    };

    /// When a part begins and ends, and how. In a queue, the part waits, and then has as much time as it holds.
    pub(super) fn begin(
        self,
        now: Time,
        job: JobNumber,
        part: &StartPart,
        hold: &Hold,
        in_queue: bool,
        chance: &mut Stream,
    ) -> SimulatedPart {
        let (least, most) = (self.takes.0.of_count(1_000), self.takes.1.of_count(1_000));
        let begins = if in_queue {
            later(now, chance.between(self.wait.0, self.wait.1))
        } else {
            now.max(hold.interval.start()).max(part.start)
        };
        let whole = if part.task.is_some() { part.end - begins } else { hold.interval.span().as_millis() };
        let drawn = chance.between(least, most);
        let takes = whole.max(1) * drawn / 1_000;
        let more = if most > least { 100 + 200 * (drawn - least) / (most - least) } else { 300 };
        let overruns = chance.happens_in_million(self.overruns.as_millionths());
        let takes = if overruns { whole.max(1) * (1_000 + more) / 1_000 } else { takes };
        let limit =
            if in_queue { later(begins, hold.interval.span().as_millis()) } else { hold.interval.end() };
        let ends = later(begins, takes.max(1));
        let (ends, end) = if ends > limit {
            (limit.max(begins), PartEnd::TimedOut)
        } else if chance.happens_in_million(self.fails.as_millionths()) {
            (ends, PartEnd::Failed(1))
        } else {
            (ends, PartEnd::Done)
        };
        SimulatedPart { job, hold: part.hold, begins, ends, end, waits: false }
    }
}
