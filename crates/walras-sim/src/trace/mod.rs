//! Traces: what real clusters ran, and how well it can be predicted.
//!
//! [`swf`] reads the Standard Workload Format of the Parallel Workloads Archive; [`evaluate()`] walks a trace forward
//! and compares predictions with what happened.

mod bounds;
mod chances;
pub mod evaluate;
pub(crate) mod number;
pub mod swf;

pub use bounds::Bounds;
pub use chances::{Chances, Told};
pub use evaluate::{Evaluation, Figures, evaluate, train};
pub use swf::{BadLine, Noted, Trace, TraceJob, read_swf};
