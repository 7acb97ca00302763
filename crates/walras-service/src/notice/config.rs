//! `[mail]` and `[[webhook]]`: how letters leave the house, and where they may go.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use walras_broker::notify::{Notify, is_mail_address, is_webhook_address};

/// `[mail]`: the relay, and whom it may write to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailConfig {
    /// The relay's name.
    pub relay: String,
    /// Its port; 587, 465 with `tls`, 25 with `none`.
    pub port: Option<u16>,
    /// How what is said to it is kept from others.
    #[serde(default)]
    pub encryption: Encryption,
    /// As whom the service speaks to it.
    pub user: Option<String>,
    /// A file with the password that goes with it.
    pub password_file: Option<PathBuf>,
    /// From whom the letters are.
    pub from: String,
    /// The domains that letters may go to; `*` is any.
    pub to: Vec<String>,
    /// Users without an address get theirs at this domain, by their names.
    pub domain: Option<String>,
    /// So many letters are sent for a user within an hour; more are not sent.
    #[serde(default = "per_hour")]
    pub per_hour: u32,
    /// The first pause before a letter is sent again, in seconds; it doubles up to an hour.
    #[serde(default = "retry_seconds")]
    pub retry_seconds: u32,
}

/// How what is said to a relay is kept from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encryption {
    /// From the first greeting on.
    #[default]
    Starttls,
    /// From the first byte on.
    Tls,
    /// Not at all: for a relay on this machine.
    None,
}

/// `[[webhook]]`: addresses that may be called, and what the calls are signed with.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookConfig {
    /// Everything under this address may be called.
    pub url: String,
    /// A file with the secret that calls are signed with; at least 16 bytes.
    pub secret_file: PathBuf,
    /// So many calls are made for a user within an hour; more are not made.
    #[serde(default = "per_hour")]
    pub per_hour: u32,
    /// The first pause before a call is made again, in seconds; it doubles up to an hour.
    #[serde(default = "retry_seconds")]
    pub retry_seconds: u32,
}

fn per_hour() -> u32 {
    60
}

fn retry_seconds() -> u32 {
    5
}

/// What becomes of what a job's user wants to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untold {
    /// The service sends no mail.
    NoMail,
    /// It does not know the user's address.
    NoAddress,
}

/// Why a job's wish to be told is refused, as the rest of a sentence about the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {text}")]
pub struct NotAllowed {
    /// Which field of `notify`.
    pub field: &'static str,
    /// What is wrong with it.
    pub text: String,
}

impl MailConfig {
    /// Paths in it are relative to a directory.
    pub(crate) fn beside(&mut self, directory: &Path) {
        self.password_file = self.password_file.take().map(|file| directory.join(file));
    }

    /// Whether it makes sense.
    pub(crate) fn check(&self) -> Result<(), String> {
        if !is_mail_address(&self.from) {
            return Err("mail.from: it is not an address: expected one such as walras@example.org".to_owned());
        }
        if self.to.is_empty() {
            return Err("mail.to: it names no domain that letters may go to; \"*\" is any".to_owned());
        }
        if let Some(domain) = self.domain.as_ref().filter(|domain| !is_mail_address(&format!("a@{domain}"))) {
            return Err(format!("mail.domain: {} is not a domain", walras_api::echo_message(domain)));
        }
        if self.user.is_some() != self.password_file.is_some() {
            return Err("mail.user and mail.password_file belong together".to_owned());
        }
        let here = ["localhost", "127.0.0.1", "::1"].contains(&self.relay.as_str());
        if self.user.is_some() && self.encryption == Encryption::None && !here {
            return Err("mail.encryption: a password is not sent in the clear to another machine".to_owned());
        }
        if self.retry_seconds == 0 {
            return Err("mail.retry_seconds: it must be at least 1".to_owned());
        }
        Ok(())
    }

    /// Whether letters may go to an address.
    fn allows(&self, address: &str) -> bool {
        let domain = address.rsplit('@').next().unwrap_or_default();
        self.to.iter().any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(domain))
    }
}

impl WebhookConfig {
    /// Paths in it are relative to a directory.
    pub(crate) fn beside(&mut self, directory: &Path) {
        self.secret_file = directory.join(&self.secret_file);
    }

    /// Whether it makes sense.
    pub(crate) fn check(&self) -> Result<(), String> {
        let whole = is_webhook_address(&self.url) && !self.url.contains('?');
        let path = self.url.splitn(3, '/').nth(2).is_some_and(|rest| rest.contains('/'));
        if !whole || !path || !self.url.ends_with('/') {
            let what = "it is not the begin of addresses: expected one such as https://example.org/walras/";
            return Err(format!("webhook.url: {what}"));
        }
        if self.retry_seconds == 0 {
            return Err("webhook.retry_seconds: it must be at least 1".to_owned());
        }
        Ok(())
    }

