//! What is proven of a choice among alternatives.

use crate::number::Num;

/// Who else a choice is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherPlans {
    /// All plans.
    Any,
    /// All plans for the same jobs: some job is not served.
    ForTheseJobs,
}

/// That no combination of the alternatives that were listed is better; and, where it is known, how far any plan at all, in
/// windows that were not listed, could be below it (`above`, a share to the millionth).
///
/// ```
/// use walras_api::Num;
/// use walras_api::sentence::{OtherPlans, best_of_listed_text};
/// assert_eq!(best_of_listed_text(None), "best of the listed alternatives");
/// let above = Num::of_millionths(31_401);
/// assert_eq!(
///     best_of_listed_text(Some((&above, OtherPlans::Any))),
///     "best of the listed alternatives, at most 3.2% above any plan"
/// );
/// ```
pub fn best_of_listed_text(above: Option<(&Num, OtherPlans)>) -> String {
    above_text("best of the listed alternatives", "of", above)
}

/// The same of a plan that was improved by search.
pub fn improved_by_search_text(above: Option<(&Num, OtherPlans)>) -> String {
    above_text("improved by search", "as good as", above)
}

/// What a plan is, and how far it is above others at most; or that it is the best of them.
fn above_text(what: &str, best: &str, above: Option<(&Num, OtherPlans)>) -> String {
    let Some((millionths, others)) = above.and_then(|(above, others)| Some((above.micros()?, others))) else {
        return what.to_owned();
    };
    let others = match others {
        OtherPlans::Any => "any plan",
        OtherPlans::ForTheseJobs => "any plan for these jobs",
    };
    if millionths <= 0 {
        return format!("{what}, and {best} {others}");
    }
    format!("{what}, at most {}% above {others}", percent_up(millionths))
}

/// A positive share in millionths as per cent, in tenths and rounded up.
pub(super) fn percent_up(millionths: i64) -> String {
    let tenths = (millionths - 1) / 1_000 + 1;
    format!("{}.{}", tenths / 10, tenths % 10)
}
