//! Quotes: given, accepted, broken, expired.

use crate::model::event::QuoteEvent;
use crate::model::input::Answer;
use crate::model::quote::Quote;
use crate::model::state::State;
use std::sync::Arc;

impl State {
    pub(super) fn fold_quote(&mut self, event: &QuoteEvent) {
        match event {
            QuoteEvent::Given { quote, key, spec, options, until, why } => {
                assert!(*quote > self.last.quote, "the number {quote} was given to a quote before");
                self.last.quote = *quote;
                self.remember(key, Answer::Quote(*quote));
                let (spec, options) = (Arc::clone(spec), Arc::clone(options));
                self.quotes.insert(*quote, Quote { spec, options, until: *until, why: why.clone() });
            }
            QuoteEvent::Accepted { quote, key, job, reservation, .. } => {
                self.quotes.remove(quote);
                self.remember(key, Answer::Accepted { job: *job, reservation: *reservation });
            }
            QuoteEvent::Broken { quote, key, why, compensation, transaction, .. } => {
                self.quotes.remove(quote);
                self.books.post(transaction);
                self.totals.quotes_broken += 1;
                self.remember(key, Answer::Broken { why: why.clone(), compensation: *compensation });
            }
            QuoteEvent::Expired(quote) => self.quotes.remove(quote),
        }
    }
}
