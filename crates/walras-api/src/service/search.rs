//! How windows are searched, as policies and jobs name it (`amp`, `alp`, `criterion=cost`), and by which end they are judged.

use crate::described::JsonSchema;
use crate::error::{Problem, Within};
use serde::{Deserialize, Serialize};
use walras_broker::job::JobSearch;
use walras_broker::policy::{FinishBy, PredictionPolicy};
use walras_core::Algorithm;
use walras_model::UnknownName;

/// What a search may be called.
#[cfg(feature = "schema")]
pub(super) const PATTERN: &str =
    "^(alp|amp|criterion=(cost|runtime|finish|start|price|node-time|energy|sum:.+))$";

/// The search of that name.
pub(super) fn algorithm(text: &str) -> Result<Algorithm, Problem> {
    text.parse().map_err(|unknown: UnknownName| {
        Problem::new(&unknown.name, format!("is not {}: expected {}", unknown.kind, unknown.expected))
    })
}

/// The search that a job asks for. Without a number it gets what it asks for: the first or best window, and no other.
pub(super) fn of_job(search: Option<&str>, alternatives: Option<u32>) -> Result<Option<JobSearch>, Problem> {
    let Some(text) = search else {
        return match alternatives {
            None => Ok(None),
            Some(_) => Err(Problem::new("alternatives", "needs search: how they are found")),
        };
    };
    let algorithm = algorithm(text).in_field("search")?;
    let alternatives = alternatives.unwrap_or(1);
    if alternatives == 0 {
        let none = Problem::new("0", "is not a number of alternatives: expected 1 or more");
        return Err(none).in_field("alternatives");
    }
    Ok(Some(JobSearch { algorithm, alternatives }))
}

/// The search of a job that caps what a node may cost: the one that keeps such a cap, and no other.
pub(super) fn capped(search: Option<JobSearch>, workflow: bool) -> Result<JobSearch, Problem> {
    if workflow {
        return Err(Problem::new("price_max", "is kept for no workflow: give a budget instead"));
    }
    match search {
        None => Ok(JobSearch { algorithm: Algorithm::Alp, alternatives: 1 }),
        Some(search) if search.algorithm == Algorithm::Alp => Ok(search),
        Some(search) => {
            let what = "keeps no price_max: expected alp, or a budget instead of price_max";
            Err(Problem::new(&search.algorithm.to_string(), what)).in_field("search")
        }
    }
}

/// By which end alternatives of a job are judged that does not say how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "FinishBy", rename = "FinishBy")]
pub enum FinishByFile {
    /// By when it has ended at the latest, as it asks for.
    Estimate,
    /// By when it is likely to end, where history says so.
    Prediction,
}

impl FinishByFile {
    pub(super) fn predictions(self) -> PredictionPolicy {
        let finish_by = match self {
            FinishByFile::Estimate => FinishBy::Estimate,
            FinishByFile::Prediction => FinishBy::Prediction,
        };
        PredictionPolicy { finish_by }
    }

    pub(super) fn of(predictions: PredictionPolicy) -> FinishByFile {
        match predictions.finish_by {
            FinishBy::Estimate => FinishByFile::Estimate,
            FinishBy::Prediction => FinishByFile::Prediction,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_on_what_a_node_costs_is_kept_or_refused() {
        let alp = JobSearch { algorithm: Algorithm::Alp, alternatives: 1 };
        assert_eq!(capped(None, false).unwrap(), alp);
        assert_eq!(capped(Some(alp.clone()), false).unwrap(), alp);
        let amp = JobSearch { algorithm: Algorithm::Amp, alternatives: 1 };
        let refused = capped(Some(amp), false).unwrap_err().into_error("job.yaml").to_string();
        assert_eq!(
            refused,
            "job.yaml: search: amp keeps no price_max: expected alp, or a budget instead of price_max"
        );
        assert!(capped(None, true).is_err());
    }

    fn refused(search: Option<&str>, alternatives: Option<u32>) -> String {
        of_job(search, alternatives).unwrap_err().into_error("job").to_string()
    }

    #[test]
    fn a_job_gets_the_one_window_that_it_asks_for_unless_it_leaves_a_choice() {
        let asked =
            |alternatives| of_job(Some("criterion=finish"), alternatives).unwrap().unwrap().alternatives;
        assert_eq!((asked(None), asked(Some(3))), (1, 3));
        assert_eq!(of_job(None, None).unwrap(), None);
    }

    #[test]
    fn a_search_that_is_none_is_named() {
        insta::assert_snapshot!(refused(Some("best"), None), @"job: search: best is not a search: expected alp, amp or criterion=NAME, such as criterion=cost");
        insta::assert_snapshot!(refused(Some("criterion=luck"), None), @"job: search: luck is not a criterion: expected cost, runtime, finish, start, price, node-time, energy or sum:ATTRIBUTE");
        insta::assert_snapshot!(refused(Some("amp"), Some(0)), @"job: alternatives: 0 is not a number of alternatives: expected 1 or more");
        insta::assert_snapshot!(refused(None, Some(2)), @"job: alternatives needs search: how they are found");
    }
}
