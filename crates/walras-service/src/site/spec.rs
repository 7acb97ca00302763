//! From a `[[site]]` table to what is said of the site to the broker, with errors that name the key.

use super::access::rules;
use super::amount::Amount;
use super::cluster::SlurmConfig;
use super::config::{AttributeConfig, ConnectorName, NodeConfig, OfferingName, SiteConfig};
use std::collections::BTreeMap;
use walras_api::service::name_fault;
use walras_broker::price::{Crossing, Demand, PriceRules};
use walras_broker::site::{NodeSpec, QueueSpec, SiteKind, SiteSpec, Timing};
use walras_model::{
    Attributes, BadDivision, Division, Fixed, Multiplier, Performance, Rate, SaleTerms, Share, Span, Value,
    Watts,
};
use walras_sites::Offering;
use walras_sites::local::ProcessLimits;
use walras_sites::simulated::{Behaviour, Load};

/// At most so many nodes.
const NODES_MAX: u32 = 100_000;
/// So long takes a site of this machine to hold something, as long as it is not known better: much less, but machines stand still at times.
const ANSWERS: Span = match Span::from_millis(1_000) {
    Some(span) => span,
    None => panic!("a second is a span"),
};

/// A table of a site that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("site '{site}': {wrong}")]
pub struct BadSite {
    site: String,
    wrong: String,
}

impl SiteConfig {
    /// What is said of the site to the broker, or what is wrong with the table: it names the site and the key.
    pub fn spec(&self) -> Result<SiteSpec, BadSite> {
        self.checked_spec().map_err(|wrong| self.bad(wrong))
    }

    pub(super) fn bad(&self, wrong: String) -> BadSite {
        BadSite { site: self.name.clone(), wrong }
    }

    fn checked_spec(&self) -> Result<SiteSpec, String> {
        plain_name(&self.name)?;
        if self.owner.is_empty() {
            return Err("owner: the name is empty".to_owned());
        }
        if let Some(fault) = name_fault(&self.owner) {
            return Err(format!("owner: {:?} {fault}", self.owner));
        }
        let tables = [
            (ConnectorName::Simulated, self.simulated.is_some()),
            (ConnectorName::Local, self.local.is_some()),
            (ConnectorName::Slurm, self.slurm.is_some()),
        ];
        if let Some((other, _)) = tables.into_iter().find(|(name, given)| *given && *name != self.connector) {
            return Err(format!("{}: the site's connector is another one", other.text()));
        }
        self.behaviour()?;
        self.load()?;
        self.limits()?;
        if self.connector == ConnectorName::Local {
            self.node_limits()?;
            self.accounts()?;
        }
        let nodes = self.node_specs()?;
        let kind = match self.kind {
            OfferingName::Slots => SiteKind::Slots,
            OfferingName::Capacity => SiteKind::Capacity,
            OfferingName::Queue => SiteKind::Queue(QueueSpec {
                performance: performance(self.performance.as_ref(), Performance::ONE)?,
                watts: watts(self.watts.as_ref(), None)?,
                attributes: attributes(&self.attributes)?,
            }),
        };
        let access = rules(&self.access, &self.quotas).map_err(|bad| bad.to_string())?;
        let (name, owner) = (self.name.clone(), self.owner.clone());
        let prices = self.prices()?;
        parts_are_payable(&prices, &nodes)?;
        let mut timing = Timing::NOTHING;
        match self.connector {
            ConnectorName::Simulated | ConnectorName::Local => {
                priced_nodes_exist(&prices, &nodes)?;
                timing.answers = Some(ANSWERS);
            }
            ConnectorName::Slurm if self.kind == OfferingName::Queue => self.slurm_table().map(|_| ())?,
            ConnectorName::Slurm => timing = self.slurm_table()?.timing()?,
        }
        Ok(SiteSpec { name, owner, kind, nodes, prices, access, timing })
    }

    /// The same site on another's terms.
    pub fn with_terms_of(&self, other: &SiteConfig) -> SiteConfig {
        let slurm = self.slurm.clone().zip(other.slurm.as_ref()).map(|(own, other)| SlurmConfig {
            before_seconds: other.before_seconds,
            after_seconds: other.after_seconds,
            ..own
        });
        SiteConfig {
            price: other.price.clone(),
            class_prices: other.class_prices.clone(),
            node_prices: other.node_prices.clone(),
            user_prices: other.user_prices.clone(),
            hour_factors: other.hour_factors.clone(),
            weekday_factors: other.weekday_factors.clone(),
            sell_whole: other.sell_whole,
            demand: other.demand.clone(),
            access: other.access.clone(),
            quotas: other.quotas.clone(),
            slurm,
            ..self.clone()
        }
    }

