//! Letters by mail, through a relay.

use super::config::{Encryption, MailConfig};
use super::message::Message;
use super::outbox::{Carrier, NotCarried};
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message as Mail};
use lettre::transport::smtp::SmtpTransportBuilder;
use lettre::transport::smtp::authentication::Credentials;
use lettre::{Address, SmtpTransport, Transport};
use std::time::Duration;
use walras_api::service::Stamp;

/// The relay has so long for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
/// Of a name so many characters go into a subject.
const NAME_SHOWN: usize = 80;

/// A relay.
pub(super) struct Relay {
    transport: SmtpTransport,
    from: Mailbox,
    per_hour: u32,
}

impl Relay {
    pub(super) fn open(config: &MailConfig) -> Result<Relay, String> {
        let wrong = |key: &str, error: &dyn std::fmt::Display| format!("mail.{key}: {error}");
        let builder: SmtpTransportBuilder = match config.encryption {
            Encryption::Starttls => {
                SmtpTransport::starttls_relay(&config.relay).map_err(|error| wrong("relay", &error))?
            }
            Encryption::Tls => SmtpTransport::relay(&config.relay).map_err(|error| wrong("relay", &error))?,
            Encryption::None => SmtpTransport::builder_dangerous(&config.relay),
        };
        let builder = config.port.into_iter().fold(builder, SmtpTransportBuilder::port);
        let builder = builder.timeout(Some(ANSWER_WITHIN));
        let builder = match (&config.user, &config.password_file) {
            (Some(user), Some(file)) => {
                let secret = std::fs::read_to_string(file).map_err(|error| wrong("password_file", &error))?;
                builder.credentials(Credentials::new(user.clone(), secret.trim().to_owned()))
            }
            _ => builder,
        };
        let from: Address = config.from.parse().map_err(|error| wrong("from", &error))?;
        let from = Mailbox::new(Some("Walras".to_owned()), from);
        Ok(Relay { transport: builder.build(), from, per_hour: config.per_hour })
    }

    fn mail(&self, message: &Message) -> Result<Mail, String> {
        let to = message.letter.mail.as_deref().unwrap_or_default();
        let to: Address = to.parse().map_err(|error| format!("{error}"))?;
        let number = format!(
            "<walras-{}-{}@{}>",
            message.notice,
            message.letter.at.as_millis(),
            self.from.email.domain()
        );
        let own =
            |name: &'static str, value: String| HeaderValue::new(HeaderName::new_from_ascii_str(name), value);
        Mail::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject(message))
            .message_id(Some(number))
            // Nobody answers it, and no other program should.
            .raw_header(own("Auto-Submitted", "auto-generated".to_owned()))
            .header(ContentType::TEXT_PLAIN)
            .body(body(message))
            .map_err(|error| error.to_string())
    }
}

/// Text without anything that could begin another line.
fn plain(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).collect()
}

fn subject(message: &Message) -> String {
    let name: String = plain(&message.letter.name).chars().take(NAME_SHOWN).collect();
    format!("Walras: job {} ({name}): {}", message.job, message.letter.occasion.text())
}

fn body(message: &Message) -> String {
    let letter = &message.letter;
    format!(
        "{}\n\njob   {} ({})\nuser  {}\nat    {}\n\nThis is notice {}; should it come twice, it is the same.\n",
        plain(&message.text),
        message.job,
        plain(&letter.name),
        plain(&message.user),
        Stamp::from(letter.at),
        message.notice
    )
}

impl Carrier for Relay {
    fn carry(&self, message: &Message) -> Result<(), NotCarried> {
        let mail = self.mail(message).map_err(NotCarried::Never)?;
        match self.transport.send(&mail) {
            Ok(_) => Ok(()),
            Err(error) if error.is_permanent() => Err(NotCarried::Never(error.to_string())),
            Err(error) => Err(NotCarried::Later(error.to_string())),
        }
    }

    /// There is one relay.
    fn place(&self, _: &Message) -> String {
        String::new()
    }

    fn per_hour(&self, _: &Message) -> u32 {
        self.per_hour
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_broker::id::NoticeNumber;
    use walras_broker::notice::Letter;
    use walras_broker::notify::Occasion;
    use walras_model::Time;

    fn written(name: &str, text: &str) -> String {
        let config =
            "relay = \"localhost\"\nfrom = \"walras@example.org\"\nto = [\"*\"]\nencryption = \"none\"";
        let relay = Relay::open(&toml::from_str(config).unwrap()).unwrap();
        let letter = Letter {
            at: Time::from_millis(0).unwrap(),
            name: name.to_owned(),
            occasion: Occasion::End,
            mail: Some("ada@example.org".to_owned()),
            webhook: None,
        };
        let (user, job, text) = ("ada".to_owned(), "17".to_owned(), text.to_owned());
        let message = Message { notice: NoticeNumber::new(4), user, job, text, letter };
        String::from_utf8(relay.mail(&message).unwrap().formatted()).unwrap()
    }

    #[test]
    fn a_letter_has_a_head_of_its_own_whatever_a_job_is_called() {
        let mail = written("fit\r\nBcc: eve@example.org\r\n\r\nhello", "It is done.\r\n.\r\nQUIT");
        let (head, body) = mail.split_once("\r\n\r\n").unwrap();
        assert!(head.lines().all(|line| !line.to_lowercase().starts_with("bcc")), "{mail}");
        assert!(
            head.contains("To: ada@example.org\r\n") && head.contains("Auto-Submitted: auto-generated"),
            "{mail}"
        );
        assert!(head.contains("<walras-4-0@example.org>"), "{mail}");
        assert!(body.contains("It is done.") && !body.lines().any(|line| line == "."), "{mail}");
        let long = written(&"ä".repeat(200), "x");
        assert!(long.lines().all(|line| line.len() <= 998 && line.is_ascii()), "{long}");
    }
}
