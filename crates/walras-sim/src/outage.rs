//! When nodes are away: from a trace, or drawn from a seed; the same for whoever schedules.
//!
//! **Problem.** A policy that looks good on machines that never fail may lose on real ones. Policies can only be compared when the
//! same nodes fail at the same moments under all of them.
//!
//! **Method.** [`Failures`] are turned into [`Strikes`]: nodes that go and come back, in order of time, whatever is done with them. Drawn
//! ones have exponential times between the return of a node and its next failure, and each node draws from a stream of
//! its own. Traced ones come from a table ([`read_outages`]) with the columns `site`, `node` (by number, from 0 on), `from` and
//! `until`, in seconds on the clock of the workload; without `until` the node stays away. Outages of a node that touch are one.
//!
//! ```
//! use walras_model::Time;
//! use walras_sim::outage::{Failures, read_outages};
//! use walras_sim::{record::Site, table::Table};
//! let sites = [Site::plain("campus", 4)];
//! let text = "site,node,from,until\ncampus,2,10,20\ncampus,2,15,40\n";
//! let outages = read_outages(Table::new(text.as_bytes()), &sites).unwrap();
//! let begin = Time::from_millis(0).unwrap();
//! let strikes = Failures::Traced(outages.into()).strikes(&sites, 1, begin);
//! let seen: Vec<_> = strikes.map(|it| (it.at.as_millis(), it.node, it.back)).collect();
//! assert_eq!(seen, [(10_000, 2, false), (40_000, 2, true)]);
//! ```

use crate::record::Site;
use crate::table::{Row, Table, shown};
use crate::trace::BadLine;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io::BufRead;
use std::sync::Arc;
use walras_model::{Span, Time};
use walras_random::Purpose;
use walras_random::Stream;

/// How nodes fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failures {
    /// From a seed.
    Drawn {
        /// The mean time until a node fails.
        between: Span,
        /// How long it stays away.
        repair: Span,
    },
    /// As they did.
    Traced(Arc<[Outage]>),
}

/// A node is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outage {
    /// Its site, by place.
    pub site: u32,
    /// Its number there.
    pub node: u32,
    /// When it goes.
    pub from: Time,
    /// Until when; for good, without.
    pub until: Option<Time>,
}

/// A node goes, or is back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Strike {
    /// When it goes or comes back.
    pub at: Time,
    /// Its site, by place.
    pub site: u32,
    /// Its number there.
    pub node: u32,
    /// Whether it is back.
    pub back: bool,
}

/// All that goes and comes back, in order of time.
#[derive(Debug)]
pub struct Strikes {
    coming: BinaryHeap<Reverse<(Strike, usize)>>,
    /// What the next failure of a node is drawn from, by place; none where failures are traced.
    drawn: Vec<Stream>,
    between: f64,
    repair: Span,
}

impl Failures {
    /// What happens from a moment on.
    pub fn strikes(&self, sites: &[Site], seed: u64, begin: Time) -> Strikes {
        match self {
            Failures::Drawn { between, repair } => {
                let nodes = sites
                    .iter()
                    .zip(0_u32..)
                    .flat_map(|(site, place)| (0..site.nodes).map(move |it| (place, it)));
                let nodes: Vec<(u32, u32)> = nodes.collect();
                let stream = |number: u32| Purpose::Failures.stream(seed, number);
                let drawn = (0_u32..).zip(&nodes).map(|(number, _)| stream(number)).collect();
                let between = between.as_millis() as f64;
                let mut strikes = Strikes { coming: BinaryHeap::new(), drawn, between, repair: *repair };
                for (place, (site, node)) in nodes.into_iter().enumerate() {
                    strikes.draw(place, Strike { at: begin, site, node, back: true });
                }
                strikes
            }
            Failures::Traced(outages) => {
                let alive = outages.iter().filter(|outage| outage.until.is_none_or(|until| until > begin));
                let ends = alive.flat_map(|outage| {
                    let Outage { site, node, from, until } = *outage;
                    let gone = Strike { at: from.max(begin), site, node, back: false };
                    [Some(gone), until.map(|at| Strike { at, site, node, back: true })]
                });
                let coming = ends.flatten().map(|strike| Reverse((strike, 0))).collect();
                Strikes { coming, drawn: Vec::new(), between: 0.0, repair: Span::ZERO }
            }
        }
    }
}

