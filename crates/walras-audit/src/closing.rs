//! Why a reservation was closed: whether that is a failure, and what may become of its job.

use crate::state::{After, PartState, Reservation};
use walras_broker::job::{PartEnd, SiteRefusal, Why};
use walras_broker::moving::MoveFault;

/// Whether the job can do nothing about it, so that its attempts count.
pub(crate) fn is_failure(why: &Why) -> bool {
    match why {
        Why::NoFit(_)
        | Why::LeftOut
        | Why::OverQuota
        | Why::NodesHad { .. }
        | Why::MakingRoom(_)
        | Why::Unassigned(_)
        | Why::NotAdmitted
        | Why::NoMoney(_)
        | Why::OverBudget(_) => false,
        Why::Outdated(_) | Why::NotPlanned | Why::Cancelled | Why::NotTaken => false,
        Why::Waits(_) | Why::NeverMet(_) | Why::Elements(_) => false,
        Why::Refused { refusal: SiteRefusal::NoAccount, .. } => false,
        Why::Refused { .. } | Why::Silent(_) | Why::NodeLost(_) | Why::SiteLost(_) | Why::TakenBack(_) => {
            true
        }
        Why::FilesLost(_)
        | Why::NotBrought { .. }
        | Why::NoOutput { .. }
        | Why::PartEnded { .. }
        | Why::Late
        | Why::StartMissed
        | Why::DeadlinePassed
        | Why::TooOften(_) => true,
    }
}

/// What may become of the job of a reservation that was closed.
pub(crate) fn after(reservation: &Reservation, why: Option<&Why>) -> After {
    let Some(why) = why else {
        let well = reservation.parts.iter().all(|part| part.is_done());
        return if well { After::Well } else { After::Broken };
    };
    match why {
        Why::Cancelled => After::Cancelled,
        Why::PartEnded {
            part,
            end: end @ (PartEnd::Failed(_) | PartEnd::TimedOut | PartEnd::OutOfMemory { .. }),
        } => match reservation.parts.get(*part as usize) {
            Some(PartState::Ended { end: how, .. }) if how == end => After::Failed,
            Some(PartState::Waiting | PartState::Due | PartState::Running(_)) => After::Broken,
            Some(PartState::Ended { .. }) | None => After::Broken,
        },
        Why::NoOutput { part, .. } => match reservation.parts.get(*part as usize) {
            Some(PartState::Ended { end: PartEnd::NoOutput { .. }, .. }) => After::Failed,
            Some(PartState::Waiting | PartState::Due | PartState::Running(_) | PartState::Ended { .. })
            | None => After::Broken,
        },
        Why::NotBrought { fault, .. } if is_own_fault(fault) => After::Failed,
        Why::NotBrought { .. } => After::Broken,
        // One whose file has a name is told by that.
        Why::PartEnded { end: PartEnd::NoOutput { .. }, .. } => After::Failed,
        Why::PartEnded { end: PartEnd::Done | PartEnd::Lost, .. }
        | Why::PartEnded { end: PartEnd::TakenBack | PartEnd::Vanished, .. }
        | Why::NoFit(_)
        | Why::LeftOut
        | Why::OverQuota
        | Why::NodesHad { .. }
        | Why::MakingRoom(_)
        | Why::Unassigned(_)
        | Why::NotAdmitted
        | Why::NoMoney(_)
        | Why::OverBudget(_)
        | Why::Outdated(_)
        | Why::Refused { .. }
        | Why::Silent(_)
        | Why::NodeLost(_)
        | Why::SiteLost(_)
        | Why::TakenBack(_)
        | Why::Late
        | Why::StartMissed
        | Why::FilesLost(_)
        | Why::NotPlanned
        | Why::DeadlinePassed
        | Why::TooOften(_)
        | Why::NotTaken
        | Why::Waits(_)
        | Why::NeverMet(_)
        | Why::Elements(_) => After::Broken,
    }
}

/// Whether what could not be brought is what the job's own programs have made of it, so that bringing it again is in vain.
pub(crate) fn is_own_fault(fault: &MoveFault) -> bool {
    match fault {
        MoveFault::Outside(_) | MoveFault::TooLarge(_) => true,
        MoveFault::Silent(_) | MoveFault::NotThere(_) | MoveFault::Damaged(_) | MoveFault::Refused(_) => {
            false
        }
    }
}
