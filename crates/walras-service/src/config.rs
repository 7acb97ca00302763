//! `walras.toml`: how a service runs.

use crate::limits::Limits;
use crate::notice::config::{MailConfig, WebhookConfig};
use crate::sign_on::OidcConfig;
use crate::site::config::SiteConfig;
use serde::Deserialize;
use std::ffi::OsStr;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use walras_api::sentence::policy_text;
use walras_api::service::{BatchWords, PolicyFile};
use walras_api::usual_network;
use walras_broker::policy::{Policy, StrategyUse};

/// The largest configuration that is read, in bytes.
const BYTES_MAX: u64 = 16 << 20;

/// How a service runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The file that it was read from, where it was.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// Where it listens.
    #[serde(default = "loopback")]
    pub listen: SocketAddr,
    /// Where it keeps everything; beside the configuration, when it is relative.
    #[serde(default = "data")]
    pub data: PathBuf,
    /// TLS; plain HTTP, without.
    #[serde(default)]
    pub tls: Option<TlsConfig>,
    /// The service's time.
    #[serde(default)]
    pub clock: ClockConfig,
    /// How much callers may ask for.
    #[serde(default)]
    pub limits: Limits,
    /// The journal.
    #[serde(default)]
    pub journal: JournalConfig,
    /// Where people sign in, beside tokens.
    #[serde(default)]
    pub oidc: Option<OidcConfig>,
    /// How letters leave the house by mail.
    #[serde(default)]
    pub mail: Option<MailConfig>,
    /// Which addresses may be called.
    #[serde(default, rename = "webhook")]
    pub webhooks: Vec<WebhookConfig>,
    /// The VO's rules at the first start; afterwards the API changes them.
    #[serde(default)]
    policy: Option<toml::Table>,
    /// What `account`, `partition` and `qos` of jobs mean.
    #[serde(default)]
    pub batch: BatchWords,
    /// The sites.
    #[serde(default, rename = "site")]
    pub sites: Vec<SiteConfig>,
}

/// TLS.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    /// A PEM file with the certificate and those above it.
    pub certificate: PathBuf,
    /// A PEM file with its key.
    pub key: PathBuf,
}

/// The service's time.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClockConfig {
    /// How much faster than the wall's it runs.
    pub speed: u32,
}

impl Default for ClockConfig {
    fn default() -> ClockConfig {
        ClockConfig { speed: 1 }
    }
}

/// The journal.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JournalConfig {
    /// Its file; `journal.db` in the data directory, without.
    pub path: Option<PathBuf>,
    /// A snapshot is taken after so many entries.
    pub snapshot_every: u64,
    /// What sites have not acknowledged is repeated after so many seconds.
    pub repeat_seconds: u32,
}

impl Default for JournalConfig {
    fn default() -> JournalConfig {
        JournalConfig { path: None, snapshot_every: 50_000, repeat_seconds: 5 }
    }
}

fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 7878))
}

fn data() -> PathBuf {
    PathBuf::from("data")
}

/// Why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

impl Config {
    /// Reads a file; paths in it are relative to it.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let shown = path.display();
        let unreadable = |error: std::io::Error| ConfigError(format!("{shown}: it cannot be read: {error}"));
        let size = std::fs::metadata(path).map_err(unreadable)?.len();
        if size > BYTES_MAX {
            return Err(ConfigError(format!("{shown}: it has {size} bytes; at most {BYTES_MAX} are read")));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let mut config = Config::parse(&text, &shown.to_string())?;
        config.file = Some(path.to_owned());
        let beside = path.parent().unwrap_or(Path::new(""));
        config.data = beside.join(&config.data);
        config.journal.path = config.journal.path.map(|path| beside.join(path));
        for slurm in config.sites.iter_mut().filter_map(|site| site.slurm.as_mut()) {
            for path in [&mut slurm.conf, &mut slurm.directory, &mut slurm.executable].into_iter().flatten() {
                *path = beside.join(&*path);
            }
        }
        if let Some(oidc) = &mut config.oidc {
            oidc.beside(beside);
            oidc.check().map_err(|why| ConfigError(format!("{shown}: {why}")))?;
        }
        config.mail.iter_mut().for_each(|mail| mail.beside(beside));
        config.webhooks.iter_mut().for_each(|webhook| webhook.beside(beside));
        if let Some(tls) = &mut config.tls {
            (tls.certificate, tls.key) = (beside.join(&tls.certificate), beside.join(&tls.key));
        }
        Ok(config)
    }

