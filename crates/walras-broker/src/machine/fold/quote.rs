//! Quotes: given, accepted, broken, expired.

use super::notice;
use crate::model::allocation::Allocation;
use crate::model::chain::{ChainMember, ChainQuote};
use crate::model::digest::digest_of_chain;
use crate::model::event::QuoteEvent;
use crate::model::id::{JobNumber, QuoteNumber, ReservationNumber};
use crate::model::input::Answer;
use crate::model::quote::Quote;
use crate::model::repeated::Asked;
use crate::model::reservation::{Origin, ReservationPhase};
use crate::model::sharing::Tally;
use crate::model::state::State;
use std::sync::Arc;

/// So many of a user's choices are remembered.
const CHOICES_MAX: usize = 100;

impl State {
    pub(super) fn fold_quote(&mut self, event: &QuoteEvent) {
        match event {
            QuoteEvent::Given { quote, key, spec, options, until, why, holds } => {
                assert!(*quote > self.last.quote, "the number {quote} was given to a quote before");
                self.last.quote = *quote;
                self.remember(key, Answer::Quote(*quote), Some(Asked::Job(spec.digest())));
                self.tally_up(&spec.user, Tally::of_quote(spec));
                let (spec, options) = (Arc::clone(spec), Arc::clone(options));
                let (why, holds) = (why.clone(), holds.clone());
                let asked = Some(self.clock);
                self.quotes.insert(*quote, Quote { spec, options, until: *until, why, holds, asked });
            }
            QuoteEvent::ChainGiven { quote, key, members, until } => {
                assert!(*quote > self.last.quote, "the number {quote} was given to a quote before");
                self.last.quote = *quote;
                let asked: Vec<ChainMember> = members.iter().map(|it| it.member.clone()).collect();
                self.remember(key, Answer::Quote(*quote), Some(Asked::Job(digest_of_chain(&asked))));
                for member in &asked {
                    self.tally_up(&key.by, Tally::of_quote(&member.job));
                }
                self.chains.insert(*quote, ChainQuote { members: Arc::clone(members), until: *until });
            }
            QuoteEvent::ChainAccepted { quote, key, jobs } => {
                self.quote_gone(*quote);
                let asked = Asked::Accept { quote: *quote, option: 0 };
                self.remember(key, Answer::Chain(jobs.clone()), Some(asked));
            }
            QuoteEvent::Accepted { quote, key, option, job, reservation } => {
                self.remember_choice(*quote, *option);
                self.take_held(*quote, *option, *job, *reservation);
                self.quote_gone(*quote);
                let asked = Asked::Accept { quote: *quote, option: *option };
                let answer = Answer::Accepted { job: *job, reservation: *reservation };
                self.remember(key, answer, Some(asked));
            }
            QuoteEvent::Broken { quote, key, option, why, compensation, transaction } => {
                self.quote_gone(*quote);
                self.books.post(transaction);
                self.totals.quotes_broken += 1;
                let asked = Asked::Accept { quote: *quote, option: *option };
                let answer = Answer::Broken { why: why.clone(), compensation: *compensation };
                self.remember(key, answer, Some(asked));
            }
            QuoteEvent::Expired(quote) => self.quote_gone(*quote),
        }
    }

    /// What somebody takes says what they want.
    fn remember_choice(&mut self, number: QuoteNumber, option: u32) {
        let quote = self.known_quote(number);
        // Who had nothing to choose from has not chosen.
        let Some(chosen) = quote.chosen(option, self.clock) else { return };
        let user = quote.spec.user.clone();
        let user = self.users.get_mut(user.as_str()).expect("the user of a quote is there");
        if user.choices.len() >= CHOICES_MAX {
            user.choices.pop_front();
        }
        user.choices.push_back(Arc::new(chosen));
    }

    fn known_quote(&self, number: QuoteNumber) -> &Quote {
        let quote = self.quotes.get(&number);
        quote.unwrap_or_else(|| panic!("an event names quote {number}, which is not there"))
    }

    /// An alternative that was held becomes a job like any other; without a hold its reservation comes later.
    fn take_held(
        &mut self,
        number: QuoteNumber,
        option: u32,
        job: JobNumber,
        reservation: ReservationNumber,
    ) {
        let quote = self.known_quote(number);
        let places = quote.options.iter().zip(0_u32..);
        let others = places.filter(|(_, place)| *place != option).map(|(other, _)| other.allocation.clone());
        let others: Vec<Arc<Allocation>> = others.map(Arc::new).collect();
        let clock = self.clock;
        let of_job = self.jobs.get_mut(&job).expect("what a quote becomes is a job before it is accepted");
        // It was not held, or its site gave it up: it is a new job, which is asked for with the next event.
        if of_job.offered != Some(number) {
            return;
        }
        (of_job.offered, of_job.spares, of_job.queued_at) = (None, others, clock);
        let spec = Arc::clone(&of_job.spec);
        self.note(job, &spec, &Default::default());
        let reserved = self.reservation_mut(reservation);
        let reserved = reserved.expect("what is held for a quote is there until it is taken or given back");
        reserved.origin = Origin::Quote(number);
        if reserved.phase == ReservationPhase::Held {
            let reserved = reserved.clone();
            self.totals.quotes_kept += 1;
            notice::of_held(self, &reserved);
        }
    }

    fn quote_gone(&mut self, number: QuoteNumber) {
        if let Some(chain) = self.chains.get(&number).cloned() {
            for quoted in chain.members.iter() {
                self.tally_down(chain.user(), Tally::of_quote(&quoted.member.job));
            }
            return self.chains.remove(&number);
        }
        let spec = Arc::clone(&self.known_quote(number).spec);
        self.tally_down(&spec.user, Tally::of_quote(&spec));
        self.quotes.remove(&number);
    }
}
