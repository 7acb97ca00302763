//! Putting a problem together: hard constraints filter, criteria become losses, totals and takes.

use super::assess::{Facts, QueueOffer, of_queue, of_window};
use super::constraint::Quota;
use super::criterion::Criterion;
use super::preference::{Preference, score};
use super::problem::{Collective, CompromiseJob, CompromiseOption, CompromiseProblem, Party, Voice};
use super::stakeholders::{CollectiveWish, JobWish, NegotiationTerms, Source, Stakeholders, User, WishError};
use crate::search::Alternatives;
use walras_model::division::time_of_units;
use walras_model::id::SiteId;
use walras_model::interval::Interval;
use walras_model::offer::Offers;
use walras_model::quantity::{Span, Time};
use walras_model::request::{Batch, Request};
use walras_model::window::{Placement, Window};

/// What an option is.
#[derive(Clone, Copy)]
enum Item<'a> {
    Window(&'a Window),
    Queue(usize),
}

impl<'a> Item<'a> {
    fn of(source: Source, found: &'a Alternatives) -> Item<'a> {
        match source {
            Source::Window(place) => Item::Window(&found.found[place].window),
            Source::Queue(place) => Item::Queue(place),
        }
    }
}

/// What is known while a problem is put together.
pub(super) struct Builder<'a> {
    wishes: &'a Stakeholders,
    offers: &'a Offers,
    batch: &'a Batch,
    loads: &'a [i64],
    parties: Vec<Party>,
    /// For each party that looks at totals: its site, where it is an owner, and its first total.
    collectives: Vec<(Option<SiteId>, usize, &'a Preference, String)>,
    /// Which totals anything was added to.
    heard: Vec<bool>,
    capacities: Vec<i64>,
    /// The capacity of each queue, and of each site's quotas.
    queue_places: Vec<Option<usize>>,
    quota_places: Vec<Vec<usize>>,
    budget_place: Option<usize>,
    time_place: Option<usize>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        wishes: &'a Stakeholders,
        offers: &'a Offers,
        batch: &'a Batch,
        loads: &'a [i64],
        terms: &NegotiationTerms<'_>,
    ) -> Builder<'a> {
        let user = |user: &User| Party { name: user.name.clone(), weight: user.weight, voice: Voice::User };
        let mut builder = Builder {
            wishes,
            offers,
            batch,
            loads,
            parties: wishes.users.iter().map(user).collect(),
            collectives: Vec::new(),
            heard: Vec::new(),
            capacities: Vec::new(),
            queue_places: Vec::new(),
            quota_places: Vec::new(),
            budget_place: None,
            time_place: None,
        };
        for (index, (site, wish)) in offers.sites().iter().zip(&wishes.owners).enumerate() {
            if let Some(wish) = wish {
                builder.add_collective(format!("owner of {}", site.name), SiteId::from_index(index), wish);
            }
        }
        if let Some(wish) = &wishes.administrator {
            builder.add_collective("administrator".to_owned(), None, wish);
        }
        builder.add_capacities(terms);
        builder
    }

    fn add_collective(&mut self, name: String, site: Option<SiteId>, wish: &'a CollectiveWish) {
        let first_total = self.heard.len();
        let preference = &wish.preference;
        self.heard.resize(first_total + preference.weighted().len(), false);
        self.collectives.push((site, first_total, preference, name.clone()));
        let voice = Voice::Collective(Collective { preference: preference.clone(), first_total });
        self.parties.push(Party { name, weight: wish.weight, voice });
    }

    fn capacity(&mut self, most: i64) -> usize {
        self.capacities.push(most);
        self.capacities.len() - 1
    }

    fn add_capacities(&mut self, terms: &NegotiationTerms<'_>) {
        for queue in &self.wishes.queues {
            let place = queue.units.map(|units| self.capacity(i64::from(units)));
            self.queue_places.push(place);
        }
        for rules in &self.wishes.rules {
            let most = |quota: &Quota| match quota {
                Quota::Jobs(count) => i64::from(*count),
                Quota::NodeTime(span) => span.as_millis(),
                Quota::Spend(money) => money.as_micros(),
            };
            let places = rules.quotas.iter().map(|(_, quota)| self.capacity(most(quota))).collect();
            self.quota_places.push(places);
        }
        self.budget_place = terms.budget_max.map(|money| self.capacity(money.as_micros()));
        self.time_place = terms.time_max.map(|span| self.capacity(span.as_millis()));
    }

    fn facts(&self, job: usize) -> Facts<'_> {
        Facts {
            offers: self.offers,
            request: &self.batch.requests()[job],
            now: self.offers.horizon().start(),
            spread: self.wishes.jobs[job].spread,
            loads: self.loads,
        }
    }

    pub(super) fn admits(&self, job: usize, site: SiteId, interval: Interval) -> bool {
        let user = &self.wishes.users[self.wishes.jobs[job].user];
        let rules = self.wishes.rules.get(site.index());
        rules.is_none_or(|rules| {
            rules.admit(&user.name, user.group.as_deref(), interval, self.wishes.calendar).is_ok()
        })
    }

    pub(super) fn admits_window(&self, job: usize, window: &Window) -> bool {
        window.placements().iter().all(|it| self.admits(job, self.offers.node(it.node).site, it.interval))
    }

    /// Whether a queue keeps everything that the request asks for.
    pub(super) fn admits_queue(&self, job: usize, place: usize) -> bool {
        let (request, queue) = (&self.batch.requests()[job], &self.wishes.queues[place]);
        let Some(interval) = expected(request, queue, self.offers.horizon().start()) else { return false };
        let facts = self.facts(job);
        let cost = of_queue(&facts, queue, &Criterion::Cost);
        let affordable = |cost: i64| request.budget.is_none_or(|budget| cost <= budget.as_micros());
        queue.performance >= request.performance_min
            && queue.units.is_none_or(|units| units >= request.tasks)
            && request.deadline.is_none_or(|deadline| interval.end() <= deadline)
            && request.earliest.is_none_or(|earliest| interval.start() >= earliest)
            && request.price_max.is_none_or(|price| queue.rate <= price)
            && request.scope.admits(queue.site)
            && request.requires.iter().all(|requirement| requirement.is_met_by(&queue.attributes))
            && cost.is_some_and(affordable)
            && self.admits(job, queue.site, interval)
    }

    pub(super) fn value(
        &self,
        job: usize,
        source: Source,
        found: &Alternatives,
        it: &Criterion,
        site: Option<SiteId>,
    ) -> Option<i64> {
        self.value_of(job, Item::of(source, found), it, site)
    }

    fn value_of(&self, job: usize, item: Item<'_>, it: &Criterion, site: Option<SiteId>) -> Option<i64> {
        let facts = self.facts(job);
        match item {
            Item::Window(window) => of_window(&facts, window, it, site),
            Item::Queue(place) => {
                let queue = &self.wishes.queues[place];
                if site.is_some_and(|site| site != queue.site) { None } else { of_queue(&facts, queue, it) }
            }
        }
    }

    pub(super) fn job(
        &mut self,
        job: usize,
        sources: &[Source],
        found: &Alternatives,
    ) -> Result<CompromiseJob, WishError> {
        let JobWish { user, preference, .. } = &self.wishes.jobs[job];
        if sources.is_empty() {
            return Ok(CompromiseJob { user: *user, options: Vec::new() });
        }
        let row = |source: &Source| -> Vec<Option<i64>> {
            let value = |it: &super::Weighted| self.value(job, *source, found, &it.criterion, None);
            preference.weighted().iter().map(value).collect()
        };
        let rows: Vec<Vec<Option<i64>>> = sources.iter().map(row).collect();
        let name = &self.batch.requests()[job].name;
        let scored = score(preference, &rows).map_err(|error| WishError::Job(name.clone(), error))?;
        let options = sources.iter().zip(scored);
        let options = options.map(|(source, scored)| CompromiseOption {
            loss: scored.loss,
            takes: self.takes(job, Item::of(*source, found)),
            adds: self.adds(job, *source, found),
        });
        let options: Vec<CompromiseOption> = options.collect();
        for (total, _) in options.iter().flat_map(|option| &option.adds) {
            self.heard[*total] = true;
        }
        Ok(CompromiseJob { user: *user, options })
    }

    fn adds(&self, job: usize, source: Source, found: &Alternatives) -> Vec<(usize, i64)> {
        let mut adds = Vec::new();
        for (site, first_total, preference, _) in &self.collectives {
            for (total, it) in (*first_total..).zip(preference.weighted()) {
                adds.extend(self.value(job, source, found, &it.criterion, *site).map(|value| (total, value)));
            }
        }
        adds
    }

    /// How much a window takes of which capacities.
    pub(super) fn takes_of_window(&self, job: usize, window: &Window) -> Vec<(usize, i64)> {
        self.takes(job, Item::Window(window))
    }

    /// What there is of each capacity.
    pub(super) fn capacities(&self) -> &[i64] {
        &self.capacities
    }

    /// The quotas that a job counts against: the site of each, and its capacity.
    pub(super) fn quotas_of(&self, job: usize) -> Vec<(SiteId, usize)> {
        let user = &self.wishes.users[self.wishes.jobs[job].user];
        let mut all = Vec::new();
        for (index, (rules, places)) in self.wishes.rules.iter().zip(&self.quota_places).enumerate() {
            let Some(site) = SiteId::from_index(index) else { continue };
            let counts = rules.quotas.iter().zip(places);
            let counts = counts.filter(|((who, _), _)| who.names(&user.name, user.group.as_deref()));
            all.extend(counts.map(|(_, place)| (site, *place)));
        }
        all
    }

    /// Whether anybody is kept out of a site at some hour.
    pub(super) fn has_access_rules(&self) -> bool {
        self.wishes.rules.iter().any(|rules| !rules.access.is_empty())
    }

    fn takes(&self, job: usize, item: Item<'_>) -> Vec<(usize, i64)> {
        let request = &self.batch.requests()[job];
        let mut takes = Vec::new();
        let value = |it: &Criterion, site| self.value_of(job, item, it, site).unwrap_or(0);
        if let Item::Queue(queue) = item {
            takes.extend(self.queue_places[queue].map(|place| (place, i64::from(request.tasks))));
        }
        let user = &self.wishes.users[self.wishes.jobs[job].user];
        for (index, (rules, places)) in self.wishes.rules.iter().zip(&self.quota_places).enumerate() {
            let Some(site) = SiteId::from_index(index) else { continue };
            let node_time = self.node_time(job, item, site);
            for ((who, quota), place) in rules.quotas.iter().zip(places) {
                if node_time > 0 && who.names(&user.name, user.group.as_deref()) {
                    let units = match quota {
                        Quota::Jobs(_) => 1,
                        Quota::NodeTime(_) => node_time,
                        Quota::Spend(_) => value(&Criterion::Cost, Some(site)),
                    };
                    takes.push((*place, units));
                }
            }
        }
        takes.extend(self.budget_place.map(|place| (place, value(&Criterion::Cost, None))));
        let length = value(&Criterion::Finish, None) - value(&Criterion::Start, None);
        takes.extend(self.time_place.map(|place| (place, length.max(0))));
        takes
    }

    /// Time on nodes of one site, in milliseconds: of a node that is sold in units, its part of that.
    fn node_time(&self, job: usize, item: Item<'_>, site: SiteId) -> i64 {
        let request = &self.batch.requests()[job];
        match item {
            Item::Window(window) => {
                let placements = window.placements().iter();
                let there = placements.filter(|it| self.offers.node(it.node).site == site);
                let of = |it: &Placement| self.offers.node(it.node).division.units();
                there.map(|it| time_of_units(it.interval.span(), it.units, of(it))).sum()
            }
            Item::Queue(place) => {
                let queue = &self.wishes.queues[place];
                let runtime = request.work.runtime_on(queue.performance).map_or(0, Span::as_millis);
                if queue.site == site { runtime.saturating_mul(i64::from(request.tasks)) } else { 0 }
            }
        }
    }

    pub(super) fn finish(self, jobs: Vec<CompromiseJob>) -> Result<CompromiseProblem, WishError> {
        let anything = jobs.iter().any(|job| !job.options.is_empty());
        for (_, first_total, preference, name) in &self.collectives {
            for (total, it) in (*first_total..).zip(preference.weighted()) {
                if anything && !self.heard[total] && !always_said(&it.criterion) {
                    return Err(WishError::Collective(name.clone(), it.criterion.clone()));
                }
            }
        }
        CompromiseProblem::new(jobs, self.parties, self.capacities, self.wishes.across)
            .map_err(WishError::Problem)
    }
}

/// Money and times are said of everything: that nothing was heard of them means that nothing is on offer there.
fn always_said(criterion: &Criterion) -> bool {
    !matches!(
        criterion,
        Criterion::Memory
            | Criterion::Attribute(..)
            | Criterion::Energy
            | Criterion::SpareTime
            | Criterion::LikelyFinish
            | Criterion::FinishDeviation
            | Criterion::FinishMax
            | Criterion::FinishError
    )
}

/// When a job would run in a queue.
fn expected(request: &Request, queue: &QueueOffer, now: Time) -> Option<Interval> {
    let start = now.checked_add(queue.wait)?;
    Interval::new(start, start.checked_add(request.work.runtime_on(queue.performance)?)?)
}
