//! Worlds in which people use what the papers describe: searches of their own, wishes of owners and the administrator, and quotes
//! that sites hold.

#![allow(clippy::unwrap_used, reason = "a test binary")]

use std::collections::{BTreeMap, BTreeSet};
use walras_broker::Event;
use walras_broker::event::{CycleEvent, JobEvent, QuoteEvent, ReservationEvent};
use walras_broker::id::{JobNumber, QuoteNumber};
use walras_broker::journal::Entry;
use walras_core::prefer::Preference;
use walras_model::{SiteId, Time};
use walras_world::{Outcome, Planning, Settings, live};

/// What was used in a world.
#[derive(Debug, Default)]
struct Used {
    /// Jobs with a search of their own that got a window.
    searched: BTreeSet<(u64, JobNumber)>,
    /// Plans that say how content an owner was, and how content the administrator.
    owners: usize,
    administrators: usize,
    /// Alternatives that were held and taken.
    taken: usize,
    /// Alternatives that could not be had although they were held.
    broken: usize,
    /// Alternatives that were taken although they had begun.
    begun: usize,
}

impl Used {
    fn see(&mut self, seed: u64, journal: &[Entry]) {
        let mut own: BTreeSet<JobNumber> = BTreeSet::new();
        let mut held: BTreeMap<QuoteNumber, Vec<JobNumber>> = BTreeMap::new();
        let mut gone: BTreeSet<JobNumber> = BTreeSet::new();
        let mut begins: BTreeMap<(QuoteNumber, u32), Time> = BTreeMap::new();
        let all = journal.iter().flat_map(|entry| entry.events.iter().map(|event| (entry.at, event)));
        for (now, event) in all {
            self.see_quote(now, event, &mut begins);
            match event {
                Event::Job(JobEvent::Queued { job, spec, .. }) if spec.search.is_some() => {
                    own.insert(*job);
                }
                Event::Job(JobEvent::Withdrawn(job)) => {
                    gone.insert(*job);
                }
                Event::Reservation(ReservationEvent::Asked { job, .. }) if own.contains(job) => {
                    self.searched.insert((seed, *job));
                }
                Event::Cycle(CycleEvent::Decided { verdict, .. }) => {
                    let said = |who: &str| verdict.satisfaction.keys().any(|name| name.starts_with(who));
                    self.owners += usize::from(said("owner of "));
                    self.administrators += usize::from(said("administrator"));
                }
                Event::Quote(QuoteEvent::Given { quote, holds, .. }) if !holds.is_empty() => {
                    held.insert(*quote, holds.clone());
                }
                Event::Quote(QuoteEvent::Accepted { quote, .. }) => {
                    self.taken += usize::from(held.contains_key(quote));
                }
                Event::Quote(QuoteEvent::Broken { quote, option, .. }) => {
                    let job = held.get(quote).and_then(|jobs| jobs.get(*option as usize));
                    self.broken += usize::from(job.is_some_and(|job| !gone.contains(job)));
                }
                _ => {}
            }
        }
    }

    fn see_quote(&mut self, now: Time, event: &Event, begins: &mut BTreeMap<(QuoteNumber, u32), Time>) {
        match event {
            Event::Quote(QuoteEvent::Given { quote, options, .. }) => {
                for (option, place) in options.iter().zip(0..) {
                    // Nothing begins at a time in a queue.
                    if option.allocation.holds().all(|(_, hold)| hold.node.is_some()) {
                        begins.insert((*quote, place), option.start);
                    }
                }
            }
            Event::Quote(QuoteEvent::Accepted { quote, option, .. }) => {
                self.begun += usize::from(begins.get(&(*quote, *option)).is_some_and(|start| *start < now));
            }
            _ => {}
        }
    }
}

/// Jobs with a preference of their own that ranges or a learnt utility shape, and that were reserved.
fn preferring(outcome: &Outcome) -> usize {
    let mut shaped: BTreeSet<JobNumber> = BTreeSet::new();
    for event in outcome.journal.iter().flat_map(|entry| &entry.events) {
        if let Event::Job(JobEvent::Queued { job, spec, .. }) = event
            && spec.preference.as_ref().is_some_and(Preference::has_ranges)
        {
            shaped.insert(*job);
        }
    }
    reserved(outcome).iter().filter(|(job, _)| shaped.contains(job)).count()
}

