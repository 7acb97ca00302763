//! Where the service is and who asks: from flags, the environment and the profile file, in this order.
//!
//! ```toml
//! default = "work"              # the profile to use when none is named
//!
//! [profiles.work]
//! url = "https://walras.example.org"
//! token_file = "work.token"     # beside this file; or token = "..." when nobody else can read this file
//! ca = "ca.pem"                 # of a private authority
//! ```

use super::secret::Secret;
use crate::failure::Failure;
use crate::files;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use ureq::http::Uri;

/// Where the service is unless something says otherwise.
pub(crate) const URL_DEFAULT: &str = "http://127.0.0.1:7878";
/// The most that is read of a profile file, a token or a certificate.
const BYTES_MAX: usize = 1 << 20;

/// How to reach the service
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Connect {
    /// Where the service is [default: the profile's, or http://127.0.0.1:7878; or WALRAS_URL]
    #[arg(long, value_name = "URL", help_heading = "Service", global = true)]
    url: Option<String>,
    /// A profile of ~/.config/walras/profile.toml [or WALRAS_PROFILE]
    #[arg(long, value_name = "NAME", help_heading = "Service", global = true)]
    profile: Option<String>,
    /// A file with the token [or the token itself in WALRAS_TOKEN]
    #[arg(long, value_name = "FILE", help_heading = "Service", global = true)]
    token_file: Option<PathBuf>,
    /// Send the token over plain http to another machine, where anybody on the way can read it
    #[arg(long, help_heading = "Service", global = true)]
    insecure: bool,
    /// Print what the service says as JSON
    #[arg(long, help_heading = "Service", global = true)]
    pub(crate) json: bool,
    /// Print times in UTC, instead of this machine's zone
    #[arg(long, help_heading = "Service", global = true)]
    pub(crate) utc: bool,
}

/// Variables of the environment.
pub(crate) trait Environment {
    /// The value of a variable that is set and not empty.
    fn var(&self, name: &str) -> Option<String>;
}

/// The process's own.
pub(crate) struct Process;

impl Environment for Process {
    fn var(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }
}

/// What a request needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Without a slash at the end.
    pub(crate) url: String,
    pub(crate) token: Option<Secret>,
    /// Certificates of a private authority, in PEM.
    pub(crate) ca: Option<Vec<u8>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    default: Option<String>,
    #[serde(default)]
    profiles: BTreeMap<String, Profile>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Profile {
    url: Option<String>,
    token: Option<String>,
    token_file: Option<PathBuf>,
    ca: Option<PathBuf>,
}

impl std::fmt::Debug for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Profile").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Connect {
    /// What counts in the end.
    pub(crate) fn settings(&self, environment: &impl Environment) -> Result<Settings, Failure> {
        let (profile, place) = self.profile(environment)?;
        let profile_url = profile.url.clone().unwrap_or_else(|| URL_DEFAULT.to_owned());
        let given = self.url.clone().or_else(|| environment.var("WALRAS_URL"));
        let url = given.unwrap_or_else(|| profile_url.clone()).trim_end_matches('/').to_owned();
        let loopback = check_url(&url)?;
        // A profile's token is for the profile's service, and for no other.
        let own = url == profile_url.trim_end_matches('/');
        let token = match (&self.token_file, environment.var("WALRAS_TOKEN")) {
            (Some(file), _) => Some(token_in(file)?),
            (None, Some(token)) => Some(
                Secret::new(&token).ok_or_else(|| Failure::input("WALRAS_TOKEN does not hold a token"))?,
            ),
            (None, None) if own => profile.token(&place)?,
            (None, None) => None,
        };
        if token.is_some() && !loopback && url.starts_with("http:") && !self.insecure {
            let what = "over plain http a token is sent to this machine only: use https, or --insecure";
            return Err(Failure::Input(format!("{url}: {what}")));
        }
        let ca = environment.var("WALRAS_CA").map(PathBuf::from);
        let ca = ca.or_else(|| profile.ca.map(|file| beside(&place, &file)));
        let ca = ca.map(|file| files::read(&file, BYTES_MAX)).transpose()?;
        Ok(Settings { url, token, ca })
    }

    /// The profile that is asked for, and the file that it is in.
    fn profile(&self, environment: &impl Environment) -> Result<(Profile, PathBuf), Failure> {
        let directory = environment
            .var("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| environment.var("HOME").map(|home| Path::new(&home).join(".config")));
        let place = directory.map(|directory| directory.join("walras").join("profile.toml"));
        let asked = self.profile.clone().or_else(|| environment.var("WALRAS_PROFILE"));
        let Some(place) = place.filter(|place| place.exists()) else {
            return match asked {
                None => Ok((Profile::default(), PathBuf::new())),
                Some(name) => Err(Failure::Input(format!(
                    "there is no profile {name}: ~/.config/walras/profile.toml does not exist"
                ))),
            };
        };
        let file = read_profiles(&place)?;
        let Some(name) = asked.or(file.default) else { return Ok((Profile::default(), place)) };
        match file.profiles.get(&name) {
            Some(profile) => Ok((profile.clone(), place)),
            None => {
                let known: Vec<&str> = file.profiles.keys().map(String::as_str).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let place = place.display();
                Err(Failure::Input(format!("{place}: there is no profile {name}: known are {known}")))
            }
        }
    }
}