    /// The table of a cluster, in which all is well that can be known without asking it.
    pub(super) fn slurm_table(&self) -> Result<&SlurmConfig, String> {
        let table =
            self.slurm.as_ref().ok_or("slurm: the table is missing: expected [site.slurm]".to_owned())?;
        table.check()?;
        match self.kind {
            OfferingName::Slots => Ok(table),
            OfferingName::Queue => match table.key_of_slots() {
                None => Ok(table),
                Some(key) => Err(format!(
                    "slurm.{key}: in a queue Slurm chooses nodes and times: expected partitions, and the site's count"
                )),
            },
            OfferingName::Capacity => Err("kind: a cluster of Slurm's sells slots, or a queue".to_owned()),
        }
    }

    /// Whether the owner keeps nodes for some.
    pub(super) fn has_terms(&self) -> bool {
        self.least_units.is_some() || self.only_for.is_some()
    }

    pub(super) fn node_specs(&self) -> Result<Vec<NodeSpec>, String> {
        let alike = |name: String| NodeConfig {
            name,
            performance: None,
            class: None,
            watts: None,
            attributes: BTreeMap::new(),
            resources: BTreeMap::new(),
            units: None,
            least_units: None,
            only_for: None,
        };
        if self.connector == ConnectorName::Slurm && self.kind != OfferingName::Queue {
            // The cluster says which there are, when it joins.
            return self.slurm_terms().map(|()| Vec::new());
        }
        let nodes: Vec<NodeConfig> = match (self.kind, self.count, self.nodes.is_empty()) {
            (_, Some(count), _) if !(1..=NODES_MAX).contains(&count) => {
                return Err(format!("count: {count} is not a number of nodes: expected 1 to {NODES_MAX}"));
            }
            (OfferingName::Queue, Some(_), true) if self.units.is_some() || !self.resources.is_empty() => {
                return Err("units: a queue has no nodes that could be sold in units".to_owned());
            }
            (OfferingName::Queue, Some(_), true) if self.has_terms() => {
                return Err(
                    "least_units, only_for: a queue has no nodes that could be kept for some".to_owned()
                );
            }
            (OfferingName::Queue, Some(_), true) => return Ok(Vec::new()),
            (OfferingName::Queue, _, _) => {
                return Err("a queue has a count and no nodes of its own".to_owned());
            }
            (_, Some(count), true) => (1..=count).map(|place| alike(format!("n{place}"))).collect(),
            (_, None, false) => self.nodes.clone(),
            _ => return Err("nodes: expected either a list of nodes or a count".to_owned()),
        };
        nodes.into_iter().map(|node| self.node_spec(node)).collect()
    }

    fn node_spec(&self, node: NodeConfig) -> Result<NodeSpec, String> {
        let within = |wrong: String| format!("node '{}': {wrong}", node.name);
        let common = performance(self.performance.as_ref(), Performance::ONE)?;
        let mut all = attributes(&self.attributes)?;
        all.extend(attributes(&node.attributes).map_err(within)?);
        let mut resources = self.resources.clone();
        resources.extend(node.resources.clone());
        let units = node.units.or(self.units).unwrap_or(1);
        let division = Division::new(units, resources).map_err(|wrong| within(format!("units: {wrong}")))?;
        division.state_in(&mut all).map_err(|wrong| within(format!("resources: {wrong}")))?;
        let terms = SaleTerms {
            least_units: node.least_units.or(self.least_units).unwrap_or(1),
            only_for: node.only_for.clone().or_else(|| self.only_for.clone()).unwrap_or_default(),
        };
        let division = division.on_terms(terms).map_err(|wrong| within(terms_text(&wrong)))?;
        Ok(NodeSpec {
            division,
            performance: performance(node.performance.as_ref(), common).map_err(within)?,
            watts: watts(node.watts.as_ref(), watts(self.watts.as_ref(), None)?).map_err(within)?,
            attributes: all,
            class: node.class.or_else(|| self.class.clone()),
            name: node.name,
        })
    }

    /// By name of a node: in how many units it is sold.
    pub(super) fn units_of(&self, names: &[String]) -> Result<Vec<u32>, String> {
        let specs = self.node_specs()?;
        let units: BTreeMap<&str, u32> =
            specs.iter().map(|spec| (spec.name.as_str(), spec.division.units())).collect();
        Ok(names.iter().map(|name| units.get(name.as_str()).copied().unwrap_or(1)).collect())
    }