impl Strikes {
    /// Nothing fails.
    pub fn none() -> Strikes {
        Strikes { coming: BinaryHeap::new(), drawn: Vec::new(), between: 0.0, repair: Span::ZERO }
    }

    /// When the next is.
    pub fn peek(&self) -> Option<Time> {
        self.coming.peek().map(|Reverse((strike, _))| strike.at)
    }

    /// The next until a moment.
    pub fn next_by(&mut self, now: Time) -> Option<Strike> {
        if self.peek()? > now { None } else { self.next() }
    }

    /// Draws what follows a strike of a node.
    fn draw(&mut self, place: usize, last: Strike) {
        let Some(stream) = self.drawn.get_mut(place) else { return };
        let after = if last.back {
            let drawn = -(1.0 - stream.share()).ln() * self.between;
            #[allow(clippy::cast_possible_truncation, reason = "clamped")]
            let millis = drawn.clamp(1.0, 1e13) as i64;
            millis
        } else {
            self.repair.as_millis().max(1)
        };
        // Beyond the end of time nothing happens.
        let at = last.at.as_millis().checked_add(after).and_then(Time::from_millis);
        self.coming.extend(at.map(|at| Reverse((Strike { at, back: !last.back, ..last }, place))));
    }
}

impl Iterator for Strikes {
    type Item = Strike;

    fn next(&mut self) -> Option<Strike> {
        let Reverse((strike, place)) = self.coming.pop()?;
        self.draw(place, strike);
        Some(strike)
    }
}

/// Reads outages of these sites from a table.
pub fn read_outages<R: BufRead>(mut table: Table<R>, sites: &[Site]) -> Result<Vec<Outage>, BadLine> {
    let mut by_node: BTreeMap<(u32, u32), Vec<Outage>> = BTreeMap::new();
    while let Some(row) = table.next_row()? {
        let outage = outage(&row, sites)?;
        by_node.entry((outage.site, outage.node)).or_default().push(outage);
    }
    let mut all: Vec<Outage> = by_node.into_values().flat_map(joined).collect();
    all.sort_by_key(|outage| (outage.from, outage.site, outage.node));
    Ok(all)
}

fn outage(row: &Row<'_>, sites: &[Site]) -> Result<Outage, BadLine> {
    let name = row.text("site");
    let (site, spec) = match name {
        None if sites.len() == 1 => (0, &sites[0]),
        None => return Err(row.wrong("has nothing in a column 'site'")),
        Some(name) => {
            let found = (0..).zip(sites).find(|(_, site)| site.name == name);
            found.ok_or_else(|| row.wrong(format!("there is no site '{}'", shown(name))))?
        }
    };
    row.need(&["node"])?;
    let node = row.decimal("node", 0)?.and_then(|node| u32::try_from(node).ok());
    let node = node.filter(|node| *node < spec.nodes);
    let node = node.ok_or_else(|| {
        row.wrong(format!("node: must be a number from 0 to {} at site '{}'", spec.nodes - 1, spec.name))
    })?;
    row.need(&["from"])?;
    let moment = |name: &str| -> Result<Option<Time>, BadLine> {
        let millis = row.decimal(name, 3)?;
        let time =
            |millis| Time::from_millis(millis).ok_or_else(|| row.wrong(format!("{name}: is out of range")));
        millis.map(time).transpose()
    };
    let (from, until) = (moment("from")?, moment("until")?);
    let from = from.ok_or_else(|| row.wrong("has nothing in a column 'from'"))?;
    if until.is_some_and(|until| until <= from) {
        return Err(row.wrong("until: must be later than from"));
    }
    Ok(Outage { site, node, from, until })
}

