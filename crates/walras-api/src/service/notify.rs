//! Whom a job's user wants told of it, and of what: the key `notify` of a job file, and Slurm's `--mail-type` and `--mail-user`.

use crate::described::JsonSchema;
use crate::error::{Problem, Within};
use crate::scenario::{List, present};
use serde::Deserialize;
use std::collections::BTreeSet;
use walras_broker::notify::{Notify, Occasion, is_mail_address, is_webhook_address};

/// Whom to tell, and of what. Without an address, its user by mail, where the service knows the domain.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Notify")]
pub struct NotifyFile {
    /// Of what: `plan` (planned, promised or reserved), `begin`, `requeue` (back in the queue), `end`, `fail`. Without it, of its end.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "List<String>", length(min = 1, max = 5))]
    on: Option<List<String>>,
    /// By mail to this address.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 3, max = 254))]
    mail: Option<String>,
    /// By a signed call to this address, which the service must allow.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 8, max = 1_000))]
    webhook: Option<String>,
}

impl NotifyFile {
    /// As the broker takes it.
    pub(super) fn wanted(self) -> Result<Box<Notify>, Problem> {
        let mut on = BTreeSet::new();
        for (index, word) in self.on.iter().flat_map(|list| &list.0).enumerate() {
            let known = Occasion::ALL.into_iter().find(|occasion| occasion.text() == word);
            let what = "is not known here: expected plan, begin, requeue, end or fail";
            let unknown = || Problem::new(word, what);
            on.insert(known.ok_or_else(unknown).in_item(index).in_field("on")?);
        }
        if on.is_empty() {
            on.insert(Occasion::End);
        }
        if let Some(mail) = self.mail.as_deref().filter(|mail| !is_mail_address(mail)) {
            let what = "is not an address of mail: expected one such as ada@example.org";
            return Err(Problem::new(mail, what)).in_field("mail");
        }
        if let Some(url) = self.webhook.as_deref().filter(|url| !is_webhook_address(url)) {
            let what = "is not an address that can be called: expected one such as https://example.org/hook";
            return Err(Problem::new(url, what)).in_field("webhook");
        }
        Ok(Box::new(Notify { on, mail: self.mail, webhook: self.webhook }))
    }
}

/// What Slurm's `--mail-type` says: of what somebody is told, and whether some of it does nothing here. `None` for what is not understood.
pub(super) fn mail_type(text: &str) -> Option<(BTreeSet<Occasion>, bool)> {
    let (mut on, mut idle) = (BTreeSet::new(), false);
    for word in text.split(',') {
        match word.to_ascii_uppercase().as_str() {
            "NONE" => {}
            "BEGIN" => on.extend([Occasion::Begin]),
            "END" => on.extend([Occasion::End]),
            // What needs more time than it has, or waits for what can never be, ends so here.
            "FAIL" | "TIME_LIMIT" | "INVALID_DEPEND" => on.extend([Occasion::Fail]),
            "REQUEUE" => on.extend([Occasion::Requeue]),
            "ALL" => on.extend([Occasion::Begin, Occasion::End, Occasion::Fail, Occasion::Requeue]),
            "STAGE_OUT" | "TIME_LIMIT_50" | "TIME_LIMIT_80" | "TIME_LIMIT_90" | "ARRAY_TASKS" => idle = true,
            _ => return None,
        }
    }
    Some((on, idle))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(text: &str) -> Result<Box<Notify>, String> {
        let file: NotifyFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
        file.wanted().map_err(|problem| problem.into_error("job.yaml").to_string())
    }

    #[test]
    fn who_is_told_of_what() {
        let found = wanted(r#"{"on": ["begin", "fail"], "mail": "ada@example.org"}"#).unwrap();
        assert_eq!(found.on, [Occasion::Begin, Occasion::Fail].into());
        assert_eq!(found.mail.as_deref(), Some("ada@example.org"));
        assert_eq!(wanted("{}").unwrap().on, [Occasion::End].into());
    }

    #[test]
    fn nonsense_is_refused_with_its_field() {
        let wrong = |text| wanted(text).unwrap_err();
        insta::assert_snapshot!(wrong(r#"{"on": ["end", "soon"]}"#), @"job.yaml: on[1]: soon is not known here: expected plan, begin, requeue, end or fail");
        insta::assert_snapshot!(wrong(r#"{"mail": "nonsense"}"#), @"job.yaml: mail: nonsense is not an address of mail: expected one such as ada@example.org");
        let injected = wrong(r#"{"mail": "a@x.org\r\nBcc: eve@x.org"}"#);
        assert!(injected.starts_with("job.yaml: mail: ") && !injected.contains(['\r', '\n']), "{injected}");
        assert!(
            wrong(r#"{"webhook": "file:///etc/passwd"}"#).contains("is not an address that can be called")
        );
    }

    #[test]
    fn occasions_as_slurm_has_them() {
        assert_eq!(mail_type("END,fail"), Some(([Occasion::End, Occasion::Fail].into(), false)));
        assert_eq!(mail_type("NONE"), Some((BTreeSet::new(), false)));
        assert_eq!(mail_type("ALL").map(|(on, _)| on.len()), Some(4));
        assert_eq!(mail_type("END,TIME_LIMIT_90"), Some(([Occasion::End].into(), true)));
        assert_eq!(mail_type("LUNCH"), None);
    }
}
