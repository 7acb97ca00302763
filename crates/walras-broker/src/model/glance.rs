//! What decides when a reservation needs a look, at a glance.
//!
//! **Problem.** Whoever drives the broker asks before every step when something is due next, and every time that it is told the time it
//! asks each held reservation whether that concerns it. Looking at all parts for each answer makes a step cost what is held altogether.
//!
//! **Method.** For most reservations two kinds of moments say it all: the first start of parts that wait, site by site, and the first end
//! of holds on which something has begun; and where sites begin together, by when all must be ready. So it is where every part goes by itself, on nodes: no task, nothing that it waits for, no queue.
//! That is worked out when it is first asked for and kept with the reservation until it changes: whoever may change one gets it by
//! [`Reservation::changing`], which forgets. What the glance does not tell, since something is due by now or parts go by others, is looked for
//! among the parts as before.
//!
//! **Complexity.** O(parts) once for every change of a reservation, O(its sites) to ask.

use super::reservation::{PartState, Reservation};
use std::sync::OnceLock;
use walras_model::{SiteId, Time};

/// When something of a reservation is due whose parts all go by themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Glance {
    /// The first start of parts that wait, by site.
    pub(crate) starts: Vec<(SiteId, Time)>,
    /// The first end of holds on which a part has begun and not ended.
    pub(crate) ends: Option<Time>,
    /// When it is too late for a site to become ready.
    pub(crate) ready_by: Option<Time>,
}

/// A glance, kept until the reservation changes. It follows from the rest, so that no two reservations differ by it.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptGlance(OnceLock<Option<Glance>>);

impl PartialEq for KeptGlance {
    fn eq(&self, _: &KeptGlance) -> bool {
        true
    }
}

impl Eq for KeptGlance {}

impl Glance {
    /// That of a reservation; `None` where some part goes by another, or nobody knows when it starts.
    fn of(reservation: &Reservation) -> Option<Glance> {
        if reservation.is_queue() {
            return None;
        }
        let mut glance = Glance { ready_by: reservation.ready_by(), ..Glance::default() };
        for part in &reservation.parts {
            if part.plan.task.is_some() || !part.plan.after.is_empty() {
                return None;
            }
            match part.state {
                PartState::Waiting => glance.starts(part.plan.site, part.plan.start),
                PartState::Due | PartState::Running(_) => {
                    let end = reservation.hold_of(&part.plan).map_or(part.plan.end, |it| it.interval.end());
                    glance.ends = Some(glance.ends.map_or(end, |first| first.min(end)));
                }
                PartState::Ended { .. } => {}
            }
        }
        Some(glance)
    }

    fn starts(&mut self, site: SiteId, start: Time) {
        match self.starts.iter_mut().find(|(known, _)| *known == site) {
            Some((_, first)) => *first = start.min(*first),
            None => self.starts.push((site, start)),
        }
    }
}

impl Reservation {
    /// When something of it is due, where that is simple.
    pub(crate) fn glance(&self) -> Option<&Glance> {
        let kept = self.glance.0.get_or_init(|| Glance::of(self)).as_ref();
        debug_assert_eq!(kept, Glance::of(self).as_ref(), "a reservation has changed behind its glance");
        kept
    }

    /// The reservation, to be changed.
    pub(crate) fn changing(&mut self) -> &mut Reservation {
        self.glance = KeptGlance::default();
        self
    }
}
