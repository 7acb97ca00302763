//! What clients send to let something go wrong on a simulated site.

use crate::described::JsonSchema;
use serde::Deserialize;
use walras_sites::Fault;

/// What can be done to a simulated site on demand.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
#[schemars(rename = "Fault")]
pub(super) enum SiteFault {
    /// A node fails.
    NodeLost {
        /// Its name.
        node: String,
    },
    /// A node is back.
    NodeBack {
        /// Its name.
        node: String,
    },
    /// The owner needs a node for so many seconds from now on.
    Taken {
        /// Its name.
        node: String,
        /// How many seconds the owner needs it.
        seconds: u32,
    },
    /// The whole site fails.
    SiteLost {},
    /// The site is back.
    SiteBack {},
    /// The site hears and says nothing for so many seconds; what runs goes on.
    Silent {
        /// How many seconds it is silent.
        seconds: u32,
    },
}

impl From<SiteFault> for Fault {
    fn from(fault: SiteFault) -> Fault {
        match fault {
            SiteFault::NodeLost { node } => Fault::NodeLost { node },
            SiteFault::NodeBack { node } => Fault::NodeBack { node },
            SiteFault::Taken { node, seconds } => Fault::Taken { node, seconds },
            SiteFault::SiteLost {} => Fault::SiteLost,
            SiteFault::SiteBack {} => Fault::SiteBack,
            SiteFault::Silent { seconds } => Fault::Silent { seconds },
        }
    }
}
