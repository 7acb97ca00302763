//! What deciding gives.

use crate::model::event::Event;
use crate::model::input::Answer;

/// What an input came to, before it is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The facts; none when there is nothing new.
    pub events: Vec<Event>,
    /// What whoever sent the input is told.
    pub answer: Answer,
}
