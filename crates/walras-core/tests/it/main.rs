//! Tests of the core from outside: drawings, oracles, laws.

#![allow(unreachable_pub, clippy::unwrap_used, reason = "modules of one test binary")]

#[path = "../../examples/improve/draw.rs"]
mod batches;
mod bounds;
mod capacity;
mod cheaper;
mod choosing;
mod clearing;
mod confirming;
mod content;
mod drawing;
mod empty_tasks;
mod enough;
mod explanations;
mod fixtures;
mod gangs;
mod improving;
mod improving_small;
mod improving_units;
mod joint_oracle;
mod kinds;
mod large;
mod laws;
#[path = "../oracle/mod.rs"]
mod oracle;
mod own_searches;
mod planning;
mod preferences;
mod published;
mod random;
mod search;
mod slot_lists;
mod task_oracle;
mod units;
mod worked_example;
mod workflow_explanations;
mod workflow_units;
mod workflows;