    fn prices(&self) -> Result<PriceRules, String> {
        let factors = |key: &str, list: &[Amount]| -> Result<Vec<Multiplier>, String> {
            list.iter().map(|factor| factor.multiplier(key)).collect()
        };
        let demand = self.demand.as_ref().map(|demand| {
            Ok::<Demand, String>(Demand {
                min: demand.min.multiplier("demand.min")?,
                max: demand.max.multiplier("demand.max")?,
                step: demand.step.multiplier("demand.step")?,
                low: demand.low.share("demand.low")?,
                high: demand.high.share("demand.high")?,
            })
        });
        let rules = PriceRules {
            base: rate("price", &self.price)?,
            classes: rates("class_prices", &self.class_prices)?,
            nodes: rates("node_prices", &self.node_prices)?,
            users: rates("user_prices", &self.user_prices)?,
            hours: factors("hour_factors", &self.hour_factors)?,
            weekdays: factors("weekday_factors", &self.weekday_factors)?,
            demand: demand.transpose()?,
            blackouts: Vec::new(),
            crossing: if self.sell_whole { Crossing::Dearest } else { Crossing::Cut },
        };
        rules.check().map_err(|wrong| walras_api::sentence::prices_text(&wrong))?;
        Ok(rules)
    }

    pub(super) fn behaviour(&self) -> Result<Behaviour, String> {
        let config = self.simulated.clone().unwrap_or_default();
        let least = share("simulated.takes_min", config.takes_min.as_ref(), Share::percent(80))?;
        let otherwise = if config.takes_min.is_some() { least } else { Share::percent(95) };
        let most = share("simulated.takes_max", config.takes_max.as_ref(), otherwise)?;
        if least == Share::NOTHING || most < least {
            return Err("simulated.takes_min: expected 0 < takes_min <= takes_max <= 1".to_owned());
        }
        let wait = config.wait_seconds.unwrap_or(60);
        let expected = 1_000 * i64::from(config.expected_wait_seconds.unwrap_or(wait));
        let wait = 1_000 * i64::from(wait);
        Ok(Behaviour {
            takes: (least, most),
            overruns: share("simulated.overruns", config.overruns.as_ref(), Share::NOTHING)?,
            fails: share("simulated.failures", config.failures.as_ref(), Share::NOTHING)?,
            expected_wait: (expected, expected),
            wait: (wait, wait),
        })
    }

    pub(super) fn load(&self) -> Result<Option<Load>, String> {
        let config = self.simulated.clone().unwrap_or_default();
        let share = share("simulated.load", config.load.as_ref(), Share::NOTHING)?;
        if share == Share::NOTHING {
            return Ok(None);
        }
        if self.kind != OfferingName::Slots {
            return Err(
                "simulated.load: only a site that sells slots can say when its owner uses it".to_owned()
            );
        }
        let mean = 1_000 * i64::from(config.load_seconds.unwrap_or(1_800));
        let load = Span::from_millis(mean).and_then(|mean| Load::new(config.seed, share, mean));
        load.map(Some).ok_or_else(|| "simulated.load_seconds: it must be greater than 0".to_owned())
    }

    pub(super) fn limits(&self) -> Result<ProcessLimits, String> {
        let config = self.local.clone().unwrap_or_default();
        let at_least = |key: &str, value: Option<u32>, least: u32, unit: u64| match value {
            Some(value) if value < least => {
                Err(format!("local.{key}: {value} is too little: expected {least} or more"))
            }
            value => Ok(value.map(|value| unit * u64::from(value))),
        };
        Ok(ProcessLimits {
            address_space: at_least("memory_mib", config.memory_mib, 64, 1 << 20)?,
            open_files: at_least("open_files", config.open_files, 16, 1)?,
            processes: at_least("processes", config.processes, 8, 1)?,
            file_size: at_least("file_mib", config.file_mib, 1, 1 << 20)?,
            cpu_seconds: at_least("cpu_seconds", config.cpu_seconds, 1, 1)?,
        })
    }

    pub(super) fn offering(&self) -> Offering {
        match self.kind {
            OfferingName::Slots => Offering::Slots,
            OfferingName::Capacity => Offering::Capacity,
            OfferingName::Queue => Offering::Queue(self.count.unwrap_or(1)),
        }
    }
}

/// Why nodes cannot be sold on such terms, with the key that says so.
fn terms_text(wrong: &BadDivision) -> String {
    let key = if matches!(wrong, BadDivision::LeastUnits { .. }) { "least_units" } else { "only_for" };
    format!("{key}: {wrong}")
}

