//! The nodes of all sites, as rounds of assignment see them: who runs where, what stays free for how long, and what is lost.
//!
//! **Problem.** A round knows so many free processors at each site. Where owners use their nodes, not all of these stay free for as long as a
//! job takes; where nodes fail, it matters which ones a job has.
//!
//! **Method.** A site is open to a job if enough of its nodes stay free for as long as the job says it takes there. What a
//! round assigned to a site is given nodes in order of length, the longest first, those first that are not free for much longer: nodes that are free
//! for the longer job are free for the shorter one too, so that no other order places more of them. Whoever is left over waits; the longest
//! of them always gets its nodes, so that every round with an assignment starts somebody.
//!
//! **Complexity.** O(n log n) a job and a site with n nodes.

use super::failing::ATTEMPTS_MAX;
use super::nodes::Nodes;
use super::troubles::Troubles;
use crate::outage::Strike;
use crate::record::{Record, Site};
use crate::workload::Job;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A job that waits for a round.
#[derive(Clone, Copy)]
pub(super) struct Waits {
    /// Its number by arrival.
    pub(super) id: u64,
    pub(super) job: Job,
    /// How often it was lost.
    lost: u32,
}

impl Waits {
    pub(super) fn new(id: u64, job: Job) -> Waits {
        Waits { id, job, lost: 0 }
    }
}

struct Run {
    waits: Waits,
    site: usize,
    since: i64,
    nodes: Vec<usize>,
    /// What is told of it if it is not lost, where nodes fail.
    record: Option<Record>,
}

/// What became of a job on a node that failed.
pub(super) enum Lost {
    /// It waits again, before all others.
    Again(Waits),
    /// It was lost too often.
    GivenUp(Job),
}

/// All nodes, and who runs there.
pub(super) struct Floor<'a> {
    sites: &'a [Site],
    nodes: Vec<Nodes>,
    /// The same with nobody but the owners, where some use their nodes.
    empty: Option<Vec<Nodes>>,
    /// By their ends, then by when they started.
    runs: BTreeMap<(i64, u64), Run>,
    begun: u64,
    fails: bool,
}

