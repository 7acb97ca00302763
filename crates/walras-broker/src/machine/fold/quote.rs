//! Quotes: given, accepted, broken, expired.

use crate::model::event::QuoteEvent;
use crate::model::id::QuoteNumber;
use crate::model::input::Answer;
use crate::model::quote::Quote;
use crate::model::repeated::Asked;
use crate::model::sharing::Tally;
use crate::model::state::State;
use std::sync::Arc;

impl State {
    pub(super) fn fold_quote(&mut self, event: &QuoteEvent) {
        match event {
            QuoteEvent::Given { quote, key, spec, options, until, why } => {
                assert!(*quote > self.last.quote, "the number {quote} was given to a quote before");
                self.last.quote = *quote;
                self.remember(key, Answer::Quote(*quote), Some(Asked::Job(spec.digest())));
                self.tally_up(&spec.user, Tally::of_quote(spec));
                let (spec, options) = (Arc::clone(spec), Arc::clone(options));
                self.quotes.insert(*quote, Quote { spec, options, until: *until, why: why.clone() });
            }
            QuoteEvent::Accepted { quote, key, option, job, reservation } => {
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

    fn quote_gone(&mut self, number: QuoteNumber) {
        if let Some(spec) = self.quotes.get(&number).map(|quote| Arc::clone(&quote.spec)) {
            self.tally_down(&spec.user, Tally::of_quote(&spec));
        }
        self.quotes.remove(&number);
    }
}
