//! A request as the search sees it: which nodes fit, how long each needs, and the limits in plain integers.

use super::config::{Algorithm, Criterion};
use walras_model::attribute::{Attributes, Value};
use walras_model::capacity::CapacityOffer;
use walras_model::id::NodeId;
use walras_model::offer::{Node, Offers, Slot};
use walras_model::quantity::{Factor, Money, Rate, Span, Time};
use walras_model::request::Request;

/// The run time of a node that does not fit: no slot is that long.
pub(crate) const NO_FIT: i64 = i64::MAX;

/// The rate of a node whose slots say what it costs.
const OF_SLOT: i64 = 0;

/// One request against one set of offers. Times in milliseconds, money in micro-credits.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) tasks: usize,
    /// What each task takes at performance 1.
    pub(crate) work: i64,
    /// Run time on each node, by id; [`NO_FIT`] where it does not fit.
    pub(crate) runtimes: Vec<i64>,
    /// What each node costs this user per second, by id, where it is not what its slots say ([`OF_SLOT`]); empty
    /// when no node has prices for single users.
    pub(crate) rates: Vec<i64>,
    /// How many nodes fit; within one pool, the most of any.
    pub(crate) nodes_fitting: usize,
    /// The shortest run time there is; [`NO_FIT`] when no node fits.
    pub(crate) runtime_min: i64,
    pub(crate) performance_min: i64,
    /// What a slot may cost, per second.
    pub(crate) rate_max: i64,
    /// What a window may cost.
    pub(crate) budget: i64,
    pub(crate) earliest: i64,
    pub(crate) deadline: i64,
    /// The pool that each node's candidates gather in, by node id; empty when there is one pool for all.
    pub(crate) pools: Vec<u32>,
    pub(crate) pool_count: usize,
}

impl View {
    /// How `algorithm` sees this request.
    pub(crate) fn new(offers: &Offers, request: &Request, algorithm: &Algorithm, factor: Factor) -> View {
        let criterion = match algorithm {
            Algorithm::Criterion(criterion) => Some(criterion),
            Algorithm::Alp | Algorithm::Amp => None,
        };
        let mut runtimes: Vec<i64> =
            offers.nodes().iter().map(|node| runtime_on(node, request, criterion)).collect();
        if request.scope.nodes.is_some() {
            for (index, runtime) in runtimes.iter_mut().enumerate() {
                let admitted = NodeId::from_index(index).is_some_and(|node| request.scope.admits_node(node));
                *runtime = if admitted { *runtime } else { NO_FIT };
            }
        }
        let (budget, rate_max) = match algorithm {
            // With k = 1 the budget that follows from the cap holds by itself; only a given one binds.
            Algorithm::Alp => (request.budget, request.price_max),
            Algorithm::Amp | Algorithm::Criterion(_) => (request.budget_limit(factor), None),
        };
        let same_site = request.scope.same_site;
        let mut view = View {
            nodes_fitting: 0,
            tasks: request.tasks as usize,
            work: request.work.as_millis(),
            runtime_min: runtimes.iter().copied().min().unwrap_or(NO_FIT),
            runtimes,
            rates: rates(offers, request),
            performance_min: request.performance_min.as_millionths(),
            rate_max: rate_max.map_or(i64::MAX, Rate::as_micros_per_second),
            budget: budget.map_or(i64::MAX, Money::as_micros),
            earliest: request.earliest.unwrap_or(Time::MIN).as_millis(),
            deadline: request.deadline.unwrap_or(Time::MAX).as_millis(),
            pools: match same_site {
                true => offers.nodes().iter().map(|node| node.site.number()).collect(),
                false => Vec::new(),
            },
            pool_count: if same_site { offers.sites().len() } else { 1 },
        };
        view.nodes_fitting = view.count_fitting();
        view
    }

    /// Which pool a node's candidates gather in.
    pub(crate) fn pool_of(&self, node: usize) -> usize {
        self.pools.get(node).map_or(0, |pool| *pool as usize)
    }

    /// What a slot costs the user, per second; never less than the slot says.
    #[inline]
    pub(crate) fn rate_of(&self, slot: &Slot) -> i64 {
        match self.rates.get(slot.node().index()) {
            None | Some(&OF_SLOT) => slot.rate().as_micros_per_second(),
            Some(rate) => *rate,
        }
    }

    fn count_fitting(&self) -> usize {
        if self.pools.is_empty() {
            return self.runtimes.iter().filter(|runtime| **runtime != NO_FIT).count();
        }
        let mut counts = vec![0; self.pool_count];
        for (node, runtime) in self.runtimes.iter().enumerate() {
            counts[self.pool_of(node)] += usize::from(*runtime != NO_FIT);
        }
        counts.into_iter().max().unwrap_or(0)
    }
}

/// A view between two searches.
#[derive(Clone, Debug)]
pub(crate) enum KeptView {
    Plain(View),
    /// With its run times apart, in half the space.
    Packed {
        view: View,
        runtimes: Vec<u32>,
    },
}

/// [`NO_FIT`], packed.
const NO_FIT_PACKED: u32 = u32::MAX;

