//! Sites that sell free processors, and jobs that want them: the MetaBroker's model (seed 003), stated once.
//!
//! A site has free processors of one speed at one price per processor and second, which may differ by user. A job
//! needs a number of processors at once, until its longest task ends: `tasks · price · (work / speed)`, run time and
//! price rounded as everywhere. It may go where that is within its budget and ends in time.
//!
//! The paper's formulas (1) and (2) multiply the processors by the decision, (6) leaves the run time out of the
//! budget and (7) leaves out the wait until the broker's next round; all that is mended here. "As many jobs as
//! possible" is an aim that (1) lacks: [`Serve::Most`] puts it first.

use walras_model::market::{CapacityMarket, Choices, Instance, InstanceError, Pair, Serve, Splitting};
use walras_model::quantity::{Money, Span};

/// One processor of one site for one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTerms {
    /// How long the job's longest task takes there.
    pub runtime: Span,
    /// What one processor costs until then.
    pub cost: Money,
}

/// Why a job cannot go anywhere, even if it were alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// No site, or no combination of sites for jobs that may be split, has as many processors.
    TooWide {
        /// How many it needs.
        tasks: u32,
        /// How many there are at most where it may go.
        most: u64,
    },
    /// It ends too late everywhere.
    TooLate {
        /// The shortest time in which it could be done where there are enough processors.
        fastest: Span,
        /// How long it may take.
        within: Span,
    },
    /// It costs too much everywhere where it would end in time.
    TooDear {
        /// The least cost.
        cheapest: Money,
        /// What it may cost.
        budget: Money,
    },
    /// Its cost or run time leaves the range of numbers everywhere.
    OutOfRange,
}

/// What a market comes to: who may go where, and at what cost. Jobs and sites are positions.
pub trait MarketRules {
    /// What one processor of a site means for a job; `None` where it would leave the range of numbers.
    fn terms(&self, job: usize, site: usize) -> Option<ProcessorTerms>;

    /// What the whole job costs on one site.
    fn cost(&self, job: usize, site: usize) -> Option<Money>;

    /// Whether a job may use a site at all, and ends there in time.
    fn in_time(&self, job: usize, site: usize) -> bool;

    /// Where a job may go with all its tasks: sites wide enough, in time, within the budget.
    fn pairs(&self, job: usize) -> Vec<Pair>;

    /// The single-site problem: every job as a whole.
    fn instance(&self) -> Result<Instance, InstanceError>;

    /// Why a job fits nowhere even alone; `None` when it does.
    fn unfit(&self, job: usize) -> Option<Unfit>;
}

impl MarketRules for CapacityMarket {
    fn terms(&self, job: usize, site: usize) -> Option<ProcessorTerms> {
        let (demand, capacity) = (&self.jobs[job], &self.sites[site]);
        let runtime = demand.work.runtime_on(capacity.speed)?;
        let cost = capacity.price_for(demand.user.as_deref()).cost_of(runtime)?;
        Some(ProcessorTerms { runtime, cost })
    }

    fn cost(&self, job: usize, site: usize) -> Option<Money> {
        let per_processor = self.terms(job, site)?.cost.as_micros();
        per_processor.checked_mul(i64::from(self.jobs[job].tasks)).map(Money::from_micros)
    }

    fn in_time(&self, job: usize, site: usize) -> bool {
        let demand = &self.jobs[job];
        may_use(self, job, site)
            && self
                .terms(job, site)
                .is_some_and(|terms| demand.within.is_none_or(|within| terms.runtime <= within))
    }

    fn pairs(&self, job: usize) -> Vec<Pair> {
        let demand = &self.jobs[job];
        let mut pairs = Vec::new();
        for (site, capacity) in self.sites.iter().enumerate() {
            if capacity.processors < demand.tasks || !self.in_time(job, site) {
                continue;
            }
            let cost = self.cost(job, site).filter(|cost| demand.budget.is_none_or(|budget| *cost <= budget));
            if let (Some(cost), Ok(site)) = (cost, u32::try_from(site)) {
                pairs.push(Pair { site, takes: demand.tasks, cost: cost.as_micros() });
            }
        }
        pairs
    }

