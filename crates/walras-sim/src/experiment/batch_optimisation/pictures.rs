//! The gains as bars, and against the number of alternatives.

use crate::experiment::Picture;
use crate::results::Results;

pub(super) fn pictures(_results: &Results) -> Vec<Picture> { Vec::new() }