impl KeptView {
    /// Packs a view; nothing when it has run times of more than seven weeks, or more than run times by node.
    pub(crate) fn packed(mut view: View) -> Option<KeptView> {
        if !view.rates.is_empty() || !view.pools.is_empty() {
            return None;
        }
        let pack = |runtime: &i64| match *runtime {
            NO_FIT => Some(NO_FIT_PACKED),
            runtime => u32::try_from(runtime).ok().filter(|runtime| *runtime != NO_FIT_PACKED),
        };
        let runtimes = view.runtimes.iter().map(pack).collect::<Option<Vec<u32>>>()?;
        view.runtimes = Vec::new();
        Some(KeptView::Packed { view, runtimes })
    }

    /// The view as it was.
    pub(crate) fn into_view(self) -> View {
        match self {
            KeptView::Plain(view) => view,
            KeptView::Packed { mut view, runtimes } => {
                let unpack =
                    |runtime: u32| if runtime == NO_FIT_PACKED { NO_FIT } else { i64::from(runtime) };
                view.runtimes = runtimes.into_iter().map(unpack).collect();
                view
            }
        }
    }
}

/// See [`View::rates`].
fn rates(offers: &Offers, request: &Request) -> Vec<i64> {
    if !has_user_prices(offers) {
        return Vec::new();
    }
    let nodes = (0..offers.nodes().len()).map(NodeId::from_index);
    nodes.map(|node| node.map_or(OF_SLOT, |node| own_rate(offers, request, node))).collect()
}

/// Whether some node has prices for single users.
pub(crate) fn has_user_prices(offers: &Offers) -> bool {
    offers.capacities().iter().any(|offer| !offer.capacity.prices.is_empty())
}

/// What a node costs a request's user, where some nodes have prices for single users; [`OF_SLOT`] where its slots say it.
fn own_rate(offers: &Offers, request: &Request, node: NodeId) -> i64 {
    let price = |offer: &CapacityOffer| offer.capacity.price_for(request.user.as_deref());
    offers.capacity_of(node).map_or(OF_SLOT, |offer| price(offer).as_micros_per_second())
}

/// The same for one slot as for all nodes at once ([`View::rate_of`]), where some nodes have prices for single users.
pub(crate) fn own_rate_of(offers: &Offers, request: &Request, slot: &Slot) -> i64 {
    match own_rate(offers, request, slot.node()) {
        OF_SLOT => slot.rate().as_micros_per_second(),
        rate => rate,
    }
}

/// The run time of the request's tasks on a node, or [`NO_FIT`].
pub(crate) fn runtime_of(node: &Node, request: &Request) -> i64 {
    runtime_on(node, request, None)
}

/// The same for a search, which may need to know more of a node.
fn runtime_on(node: &Node, request: &Request, criterion: Option<&Criterion>) -> i64 {
    let fits = node.performance >= request.performance_min
        && request.scope.admits(node.site)
        && (asks_nothing(node, request) || node.units_needed(request).is_some())
        && criterion.is_none_or(|criterion| states(node, criterion));
    let runtime = if fits { request.work.runtime_on(node.performance) } else { None };
    let runtime = runtime.map_or(NO_FIT, Span::as_millis);
    match (criterion, node.watts) {
        // Energy that cannot be summed cannot be compared.
        (Some(Criterion::Energy), Some(watts)) if watts.as_milliwatts().checked_mul(runtime).is_none() => {
            NO_FIT
        }
        _ => runtime,
    }
}

/// Whether the node need not be looked at: nothing is required, and it takes whoever comes.
fn asks_nothing(node: &Node, request: &Request) -> bool {
    request.requires.is_empty() && node.division.is_for_everybody()
}

/// Whether a node states what the criterion sums.
pub(crate) fn states(node: &Node, criterion: &Criterion) -> bool {
    match criterion {
        Criterion::Energy => node.watts.is_some(),
        Criterion::Attribute(name) => attribute_millionths(&node.attributes, name).is_some(),
        _ => true,
    }
}

/// A numeric attribute that is not negative, in millionths.
pub(crate) fn attribute_millionths(attributes: &Attributes, name: &str) -> Option<i64> {
    match attributes.get(name) {
        Some(Value::Number(number)) => Some(number.as_millionths()).filter(|number| *number >= 0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::interval::Interval;
    use walras_model::quantity::{Performance, Work};

    #[test]
    fn a_packed_view_is_what_it_was() {
        let time = |millis| Time::from_millis(millis).unwrap();
        let node = |performance| Node {
            division: Default::default(),
            name: format!("n{performance}"),
            site: walras_model::id::SiteId::new(0),
            performance: Performance::from_millionths(performance).unwrap(),
            watts: None,
            attributes: Attributes::new(),
        };
        let sites = vec![walras_model::offer::Site { name: "a".into() }];
        let nodes = vec![node(1_000_000), node(3_000_000), node(500_000)];
        let offers = Offers::new(Interval::new(time(0), time(1)).unwrap(), sites, nodes, Vec::new()).unwrap();
        let view = |work: i64| {
            let mut request = Request::new("J", 1, Work::from_millis(work).unwrap());
            request.performance_min = Performance::ONE;
            View::new(&offers, &request, &Algorithm::Amp, Factor::ONE)
        };
        let packed = KeptView::packed(view(1_000)).unwrap().into_view();
        assert_eq!(packed.runtimes, [1_000, 334, NO_FIT]);
        assert_eq!(packed.nodes_fitting, 2);
        // 2³² − 1 means that nothing fits.
        assert!(KeptView::packed(view(i64::from(u32::MAX) - 1)).is_some());
        assert!(KeptView::packed(view(i64::from(u32::MAX))).is_none());
    }
}
