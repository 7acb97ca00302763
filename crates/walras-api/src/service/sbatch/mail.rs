//! Who is told: `--mail-type` and `--mail-user` as the key `notify`.

use super::{Keys, Sbatch};
use crate::error::ReadError;
use crate::service::directive::Meaning;
use crate::service::notify::mail_type;
use serde_json::{Map, Value};
use walras_broker::notify::is_mail_address;

impl Sbatch<'_> {
    pub(super) fn notify(&mut self, keys: &mut Keys) -> Result<(), ReadError> {
        let user = self.get(Meaning::MailUser).cloned();
        if let Some(given) = user.as_ref().filter(|given| !is_mail_address(&given.value)) {
            return Err(given.refuse("is not an address of mail: expected one such as ada@example.org"));
        }
        let Some(given) = self.get(Meaning::MailType).cloned() else {
            if let Some(given) = user {
                self.leave_out(&given.text, &given.location, "does nothing without --mail-type");
            }
            return Ok(());
        };
        let what = "is not understood: expected BEGIN, END, FAIL, REQUEUE, TIME_LIMIT, INVALID_DEPEND, ALL or NONE, several with commas between";
        let (on, idle) = mail_type(&given.value).ok_or_else(|| given.refuse(what))?;
        if idle {
            self.leave_out(
                &given.text,
                &given.location,
                "does nothing here in part: BEGIN, END, FAIL, REQUEUE, TIME_LIMIT, INVALID_DEPEND and ALL do",
            );
        }
        if on.is_empty() {
            return Ok(());
        }
        let mut notify = Map::new();
        notify.insert("on".to_owned(), on.iter().map(|occasion| Value::from(occasion.text())).collect());
        if let Some(user) = &user {
            notify.insert("mail".to_owned(), user.value.as_str().into());
        }
        keys.set("notify", notify, &given);
        Ok(())
    }
}
