//! What goes on while somebody watches: jobs arrive, now and then a node fails or its owner needs it, and users get money.
//!
//! All of it follows from a stream of chances, a step at a time. A node that failed is back a little later; one that an earlier demo
//! left lost is back at once.

use super::home::DemoHome;
use super::people::People;
use crate::client::http::{Client, encode, fresh_key};
use crate::client::written::finished;
use crate::failure::Failure;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use ureq::http::Method;
use walras_api::service::SitesView;
use walras_random::Stream;

/// What is submitted by chance.
const JOBS: [&str; 8] = [
    "single.yaml",
    "single.yaml",
    "bag.yaml",
    "bag.yaml",
    "parallel.yaml",
    "gpu.yaml",
    "workflow.yaml",
    "hello.yaml",
];
/// Pauses between steps, in milliseconds.
const PAUSE: (i64, i64) = (500, 4_500);
/// How likely something goes wrong in a step, in thousandths: about once a minute.
const MISHAPS: i64 = 40;
/// How long a node is away, in seconds.
const AWAY: (i64, i64) = (15, 45);
/// How often users get money: about what their jobs cost in that time, or the market would end with what they began with.
const PAY_EVERY: Duration = Duration::from_secs(120);
/// How much each of them gets, in credits.
const PAY: u32 = 250;

/// A node of a simulated site.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    site: String,
    name: String,
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mishap {
    /// A node fails, and is back after so long.
    Lost(Node, Duration),
    /// Its owner needs a node for so many seconds.
    Taken(Node, i64),
}

/// Somebody who submits.
struct User {
    name: &'static str,
    client: Arc<Client>,
}

struct Life {
    chance: Stream,
    administrator: Arc<Client>,
    users: Vec<User>,
    files: Vec<PathBuf>,
    nodes: Vec<Node>,
    /// Nodes that failed, and when each is back.
    away: Vec<(Instant, Node)>,
    paid: Instant,
}

/// Begins it, on a thread of its own, until the service takes no more.
pub(super) fn begin(home: &DemoHome, people: &People) -> Result<(), Failure> {
    let administrator = Arc::clone(&people.administrator);
    let sites = administrator.get("/v1/sites")?.view::<SitesView>()?.sites;
    let mut nodes = Vec::new();
    let mut away = Vec::new();
    for site in sites.into_iter().filter(|site| site.connector == "simulated") {
        for node in site.nodes {
            let known = Node { site: site.name.clone(), name: node.name };
            if node.lost {
                away.push((Instant::now(), known.clone()));
            }
            nodes.push(known);
        }
    }
    let mut life = Life {
        // Another start, other jobs; the same start, the same ones.
        chance: Stream::open(people.known, 0),
        administrator,
        users: people.users().map(|(name, client)| User { name, client: Arc::clone(client) }).collect(),
        files: JOBS.iter().map(|name| home.job(name)).collect(),
        nodes,
        away,
        paid: Instant::now(),
    };
    std::thread::spawn(move || while life.step() {});
    Ok(())
}

/// Whether the service is there still. Somebody may have run out of money, or a node may be gone: the others go on.
fn goes_on<T>(asked: &Result<T, Failure>) -> bool {
    !matches!(asked, Err(Failure::Unreachable(_)))
}

impl Life {
    /// Waits a little, and does the next thing. Says whether there will be another.
    fn step(&mut self) -> bool {
        let pause = self.chance.between(PAUSE.0, PAUSE.1);
        std::thread::sleep(Duration::from_millis(u64::try_from(pause).unwrap_or_default()));
        goes_on(&self.submit())
            && goes_on(&self.bring_back())
            && goes_on(&self.go_wrong())
            && goes_on(&self.pay())
    }

    fn submit(&mut self) -> Result<(), Failure> {
        let (Some(user), Some(file)) = (self.chance.one_of(&self.users), self.chance.one_of(&self.files))
        else {
            return Ok(());
        };
        let job = finished(file, &user.client)?;
        user.client.post_once("/v1/jobs", &job, &fresh_key()?).map(drop)
    }

    fn bring_back(&mut self) -> Result<(), Failure> {
        let now = Instant::now();
        while let Some(place) = self.away.iter().position(|(until, _)| *until <= now) {
            let (_, node) = self.away.swap_remove(place);
            self.fault(&node.site, &json!({"kind": "node-back", "node": node.name}))?;
        }
        Ok(())
    }

    fn go_wrong(&mut self) -> Result<(), Failure> {
        match mishap(&mut self.chance, &self.nodes) {
            None => Ok(()),
            Some(Mishap::Taken(node, seconds)) => {
                self.fault(&node.site, &json!({"kind": "taken", "node": node.name, "seconds": seconds}))
            }
            Some(Mishap::Lost(node, away)) => {
                self.fault(&node.site, &json!({"kind": "node-lost", "node": node.name}))?;
                self.away.push((Instant::now() + away, node));
                Ok(())
            }
        }
    }

    fn fault(&self, site: &str, fault: &Value) -> Result<(), Failure> {
        let path = format!("/v1/sites/{}/faults", encode(site));
        self.administrator.send(Method::POST, &path, Some(fault)).map(drop)
    }

    fn pay(&mut self) -> Result<(), Failure> {
        if self.paid.elapsed() < PAY_EVERY {
            return Ok(());
        }
        self.paid = Instant::now();
        for user in &self.users {
            let deposit = json!({"account": format!("user:{}", user.name), "amount": PAY});
            self.administrator.post_once("/v1/deposits", &deposit, &fresh_key()?)?;
        }
        Ok(())
    }
}

/// What goes wrong in a step; nothing, mostly.
fn mishap(chance: &mut Stream, nodes: &[Node]) -> Option<Mishap> {
    if !chance.happens(MISHAPS) {
        return None;
    }
    let node = chance.one_of(nodes)?.clone();
    let seconds = chance.between(AWAY.0, AWAY.1);
    if chance.happens(500) {
        Some(Mishap::Lost(node, Duration::from_secs(u64::try_from(seconds).unwrap_or_default())))
    } else {
        Some(Mishap::Taken(node, seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_goes_wrong_now_and_then_and_not_for_long() {
        let nodes = ["n1", "n2"].map(|name| Node { site: "campus".to_owned(), name: name.to_owned() });
        let mut chance = Stream::open(1, 0);
        let all: Vec<Mishap> = (0..1_000).filter_map(|_| mishap(&mut chance, &nodes)).collect();
        assert!((20..60).contains(&all.len()), "{}", all.len());
        let lost = all.iter().filter(|it| matches!(it, Mishap::Lost(..))).count();
        assert!((5..all.len() - 5).contains(&lost), "{lost} of {}", all.len());
        for it in &all {
            let (node, seconds) = match it {
                Mishap::Lost(node, away) => (node, away.as_secs()),
                Mishap::Taken(node, seconds) => (node, u64::try_from(*seconds).unwrap()),
            };
            assert!(nodes.contains(node) && (15..=45).contains(&seconds), "{it:?}");
        }
        assert!((0..1_000).all(|_| mishap(&mut chance, &[]).is_none()), "where nothing is simulated");
    }
}
