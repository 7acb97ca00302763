//! Sites are connected, one after the other, in the broker's order.

use super::core::Engine;
use super::line::{SiteLine, SitePort};
use super::sites::Site;
use crate::journal::Journal;
use walras_model::SiteId;

impl<J: Journal> Engine<J> {
    /// Starts the thread of the next site, in the broker's order.
    pub(super) fn connect_next(&mut self, port: SitePort) -> std::io::Result<SiteLine> {
        let id =
            SiteId::from_index(self.sites.len()).ok_or_else(|| std::io::Error::other("too many sites"))?;
        let (commands, clock) = (self.handle.commands.clone(), self.config.clock);
        let gauges = self.metrics.troubles.clone();
        let site = Site::start(id, &port.name, port.connector, clock, commands, gauges)?;
        let line = site.line();
        self.sites.push(site);
        Ok(line)
    }
}
