//! Whether a configuration makes sense, and goes with what has joined already.

use crate::config::{Config, ConfigError, hidden, refused};
use crate::engine::{Engine, restored};
use crate::journal::snapshot::Snapshots;
use crate::journal::sqlite::SqliteJournal;
use crate::journal::{Journal, JournalError};
use crate::site::config::{ConnectorName, SiteConfig};
use crate::site::{Joining, added};
use std::collections::BTreeMap;
use std::fs::File;
use walras_api::sentence::Context;
use walras_broker::site::{SiteKind, SiteSpec, SiteTerms, Timing};
use walras_broker::state::SiteState;
use walras_broker::{Broker, Input, State};
use walras_model::{SiteId, Time};

/// A site in the order of numbers: what its table asks for, or the name of one that has left and has none any more.
pub(crate) enum ArrangedSite {
    Site(Box<SiteConfig>),
    Left(String),
}

/// At the first start: the VO's rules. At every start: sites that the configuration adds, and what a cluster needs around its holds.
pub(crate) fn prepare<J: Journal>(
    engine: &mut Engine<J>,
    config: &Config,
    source: &str,
) -> Result<Vec<ArrangedSite>, ConfigError> {
    if engine.broker().state().version == 0 {
        let policy = config.first_policy(source)?;
        engine.begin(Input::SetPolicy(Box::new(policy)), source).map_err(refused)?;
    }
    let sites = arranged(engine.broker().state(), config, source)?;
    for (index, arranged) in sites.iter().enumerate() {
        let ArrangedSite::Site(site) = arranged else { continue };
        let wrong = |why: &dyn std::fmt::Display| ConfigError(format!("{source}: site {}: {why}", site.name));
        let id = SiteId::from_index(index).ok_or_else(|| wrong(&"there are too many sites"))?;
        let input = match engine.broker().state().site(id) {
            None => {
                let joining = site.join().map_err(|why| ConfigError(format!("{source}: {why}")))?;
                Input::AddSite(Box::new(joining.spec))
            }
            Some(known) => {
                let timing = site.spec().map_err(|why| ConfigError(format!("{source}: {why}")))?.timing;
                let timing = Timing { longest: known.spec.timing.longest, ..timing };
                if known.spec.timing == timing {
                    continue;
                }
                Input::ChangeSite { site: id, terms: Box::new(SiteTerms { timing, ..known.spec.terms() }) }
            }
        };
        engine.begin(input, source).map_err(|failed| wrong(&failed))?;
    }
    Ok(sites)
}

/// The sites of the file and those that were added while the service ran, in the order in which they have joined; newcomers last. Those that have
/// joined are what they were, and none is missing that has not left.
fn arranged(state: &State, config: &Config, source: &str) -> Result<Vec<ArrangedSite>, ConfigError> {
    let mut left: Vec<SiteConfig> = config.sites.clone();
    left.extend(added::sites(&config.data)?);
    let mut sites = Vec::with_capacity(left.len());
    for (index, known) in state.sites.iter().enumerate() {
        let name = &known.spec.name;
        let Some(place) = left.iter().position(|site| site.name == *name) else {
            match SiteId::from_index(index) {
                Some(site) if state.has_left(site) => sites.push(ArrangedSite::Left(name.clone())),
                _ => return Err(missing(known, source)),
            }
            continue;
        };
        let site = left.remove(place);
        same(&known.spec, &site).map_err(|why| ConfigError(format!("{source}: {why}")))?;
        sites.push(ArrangedSite::Site(Box::new(site)));
    }
    sites.extend(left.into_iter().map(|site| ArrangedSite::Site(Box::new(site))));
    Ok(sites)
}

fn missing(site: &SiteState, source: &str) -> ConfigError {
    let why = match site.leaving {
        true => "it leaves, and still holds what has not ended: its table stays until then",
        false => {
            "it has joined: tell it to leave first, with `walras site remove` or by taking its table out and sending SIGHUP"
        }
    };
    ConfigError(format!("{source}: site {} is missing: {why}", site.spec.name))
}

