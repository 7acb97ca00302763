//! When something is due.

use crate::model::allocation::Part;
use crate::model::job::{Job, Phase};
use crate::model::parts::Turns;
use crate::model::reservation::{PartState, Reservation, ReservationPhase, ReservedPart};
use crate::model::state::{SiteState, State};
use walras_model::{Share, SiteId, Span, Time};

/// Nothing of a reservation is due.
pub(crate) struct Sleep {
    /// Until then; for ever, without.
    pub(crate) until: Option<Time>,
}

impl State {
    /// The next moment at which time alone changes something; may be past.
    pub(crate) fn next_timer(&self) -> Option<Time> {
        let quotes = self.quotes.values().map(|quote| quote.until);
        let chains = self.chains.values().map(|chain| chain.until);
        let waits = |job: &&Job| {
            let open = matches!(job.phase, Phase::Waiting | Phase::Queued);
            job.spec.request.deadline.is_some() && open && !self.runs_late(job)
        };
        let pending = self.arrays.values().filter(|array| !array.pending.is_empty());
        let cut = pending.filter_map(|array| array.spec.request.deadline);
        let deadlines = self.jobs.values().filter(waits).filter_map(|job| job.spec.request.deadline);
        let aheads = self.aheads();
        let plans = aheads.iter().flat_map(|aheads| {
            // Who still waits when it would have to be asked for loses its window, just after that.
            let at = move |job: &Job, by: Time| if job.waits.is_none() { by } else { just_after(by) };
            self.planned().map(move |(job, plan)| at(job, aheads.hold_by(self, plan)))
        });
        quotes
            .chain(chains)
            .chain(deadlines)
            .chain(cut)
            .chain(self.next_of_reservations())
            .chain(plans)
            .chain(self.cycle_timer())
            .min()
    }

    fn cycle_timer(&self) -> Option<Time> {
        match &self.cycle {
            _ if !self.sites.iter().any(SiteState::sells) => None,
            Some(cycle) => Some(cycle.until),
            None => self.cycle_due(),
        }
    }

    /// When the next cycle begins: soon after something has changed, now and then while somebody waits for a window, and
    /// seldom otherwise, so that quotes can be given.
    pub(crate) fn cycle_due(&self) -> Option<Time> {
        let waiting = self.jobs.values().any(|job| job.phase == Phase::Queued)
            || self.arrays.values().any(|array| self.may_draw(array))
            || self.has_followers();
        let usual = if waiting { self.next_cycle_at } else { self.refresh_at() };
        let opened = self.next_cycle_at.as_millis().saturating_sub(self.policy.cycle_every.as_millis());
        // A cycle since then was a round, or had nobody to assign: then the next will do.
        let round = self.round_due().filter(|due| waiting && due.as_millis() > opened);
        let usual = round.map_or(usual, |due| due.min(usual));
        let Some(rules) = self.promises() else { return Some(usual) };
        let soon = opened.saturating_add(rules.replan_every.as_millis());
        let soon = Time::from_millis(soon).unwrap_or(Time::MIN);
        // Who starts soon has others looked at beside it once.
        let aheads = self.aheads();
        let at = |plan| aheads.as_ref().map(|aheads| aheads.hold_at(self, plan));
        let free = self.planned().filter(|(job, _)| job.waits.is_none());
        let due = free.filter_map(|(_, plan)| at(plan)).filter(|at| at.as_millis() > opened);
        let changed = self.unsettled.then_some(soon);
        due.chain(changed).map(|at| at.max(soon)).chain([usual]).min()
    }

    /// When a part is sent to its site: at its start, or ahead of it where the site wants that and nothing has to be waited for, nor for the node. In a queue the
    /// site decides when it starts, as soon as its job may.
    pub(crate) fn sent_at(&self, reservation: &Reservation, turns: &Turns, part: &Part) -> Time {
        if reservation.is_queue() {
            let earliest = self.jobs.get(&reservation.job).and_then(|job| job.spec.request.earliest);
            return earliest.unwrap_or(reservation.asked_at);
        }
        if part.after.is_empty() && !turns.follows(part) {
            self.sent_ahead(part.site, part.start)
        } else {
            part.start
        }
    }

    /// When what starts at a site is sent there, where it waits for nothing.
    fn sent_ahead(&self, site: SiteId, start: Time) -> Time {
        let ahead = self.site(site).map_or(Span::ZERO, |site| site.spec.timing.ahead);
        Time::from_millis(start.as_millis().saturating_sub(ahead.as_millis())).unwrap_or(start)
    }

    /// When a site that was asked to prepare by then is silent.
    pub(crate) fn prepared_by(&self, until: Time) -> Time {
        self.answered_by(until, self.policy.prepare_within)
    }

    /// When a site that was asked to confirm by then is silent.
    pub(crate) fn confirmed_by(&self, until: Time) -> Time {
        self.answered_by(until, self.policy.confirm_within)
    }

    /// Who was not listened to may say it again, and has its time for that.
    fn answered_by(&self, until: Time, within: Span) -> Time {
        self.back_at.checked_add(within).map_or(until, |by| by.max(until))
    }

