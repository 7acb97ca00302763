//! What is assigned to sites that sell capacity, and why a job is not.

use super::{Context, credits};
use crate::number::Num;
use crate::service::{AssignFile, AssignedView, ProofKind, UnassignedKind, WhyKind, WhyView};
use walras_broker::decision::{AssignedRound, Proof};
use walras_broker::job::Unassigned;

impl Context<'_> {
    /// Why a job is assigned to no site that sells capacity.
    pub(super) fn unassigned(&self, why: &Unassigned) -> String {
        match why {
            Unassigned::NotDue => "It waits for the next round in which jobs are assigned.".to_owned(),
            Unassigned::NotYet { earliest } => format!("It may not start before {}.", self.moment(*earliest)),
            Unassigned::NoRoom => {
                "It would fit, but other jobs have the processors in this round.".to_owned()
            }
            Unassigned::TooWide { tasks, most } => {
                format!("It needs {tasks} processors at once, and can get {most} at most.")
            }
            Unassigned::TooLate { fastest, within } => format!(
                "It takes {} at least, and has {} until its deadline.",
                self.span(*fastest),
                self.span(*within)
            ),
            Unassigned::TooDear { cheapest, budget } => {
                format!(
                    "It costs {} at least in time, and may cost {}.",
                    credits(*cheapest),
                    credits(*budget)
                )
            }
            Unassigned::OutOfRange => "Its run time or cost is too large to be counted.".to_owned(),
        }
    }
}

/// The same for programs.
pub(super) fn unassigned_view(why: &Unassigned) -> WhyView {
    let plain = |kind| WhyView { unassigned: Some(kind), ..WhyView::plain(WhyKind::Unassigned) };
    match why {
        Unassigned::NotDue => plain(UnassignedKind::NotDue),
        Unassigned::NotYet { .. } => plain(UnassignedKind::NotYet),
        Unassigned::NoRoom => plain(UnassignedKind::NoRoom),
        Unassigned::TooWide { .. } => plain(UnassignedKind::TooWide),
        Unassigned::TooLate { .. } => plain(UnassignedKind::TooLate),
        Unassigned::TooDear { cheapest, budget } => WhyView {
            available: Some(Num::of_money(*budget)),
            needed: Some(Num::of_money(*cheapest)),
            ..plain(UnassignedKind::TooDear)
        },
        Unassigned::OutOfRange => plain(UnassignedKind::OutOfRange),
    }
}

/// What a round came to.
pub fn assigned_view(round: &AssignedRound) -> AssignedView {
    let method = AssignFile::of(Some(round.method));
    let (kind, gap, proven) = match round.proof {
        Proof::Optimal => (ProofKind::Optimal, None, "no assignment is better".to_owned()),
        Proof::Gap(millionths) => {
            let percent = format!("{}.{:04}", millionths / 10_000, millionths % 10_000);
            let text = format!("at most {percent}% above the least cost");
            (ProofKind::Gap, Some(Num::of_millionths(millionths)), text)
        }
        Proof::Nothing => (ProofKind::Nothing, None, "nothing is proven of it".to_owned()),
    };
    let (served, jobs) = (round.served.len(), round.jobs);
    AssignedView {
        method,
        start: round.start.into(),
        jobs,
        served: round.served.iter().map(|job| job.get()).collect(),
        cost: Num::of_money(round.cost),
        proof: kind,
        gap,
        iterations: round.iterations,
        text: format!(
            "{served} of {jobs} jobs assigned to capacity by {} for {}; {proven}",
            method.name(),
            credits(round.cost)
        ),
    }
}
