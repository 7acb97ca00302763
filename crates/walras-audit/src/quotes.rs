//! Quotes: alternatives of which none is worse in every allocation, honoured as they were given or paid for, while they bind.
//!
//! Time O(options²), of which a quote has few.

use crate::Auditor;
use crate::finding::{FindingKind, Thing};
use crate::jobs::next;
use crate::ledger::{Occasion, sums};
use crate::look::Look;
use crate::state::{Accepted, Job, Quote};
use crate::sums::{cost_of, holds, length, price_of, share_of};
use std::collections::BTreeMap;
use walras_broker::account::{Account, Purpose, Transaction};
use walras_broker::event::QuoteEvent;
use walras_broker::id::QuoteNumber;
use walras_broker::input::Input;
use walras_broker::job::JobSpec;
use walras_broker::quote::QuoteOption;
use walras_model::{Money, SiteId};

impl Auditor {
    pub(crate) fn quote_event(&mut self, look: &mut Look<'_>, event: &QuoteEvent) {
        match event {
            QuoteEvent::Given { quote, key, spec, options, until, why, holds } => {
                self.request(look, key);
                if !self.users.contains_key(&spec.user) {
                    look.report(FindingKind::NoSuchUser(spec.user.clone()));
                }
                if options.is_empty() && why.is_none() {
                    look.report(FindingKind::NoReason { quote: *quote });
                }
                self.strategy_given(look, spec);
                self.given(look, *quote, spec, options);
                self.given_held(look, *quote, options, *until, holds);
                let (spec, options, holds) = (spec.clone(), options.clone(), holds.clone());
                self.quotes.insert(*quote, Quote { spec, options, until: *until, holds });
            }
            QuoteEvent::Accepted { quote, key, option, job, reservation } => {
                // The job that it has become was queued by the same request, unless it is held already.
                let asked = self.requests.get(key).is_some_and(|(position, _)| *position == look.position);
                let Some((quoted, chosen)) = self.used(look, *quote, *option) else { return };
                let held = self.take_held(look, (*quote, &quoted), *option, (*job, *reservation));
                if held {
                    self.request(look, key);
                }
                let asked = asked || held;
                let same = |it: &Job| it.spec == quoted.spec && it.spec.user == key.by;
                if !asked || !self.jobs.get(job).is_some_and(same) {
                    look.report(FindingKind::NotAsQuoted { quote: *quote });
                }
                self.counts.quotes_accepted += 1;
                if held {
                    return;
                }
                let (quote, job, reservation, allocation) = (*quote, *job, *reservation, chosen.allocation);
                look.accepted = Some(Accepted { quote, job, reservation, allocation });
            }
            QuoteEvent::ChainGiven { quote, key, members, until } => {
                self.request(look, key);
                self.chain_given(look, *quote, members, *until);
            }
            QuoteEvent::ChainAccepted { quote, key, jobs } => {
                self.request(look, key);
                self.chain_accepted(look, *quote, jobs);
            }
            QuoteEvent::Broken { quote, key, option, compensation, transaction, .. } => {
                self.request(look, key);
                if let Some(chain) = self.used_chain(look, *quote) {
                    self.counts.quotes_broken += 1;
                    let price = chain.price();
                    return self.broken(look, *quote, chain.user(), price, *compensation, transaction);
                }
                let Some((quoted, chosen)) = self.used(look, *quote, *option) else { return };
                self.counts.quotes_broken += 1;
                self.broken(look, *quote, &quoted.spec.user, chosen.price, *compensation, transaction);
            }
            QuoteEvent::Expired(quote) if self.chain_expired(look, *quote) => {}
            QuoteEvent::Expired(quote) => match self.quotes.remove(quote) {
                None => look.report(FindingKind::NotThere { thing: Thing::Quote, number: quote.get() }),
                Some(given) => {
                    if look.now < given.until {
                        look.report(FindingKind::QuoteTime { quote: *quote, until: given.until });
                    }
                    look.quotes_gone.extend((!given.holds.is_empty()).then_some(*quote));
                }
            },
        }
    }