/// The outages of a node, those that touch as one.
fn joined(mut outages: Vec<Outage>) -> Vec<Outage> {
    outages.sort();
    let mut all: Vec<Outage> = Vec::with_capacity(outages.len());
    for outage in outages {
        match all.last_mut().filter(|last| last.until.is_none_or(|until| until >= outage.from)) {
            Some(last) => last.until = last.until.zip(outage.until).map(|(one, other)| one.max(other)),
            None => all.push(outage),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sites() -> [Site; 2] {
        [Site::plain("a", 2), Site::plain("b", 1)]
    }

    fn read(text: &str) -> Result<Vec<Outage>, String> {
        read_outages(Table::new(text.as_bytes()), &sites()).map_err(|bad| bad.to_string())
    }

    fn at(seconds: i64) -> Time {
        Time::from_millis(1_000 * seconds).unwrap()
    }

    #[test]
    fn outages_that_touch_are_one() {
        let text = "node,site,from,until\n1,a,30,\n1,a,5,10\n1,a,10,20\n0,b,0.5,7\n1,a,40,50\n";
        let seen: Vec<_> =
            read(text).unwrap().iter().map(|it| (it.site, it.node, it.from.as_millis(), it.until)).collect();
        assert_eq!(seen, [(1, 0, 500, Some(at(7))), (0, 1, 5_000, Some(at(20))), (0, 1, 30_000, None)]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |row: &str| read(&format!("site,node,from,until\n{row}\n")).unwrap_err();
        assert_eq!(error("c,0,1,2"), "line 2: there is no site 'c'");
        assert_eq!(error(",0,1,2"), "line 2: has nothing in a column 'site'");
        assert_eq!(error("a,2,1,2"), "line 2: node: must be a number from 0 to 1 at site 'a'");
        assert_eq!(error("a,,1,2"), "line 2: has nothing in a column 'node'");
        assert_eq!(error("a,0,,2"), "line 2: has nothing in a column 'from'");
        assert_eq!(error("a,0,3,3"), "line 2: until: must be later than from");
        assert_eq!(error("a,0,x,3"), "line 2: from: 'x' is not a plain number");
    }

    #[test]
    fn what_was_before_the_beginning_is_over_or_goes_on() {
        let outages = read("site,node,from,until\na,0,1,5\na,1,1,50\nb,0,20,\n").unwrap();
        let strikes: Vec<Strike> = Failures::Traced(outages.into()).strikes(&sites(), 1, at(10)).collect();
        let strike = |seconds, site, node, back| Strike { at: at(seconds), site, node, back };
        assert_eq!(strikes, [strike(10, 0, 1, false), strike(20, 1, 0, false), strike(50, 0, 1, true)]);
    }

    #[test]
    fn nodes_that_draw_go_and_come_back_in_turn() {
        let span = |seconds: i64| Span::from_millis(1_000 * seconds).unwrap();
        let failures = Failures::Drawn { between: span(100), repair: span(7) };
        let strikes: Vec<Strike> = failures.strikes(&sites(), 3, at(0)).take(6_000).collect();
        assert!(strikes.is_sorted_by_key(|strike| strike.at));
        for node in [(0, 0), (0, 1), (1, 0)] {
            let of: Vec<&Strike> = strikes.iter().filter(|it| (it.site, it.node) == node).collect();
            assert!(of.iter().enumerate().all(|(place, strike)| strike.back == (place % 2 == 1)));
            assert!(of.chunks_exact(2).all(|pair| pair[1].at - pair[0].at == 7_000));
            let mean = (of[of.len() - 1].at - at(0)) as f64 / of.len() as f64 * 2.0;
            assert!((mean / 107_000.0 - 1.0).abs() < 0.1, "{mean}");
        }
        assert_eq!(strikes, failures.strikes(&sites(), 3, at(0)).take(6_000).collect::<Vec<_>>());
        let mut others = failures.strikes(&sites(), 4, at(0));
        assert_eq!(others.next_by(at(0)), None);
        assert_ne!(others.next(), strikes.first().copied());
        assert_eq!(Strikes::none().peek(), None);
    }
}
