//! To whom parts of a node are sold, and how a division is written with that.

#[cfg(feature = "serde")]
use super::{BadDivision, Division};
use std::collections::BTreeMap;
#[cfg(feature = "serde")]
use std::sync::Arc;

/// To whom an owner sells parts of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaleTerms {
    /// No task takes fewer units: who needs less takes, and pays, these.
    pub least_units: u32,
    /// By resource: only tasks that ask for so much of one of these have a place. Nothing, where everybody has.
    pub only_for: BTreeMap<String, u64>,
}

impl Default for SaleTerms {
    fn default() -> SaleTerms {
        SaleTerms { least_units: 1, only_for: BTreeMap::new() }
    }
}

/// A division as it is written.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct WrittenDivision {
    units: u32,
    resources: BTreeMap<String, u64>,
    #[serde(default = "one_unit", skip_serializing_if = "is_one_unit")]
    least_units: u32,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    only_for: BTreeMap<String, u64>,
}

#[cfg(feature = "serde")]
fn one_unit() -> u32 {
    1
}

#[cfg(feature = "serde")]
#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_one_unit(units: &u32) -> bool {
    *units == 1
}

#[cfg(feature = "serde")]
impl TryFrom<WrittenDivision> for Division {
    type Error = BadDivision;
    fn try_from(written: WrittenDivision) -> Result<Division, BadDivision> {
        let WrittenDivision { units, resources, least_units, only_for } = written;
        Division::new(units, resources)?.on_terms(SaleTerms { least_units, only_for })
    }
}

#[cfg(feature = "serde")]
impl From<Division> for WrittenDivision {
    fn from(division: Division) -> WrittenDivision {
        let Division { units, least_units, resources, only_for } = division;
        let only_for = only_for.map(Arc::unwrap_or_clone).unwrap_or_default();
        WrittenDivision { units, resources: Arc::unwrap_or_clone(resources), least_units, only_for }
    }
}