    /// Reads the text of a file of that name.
    pub fn parse(text: &str, source: &str) -> Result<Config, ConfigError> {
        let config: Config = toml::from_str(text).map_err(|error| {
            let line =
                error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            ConfigError(format!("{source}:{line}: {}", walras_api::echo_message(error.message())))
        })?;
        if !(1..=86_400).contains(&config.clock.speed) {
            return Err(ConfigError(format!(
                "{source}: clock.speed: {} is not between 1 and 86400",
                config.clock.speed
            )));
        }
        let fast = (config.clock.speed != 1)
            .then(|| config.sites.iter().find(|site| site.slurm.is_some()))
            .flatten();
        if let Some(site) = fast {
            return Err(ConfigError(format!(
                "{source}: clock.speed: {} cannot be: site '{}' is a real cluster, where time runs at 1",
                config.clock.speed, site.name
            )));
        }
        if config.journal.snapshot_every == 0 || config.journal.repeat_seconds == 0 {
            let keys = "journal.snapshot_every and journal.repeat_seconds";
            return Err(ConfigError(format!("{source}: {keys} must be at least 1")));
        }
        let limits = &config.limits;
        if limits.connections == 0 || limits.head_seconds == 0 || limits.answer_seconds == 0 {
            let keys = "limits.connections, limits.head_seconds and limits.answer_seconds";
            return Err(ConfigError(format!("{source}: {keys} must be at least 1")));
        }
        let mail = config.mail.iter().map(MailConfig::check);
        let letters = mail.chain(config.webhooks.iter().map(WebhookConfig::check));
        letters.collect::<Result<(), String>>().map_err(|why| ConfigError(format!("{source}: {why}")))?;
        config.first_policy(source)?;
        Ok(config)
    }

    /// Where the journal is.
    pub fn journal_path(&self) -> PathBuf {
        self.journal.path.clone().unwrap_or_else(|| self.data.join("journal.db"))
    }

    /// What is not as it was in another configuration, and is not of sites: it takes effect with the next start.
    pub fn changed_since(&self, before: &Config) -> Vec<&'static str> {
        let shown = |config: &Config| {
            [
                ("listen", format!("{:?}", config.listen)),
                ("data", format!("{:?}", config.data)),
                ("tls", format!("{:?}", config.tls)),
                ("oidc", format!("{:?}", config.oidc)),
                ("clock", format!("{:?}", config.clock)),
                ("limits", format!("{:?}", config.limits)),
                ("journal", format!("{:?}", config.journal)),
                ("mail", format!("{:?}", config.mail)),
                ("webhook", format!("{:?}", config.webhooks)),
                ("policy", format!("{:?}", config.policy)),
                ("batch", format!("{:?}", config.batch)),
            ]
        };
        let pairs = shown(self).into_iter().zip(shown(before));
        pairs.filter(|((_, now), (_, was))| now != was).map(|((name, _), _)| name).collect()
    }

    /// The VO's rules at the first start. Time 0 of the service was a Thursday.
    pub fn first_policy(&self, source: &str) -> Result<Policy, ConfigError> {
        let mut policy =
            Policy { network: usual_network(), strategies: StrategyUse::Windows, ..Policy::default() };
        if let Some(since_monday) = walras_model::Span::from_millis(3 * 86_400_000) {
            policy.calendar = walras_core::prefer::Calendar::new(since_monday);
        }
        let Some(table) = &self.policy else { return Ok(policy) };
        let wrong = |error: &dyn fmt::Display| ConfigError(format!("{source}: policy: {error}"));
        let text = serde_json::to_string(table).map_err(|error| wrong(&error))?;
        let file: PolicyFile = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
        let policy = file.apply(&policy, source).map_err(|error| ConfigError(error.to_string()))?;
        policy.check().map_err(|error| wrong(&policy_text(&error)))?;
        Ok(policy)
    }
}

/// What is wrong, as it is.
pub(crate) fn refused(error: impl std::fmt::Display) -> ConfigError {
    ConfigError(error.to_string())
}

/// What no program on this machine may see: what the service keeps, and where it is at home.
pub(crate) fn hidden(config: &Config) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.parent().is_some());
    let journal = config.journal.path.iter().flat_map(|path| {
        let beside = |end: &str| PathBuf::from([path.as_os_str(), OsStr::new(end)].join(OsStr::new("")));
        ["", "-wal", "-shm"].map(beside)
    });
    let keys = config.tls.iter().map(|tls| tls.key.clone());
    let password = config.mail.iter().filter_map(|mail| mail.password_file.clone());
    let secrets = password.chain(config.webhooks.iter().map(|webhook| webhook.secret_file.clone()));
    home.into_iter().chain([config.data.clone()]).chain(journal).chain(keys).chain(secrets).collect()
}