    /// Whether an address may be called by this.
    pub(super) fn allows(&self, address: &str) -> bool {
        address.starts_with(&self.url)
    }
}

/// What a job's user wants to be told, as far as it can be done: with the user's own address where none is given. What cannot be done is
/// said; what is not allowed is refused.
pub fn settle(
    mail: Option<&MailConfig>,
    webhooks: &[WebhookConfig],
    user: &str,
    notify: &mut Notify,
) -> Result<Option<Untold>, NotAllowed> {
    if let Some(url) = notify.webhook.as_ref().filter(|url| !webhooks.iter().any(|it| it.allows(url))) {
        let text = format!("{} may not be called by this service", walras_api::echo_message(url));
        return Err(NotAllowed { field: "webhook", text });
    }
    let own = || {
        let domain = mail.and_then(|mail| mail.domain.as_ref())?;
        Some(format!("{user}@{domain}")).filter(|address| is_mail_address(address))
    };
    if notify.mail.is_none() && notify.webhook.is_none() {
        match (own(), mail) {
            (Some(address), _) => notify.mail = Some(address),
            (None, Some(_)) => return Ok(Some(Untold::NoAddress)),
            (None, None) => return Ok(Some(Untold::NoMail)),
        }
    }
    match (&notify.mail, mail) {
        (Some(_), None) => {
            notify.mail = None;
            Ok(Some(Untold::NoMail))
        }
        (Some(address), Some(mail)) if !mail.allows(address) => {
            let text =
                format!("{} is at no domain that this service writes to", walras_api::echo_message(address));
            Err(NotAllowed { field: "mail", text })
        }
        (Some(_), Some(_)) | (None, _) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail() -> MailConfig {
        toml::from_str("relay = \"localhost\"\nfrom = \"walras@example.org\"\nto = [\"example.org\"]\ndomain = \"example.org\"")
            .unwrap()
    }

    fn webhook(url: &str) -> WebhookConfig {
        toml::from_str(&format!("url = \"{url}\"\nsecret_file = \"s\"")).unwrap()
    }

    #[test]
    fn only_what_is_allowed_is_written_to_or_called() {
        let hooks = [webhook("https://hooks.example.org/walras/")];
        let asked = |mail: Option<&str>, url: Option<&str>| Notify {
            mail: mail.map(str::to_owned),
            webhook: url.map(str::to_owned),
            ..Notify::default()
        };
        let of = |mut notify: Notify| {
            settle(Some(&mail()), &hooks, "ada", &mut notify)
                .map(|untold| (untold, notify.mail))
                .map_err(|it| it.field)
        };
        assert_eq!(of(asked(None, None)), Ok((None, Some("ada@example.org".to_owned()))));
        assert_eq!(of(asked(Some("x@EXAMPLE.org"), None)).map(|it| it.0), Ok(None));
        assert_eq!(of(asked(Some("x@example.org.evil"), None)), Err("mail"));
        assert_eq!(of(asked(None, Some("https://hooks.example.org/walras/a"))).map(|it| it.0), Ok(None));
        for bad in [
            "https://hooks.example.org/other",
            "http://hooks.example.org/walras/",
            "https://hooks.example.org.evil/walras/",
        ] {
            assert_eq!(of(asked(None, Some(bad))), Err("webhook"), "{bad}");
        }
        let mut nobody = asked(Some("x@example.org"), None);
        assert_eq!(settle(None, &[], "ada", &mut nobody), Ok(Some(Untold::NoMail)));
        assert_eq!(nobody.mail, None);
        assert_eq!(
            settle(Some(&mail()), &[], "ada smith", &mut asked(None, None)),
            Ok(Some(Untold::NoAddress))
        );
    }

    #[test]
    fn a_configuration_that_makes_no_sense_is_refused() {
        assert!(mail().check().is_ok());
        assert!(MailConfig { from: "x".to_owned(), ..mail() }.check().is_err());
        assert!(MailConfig { to: Vec::new(), ..mail() }.check().is_err());
        assert!(MailConfig { user: Some("w".to_owned()), ..mail() }.check().is_err());
        let open = MailConfig {
            relay: "mail.example.org".to_owned(),
            encryption: Encryption::None,
            user: Some("w".to_owned()),
            password_file: Some("p".into()),
            ..mail()
        };
        assert!(open.check().is_err());
        assert!(webhook("https://example.org/").check().is_ok());
        for bad in
            ["https://example.org", "https://example.org/x", "ftp://x/", "https://a@x/", "https://x/../"]
        {
            assert!(webhook(bad).check().is_err(), "{bad}");
        }
    }
}
