//! `site` and `node`: what owners do with what is theirs.

use super::http::{Client, encode};
use super::say::{read_value, say};
use super::settings::Connect;
use super::show::{clean, or_dash};
use super::worth::{WorthArgs, worth};
use crate::failure::Failure;
use crate::files;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use ureq::http::Method;
use walras_api::service::{JOB_BYTES_MAX, ReclaimView, SiteView};

/// What is done with a whole site
#[derive(clap::Subcommand)]
pub(crate) enum SiteCommand {
    /// Add a site by a file with its table: TOML as in walras.toml, YAML or JSON; for an administrator
    Add(SiteAddArgs),
    /// Change prices, access or quotas by a file with those of them that change: TOML, YAML or JSON
    Change(SiteChangeArgs),
    /// Tell the site to leave: it sells nothing new, and is gone when what it holds has ended
    Remove(SiteArgs),
    /// Sell nothing new of the site for a while; what is held stays
    Drain(SiteDrainArgs),
    /// Sell all nodes of the site again
    Resume(SiteArgs),
    /// Show what its time is worth to those who wait for it, and what one more node would bring
    Worth(WorthArgs),
}

/// What is done with some nodes of a site
#[derive(clap::Subcommand)]
pub(crate) enum NodeCommand {
    /// Sell nothing new of the nodes for a while; what is held stays
    Drain(NodeDrainArgs),
    /// Sell the nodes again
    Resume(NodeArgs),
    /// Use the nodes oneself, whatever is held there; see --dry-run
    Reclaim(ReclaimArgs),
}