impl<'a> Floor<'a> {
    pub(super) fn new(sites: &'a [Site], troubles: &Troubles<'_>) -> Floor<'a> {
        let nodes = troubles.nodes(sites);
        let empty = troubles.owners.map(|_| nodes.clone());
        let fails = troubles.failures.is_some();
        Floor { sites, nodes, empty, runs: BTreeMap::new(), begun: 0, fails }
    }

    /// It is that moment: what owners use is known from here on.
    pub(super) fn pass(&mut self, now: i64) {
        self.nodes.iter_mut().for_each(|nodes| nodes.pass(now));
    }

    pub(super) fn has_somebody(&self) -> bool {
        !self.runs.is_empty()
    }

    /// When the next run ends.
    pub(super) fn next_end(&self) -> Option<i64> {
        self.runs.first_key_value().map(|((end, _), _)| *end)
    }

    /// When the next owner leaves a node, so that somebody may start who could not before.
    pub(super) fn next_free(&self, now: i64) -> Option<i64> {
        self.empty.as_ref()?;
        self.nodes.iter().filter_map(|nodes| nodes.next_free(now)).min()
    }

    /// Ends what ends by now; whether anything did.
    pub(super) fn end(&mut self, now: i64, sink: &mut dyn FnMut(Record)) -> bool {
        let mut any = false;
        while let Some(entry) = self.runs.first_entry().filter(|entry| entry.key().0 <= now) {
            let run = entry.remove();
            self.nodes[run.site].give(&run.nodes, run.since);
            run.record.into_iter().for_each(&mut *sink);
            any = true;
        }
        any
    }

    /// A node goes, with the job on it, or comes back.
    pub(super) fn strike(&mut self, strike: Strike) -> Option<Lost> {
        let (site, node) = (strike.site as usize, strike.node as usize);
        self.nodes.get_mut(site)?.set_away(node, !strike.back);
        let holds = |run: &Run| run.site == site && run.nodes.contains(&node);
        let key = *self.runs.iter().find(|(_, run)| !strike.back && holds(run))?.0;
        let Run { mut waits, since, nodes, .. } = self.runs.remove(&key)?;
        self.nodes[site].give(&nodes, since);
        waits.lost += 1;
        Some(if waits.lost < ATTEMPTS_MAX { Lost::Again(waits) } else { Lost::GivenUp(waits.job) })
    }

    /// The nodes of each site on which something could start now.
    pub(super) fn free(&self, now: i64) -> impl Iterator<Item = u32> {
        self.nodes.iter().map(move |nodes| u32::try_from(nodes.free_now(now).len()).unwrap_or(u32::MAX))
    }

    fn takes(&self, site: usize, job: &Job) -> Option<i64> {
        Some(self.sites.get(site)?.takes(job.estimate)?.as_millis())
    }

    /// The sites that leave a job enough nodes for as long as it takes; `None` where no owner stands in its way anywhere.
    pub(super) fn open_to(&self, now: i64, job: &Job) -> Option<Vec<u32>> {
        self.empty.as_ref()?;
        let enough = |site: &u32| {
            let site = *site as usize;
            let free = self.takes(site, job).map(|lasts| self.nodes[site].free(now, lasts).len());
            free.is_some_and(|free| free >= job.nodes as usize)
        };
        Some((0..).take(self.sites.len()).filter(enough).collect())
    }

    /// Whether some of these sites could ever run a job, if nobody but their owners were there.
    pub(super) fn could_ever(&mut self, now: i64, job: &Job, mut sites: impl Iterator<Item = usize>) -> bool {
        let Some(mut empty) = self.empty.take() else { return true };
        empty.iter_mut().for_each(|nodes| nodes.pass(now));
        let could = sites.any(|site| {
            let lasts = self.takes(site, job);
            lasts.is_some_and(|lasts| empty[site].earliest(now, job.nodes, lasts).is_some())
        });
        self.empty = Some(empty);
        could
    }

    /// The nodes of all that were assigned to sites; none for those who find too few.
    pub(super) fn place(&mut self, now: i64, assigned: &[(Job, Option<usize>)]) -> Vec<Option<Vec<usize>>> {
        let mut order: Vec<(usize, usize, i64)> = Vec::new();
        for (place, (job, site)) in assigned.iter().enumerate() {
            order.extend(site.and_then(|site| Some((place, site, self.takes(site, job)?))));
        }
        order.sort_by_key(|(.., lasts)| Reverse(*lasts));
        let mut given = vec![None; assigned.len()];
        for (place, site, lasts) in order {
            let (nodes, of) = (assigned[place].0.nodes, &mut self.nodes[site]);
            let free = of.free(now, lasts);
            if free.len() >= nodes as usize {
                given[place] = Some(of.take_first(&free, nodes, now, now.saturating_add(lasts)));
            }
        }
        given
    }

    /// A job begins on nodes that were given to it.
    pub(super) fn begin(
        &mut self,
        now: i64,
        (waits, site, nodes): (Waits, usize, Vec<usize>),
        sink: &mut dyn FnMut(Record),
    ) {
        let record = Record::begun(site, &self.sites[site], now, &waits.job, None);
        let ends = record.ran.map_or(now, |ran| ran.end.as_millis());
        self.begun += 1;
        let open = self.fails.then_some(record);
        if open.is_none() {
            sink(record);
        }
        self.runs.insert((ends, self.begun), Run { waits, site, since: now, nodes, record: open });
    }

    /// The jobs of which nothing was told.
    pub(super) fn left(self) -> impl Iterator<Item = Job> {
        self.runs.into_values().filter(|run| run.record.is_some()).map(|run| run.waits.job)
    }
}
