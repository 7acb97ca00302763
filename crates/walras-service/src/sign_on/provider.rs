//! A provider, asked over HTTP.
//!
//! What it says of itself is asked for at every step: signing in is rare, and keys change. Redirections are not followed, answers are
//! bounded in size and time.

use super::statement::{Asker, Claims, groups_in};
use super::{Back, Begun, Claim, NotSigned, OidcConfig, Person, SignOn};
use crate::session::make_room;
use crate::token::{hash, secret};
use openidconnect::core::{CoreAuthenticationFlow, CoreProviderMetadata};
use openidconnect::{
    AuthorizationCode, ClientId, ClientSecret, CsrfToken, HttpRequest, HttpResponse, IssuerUrl, Nonce,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope, TokenResponse,
};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long somebody may take to sign in, in milliseconds.
const WITHIN: i64 = 600_000;
/// So many may be on their way; the oldest make room.
const PENDING_MAX: usize = 1_000;
/// The longest answer of a provider that is read, in bytes.
const ANSWER_MAX: u64 = 1 << 20;
/// How long a provider may take, all in all.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// A browser that is on its way.
struct Pending {
    browser: [u8; 32],
    nonce: Nonce,
    verifier: PkceCodeVerifier,
    until: i64,
}

/// A provider.
pub(super) struct Provider {
    name: String,
    issuer: IssuerUrl,
    id: ClientId,
    secret: Option<ClientSecret>,
    back: RedirectUrl,
    claim: Claim,
    /// What says which groups somebody is in.
    groups: String,
    agent: ureq::Agent,
    /// By the hash of what they were sent with.
    pending: Mutex<BTreeMap<[u8; 32], Pending>>,
}

impl Provider {
    pub(super) fn open(config: &OidcConfig) -> Result<Provider, String> {
        let wrong = |key: &str, error: &dyn Display| format!("oidc.{key}: {error}");
        let secret = match &config.client_secret_file {
            None => None,
            Some(file) => {
                let text = std::fs::read_to_string(file);
                let text = text.map_err(|error| wrong("client_secret_file", &error))?;
                Some(ClientSecret::new(text.trim().to_owned()))
            }
        };
        let agent = ureq::Agent::config_builder()
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_global(Some(ANSWER_WITHIN))
            .build();
        Ok(Provider {
            name: config.name.clone(),
            issuer: IssuerUrl::new(config.issuer.clone()).map_err(|error| wrong("issuer", &error))?,
            id: ClientId::new(config.client_id.clone()),
            secret,
            back: RedirectUrl::new(config.back()).map_err(|error| wrong("address", &error))?,
            claim: config.claim,
            groups: config.groups.clone(),
            agent: agent.into(),
            pending: Mutex::default(),
        })
    }

    fn call(&self, request: HttpRequest) -> Result<HttpResponse, ureq::Error> {
        let (parts, body) = self.agent.run(request)?.into_parts();
        let body = body.into_with_config().limit(ANSWER_MAX).read_to_vec()?;
        Ok(HttpResponse::from_parts(parts, body))
    }

    fn unreachable(&self, error: &dyn Display) -> NotSigned {
        NotSigned::Unreachable(self.name.clone(), error.to_string())
    }

    fn invalid(&self, error: &dyn Display) -> NotSigned {
        NotSigned::Invalid(self.name.clone(), error.to_string())
    }

    fn metadata(&self) -> Result<CoreProviderMetadata, NotSigned> {
        let http = |request: HttpRequest| self.call(request);
        CoreProviderMetadata::discover(&self.issuer, &http).map_err(|error| self.unreachable(&error))
    }

    /// What asks it, by what it says of itself now.
    fn asker(&self) -> Result<Asker, NotSigned> {
        let asker = Asker::from_provider_metadata(self.metadata()?, self.id.clone(), self.secret.clone());
        Ok(asker.set_redirect_uri(self.back.clone()))
    }

    /// The browser that was sent so, if it is this one: once.
    fn taken(&self, back: &Back, now: i64) -> Option<Pending> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let known = pending.remove(&hash(&back.state))?;
        (known.until > now && known.browser == hash(&back.browser)).then_some(known)
    }

    fn name_of(&self, claims: &Claims) -> Result<String, NotSigned> {
        let (name, what) = match self.claim {
            Claim::Sub => (Some(claims.subject().to_string()), "subject"),
            Claim::PreferredUsername => {
                (claims.preferred_username().map(|name| name.to_string()), "preferred_username")
            }
            Claim::Email => {
                let verified = claims.email_verified() == Some(true);
                (claims.email().filter(|_| verified).map(|email| email.to_string()), "verified email")
            }
        };
        name.ok_or_else(|| NotSigned::Nameless(self.name.clone(), what))
    }
}

impl SignOn for Provider {
    fn begin(&self, now: i64) -> Result<Begun, NotSigned> {
        let client = self.asker()?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (to, state, nonce) = client
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                CsrfToken::new_random,
                Nonce::new_random,
            )
            .add_scope(Scope::new("profile".to_owned()))
            .add_scope(Scope::new("email".to_owned()))
            .set_pkce_challenge(challenge)
            .url();
        let browser = secret().map_err(|error| self.unreachable(&error))?;
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        make_room(&mut pending, PENDING_MAX, now, |known| known.until);
        let until = now.saturating_add(WITHIN);
        pending.insert(hash(state.secret()), Pending { browser: hash(&browser), nonce, verifier, until });
        Ok(Begun { to: to.to_string(), browser })
    }

    fn finish(&self, back: &Back, now: i64) -> Result<Person, NotSigned> {
        let Pending { nonce, verifier, .. } = self.taken(back, now).ok_or(NotSigned::Unexpected)?;
        let client = self.asker()?;
        let http = |request: HttpRequest| self.call(request);
        let exchange = client.exchange_code(AuthorizationCode::new(back.code.clone()));
        let exchange = exchange.map_err(|error| self.invalid(&error))?.set_pkce_verifier(verifier);
        let answer = exchange.request(&http).map_err(|error| self.invalid(&error))?;
        let statement =
            answer.id_token().ok_or_else(|| self.invalid(&"it has no statement of who that is"))?;
        let claims = statement.claims(&client.id_token_verifier(), &nonce);
        let claims = claims.map_err(|error| self.invalid(&error))?;
        Ok(Person { name: self.name_of(claims)?, groups: groups_in(claims, &self.groups) })
    }
}