#[derive(clap::Args)]
pub(crate) struct SiteAddArgs {
    /// The keys of one [[site]]
    file: PathBuf,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct SiteChangeArgs {
    /// The site's name
    site: String,
    /// `prices`, `access` and `quotas`: what is not in it stays
    file: PathBuf,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct SiteArgs {
    /// The site's name
    site: String,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct SiteDrainArgs {
    #[command(flatten)]
    of: SiteArgs,
    #[command(flatten)]
    when: When,
}

#[derive(clap::Args)]
pub(crate) struct NodeArgs {
    /// The site's name
    site: String,
    /// The names of the nodes
    #[arg(required = true)]
    nodes: Vec<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct NodeDrainArgs {
    #[command(flatten)]
    of: NodeArgs,
    #[command(flatten)]
    when: When,
}

#[derive(clap::Args)]
struct When {
    /// From when: a point in time, or a time from now such as 2h [default: from now on]
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Until when, in the same manner [default: until it is resumed]
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct ReclaimArgs {
    #[command(flatten)]
    of: NodeArgs,
    /// From when: a point in time, or a time from now such as 2h [default: from now on]
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Until when, in the same manner
    #[arg(long, value_name = "TIME")]
    until: String,
    /// Only say which jobs it would stop, and what it would cost
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn site(command: &SiteCommand) -> Result<(), Failure> {
    match command {
        SiteCommand::Add(args) => {
            let table = site_table(&args.file)?;
            let answer = Client::of(&args.connect)?.send(Method::POST, "/v1/sites", Some(&table))?;
            say(&args.connect, &answer, |site: &SiteView| {
                format!("site {} of {} has joined with {} nodes\n", site.name, site.owner, site.nodes.len())
            })
        }
        SiteCommand::Change(args) => {
            let (change, at) = (site_table(&args.file)?, format!("/v1/sites/{}", encode(&args.site)));
            only_terms(&change).map_err(|why| Failure::Input(format!("{}: {why}", args.file.display())))?;
            let answer = Client::of(&args.connect)?.send(Method::PUT, &at, Some(&change))?;
            say(&args.connect, &answer, |site: &SiteView| format!("site {} has changed\n", site.name))
        }
        SiteCommand::Remove(args) => {
            let at = format!("/v1/sites/{}", encode(&args.site));
            let answer = Client::of(&args.connect)?.send(Method::DELETE, &at, None)?;
            say(&args.connect, &answer, |site: &SiteView| {
                format!(
                    "site {} leaves: it sells nothing new, and is gone when what it holds has ended\n",
                    site.name
                )
            })
        }
        SiteCommand::Drain(args) => {
            let body = json!({"from": args.when.from, "until": args.when.until});
            change(&args.of.connect, &args.of.site, "drain", &body)
        }
        SiteCommand::Resume(args) => change(&args.connect, &args.site, "resume", &json!({})),
        SiteCommand::Worth(args) => worth(args),
    }
}

pub(crate) fn node(command: &NodeCommand) -> Result<(), Failure> {
    match command {
        NodeCommand::Drain(args) => {
            let body = json!({"nodes": args.of.nodes, "from": args.when.from, "until": args.when.until});
            change(&args.of.connect, &args.of.site, "drain", &body)
        }
        NodeCommand::Resume(args) => {
            change(&args.connect, &args.site, "resume", &json!({"nodes": args.nodes}))
        }
        NodeCommand::Reclaim(args) => reclaim(args),
    }
}

/// What of a site can change while the service runs.
const TERMS: [&str; 3] = ["prices", "access", "quotas"];

/// The table of a site from a file; TOML may have it as the only `[[site]]`.
fn site_table(file: &Path) -> Result<Value, Failure> {
    if file.extension().is_none_or(|end| end != "toml") {
        return read_value(file);
    }
    let bytes = files::read(file, JOB_BYTES_MAX)?;
    let wrong = |why: &str| Failure::Input(format!("{}: {why}", file.display()));
    let text = std::str::from_utf8(&bytes).map_err(|_| wrong("it is no text"))?;
    let table: toml::Table = toml::from_str(text).map_err(|error| wrong(&clean(error.message())))?;
    let mut value = serde_json::to_value(table).map_err(Failure::fault)?;
    match value.get_mut("site").and_then(Value::as_array_mut) {
        None => Ok(value),
        Some(sites) if sites.len() == 1 => Ok(sites.remove(0)),
        Some(sites) => Err(wrong(&format!("it has {} sites: expected 1", sites.len()))),
    }
}

/// Refuses a table with more than can change while the service runs.
fn only_terms(change: &Value) -> Result<(), String> {
    let mut keys = change.as_object().into_iter().flat_map(|table| table.keys());
    match keys.find(|key| !TERMS.contains(&key.as_str())) {
        None => Ok(()),
        Some(other) => Err(format!(
            "{other}: only {} change while the service runs; what else is in a site's table of walras.toml, its connector too, takes \
             effect with the next start",
            TERMS.join(", ")
        )),
    }
}

fn path(site: &str, what: &str) -> String {
    format!("/v1/sites/{}/{what}", encode(site))
}

fn change(connect: &Connect, site: &str, what: &str, body: &Value) -> Result<(), Failure> {
    let answer = Client::of(connect)?.send(Method::POST, &path(site, what), Some(body))?;
    say(connect, &answer, drained_text)
}

/// Which nodes sell nothing new, and when.
fn drained_text(site: &SiteView) -> String {
    let drained: Vec<_> = site.nodes.iter().filter(|node| !node.drained.is_empty()).collect();
    if drained.is_empty() {
        return format!("site {} sells all of its {} nodes\n", site.name, site.nodes.len());
    }
    let mut text = String::new();
    for node in drained {
        for times in &node.drained {
            let until = times.until.map(super::show::time);
            let (name, from) = (&node.name, super::show::time(times.from));
            text.push_str(&format!(
                "{}/{name} sells nothing new from {from} until {}\n",
                site.name,
                or_dash(until.as_ref())
            ));
        }
    }
    text
}

fn reclaim(args: &ReclaimArgs) -> Result<(), Failure> {
    let body = json!({
        "nodes": args.of.nodes,
        "from": args.from,
        "until": args.until,
        "dry_run": args.dry_run,
    });
    let answer =
        Client::of(&args.of.connect)?.send(Method::POST, &path(&args.of.site, "reclaim"), Some(&body))?;
    say(&args.of.connect, &answer, reclaimed_text)
}

fn reclaimed_text(view: &ReclaimView) -> String {
    let (stop, go, cost) = match view.done {
        true => ("stopped", "moved", "cost"),
        false => ("would stop", "would move", "would cost"),
    };
    let jobs = |numbers: &[u64]| match numbers {
        [] => "no job".to_owned(),
        [one] => format!("job {one}"),
        several => {
            let all: Vec<String> = several.iter().map(u64::to_string).collect();
            format!("jobs {}", all.join(", "))
        }
    };
    format!(
        "{stop} {}; {go} {}; {cost} {} of compensation\n",
        jobs(&view.stopped),
        jobs(&view.moved),
        view.compensation.credits()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reclaimed_is_told() {
        let view = |text: &str| reclaimed_text(&serde_json::from_str(text).unwrap());
        assert_eq!(
            view(r#"{"stopped": [3, 4], "moved": [], "compensation": 1.5, "done": false}"#),
            "would stop jobs 3, 4; would move no job; would cost 1.5 credits of compensation\n"
        );
        assert_eq!(
            view(r#"{"stopped": [], "moved": [7], "compensation": 0, "done": true}"#),
            "stopped no job; moved job 7; cost 0 credits of compensation\n"
        );
    }
}
