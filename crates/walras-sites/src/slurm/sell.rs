//! What is sold of what is free.

use super::SlurmConnector;
use super::execute::Slurm;
use crate::clock::{later, wall_millis};
use crate::contract::{FreeTime, SiteError};
use walras_model::{Interval, NodeId, Time};

impl<S: Slurm> SlurmConnector<S> {
    /// The free time that the owner sells: no further ahead than they say, and as far as the backfill scheduler has planned what waits.
    pub(super) fn free(&mut self, now: Time, horizon: Interval) -> Result<Vec<FreeTime>, SiteError> {
        let settings = self.settings()?;
        let mut limit = horizon.end();
        if let Some(ahead) = self.options.ahead {
            limit = limit.min(later(now, ahead));
        }
        if !self.options.beyond_backfill {
            limit = limit.min(later(now, settings.backfill_window.saturating_mul(1_000)));
        }
        let margin = self.options.margin;
        let first = later(now, margin.before + 1_000).max(horizon.start());
        let Some(horizon) = Interval::new(first, limit) else { return Ok(Vec::new()) };
        let snapshot = self.read(self.options.look_every)?;
        let is_open = |name: &str| snapshot.partition_of(name, &self.options.partitions).is_some();
        let is_sized = |node: &NodeId, name: &str| {
            !self.options.units.contains_key(node) || snapshot.sizes.contains_key(name)
        };
        let sold = self.options.nodes.iter();
        let sold = sold
            .filter(|(node, name)| !self.is_barren(node.number()) && is_open(name) && is_sized(node, name));
        let (numbers, names): (Vec<NodeId>, Vec<String>) = sold.cloned().unzip();
        let free = snapshot.free(&names, &self.instance, wall_millis() / 1_000, horizon, margin);
        let of_nodes = free.into_iter().zip(numbers);
        let times = of_nodes.flat_map(|(free, node)| {
            free.into_iter().map(move |(interval, units)| FreeTime { node, interval, units })
        });
        Ok(times.collect())
    }
}
