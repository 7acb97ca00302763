//! Whom a user wants told of a job beside themselves, and of what: by mail, by a call to a program of theirs.
//!
//! Addresses are checked when a job is submitted, so strictly that nothing in them can be taken for anything else on the way: visible
//! ASCII, no spaces, no quotes, no second address.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The longest address of mail, in bytes (RFC 5321).
pub const MAIL_MAX: usize = 254;
/// The longest address of a program, in bytes.
pub const WEBHOOK_MAX: usize = 1_000;
/// The longest name before the `@`, and of a part of a domain.
const LOCAL_MAX: usize = 64;
const LABEL_MAX: usize = 63;

/// What somebody may be told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Occasion {
    /// It is planned, promised or reserved, or that has changed.
    Plan,
    /// It has begun.
    Begin,
    /// It has lost its reservation and is back in the queue.
    Requeue,
    /// It has ended, one way or another.
    End,
    /// It has ended, and is not done.
    Fail,
}

impl Occasion {
    /// Every occasion.
    pub const ALL: [Occasion; 5] =
        [Occasion::Plan, Occasion::Begin, Occasion::Requeue, Occasion::End, Occasion::Fail];

    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Occasion::Plan => "plan",
            Occasion::Begin => "begin",
            Occasion::Requeue => "requeue",
            Occasion::End => "end",
            Occasion::Fail => "fail",
        }
    }
}

/// Who is told of what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notify {
    /// What they are told of; nothing, where it is empty.
    pub on: BTreeSet<Occasion>,
    /// By mail to this address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail: Option<String>,
    /// By a call to this address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<String>,
}

impl Notify {
    /// Whether anybody is told anything.
    pub fn is_for_somebody(&self) -> bool {
        !self.on.is_empty() && (self.mail.is_some() || self.webhook.is_some())
    }

    /// The first address that cannot be one.
    pub fn bad_address(&self) -> Option<&str> {
        let mail = self.mail.as_deref().filter(|mail| !is_mail_address(mail));
        mail.or_else(|| self.webhook.as_deref().filter(|url| !is_webhook_address(url)))
    }

    /// About as much as it takes to keep, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        [&self.mail, &self.webhook].into_iter().flatten().map(String::len).sum()
    }
}

/// Whether mail could go there: `name@domain`, in visible ASCII without quotes.
///
/// ```
/// use walras_broker::notify::is_mail_address;
/// assert!(is_mail_address("ada.l+jobs@example.org"));
/// assert!(!is_mail_address("ada@example.org\r\nBcc: eve@example.org"));
/// ```
pub fn is_mail_address(text: &str) -> bool {
    let Some((name, domain)) = text.split_once('@') else { return false };
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&byte);
    let atoms = name.split('.').all(|atom| !atom.is_empty());
    text.len() <= MAIL_MAX
        && name.len() <= LOCAL_MAX
        && atoms
        && name.bytes().all(in_name)
        && is_domain(domain)
}

/// Letters, digits and hyphens between dots.
fn is_domain(text: &str) -> bool {
    let label = |label: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let hyphen = label.starts_with('-') || label.ends_with('-');
        (1..=LABEL_MAX).contains(&label.len()) && label.bytes().all(plain) && !hyphen
    };
    text.split('.').all(label)
}

/// Whether a program could be called there: `https://host:port/path?query` in visible ASCII, without a name or a password in it.
pub fn is_webhook_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some(rest) = rest else { return false };
    let visible = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}#".contains(&byte);
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let (name, port) = host.rsplit_once(':').unwrap_or((host, "443"));
    let port = port.parse::<u16>().is_ok_and(|port| port > 0);
    // Dots that lead upwards could lead out of what is allowed.
    let lower = rest.to_ascii_lowercase();
    let upwards = rest.split(['/', '?']).any(|part| part == ".." || part == ".")
        || ["%2e", "%2f"].iter().any(|hidden| lower.contains(hidden));
    text.len() <= WEBHOOK_MAX && text.bytes().all(visible) && is_domain(name) && port && !upwards
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_mail() {
        for good in ["ada@example.org", "a.b+c@x-y.example", "root@localhost", "o'neil@example.org"] {
            assert!(is_mail_address(good), "{good}");
        }
        let long = format!("{}@example.org", "a".repeat(65));
        for bad in [
            "",
            "ada",
            "@example.org",
            "ada@",
            "ada@@x",
            "a b@x",
            "a@x y",
            "a@x,b@y",
            "a@x\r\nBcc: e@x",
            "<a@x>",
            "\"a\"@x",
            "a@-x",
            "a@x.",
            "a@.x",
            ".a@x",
            "a..b@x",
            "ä@x",
            "a@ä.org",
            "a@[127.0.0.1]",
            &long,
        ] {
            assert!(!is_mail_address(bad), "{bad:?}");
        }
    }

    #[test]
    fn addresses_of_programs() {
        for good in ["https://hooks.example.org/walras?x=1", "http://127.0.0.1:8080/", "https://a.example"] {
            assert!(is_webhook_address(good), "{good}");
        }
        for bad in [
            "",
            "ftp://x/",
            "https://",
            "https://a b/",
            "https://ada:pw@x/",
            "https://x/\r\nHost: y",
            "https://x/#f",
            "https://x:0/",
            "https://x:99999/",
            "https://x/../y",
            "https://x/%2e%2e/y",
            "file:///etc/passwd",
            "https://[::1]/",
        ] {
            assert!(!is_webhook_address(bad), "{bad:?}");
        }
    }
}
