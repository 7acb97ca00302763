//! Quotes that sites hold: every alternative is reserved as it was quoted, is taken as it is held, and does not outlive its quote.
//!
//! Time O(alternatives), of which a quote has few, and O(jobs) when time passes.

use crate::Auditor;
use crate::finding::FindingKind;
use crate::look::Look;
use crate::state::{Job, JobPhase, Quote, Reservation};
use crate::sums::holds;
use std::sync::Arc;
use walras_broker::id::{JobNumber, QuoteNumber, ReservationNumber};
use walras_broker::input::Input;
use walras_broker::quote::QuoteOption;
use walras_model::Time;

impl Auditor {
    /// Every alternative of a quote that is held was reserved just before, starts after the quote ends, and nobody else's was.
    pub(crate) fn given_held(
        &self,
        look: &mut Look<'_>,
        number: QuoteNumber,
        options: &[QuoteOption],
        until: Time,
        jobs: &[JobNumber],
    ) {
        let offered = std::mem::take(&mut look.offered);
        let fits = |(option, job): (&QuoteOption, &JobNumber)| {
            let reserved = self.jobs.get(job).and_then(|of_job| self.reserved(of_job));
            let start = holds(&option.allocation).map(|(_, _, hold)| hold.interval.start()).min();
            offered.get(job) == Some(&number)
                && reserved.is_some_and(|(_, it)| it.allocation == option.allocation)
                && start.is_some_and(|start| start >= until)
        };
        let all = jobs.is_empty() || jobs.len() == options.len();
        let asked = matches!(look.input, Input::AskQuote { hold: Some(_), .. });
        if !all
            || offered.len() != jobs.len()
            || !options.iter().zip(jobs).all(fits)
            || asked && jobs.len() != options.len()
        {
            look.report(FindingKind::NotHeld { quote: number });
        }
    }

    fn reserved(&self, job: &Job) -> Option<(ReservationNumber, &Reservation)> {
        match job.phase {
            JobPhase::Reserved(number) => Some((number, self.reservations.get(&number)?)),
            JobPhase::Waiting
            | JobPhase::Drawing
            | JobPhase::Queued
            | JobPhase::Planning
            | JobPhase::Planned
            | JobPhase::Loose(_) => None,
        }
    }

    /// Whether an alternative that was taken is held, and then its own reservation is the job's. The others are ready for when it fails.
    pub(crate) fn take_held(
        &mut self,
        look: &mut Look<'_>,
        (number, quote): (QuoteNumber, &Quote),
        option: u32,
        (job, reservation): (JobNumber, ReservationNumber),
    ) -> bool {
        let held = quote.holds.get(option as usize).and_then(|held| Some((*held, self.jobs.get(held)?)));
        let held = held.filter(|(_, of_job)| of_job.offered == Some(number));
        let Some((held, of_job)) = held else { return false };
        let own = self.reserved(of_job).is_some_and(|(own, _)| own == reservation);
        if held != job || !own {
            look.report(FindingKind::NotAsQuoted { quote: number });
        }
        let places = quote.options.iter().zip(0_u32..);
        let others = places.filter(|(_, place)| *place != option);
        let spares = others.map(|(other, _)| Arc::new(other.allocation.clone())).collect();
        if let Some(of_job) = self.jobs.get_mut(&held) {
            (of_job.offered, of_job.spares, of_job.ready_at) = (None, spares, look.now);
            self.counts.jobs += 1;
        }
        true
    }

    /// Whether a reservation is one for a quote that has ended, or of which another alternative is taken.
    pub(crate) fn is_not_taken(&self, look: &Look<'_>, reservation: &Reservation) -> bool {
        let Some(quote) = self.jobs.get(&reservation.job).and_then(|job| job.offered) else { return false };
        let over = || self.quotes.get(&quote).is_none_or(|quote| quote.until <= look.now);
        let accepted = matches!(look.input, Input::Accept { quote: accepted, .. } if *accepted == quote);
        accepted || (*look.input == Input::Tick && over())
    }

    /// Nothing is held for a quote that is gone, or that was never given.
    pub(crate) fn left_offered(&self, look: &mut Look<'_>) {
        for (_, quote) in std::mem::take(&mut look.offered) {
            look.report(FindingKind::NotHeld { quote });
        }
        for quote in std::mem::take(&mut look.quotes_gone) {
            if self.jobs.values().any(|job| job.offered == Some(quote)) {
                look.report(FindingKind::NotHeld { quote });
            }
        }
    }
}
