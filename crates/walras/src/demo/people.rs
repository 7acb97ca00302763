//! Users and owners of the demo: made at the first start, found at every other.

use super::home::DemoHome;
use super::service::Service;
use crate::client::http::Client;
use crate::client::secret::Secret;
use crate::client::settings::Settings;
use crate::failure::Failure;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use ureq::http::Method;
use walras_api::service::{CodeView, StatementView, StatusView, TokenMade, UsersView};

/// Users and their groups.
const USERS: [(&str, &str); 3] = [("ada", "physics"), ("ben", "physics"), ("cleo", "film")];
/// Owners of the simulated sites.
const OWNERS: [&str; 3] = ["university", "laboratory", "cumulus"];
/// What every user begins with, in credits.
const DEPOSIT: u32 = 2_000;
/// What the physicists together may spend in ten minutes, in credits: more than they do, mostly.
const PHYSICS_BUDGET: u32 = 2_500;

/// Everybody, each with a way to ask.
pub(super) struct People {
    pub(super) administrator: Arc<Client>,
    users: BTreeMap<&'static str, Arc<Client>>,
    pub(super) url: String,
    /// How many jobs there were when the demo began.
    pub(super) known: u64,
}

fn client(url: &str, token: &str) -> Result<Arc<Client>, Failure> {
    let token =
        Secret::new(token).ok_or_else(|| Failure::input("a token file of the demo holds no token"))?;
    Client::new(Settings { url: url.to_owned(), token: Some(token), ca: None }).map(Arc::new)
}

impl People {
    /// Adds those who are missing.
    pub(super) fn gather(home: &DemoHome, service: &Service) -> Result<People, Failure> {
        let url = &service.url;
        let token = crate::files::read(&service.token_file, 1 << 12)?;
        let administrator = client(url, &String::from_utf8_lossy(&token))?;
        let status: StatusView = administrator.get("/v1/status")?.view()?;
        add_users(&administrator)?;
        let mut users = BTreeMap::new();
        for (name, _) in USERS {
            users.insert(name, with_token(home, &administrator, url, "user", name)?);
        }
        for name in OWNERS {
            with_token(home, &administrator, url, "owner", name)?;
        }
        let known = status.queued + status.reserved + status.running + status.ended;
        Ok(People { administrator, users, url: url.clone(), known })
    }

    /// Where a browser is signed in, once, as whoever asks so.
    fn page(&self, client: &Client) -> Result<String, Failure> {
        let code: CodeView = client.send(Method::POST, "/v1/codes", None)?.view()?;
        Ok(format!("{}/#code={}", self.url, code.code))
    }

    /// Where a browser is signed in as the administrator, and where as a user.
    pub(super) fn pages(&self) -> Result<[String; 2], Failure> {
        Ok([self.page(&self.administrator)?, self.page(self.user("ada")?)?])
    }

    /// All users, by name.
    pub(super) fn users(&self) -> impl Iterator<Item = (&'static str, &Arc<Client>)> {
        self.users.iter().map(|(name, client)| (*name, client))
    }

    /// How a user asks.
    pub(super) fn user(&self, name: &str) -> Result<&Arc<Client>, Failure> {
        self.users.get(name).ok_or_else(|| Failure::fault(format!("{name} is no user of the demo")))
    }
}

fn add_users(administrator: &Client) -> Result<(), Failure> {
    let known: UsersView = administrator.get("/v1/users")?.view()?;
    if known.users.is_empty() {
        let budget = json!({"period": 600, "amount": PHYSICS_BUDGET});
        administrator.send(Method::PUT, "/v1/budgets/group:physics", Some(&budget))?;
    }
    for (name, group) in USERS {
        if !known.users.iter().any(|user| user.name == name) {
            let user = json!({"group": group, "share": 1, "lowest": 0});
            administrator.send(Method::PUT, &format!("/v1/users/{name}"), Some(&user))?;
        }
        let path = format!("/v1/account/statement?account=user:{name}&limit=1");
        let moved: StatementView = administrator.get(&path)?.view()?;
        if moved.lines.is_empty() {
            let deposit = json!({"account": format!("user:{name}"), "amount": DEPOSIT});
            administrator.post_once("/v1/deposits", &deposit, &format!("demo-{name}"))?;
        }
    }
    Ok(())
}

/// Somebody's token: the one that is kept, or a new one when it is missing or refused.
fn with_token(
    home: &DemoHome,
    administrator: &Client,
    url: &str,
    role: &str,
    name: &str,
) -> Result<Arc<Client>, Failure> {
    if let Some(known) = home.token(name).and_then(|token| client(url, &token).ok())
        && known.get("/v1/me").is_ok()
    {
        return Ok(known);
    }
    let wanted = json!({"role": role, "name": name});
    let made: TokenMade = administrator.send(Method::POST, "/v1/tokens", Some(&wanted))?.view()?;
    home.keep_token(name, &made.secret)?;
    client(url, &made.secret)
}
