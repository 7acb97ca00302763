//! Worlds in which people use what the papers describe: searches of their own, wishes of owners and the administrator, and quotes
//! that sites hold.

#![allow(clippy::unwrap_used, reason = "a test binary")]

use std::collections::{BTreeMap, BTreeSet};
use walras_broker::Event;
use walras_broker::event::{CycleEvent, JobEvent, QuoteEvent, ReservationEvent};
use walras_broker::id::{JobNumber, QuoteNumber};
use walras_broker::journal::Entry;
use walras_model::SiteId;
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
}

impl Used {
    fn see(&mut self, seed: u64, journal: &[Entry]) {
        let mut own: BTreeSet<JobNumber> = BTreeSet::new();
        let mut held: BTreeMap<QuoteNumber, Vec<JobNumber>> = BTreeMap::new();
        let mut gone: BTreeSet<JobNumber> = BTreeSet::new();
        for event in journal.iter().flat_map(|entry| &entry.events) {
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
    let (mut differ, mut hardly, mut much) = (0, 0, 0);
    for seed in 1..=20 {
        let by = |weight| {
            let outcome =
                live(&Settings { seed, planning: Planning::Content { weight }, ..Settings::default() });
            assert_eq!(outcome.wrong, Vec::<String>::new(), "seed {seed}, weight {weight}");
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
}

/// What no plan could beat is never above what was paid, and often found.
#[test]
fn plans_say_how_far_they_are_from_what_no_plan_could_beat() {
    let (mut bounds, mut tight) = (0, 0);
    for seed in 1..=15 {
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
