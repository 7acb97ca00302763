//! Quotes for whole chains: given so that their parts go together, and honoured job by job as they were given, or not at all.
//!
//! Time O(jobs and conditions) of a chain.

use crate::Auditor;
use crate::finding::{FindingKind, Thing};
use crate::jobs::next;
use crate::look::Look;
use crate::state::ChainQuote;
use std::sync::Arc;
use walras_broker::chain::QuotedMember;
use walras_broker::gate::{Condition, Dependency, Which};
use walras_broker::id::{JobNumber, QuoteNumber};
use walras_broker::job::Planned;
use walras_core::agenda::Promise;
use walras_model::Time;

impl Auditor {
    /// Every job has what it is promised, and starts after what is promised of those it waits for.
    pub(crate) fn chain_given(
        &mut self,
        look: &mut Look<'_>,
        quote: QuoteNumber,
        members: &Arc<[QuotedMember]>,
        until: Time,
    ) {
        self.last.quote = next(look, Thing::Quote, quote.get(), self.last.quote);
        self.counts.quotes += 1;
        let known = members.iter().all(|it| self.users.contains_key(&it.member.job.user));
        for (quoted, place) in members.iter().zip(0_usize..) {
            let QuotedMember { member, plan, window, promise } = quoted;
            let kept = window.start <= promise.start
                && window.finish <= promise.finish
                && window.cost <= promise.cost
                && window.start == plan.start;
            let follows = |(before, condition): &(u32, Condition)| {
                let before = members.get(*before as usize).filter(|_| (*before as usize) < place);
                before.is_some_and(|before| {
                    let Promise { start, finish, .. } = before.promise;
                    plan.start >= if *condition == Condition::Started { start } else { finish }
                })
            };
            if !known || !kept || !member.after.iter().all(follows) {
                look.report(FindingKind::WrongOption { quote, option: place });
            }
        }
        self.chain_quotes.insert(quote, ChainQuote { members: Arc::clone(members), until });
    }

    /// A quote for a chain that is used must still bind.
    pub(crate) fn used_chain(&mut self, look: &mut Look<'_>, number: QuoteNumber) -> Option<ChainQuote> {
        let chain = self.chain_quotes.remove(&number)?;
        if look.now >= chain.until {
            look.report(FindingKind::QuoteTime { quote: number, until: chain.until });
        }
        Some(chain)
    }

    /// Its jobs must follow.
    pub(crate) fn chain_accepted(&mut self, look: &mut Look<'_>, number: QuoteNumber, jobs: &[JobNumber]) {
        let Some(chain) = self.used_chain(look, number) else {
            return look.report(FindingKind::NotThere { thing: Thing::Quote, number: number.get() });
        };
        if jobs.len() != chain.members.len() {
            look.report(FindingKind::NotAsQuoted { quote: number });
        }
        self.counts.quotes_accepted += 1;
        look.chain_quote = Some(number);
        look.chained = jobs.iter().copied().zip(chain.members.iter().cloned()).collect();
        look.chain_jobs = jobs.to_vec();
    }

    /// Whether a job is one of a chain that this entry has accepted, and is planned as it was quoted.
    pub(crate) fn is_as_chained(
        &self,
        look: &mut Look<'_>,
        number: JobNumber,
        plan: &Planned,
        promise: Promise,
    ) -> bool {
        let Some(quoted) = look.chained.remove(&number) else { return false };
        let on = |(place, condition): &(u32, Condition)| {
            let job = *look.chain_jobs.get(*place as usize)?;
            Some(Dependency { on: Which::whole(job), condition: *condition })
        };
        let waits = quoted.member.after.iter().filter_map(on).collect();
        let Some(job) = self.jobs.get(&number) else { return false };
        let mut asked = (*job.spec).clone();
        let gate = std::mem::take(&mut asked.gate);
        let same = asked == *quoted.member.job && gate.after == waits && !gate.held && !gate.singleton;
        same && quoted.plan == *plan && quoted.promise == promise
    }

    /// Whether a quote was one for a chain, which ends with it.
    pub(crate) fn chain_expired(&mut self, look: &mut Look<'_>, number: QuoteNumber) -> bool {
        let Some(chain) = self.chain_quotes.remove(&number) else { return false };
        if look.now < chain.until {
            look.report(FindingKind::QuoteTime { quote: number, until: chain.until });
        }
        true
    }

    /// All jobs of a chain that was accepted must be there.
    pub(crate) fn left_out_of_chain(&self, look: &mut Look<'_>) {
        let left = !std::mem::take(&mut look.chained).is_empty();
        if let Some(quote) = look.chain_quote.take().filter(|_| left) {
            look.report(FindingKind::NotAsQuoted { quote });
        }
    }
}
