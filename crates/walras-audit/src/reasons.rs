//! Whether a reservation was closed, or changed, for a reason that the journal shows.
//!
//! The reason decides who pays, so that it must not be taken on trust. Time O(legs + parts).

use crate::Auditor;
use crate::finding::{FindingKind, Gone};
use crate::look::Look;
use crate::state::{LegState, PartState, Phase, Reservation};
use crate::sums::millis_between;
use walras_broker::id::ReservationNumber;
use walras_broker::input::{Input, SiteMessage};
use walras_broker::job::{PartEnd, Why};
use walras_broker::moving::MoveEnd;
use walras_model::{SiteId, Span, TaskId};

/// Whether a reason is one; `None` is that everything ended well.
pub(crate) fn is_true(
    auditor: &Auditor,
    look: &Look<'_>,
    number: ReservationNumber,
    reservation: &Reservation,
    why: Option<&Why>,
) -> bool {
    let gone = |place: Gone, taken: bool| {
        look.gone.iter().any(|(gone, when)| *gone == place && when.is_some() == taken)
    };
    let Some(why) = why else { return reservation.parts.iter().all(|part| part.is_done()) };
    match why {
        Why::Cancelled => {
            let alone = matches!(look.input, Input::CancelJob { job, .. } if auditor.is_part_of(reservation.job, *job));
            let of = auditor.jobs.get(&reservation.job);
            alone || of.is_some_and(|of| auditor.is_among(look.input, reservation.job, &of.spec.user))
        }
        Why::NotTaken => auditor.is_not_taken(look, reservation),
        Why::NodeLost(node) => gone(Gone::Node(*node), false),
        Why::TakenBack(node) => gone(Gone::Node(*node), true),
        Why::SiteLost(site) => gone(Gone::Site(*site), false),
        Why::Refused { site, refusal } => {
            let said = SiteMessage::Refused { reservation: number, refusal: *refusal };
            *look.input == Input::Site { site: *site, message: said }
        }
        Why::PartEnded { part, end } => {
            let state = reservation.parts.get(*part as usize);
            matches!(state, Some(PartState::Ended { end: how, .. }) if how == end)
        }
        Why::Late => {
            let late = |message: &SiteMessage| matches!(message, SiteMessage::Late { reservation, .. } if *reservation == number);
            let said = matches!(look.input, Input::Site { message, .. } if late(message));
            said || *look.input == Input::Tick && reservation.overruns(look.now)
        }
        Why::Silent(sites) => {
            // Whoever was not listened to has its time again.
            let listened = |within: Span| {
                auditor
                    .back_at
                    .is_none_or(|back| millis_between(back, look.now) >= i128::from(within.as_millis()))
            };
            let policy = &auditor.policy;
            match reservation.phase {
                Phase::Preparing(until) => {
                    look.now >= until
                        && listened(policy.prepare_within)
                        && are_still(reservation, LegState::Asked, sites)
                }
                Phase::Confirming(until) => {
                    look.now >= until
                        && listened(policy.confirm_within)
                        && are_still(reservation, LegState::Prepared, sites)
                }
                Phase::Held => *look.input == Input::Tick && listened(policy.grace),
                Phase::Closed => false,
            }
        }
        Why::StartMissed => {
            let missed = *look.input == Input::Tick || is_cut_short(look, number, reservation);
            missed && reservation.phase == Phase::Held
        }
        Why::NotBrought { task, to, fault } => {
            let named = |whose: &TaskId| {
                let of = auditor.jobs.get(&reservation.job).and_then(|job| job.spec.workflow.as_ref());
                of.and_then(|of| of.workflow.tasks().get(whose.index())).is_some_and(|it| it.name == *task)
            };
            matches!(look.input, Input::Moved { reservation: of, task: whose, to: there, end: MoveEnd::Failed(how) }
                if *of == number && named(whose) && there == to && how == fault)
        }
        Why::NoOutput { part, file, fault } => {
            let state = reservation.parts.get(*part as usize);
            let Some(PartState::Ended { end: PartEnd::NoOutput { file: place, fault: how }, .. }) = state
            else {
                return false;
            };
            let task = reservation.allocation.parts.get(*part as usize).and_then(|part| part.task);
            let spec = auditor.jobs.get(&reservation.job).map(|job| &job.spec);
            let outputs = spec.and_then(|spec| match task {
                Some(task) => Some(&spec.workflow.as_ref().and_then(|of| of.program(task))?.outputs),
                None => Some(&spec.particulars.outputs),
            });
            how == fault && outputs.and_then(|outputs| outputs.get(*place as usize)) == Some(file)
        }
        Why::FilesLost(task) => {
            matches!(look.input, Input::Moved { reservation: of, task: whose, end: MoveEnd::Failed(_), .. }
                if *of == number && whose == task)
        }
        Why::NoFit(_)
        | Why::LeftOut
        | Why::OverQuota
        | Why::NodesHad { .. }
        | Why::MakingRoom(_)
        | Why::Unassigned(_)
        | Why::NotAdmitted
        | Why::NoMoney(_)
        | Why::OverBudget(_)
        | Why::Outdated(_)
        | Why::NotPlanned
        | Why::DeadlinePassed
        | Why::TooOften(_)
        | Why::Waits(_)
        | Why::NeverMet(_)
        | Why::Elements(_) => false,
    }
}

/// Whether these are the sites that have not come further.
fn are_still(reservation: &Reservation, leg: LegState, sites: &[SiteId]) -> bool {
    let still = reservation.legs.iter().filter(|(_, state)| **state == leg).map(|(site, _)| site);
    still.eq(sites)
}

impl Auditor {
    /// A reservation whose sites have all come further must have come further itself.
    pub(crate) fn left_waiting(&self, look: &mut Look<'_>) {
        for number in std::mem::take(&mut look.stepped) {
            let Some(reservation) = self.reservations.get(&number) else { continue };
            let all = |leg: LegState| reservation.legs.values().all(|state| *state == leg);
            let step = match reservation.phase {
                Phase::Preparing(_) if all(LegState::Prepared) => "left prepared",
                Phase::Confirming(_) if all(LegState::Confirmed) => "left confirmed",
                Phase::Preparing(_) | Phase::Confirming(_) | Phase::Held | Phase::Closed => continue,
            };
            look.report(FindingKind::ReservationStep { reservation: number, step });
        }
    }
}

/// Whether a part was just stopped that had less than the time that was planned for it, but for a hundredth.
fn is_cut_short(look: &Look<'_>, number: ReservationNumber, reservation: &Reservation) -> bool {
    let Input::Site { message: SiteMessage::Ended { reservation: of, part, .. }, .. } = look.input else {
        return false;
    };
    let planned = reservation.allocation.parts.get(*part as usize);
    let Some(PartState::Ended { since, at, end: PartEnd::TimedOut }) = reservation.parts.get(*part as usize)
    else {
        return false;
    };
    let had = millis_between(*since, *at);
    *of == number && planned.is_some_and(|it| had * 100 < millis_between(it.start, it.end) * 99)
}