    /// When time passes, quotes that bind no more end.
    pub(crate) fn left_binding(&self, look: &mut Look<'_>) {
        if *look.input != Input::Tick {
            return;
        }
        let now = look.now;
        for (quote, given) in self.quotes.iter().filter(|(_, given)| given.until <= now) {
            look.report(FindingKind::QuoteTime { quote: *quote, until: given.until });
        }
        for (quote, chain) in self.chain_quotes.iter().filter(|(_, chain)| chain.until <= now) {
            look.report(FindingKind::QuoteTime { quote: *quote, until: chain.until });
        }
    }

    fn given(&mut self, look: &mut Look<'_>, quote: QuoteNumber, spec: &JobSpec, options: &[QuoteOption]) {
        self.last.quote = next(look, Thing::Quote, quote.get(), self.last.quote);
        self.counts.quotes += 1;
        let most = self.policy.quotes.options_max as usize;
        // The best by a search that the job asked for may be worse in time and price.
        let mut excused = usize::from(spec.search.is_some());
        for (place, option) in options.iter().enumerate() {
            if place >= most || !is_true(option) {
                look.report(FindingKind::WrongOption { quote, option: place });
            }
            let no_worse = |other: &QuoteOption| other.finish <= option.finish && other.price <= option.price;
            let others = options.iter().enumerate().filter(|(other, _)| *other != place);
            if let Some((by, _)) = others.into_iter().find(|(_, other)| no_worse(other)) {
                match excused {
                    0 => look.report(FindingKind::Dominated { quote, option: place, by }),
                    _ => excused -= 1,
                }
            }
        }
    }

    /// Takes a quote that is used; it must still bind and have that alternative.
    fn used(
        &mut self,
        look: &mut Look<'_>,
        number: QuoteNumber,
        option: u32,
    ) -> Option<(Quote, QuoteOption)> {
        let Some(quote) = self.quotes.remove(&number) else {
            look.report(FindingKind::NotThere { thing: Thing::Quote, number: number.get() });
            return None;
        };
        if look.now >= quote.until {
            look.report(FindingKind::QuoteTime { quote: number, until: quote.until });
        }
        look.quotes_gone.extend((!quote.holds.is_empty()).then_some(number));
        let chosen = quote.options.get(option as usize).cloned();
        if chosen.is_none() {
            look.report(FindingKind::NoSuchOption { quote: number, option });
        }
        Some((quote, chosen?))
    }

    fn broken(
        &mut self,
        look: &mut Look<'_>,
        quote: QuoteNumber,
        user: &str,
        price: Money,
        compensation: Money,
        transaction: &Transaction,
    ) {
        let amount = i128::from(compensation.as_micros());
        let price = i128::from(price.as_micros());
        let most = share_of(price, self.policy.quotes.compensation.as_millionths());
        let purpose = Purpose::Compensation;
        let mut expected = BTreeMap::from([
            ((Account::Fee, purpose), -amount),
            ((Account::User(user.to_owned()), purpose), amount),
        ]);
        expected.retain(|_, sum| *sum != 0);
        let sums = sums(transaction);
        if !(0..=most).contains(&amount) || sums != expected {
            let posted = -sums.get(&(Account::Fee, purpose)).copied().unwrap_or(0);
            look.report(FindingKind::WrongCompensation { quote, most, posted });
        }
        self.counts.compensations += amount;
        self.ledger.post(look, transaction, Occasion::Broken);
    }
}

/// Whether an alternative says of its allocation what is so.
fn is_true(option: &QuoteOption) -> bool {
    let allocation = &option.allocation;
    let start = holds(allocation).map(|(_, _, hold)| hold.interval.start()).min();
    let finish = allocation.parts.iter().map(|part| part.end).max();
    let sites: Vec<SiteId> = allocation.legs.iter().map(|leg| leg.site).collect();
    let priced = |hold: &walras_broker::allocation::Hold| {
        i128::from(hold.cost.as_micros()) == cost_of(hold.rate, length(hold.interval))
    };
    start == Some(option.start)
        && finish == Some(option.finish)
        && sites == option.sites
        && price_of(allocation) == i128::from(option.price.as_micros())
        && holds(allocation).all(|(_, _, hold)| priced(hold))
}