    /// How long a site may take to say that a task has ended before others wait longer for it.
    pub(crate) fn patience(&self) -> Span {
        let half = Share::percent(50).of_count(self.policy.grace.as_millis());
        Span::from_millis(half).expect("half of a span is one")
    }

    /// When others wait longer for a task that runs; `None` where none waits behind it.
    fn overruns_at(&self, turns: &Turns, part: &Part) -> Option<Time> {
        part.task.filter(|_| turns.any_waits)?;
        part.end.checked_add(self.patience())?.checked_add(Span::from_millis(1)?)
    }

    /// The first task of a reservation that runs and should have ended: another is due on its node, or the site had its time to say so.
    pub(crate) fn overrunning(&self, reservation: &Reservation, turns: &Turns, now: Time) -> Option<u32> {
        let overruns = |part: &ReservedPart| {
            let runs = matches!(part.state, PartState::Running(_)) && part.plan.end <= now;
            let at = self.overruns_at(turns, &part.plan).filter(|_| runs);
            at.is_some_and(|at| at <= now || turns.is_due(&part.plan, now))
        };
        let mut parts = reservation.parts.iter().zip(0_u32..);
        parts.find(|(part, _)| overruns(part)).map(|(_, place)| place)
    }

    /// The first moment at which something of a reservation is due.
    fn next_of_reservations(&self) -> Option<Time> {
        let mut first: Option<Time> = None;
        for reservation in self.reservations.values() {
            let at = self.timer_of(reservation);
            // Its quote ends before what is only offered starts. That is looked up only where it matters.
            let sooner = at.is_some_and(|at| first.is_none_or(|first| at < first));
            if sooner && !(reservation.phase == ReservationPhase::Held && self.is_offered(reservation)) {
                first = at;
            }
        }
        first
    }

    fn timer_of(&self, reservation: &Reservation) -> Option<Time> {
        match reservation.phase {
            ReservationPhase::Preparing(until) => Some(self.prepared_by(until)),
            ReservationPhase::Confirming(until) => Some(self.confirmed_by(until)),
            ReservationPhase::Closing => None,
            ReservationPhase::Held => match self.sleep_of(reservation, self.clock) {
                Some(Sleep { until }) => {
                    debug_assert_eq!(
                        until,
                        self.timer_of_parts(reservation),
                        "a glance tells what its parts do"
                    );
                    until
                }
                None => self.timer_of_parts(reservation),
            },
        }
    }

    /// Until when nothing of a held reservation is due, where nothing is by then and a glance tells.
    pub(crate) fn sleep_of(&self, reservation: &Reservation, now: Time) -> Option<Sleep> {
        let glance = reservation.glance()?;
        let sent = glance.starts.iter().map(|(site, start)| self.sent_ahead(*site, *start)).min();
        let silent = glance.ends.and_then(|end| self.silent_at(end));
        let until = sent.into_iter().chain(silent).chain(glance.ready_by).min();
        until.is_none_or(|at| at > now).then_some(Sleep { until })
    }

    /// When a site is silent that should have said by then that something ended.
    fn silent_at(&self, end: Time) -> Option<Time> {
        let late = end.max(self.back_at).checked_add(self.policy.grace)?;
        late.checked_add(Span::from_millis(1)?)
    }

    /// The same as [`State::timer_of`] of a held reservation, by all of its parts.
    fn timer_of_parts(&self, reservation: &Reservation) -> Option<Time> {
        let queue = reservation.is_queue();
        let fenced = self.is_fenced(reservation);
        let turns = Turns::of(reservation);
        let ready = self.ready_sooner(reservation, &turns, self.clock);
        let ready = ready.into_iter().map(|(_, from)| from.max(self.clock));
        let parts = reservation.parts.iter().map(|part| (&part.plan, part.state));
        let timers = parts.filter_map(|(part, state)| match state {
            PartState::Waiting if self.sent_at(reservation, &turns, part) > self.clock => {
                Some(self.sent_at(reservation, &turns, part))
            }
            // Other inputs may have moved the clock past its start.
            PartState::Waiting
                if !fenced
                    && !turns.is_taken(part)
                    && self.has_what_it_waits_for(reservation, part, self.clock)
                    && self.has_files(reservation, part) =>
            {
                Some(self.clock)
            }
            // Its time has come, but something stands in the way: look again soon.
            PartState::Waiting => self.clock.checked_add(Span::from_millis(1_000)?),
            PartState::Due | PartState::Running(_) => {
                let end = reservation.hold_of(part).map_or(part.end, |hold| hold.interval.end());
                let longest = if queue { end.checked_add(self.policy.horizon)? } else { end };
                let silent = self.silent_at(longest)?;
                let overruns = self.overruns_at(&turns, part).filter(|at| *at > self.clock);
                Some(overruns.map_or(silent, |at| at.min(silent)))
            }
            PartState::Ended { .. } => None,
        });
        timers.chain(ready).chain(reservation.ready_by()).min()
    }
}

fn just_after(time: Time) -> Time {
    Time::from_millis(time.as_millis().saturating_add(1)).unwrap_or(Time::MAX)
}
