//! One id type per noun: a node's number cannot be taken for a job's.

macro_rules! define_id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with that number.
            pub const fn new(number: u32) -> Self {
                Self(number)
            }

            /// The id of position `index`, or `None` beyond 2³² - 1.
            pub fn from_index(index: usize) -> Option<Self> {
                u32::try_from(index).ok().map(Self)
            }

            /// The number.
            pub const fn number(self) -> u32 {
                self.0
            }

            /// The number as a position in a list.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

define_id!(
    /// A site: its position among the offers' sites.
    SiteId,
    /// A node: its position among the offers' nodes.
    NodeId,
    /// A job: its position in the batch.
    JobId,
    /// A task: its position in its workflow.
    TaskId,
);