/// Refuses prices so low that the units of a node, rounded up one by one, would be far dearer than the node.
pub(super) fn parts_are_payable(prices: &PriceRules, nodes: &[NodeSpec]) -> Result<(), String> {
    for node in nodes {
        let class = node.class.as_ref().and_then(|class| Some(("class_prices", prices.classes.get(class)?)));
        let own = prices.nodes.get(&node.name).map(|rate| ("node_prices", rate));
        let of_users = prices.users.values().map(|rate| ("user_prices", rate));
        let (units, least) = (node.division.units(), node.division.least_price());
        let mut all = std::iter::once(own.or(class).unwrap_or(("price", &prices.base))).chain(of_users);
        if let Some((key, rate)) = all.find(|(_, rate)| **rate < least) {
            let name = &node.name;
            return Err(format!(
                "{key}: {rate} is too low a price for the {units} units of node '{name}', which are dearer than the node: \
                 expected at least {least}"
            ));
        }
    }
    Ok(())
}

/// Refuses prices for nodes and classes that the site does not have: whoever wrote them meant others.
pub(super) fn priced_nodes_exist(prices: &PriceRules, nodes: &[NodeSpec]) -> Result<(), String> {
    if let Some(name) = prices.nodes.keys().find(|name| nodes.iter().all(|node| node.name != **name)) {
        return Err(format!("node_prices: the site has no node '{name}'"));
    }
    let of_class = |class: &String| nodes.iter().any(|node| node.class.as_ref() == Some(class));
    match prices.classes.keys().find(|class| !of_class(class)) {
        None => Ok(()),
        Some(class) => Err(format!("class_prices: no node of the site is of class '{class}'")),
    }
}

fn plain_name(name: &str) -> Result<(), String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.is_empty() || name.len() > 64 || name.starts_with('.') || !name.bytes().all(plain) {
        let expected = "1 to 64 letters, digits, '-', '_' and '.', and no dot first";
        return Err(format!("name: expected {expected}"));
    }
    Ok(())
}

pub(super) fn performance(amount: Option<&Amount>, otherwise: Performance) -> Result<Performance, String> {
    let Some(amount) = amount else { return Ok(otherwise) };
    let performance = Performance::from_millionths(amount.millionths("performance")?);
    performance.ok_or_else(|| format!("performance: {amount} must be greater than 0"))
}

pub(super) fn watts(amount: Option<&Amount>, otherwise: Option<Watts>) -> Result<Option<Watts>, String> {
    let Some(amount) = amount else { return Ok(otherwise) };
    let milliwatts = Some(amount.millionths("watts")?).filter(|it| it % 1_000 == 0).map(|it| it / 1_000);
    let watts = milliwatts.and_then(Watts::from_milliwatts);
    watts.map(Some).ok_or_else(|| format!("watts: {amount}: expected 0 or more, with at most 3 decimals"))
}

pub(super) fn attributes(config: &BTreeMap<String, AttributeConfig>) -> Result<Attributes, String> {
    let value = |(name, value): (&String, &AttributeConfig)| {
        let value = match value {
            AttributeConfig::Flag(flag) => Value::Flag(*flag),
            AttributeConfig::Text(text) => Value::Text(text.clone()),
            AttributeConfig::Number(number) => {
                Value::Number(Fixed::from_millionths(number.millionths(&format!("attributes.{name}"))?))
            }
        };
        Ok((name.clone(), value))
    };
    config.iter().map(value).collect()
}

pub(super) fn rate(key: &str, amount: &Amount) -> Result<Rate, String> {
    let rate = Rate::from_micros_per_second(amount.millionths(key)?);
    rate.ok_or_else(|| format!("{key}: {amount} is not a price: it must be greater than 0"))
}

fn rates(key: &str, amounts: &BTreeMap<String, Amount>) -> Result<BTreeMap<String, Rate>, String> {
    amounts.iter().map(|(name, amount)| Ok((name.clone(), rate(&format!("{key}.{name}"), amount)?))).collect()
}

/// A share of one, with at most three decimals.
pub(super) fn share(key: &str, amount: Option<&Amount>, otherwise: Share) -> Result<Share, String> {
    let Some(amount) = amount else { return Ok(otherwise) };
    let millionths = amount.millionths(key)?;
    let share = Share::from_millionths(millionths).filter(|_| millionths % 1_000 == 0);
    share.ok_or_else(|| format!("{key}: {amount} is not a share: expected 0 to 1, with at most 3 decimals"))
}
