//! Sites and their nodes.

use crate::attribute::{Attributes, Requirement};
use crate::division::Division;
use crate::id::SiteId;
use crate::quantity::{Performance, Watts};
use crate::request::Request;

/// One owner's cluster behind one resource manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Unique among the sites.
    pub name: String,
}

/// A machine that executes one task at a time, or one on each of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Unique within its site.
    pub name: String,
    /// Whose it is.
    pub site: SiteId,
    /// Speed relative to the reference node.
    pub performance: Performance,
    /// Power drawn while it computes, where the owner states it.
    pub watts: Option<Watts>,
    /// What else requests may ask for.
    pub attributes: Attributes,
    /// Whether it is sold whole or in units, and what it counts.
    pub division: Division,
}

impl Node {
    /// How many of its units a task of a request takes; `None` where it does not fit, or has no place by its owner's word.
    #[inline]
    pub fn units_needed(&self, request: &Request) -> Option<u32> {
        self.division.units_needed(request, &self.attributes)
    }

    /// The same of a task that requires this, whoever has a place.
    pub fn units_of_all(&self, requires: &[Requirement]) -> Option<u32> {
        self.division.units_of_all(requires, &self.attributes)
    }
}
