//! Minimum-cost flow by successive shortest paths (Bellman and Ford): the transportation problem without a solver.

use walras_assign::MarketRules;
use walras_model::market::CapacityMarket;

struct Edge {
    from: usize,
    to: usize,
    room: i64,
    cost: i64,
}

/// The least cost of placing every task of every job, each on its own, whatever the budgets; `None` if they do not fit.
pub(crate) fn least_cost(market: &CapacityMarket) -> Option<i64> {
    let (jobs, sites) = (market.jobs.len(), market.sites.len());
    let (source, sink) = (jobs + sites, jobs + sites + 1);
    let mut edges = Vec::new();
    let mut add = |from, to, room, cost| {
        edges.push(Edge { from, to, room, cost });
        edges.push(Edge { from: to, to: from, room: 0, cost: -cost });
    };
    for (job, demand) in market.jobs.iter().enumerate() {
        add(source, job, i64::from(demand.tasks), 0);
        for site in (0..sites).filter(|site| market.in_time(job, *site)) {
            add(job, jobs + site, i64::MAX, market.terms(job, site)?.cost.as_micros());
        }
    }
    for (site, capacity) in market.sites.iter().enumerate() {
        add(jobs + site, sink, i64::from(capacity.processors), 0);
    }
    let mut missing: i64 = market.jobs.iter().map(|job| i64::from(job.tasks)).sum();
    let mut total = 0;
    while missing > 0 {
        let path = shortest(&edges, sink + 1, source, sink)?;
        for edge in path {
            edges[edge].room -= 1;
            edges[edge ^ 1].room = edges[edge ^ 1].room.saturating_add(1);
            total += edges[edge].cost;
        }
        missing -= 1;
    }
    Some(total)
}

fn shortest(edges: &[Edge], nodes: usize, source: usize, sink: usize) -> Option<Vec<usize>> {
    let mut distance = vec![None; nodes];
    let mut last = vec![usize::MAX; nodes];
    distance[source] = Some(0_i64);
    for _ in 0..nodes {
        for (at, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.room > 0) {
            let Some(near) = distance[edge.from] else { continue };
            if distance[edge.to].is_none_or(|far| near + edge.cost < far) {
                distance[edge.to] = Some(near + edge.cost);
                last[edge.to] = at;
            }
        }
    }
    distance[sink]?;
    let mut path = Vec::new();
    let mut node = sink;
    while node != source {
        path.push(last[node]);
        node = edges[last[node]].from;
    }
    Some(path)
}
