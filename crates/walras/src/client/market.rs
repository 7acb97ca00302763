//! `offers`, `sites`, `prices`, `prefer`, `fault`: what is for sale, and what owners do about it.

use super::http::{Client, encode, with_query};
use super::say::{read_value, say, say_json};
use super::settings::Connect;
use super::show::{or_dash, table, table_or, time};
use crate::failure::Failure;
use serde_json::{Value, json};
use std::path::PathBuf;
use ureq::http::Method;
use walras_api::service::{OffersView, SitesView};

#[derive(clap::Args)]
pub(crate) struct OffersArgs {
    /// Only those of this site
    #[arg(long, value_name = "NAME")]
    site: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct SitesArgs {
    /// Show the nodes as well
    #[arg(long)]
    nodes: bool,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct PricesArgs {
    /// The site's name
    site: String,
    /// Set them to what this file says, in YAML or JSON
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct PreferArgs {
    /// The site whose owner it is; the administrator, without
    site: Option<String>,
    /// Want what this file says, in YAML or JSON: weight, prefers, ranges, segments, aggregation
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// Want nothing any more
    #[arg(long, conflicts_with = "set")]
    forget: bool,
    #[command(flatten)]
    connect: Connect,
}

/// What goes wrong on demand; simulated sites only
#[derive(clap::Args)]
pub(crate) struct FaultArgs {
    /// The site's name
    site: String,
    #[command(subcommand)]
    kind: FaultKind,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Subcommand)]
enum FaultKind {
    /// A node fails
    NodeLost {
        /// Its name
        node: String,
    },
    /// A node is back
    NodeBack {
        /// Its name
        node: String,
    },
    /// The owner needs a node for so many seconds
    Taken {
        /// Its name
        node: String,
        /// For how long
        seconds: u32,
    },
    /// The whole site fails
    SiteLost,
    /// The site is back
    SiteBack,
    /// The site hears and says nothing for so many seconds
    Silent {
        /// For how long
        seconds: u32,
    },
}

impl FaultKind {
    fn json(&self) -> Value {
        match self {
            FaultKind::NodeLost { node } => json!({"kind": "node-lost", "node": node}),
            FaultKind::NodeBack { node } => json!({"kind": "node-back", "node": node}),
            FaultKind::Taken { node, seconds } => json!({"kind": "taken", "node": node, "seconds": seconds}),
            FaultKind::SiteLost => json!({"kind": "site-lost"}),
            FaultKind::SiteBack => json!({"kind": "site-back"}),
            FaultKind::Silent { seconds } => json!({"kind": "silent", "seconds": seconds}),
        }
    }
}

pub(crate) fn offers(args: &OffersArgs) -> Result<(), Failure> {
    let query = [("site", args.site.clone()), ("limit", Some(args.limit.to_string()))];
    let answer = Client::of(&args.connect)?.get(&with_query("/v1/offers", &query))?;
    say(&args.connect, &answer, |view: &OffersView| {
        let rows = view.offers.iter().map(|offer| {
            [
                offer.site.clone(),
                or_dash(offer.node.as_ref()),
                time(offer.start),
                time(offer.end),
                offer.price.to_string(),
                offer.performance.to_string(),
            ]
        });
        let rows: Vec<[String; 6]> = rows.collect();
        let heading = ["site", "node", "start", "end", ">price", ">performance"];
        let mut text = table_or(heading, &rows, "nothing is for sale");
        if view.more {
            text.push_str("there are more: see --site and --limit\n");
        }
        text
    })
}

pub(crate) fn sites(args: &SitesArgs) -> Result<(), Failure> {
    let answer = Client::of(&args.connect)?.get("/v1/sites")?;
    say(&args.connect, &answer, |view: &SitesView| sites_text(view, args.nodes))
}

fn sites_text(view: &SitesView, with_nodes: bool) -> String {
    let state = |lost: bool| if lost { "lost" } else { "well" };
    let rows = view.sites.iter().map(|site| {
        [
            site.name.clone(),
            site.owner.clone(),
            site.kind.text().to_owned(),
            site.connector.clone(),
            site.nodes.len().to_string(),
            site.demand.to_string(),
            match &site.trouble {
                _ if site.leaving => "leaves".to_owned(),
                Some(trouble) if !site.lost => trouble.kind.text().to_owned(),
                Some(_) | None => state(site.lost).to_owned(),
            },
        ]
    });
    let rows: Vec<[String; 7]> = rows.collect();
    let mut text =
        table_or(["site", "owner", "kind", "connector", ">nodes", ">demand", "state"], &rows, "no sites");
    for (site, trouble) in view.sites.iter().filter_map(|site| Some((site, site.trouble.as_ref()?))) {
        text.push_str(&format!("\n{}: since {}: {}\n", site.name, trouble.since, trouble.why));
    }
    if with_nodes {
        let nodes = view.sites.iter().flat_map(|site| site.nodes.iter().map(move |node| (site, node)));
        let rows = nodes.map(|(site, node)| {
            [
                site.name.clone(),
                node.name.clone(),
                or_dash(node.class.as_ref()),
                node.performance.to_string(),
                node.price.to_string(),
                state(node.lost).to_owned(),
            ]
        });
        let rows: Vec<[String; 6]> = rows.collect();
        text.push('\n');
        text.push_str(&table(["site", "node", "class", ">performance", ">price", "state"], &rows));
    }
    text
}

pub(crate) fn prices(args: &PricesArgs) -> Result<(), Failure> {
    let path = format!("/v1/sites/{}/prices", encode(&args.site));
    let answer = match &args.set {
        None => Client::of(&args.connect)?.get(&path)?,
        Some(file) => {
            let prices = read_value(file)?;
            Client::of(&args.connect)?.send(Method::PUT, &path, Some(&prices))?
        }
    };
    say_json(&answer)
}

pub(crate) fn prefer(args: &PreferArgs) -> Result<(), Failure> {
    let path = match &args.site {
        Some(site) => format!("/v1/sites/{}/wish", encode(site)),
        None => "/v1/wish".to_owned(),
    };
    let wish = args.set.as_deref().map(read_value).transpose()?;
    let client = Client::of(&args.connect)?;
    let answer = match (&wish, args.forget) {
        (Some(wish), _) => client.send(Method::PUT, &path, Some(wish))?,
        (None, true) => client.send(Method::DELETE, &path, None)?,
        (None, false) => client.get(&path)?,
    };
    say_json(&answer)
}

pub(crate) fn fault(args: &FaultArgs) -> Result<(), Failure> {
    let path = format!("/v1/sites/{}/faults", encode(&args.site));
    let answer = Client::of(&args.connect)?.send(Method::POST, &path, Some(&args.kind.json()))?;
    if args.connect.json && !answer.text.is_empty() { say_json(&answer) } else { Ok(()) }
}