    fn instance(&self) -> Result<Instance, InstanceError> {
        let capacities = self.sites.iter().map(|site| site.processors).collect();
        let jobs = (0..self.jobs.len())
            .map(|job| Choices { weight: self.jobs[job].weight, pairs: self.pairs(job) })
            .collect();
        Instance::new(capacities, jobs, Serve::Most)
    }

    fn unfit(&self, job: usize) -> Option<Unfit> {
        let demand = &self.jobs[job];
        let usable: Vec<usize> = (0..self.sites.len()).filter(|site| may_use(self, job, *site)).collect();
        let widest = most(self, demand.kind, &usable);
        let tasks = demand.tasks;
        if widest < u64::from(tasks) {
            return Some(Unfit::TooWide { tasks, most: widest });
        }
        let in_time: Vec<usize> = usable.iter().copied().filter(|site| self.in_time(job, *site)).collect();
        if most(self, demand.kind, &in_time) < u64::from(tasks) {
            return Some(match (fastest(self, job, &usable), demand.within) {
                (Some(fastest), Some(within)) => Unfit::TooLate { fastest, within },
                _ => Unfit::OutOfRange,
            });
        }
        let Some(cheapest) = cheapest(self, job, &in_time) else { return Some(Unfit::OutOfRange) };
        let budget = demand.budget.filter(|budget| cheapest > *budget)?;
        Some(Unfit::TooDear { cheapest, budget })
    }
}

fn may_use(market: &CapacityMarket, job: usize, site: usize) -> bool {
    let allowed = market.jobs[job].sites.as_ref();
    allowed.is_none_or(|sites| u32::try_from(site).is_ok_and(|site| sites.binary_search(&site).is_ok()))
}

/// The processors that one job can have at most on these sites.
fn most(market: &CapacityMarket, kind: Splitting, sites: &[usize]) -> u64 {
    let processors = sites.iter().map(|site| u64::from(market.sites[*site].processors));
    match kind {
        Splitting::SingleSite => processors.max().unwrap_or(0),
        Splitting::Split => processors.sum(),
    }
}

/// The shortest time in which a job can be done on these sites, if it were alone.
fn fastest(market: &CapacityMarket, job: usize, sites: &[usize]) -> Option<Span> {
    let demand = &market.jobs[job];
    let mut by_time: Vec<(Span, usize)> =
        sites.iter().filter_map(|site| Some((market.terms(job, *site)?.runtime, *site))).collect();
    by_time.sort_unstable();
    let mut enough = 0_u64;
    for (runtime, site) in by_time {
        let processors = u64::from(market.sites[site].processors);
        enough = match demand.kind {
            Splitting::SingleSite => enough.max(processors),
            Splitting::Split => enough + processors,
        };
        if enough >= u64::from(demand.tasks) {
            return Some(runtime);
        }
    }
    None
}

/// The least that a job costs on these sites, if it were alone.
fn cheapest(market: &CapacityMarket, job: usize, sites: &[usize]) -> Option<Money> {
    let demand = &market.jobs[job];
    match demand.kind {
        Splitting::SingleSite => {
            let wide = sites.iter().filter(|site| market.sites[**site].processors >= demand.tasks);
            wide.filter_map(|site| market.cost(job, *site)).min()
        }
        Splitting::Split => {
            let mut costs: Vec<(Money, u32)> = sites
                .iter()
                .filter_map(|site| Some((market.terms(job, *site)?.cost, market.sites[*site].processors)))
                .collect();
            costs.sort_unstable();
            let mut left = demand.tasks;
            let mut total = 0_i64;
            for (cost, processors) in costs {
                let taken = left.min(processors);
                total = total.checked_add(cost.as_micros().checked_mul(i64::from(taken))?)?;
                left -= taken;
            }
            (left == 0).then_some(Money::from_micros(total))
        }
    }
}