/// The checks of a world see every promise, every bill and, through the auditor, the whole journal.
#[test]
fn people_use_what_the_papers_describe() {
    let mut used = Used::default();
    for seed in 1..=40 {
        let outcome = live(&Settings { seed, ..Settings::default() });
        assert_eq!(outcome.wrong, Vec::<String>::new(), "seed {seed}");
        used.see(seed, &outcome.journal);
    }
    assert!(used.searched.len() > 20, "{used:?}");
    assert!(used.owners > 5 && used.administrators > 5, "{used:?}");
    assert!(used.taken > 5, "{used:?}");
    assert_eq!(used.broken, 0, "what is held can be had: {used:?}");
    assert_eq!(used.begun, 0, "what has begun cannot be taken: {used:?}");
}

/// Where every job was reserved, in turn: the sites of its window.
fn reserved(outcome: &Outcome) -> Vec<(JobNumber, BTreeSet<SiteId>)> {
    let events = outcome.journal.iter().flat_map(|entry| &entry.events);
    let asked = events.filter_map(|event| match event {
        Event::Reservation(ReservationEvent::Asked { job, allocation, .. }) => {
            Some((*job, allocation.parts.iter().map(|part| part.site).collect()))
        }
        _ => None,
    });
    asked.collect()
}

/// Two worlds that differ in how much an owner's wish weighs, and in nothing else, plan differently, and that owner's site gets more.
#[test]
fn what_an_owner_wants_changes_the_plan() {
    let (mut differ, mut hardly, mut much, mut wanting) = (0, 0, 0, 0);
    for seed in 1..=20 {
        let mut by = |weight| {
            let outcome =
                live(&Settings { seed, planning: Planning::Content { weight }, ..Settings::default() });
            assert_eq!(outcome.wrong, Vec::<String>::new(), "seed {seed}, weight {weight}");
            wanting += preferring(&outcome);
            reserved(&outcome)
        };
        let at_owner = |all: &[(JobNumber, BTreeSet<SiteId>)]| {
            all.iter().filter(|(_, sites)| sites.contains(&SiteId::new(0))).count()
        };
        let (without, with) = (by(1), by(100_000));
        differ += usize::from(without != with);
        hardly += at_owner(&without);
        much += at_owner(&with);
    }
    assert!(differ > 5, "the plans of {differ} of 20 worlds hang on the owner's wish");
    assert!(much > hardly, "{much} jobs at the site of whom is listened to, {hardly} otherwise");
    assert!(wanting > 20, "{wanting} jobs with ranges of their own had a window");
}

/// Whatever the search, and whether windows are listed or given out on the fly, everything holds.
#[test]
fn the_vo_searches_windows_in_many_ways() {
    let mut ways: BTreeMap<String, u64> = BTreeMap::new();
    for seed in 1..=30 {
        let outcome = live(&Settings { seed, planning: Planning::Searched, ..Settings::default() });
        assert_eq!(outcome.wrong, Vec::<String>::new(), "seed {seed}");
        let search = &outcome.broker.state().policy.search;
        let served = ways.entry(format!("{:?} {:?}", search.algorithm, search.mode)).or_default();
        for event in outcome.journal.iter().flat_map(|entry| &entry.events) {
            if let Event::Cycle(CycleEvent::Decided { verdict, .. }) = event {
                *served += u64::from(verdict.served);
            }
        }
    }
    assert!(ways.len() > 6 && ways.values().all(|served| *served > 0), "{ways:?}");
}

/// What no plan could beat is never above what was paid, and often found.
#[test]
fn plans_say_how_far_they_are_from_what_no_plan_could_beat() {
    let (mut bounds, mut tight) = (0, 0);
    for seed in 1..=30 {
        let outcome = live(&Settings { seed, planning: Planning::Bounded, ..Settings::default() });
        assert_eq!(outcome.wrong, Vec::<String>::new(), "seed {seed}");
        for event in outcome.journal.iter().flat_map(|entry| &entry.events) {
            let Event::Cycle(CycleEvent::Decided { verdict, .. }) = event else { continue };
            let Some(bound) = &verdict.bound else { continue };
            assert!(bound.cost_least <= bound.cost, "seed {seed}: {bound:?}");
            bounds += 1;
            tight += usize::from(bound.cost_least == bound.cost);
        }
    }
    assert!(bounds > 20 && tight > 0, "{bounds} plans had a bound, {tight} of them were proven the cheapest");
}
