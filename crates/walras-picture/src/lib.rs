//! Pictures of plans.
