//! What programs use of a machine, as far as a site counts it: for people to look at, and nothing that anybody pays by.

use serde::{Deserialize, Serialize};
use walras_model::Span;

/// What a part has used, with all that its program had started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Time on processors, of all of them together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<Span>,
    /// The most memory at a time, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
}

impl Used {
    /// That of both together: time adds up, and of memory it is the most that one had, for nobody knows whether they had it at once.
    pub fn with(self, other: Used) -> Used {
        let times = [self.processor, other.processor].into_iter().flatten().map(Span::as_millis);
        let processor = times.reduce(i64::saturating_add).and_then(Span::from_millis);
        Used { processor, memory: self.memory.max(other.memory) }
    }
}

/// What several have used, as far as that is known of them.
pub fn used_by_all(all: impl IntoIterator<Item = Option<Used>>) -> Option<Used> {
    all.into_iter().flatten().reduce(Used::with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_adds_up_and_memory_does_not() {
        let used = |millis, memory| Used { processor: Span::from_millis(millis), memory };
        assert_eq!(used(1_500, Some(7)).with(used(500, Some(9))), used(2_000, Some(9)));
        assert_eq!(used(1, None).with(Used::default()), used(1, None));
        assert_eq!(Used::default().with(Used::default()), Used::default());
        assert_eq!(used_by_all([None, None]), None);
        assert_eq!(used_by_all([None, Some(used(1, Some(2))), None]), Some(used(1, Some(2))));
        // What nobody can add up is as much as can be said.
        let most = used(i64::MAX, None).with(used(i64::MAX, None));
        assert_eq!(most.processor, Span::from_millis(i64::MAX));
    }
}
