//! The job generator.

use super::slots::LENGTH_MAX;
use super::{RealRange, WholeRange, performance, rate};
use crate::config::{Check, ConfigError};
use serde::{Deserialize, Serialize};
use walras_model::{Batch, Request, Work};
use walras_random::Stream;

/// How the batch of a cycle is drawn; the defaults are the papers' values but for the price cap, which is fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JobGenerator {
    /// How many jobs there are.
    pub count: WholeRange,
    /// On how many nodes a job runs.
    pub nodes: WholeRange,
    /// How long each of its tasks takes on a node of performance 1, in time units.
    pub length: WholeRange,
    /// The performance that its nodes must have.
    pub performance_min: RealRange,
    /// The price cap of a job that asks for performance P is `price_base`^P per time unit (*fitted*) …
    pub price_base: f64,
    /// … times a number from this range, drawn for each job (*fitted*).
    pub price_spread: RealRange,
}

impl Default for JobGenerator {
    fn default() -> Self {
        JobGenerator {
            count: WholeRange(3, 7),
            nodes: WholeRange(1, 6),
            length: WholeRange(50, 150),
            performance_min: RealRange(1.0, 2.0),
            price_base: 1.7,
            price_spread: RealRange(0.9, 1.1),
        }
    }
}

/// Jobs in a batch, at most.
const COUNT_MAX: u32 = 10_000;
/// Nodes of a job, at most.
const NODES_MAX: u32 = 10_000;
/// A price cap per time unit is at most this.
const PRICE_MAX: f64 = 1e9;

impl JobGenerator {
    /// Whether every parameter makes sense.
    pub(crate) fn check(&self, check: Check<'_>) -> Result<(), ConfigError> {
        self.count.check(check.field("count"), 1, COUNT_MAX)?;
        self.nodes.check(check.field("nodes"), 1, NODES_MAX)?;
        self.length.check(check.field("length"), 1, LENGTH_MAX)?;
        self.performance_min.check(check.field("performance_min"), 0.001, 1_000.0)?;
        check.field("price_base").real(self.price_base, 0.001, 1_000.0)?;
        self.price_spread.check(check.field("price_spread"), 0.001, 1_000.0)?;
        let RealRange(slow, fast) = self.performance_min;
        let price = self.price_base.powf(slow).max(self.price_base.powf(fast)) * self.price_spread.1;
        if price > PRICE_MAX {
            return check
                .fail(format!("price caps would reach {price:.2e} per time unit: at most {PRICE_MAX:e}"));
        }
        Ok(())
    }

    /// The batch of one cycle, all jobs of equal priority in the order drawn.
    pub fn draw(&self, stream: &mut Stream) -> Result<Batch, ConfigError> {
        let refused = || ConfigError::new("jobs", "a job cannot be made of these parameters");
        let count = self.count.draw(stream);
        let jobs = (1..=count).map(|number| self.draw_job(number, stream).ok_or_else(refused));
        Ok(Batch::new(jobs.collect::<Result<_, _>>()?))
    }

    fn draw_job(&self, number: u32, stream: &mut Stream) -> Option<Request> {
        let tasks = self.nodes.draw(stream);
        let work = Work::from_millis(i64::from(self.length.draw(stream)))?;
        let power = self.performance_min.draw(stream);
        let price = self.price_base.powf(power) * self.price_spread.draw(stream);
        let mut request = Request::new(&format!("J{number}"), tasks, work);
        request.performance_min = performance(power)?;
        request.price_max = Some(rate(price)?);
        Some(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_random::Purpose;

    #[test]
    fn jobs_stay_in_the_printed_ranges() {
        let generator = JobGenerator::default();
        for cycle in 0..500 {
            let batch = generator.draw(&mut Purpose::Jobs.stream(1, cycle)).unwrap();
            assert!((3..7).contains(&batch.requests().len()));
            for request in batch.requests() {
                assert!((1..6).contains(&request.tasks));
                assert!((50..150).contains(&request.work.as_millis()));
                let performance = request.performance_min.as_millionths();
                assert!((1_000_000..=2_000_000).contains(&performance));
                let price = request.price_max.unwrap().as_micros_per_second() as f64 / 1e9;
                let spread = price / 1.7_f64.powf(performance as f64 / 1e6);
                assert!((0.899_99..1.100_01).contains(&spread));
                assert_eq!(request.priority, 0);
            }
        }
    }

    #[test]
    fn the_same_stream_gives_the_same_batch() {
        let generator = JobGenerator::default();
        let draw = |seed| generator.draw(&mut Purpose::Jobs.stream(seed, 3)).unwrap();
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
    }
}
