//! How much the broker takes in: what goes beyond is refused.

/// Names and keys are no longer than this, in bytes.
pub const NAME_MAX: usize = 200;
/// At most so many jobs wait, run or are reserved.
pub const JOBS_MAX: usize = 1_000_000;
/// The ends of so many jobs are remembered, those with the highest numbers, so that others may wait for them.
pub const PAST_MAX: usize = 100_000;
/// At most so many notices wait for their users; the oldest go first.
pub const NOTICES_MAX: usize = 10_000;
/// At most so many sites, and nodes of all sites.
pub const SITES_MAX: usize = 10_000;
/// At most so many nodes of all sites.
pub const NODES_MAX: usize = 1_000_000;