/// A site that has joined is what it was.
pub(crate) fn same(joined: &SiteSpec, site: &SiteConfig) -> Result<(), String> {
    let spec = site.spec().map_err(|why| why.to_string())?;
    // A cluster need not answer for what was said when it joined: its nodes, or what those behind its queue have in common.
    let is_cluster = site.connector == ConnectorName::Slurm;
    let same_nodes = is_cluster || joined.nodes == spec.nodes;
    let queues = matches!((&joined.kind, &spec.kind), (SiteKind::Queue(_), SiteKind::Queue(_)));
    let same_kind = is_cluster && queues || joined.kind == spec.kind;
    let wrong = match () {
        () if joined.owner != spec.owner => "owner",
        () if !same_kind => "kind",
        () if !same_nodes => "nodes",
        () => return Ok(()),
    };
    Err(format!(
        "site {}: its {wrong} is not what it was when it joined: sites keep their name, owner, kind and nodes; add a new site \
         instead",
        site.name
    ))
}

/// What is known in a journal that is there already; a service may be writing to it.
fn known(config: &Config) -> Result<Option<State>, ConfigError> {
    let path = config.journal_path();
    if !path.exists() {
        return Ok(None);
    }
    let wrong = |error: JournalError| refused(format!("{}: {error}", path.display()));
    let mut journal = SqliteJournal::open_to_read(&path).map_err(wrong)?;
    let snapshots = Snapshots::to_read(&config.data.join("snapshots"));
    let end = journal.position().map_err(wrong)?;
    restored(&mut journal, &snapshots, end).map(|(broker, _)| Some(broker.state().clone())).map_err(wrong)
}

/// Whether a service could start with this configuration: its rules and its sites make sense and are those that have joined, and its files are
/// there. Says what was found of clusters, and of what keeps users apart and within limits on this machine, a line each.
pub fn check(config: &Config, source: &str) -> Result<Vec<String>, ConfigError> {
    let wrong = |site: &SiteConfig, why: &str| ConfigError(format!("{source}: site {}: {why}", site.name));
    let mut broker = Broker::default();
    let first = Time::from_millis(0).unwrap_or(Time::MIN);
    let policy = Input::SetPolicy(Box::new(config.first_policy(source)?));
    broker.handle(first, &policy).map_err(|refusal| {
        ConfigError(format!("{source}: policy: {}", Context::nameless().refusal(&refusal)))
    })?;
    let (mut found, mut sold) = (Vec::new(), BTreeMap::new());
    for site in &config.sites {
        let joining = site.join().map_err(|why| ConfigError(format!("{source}: {why}")))?;
        sell_once(&mut sold, site, &joining).map_err(|why| wrong(site, &why))?;
        found.extend(joining.found);
        let isolation =
            site.isolation(&hidden(config)).map_err(|why| ConfigError(format!("{source}: {why}")))?;
        found.extend(isolation.map(|it| format!("site {}: isolation: {it}", site.name)));
        let limits =
            site.limits_found(&config.data).map_err(|why| ConfigError(format!("{source}: {why}")))?;
        found.extend(limits.map(|it| format!("site {}: limits: {it}", site.name)));
        broker
            .handle(first, &Input::AddSite(Box::new(joining.spec)))
            .map_err(|refusal| wrong(site, &Context::nameless().refusal(&refusal)))?;
    }
    if let Some(state) = known(config)? {
        arranged(&state, config, source)?;
    }
    for file in config.tls.iter().flat_map(|tls| [&tls.certificate, &tls.key]) {
        File::open(file).map_err(|error| refused(format!("{}: {error}", file.display())))?;
    }
    Ok(found)
}

/// Two sites must not sell the same nodes of a cluster.
fn sell_once(
    sold: &mut BTreeMap<(String, String), (String, bool)>,
    site: &SiteConfig,
    joining: &Joining,
) -> Result<(), String> {
    let Some((cluster, nodes)) = &joining.cluster else { return Ok(()) };
    let is_queue = matches!(joining.spec.kind, SiteKind::Queue(_));
    for node in nodes {
        let before = sold.insert((cluster.clone(), node.clone()), (site.name.clone(), is_queue));
        // Slurm itself keeps the jobs of two queues apart.
        let Some((other, queue)) = before.filter(|(_, queue)| !(*queue && is_queue)) else { continue };
        let how = match (queue, is_queue) {
            (true, _) => ", whose jobs wait in its queue: expected other partitions",
            (false, true) => ", and its jobs may not wait for what is reserved: expected other partitions",
            (false, false) => "",
        };
        return Err(format!(
            "slurm: node '{node}' of the cluster {cluster} is sold by site {other} already{how}"
        ));
    }
    Ok(())
}