fn read_profiles(place: &Path) -> Result<ProfileFile, Failure> {
    let bytes = files::read(place, BYTES_MAX)?;
    let shown = place.display();
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Failure::Input(format!("{shown}: the file is not UTF-8 text")))?;
    // Only the message and the line: what the file says might be a token.
    let file: ProfileFile = toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.lines().count().max(1);
        Failure::Input(format!("{shown}:{line}: {}", error.message()))
    })?;
    if file.profiles.values().any(|profile| profile.token.is_some()) && others_read(place) {
        let what = "it holds a token, and others can read it: run chmod 600 on it, or use token_file";
        return Err(Failure::Input(format!("{shown}: {what}")));
    }
    Ok(file)
}

#[cfg(unix)]
fn others_read(place: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(place).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_read(_: &Path) -> bool {
    false
}

impl Profile {
    fn token(&self, place: &Path) -> Result<Option<Secret>, Failure> {
        match (&self.token_file, &self.token) {
            (Some(file), _) => token_in(&beside(place, file)).map(Some),
            (None, Some(token)) => {
                let place = place.display();
                let wrong = || Failure::Input(format!("{place}: `token` does not hold a token"));
                Secret::new(token).map(Some).ok_or_else(wrong)
            }
            (None, None) => Ok(None),
        }
    }
}

/// A file that the profile file names.
fn beside(place: &Path, file: &Path) -> PathBuf {
    place.parent().unwrap_or(Path::new("")).join(file)
}

fn token_in(file: &Path) -> Result<Secret, Failure> {
    let bytes = files::read(file, BYTES_MAX)?;
    let token = std::str::from_utf8(&bytes).ok().and_then(Secret::new);
    token.ok_or_else(|| Failure::Input(format!("{}: does not hold a token", file.display())))
}

/// Whether the address is on this machine; an error when it is none.
fn check_url(url: &str) -> Result<bool, Failure> {
    let wrong = || {
        let what = "is not the address of a service: expected one such as https://walras.example.org";
        Failure::Input(format!("{} {what}", super::show::clean(url)))
    };
    let uri: Uri = url.parse().map_err(|_| wrong())?;
    let known = matches!(uri.scheme_str(), Some("http" | "https"));
    let authority = uri.authority().ok_or_else(wrong)?;
    // A port that is none would be left out, and somebody else asked.
    let after_host = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
    let port = authority.port_u16().is_some() || after_host.is_empty();
    // A name or password in it would be in the list of processes.
    if !known
        || !port
        || authority.as_str().contains('@')
        || uri.query().is_some()
        || authority.host().is_empty()
    {
        return Err(wrong());
    }
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let loopback =
        host.parse::<std::net::IpAddr>().map_or(host == "localhost", |address| address.is_loopback());
    Ok(loopback)
}

#[cfg(test)]
mod tests;
