//! What stands for a job that is left out of an event, where the journal has it already.

use super::job::JobSpec;
use std::sync::{Arc, LazyLock};
use walras_model::{Request, Work};

const NO_WORK: Work = match Work::from_millis(1) {
    Some(work) => work,
    None => panic!("a millisecond is work"),
};

static STAND_IN: LazyLock<Arc<JobSpec>> =
    LazyLock::new(|| Arc::new(JobSpec::plain(String::new(), Request::new("", 1, NO_WORK))));

/// What stands for a job that is not written.
pub(crate) fn stand_in() -> Arc<JobSpec> {
    STAND_IN.clone()
}

/// Whether that is all there is: then it is left out.
pub(crate) fn is_stand_in(job: &Arc<JobSpec>) -> bool {
    Arc::ptr_eq(job, &STAND_IN)
}
