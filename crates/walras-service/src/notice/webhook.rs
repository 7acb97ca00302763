//! Letters by calls: JSON by POST, signed, to addresses that the administrator allows.
//!
//! Each call carries when it was made (`Walras-Timestamp`, in seconds of 1970), the number of the notice (`Walras-Notice`), and
//! `Walras-Signature: v1=` with the HMAC-SHA256 (RFC 2104) of the timestamp, a dot and the body, in hex, by the secret that both sides know. Redirections
//! are not followed, and no proxy is asked: what is called is what is allowed.

use super::config::WebhookConfig;
use super::message::Message;
use super::outbox::{Carrier, NotCarried};
use crate::clock::wall_millis;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;
use std::time::Duration;
use walras_api::service::Stamp;

/// A program has so long for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// A secret has at least so many bytes.
const SECRET_MIN: usize = 16;

/// What makes calls.
pub(super) struct Caller {
    agent: ureq::Agent,
    webhooks: Vec<Webhook>,
}

struct Webhook {
    config: WebhookConfig,
    secret: Vec<u8>,
}

impl Caller {
    pub(super) fn open(webhooks: &[WebhookConfig]) -> Result<Caller, String> {
        let webhook = |config: &WebhookConfig| {
            let shown = config.secret_file.display();
            let secret = std::fs::read_to_string(&config.secret_file)
                .map_err(|error| format!("webhook.secret_file: {shown}: {error}"))?;
            let secret = secret.trim().as_bytes().to_vec();
            if secret.len() < SECRET_MIN {
                return Err(format!("webhook.secret_file: {shown}: it has less than {SECRET_MIN} bytes"));
            }
            Ok(Webhook { config: config.clone(), secret })
        };
        let webhooks = webhooks.iter().map(webhook).collect::<Result<_, String>>()?;
        let agent = ureq::Agent::config_builder()
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(ANSWER_WITHIN))
            .user_agent(concat!("walras/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Caller { agent: agent.into(), webhooks })
    }

    fn webhook_of(&self, url: &str) -> Option<&Webhook> {
        self.webhooks.iter().find(|webhook| webhook.config.allows(url))
    }
}

/// The signature of a body at a moment.
fn signature(secret: &[u8], timestamp: i64, body: &str) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    mac.update(format!("{timestamp}.{body}").as_bytes());
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("v1={hex}"))
}

fn body(message: &Message) -> String {
    let letter = &message.letter;
    json!({
        "notice": message.notice.get(),
        "kind": letter.occasion.text(),
        "at": Stamp::from(letter.at).to_string(),
        "job": message.job,
        "name": letter.name,
        "user": message.user,
        "text": message.text,
    })
    .to_string()
}

impl Carrier for Caller {
    fn carry(&self, message: &Message) -> Result<(), NotCarried> {
        let url = message.letter.webhook.as_deref().unwrap_or_default();
        // It was allowed when the job was submitted, and may not be any more.
        let not_allowed = || NotCarried::Never("it is not allowed to be called".to_owned());
        let webhook = self.webhook_of(url).ok_or_else(not_allowed)?;
        let (timestamp, body) = (wall_millis() / 1_000, body(message));
        let unsigned = || NotCarried::Never("it cannot be signed".to_owned());
        let signature = signature(&webhook.secret, timestamp, &body).ok_or_else(unsigned)?;
        let answer = self
            .agent
            .post(url)
            .header("Content-Type", "application/json")
            .header("Walras-Timestamp", timestamp.to_string())
            .header("Walras-Notice", message.notice.to_string())
            .header("Walras-Signature", signature)
            .send(&body);
        match answer.map(|answer| answer.status().as_u16()) {
            Ok(200..=299) => Ok(()),
            Ok(status @ (408 | 425 | 429 | 500..=599)) => {
                Err(NotCarried::Later(format!("it answers {status}")))
            }
            Ok(status) => Err(NotCarried::Never(format!("it answers {status}"))),
            Err(error) => Err(NotCarried::Later(error.to_string())),
        }
    }

    /// The machine that is called.
    fn place(&self, message: &Message) -> String {
        let url = message.letter.webhook.as_deref().unwrap_or_default();
        url.split('/').nth(2).unwrap_or_default().to_owned()
    }

    fn per_hour(&self, message: &Message) -> u32 {
        let url = message.letter.webhook.as_deref().unwrap_or_default();
        self.webhook_of(url).map_or(1, |webhook| webhook.config.per_hour)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out by another program.
    #[test]
    fn signatures_are_what_others_work_out() {
        // printf '1.hello' | openssl dgst -sha256 -hmac Jefe
        let expected = "v1=d061f30f69eb1954bef10b674989829edec4328e86a755bb0b52436f0555a4c2";
        assert_eq!(signature(b"Jefe", 1, "hello").as_deref(), Some(expected));
    }
}
