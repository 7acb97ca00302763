//! A token that cannot be printed by mistake.

use std::fmt;
use ureq::http::HeaderValue;

/// The longest token that is sent.
const LENGTH_MAX: usize = 4_096;

/// A token. There is no way to show it but in the header of a request.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(HeaderValue);

impl Secret {
    /// The token in this text, which may end in a newline. `None` when it is none.
    pub(crate) fn new(text: &str) -> Option<Secret> {
        let token = text.trim();
        let plain = !token.is_empty()
            && token.len() <= LENGTH_MAX
            && token.bytes().all(|byte| byte.is_ascii_graphic());
        let mut header = HeaderValue::from_str(&format!("Bearer {token}")).ok().filter(|_| plain)?;
        header.set_sensitive(true);
        Some(Secret(header))
    }

    /// As it is sent.
    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_not_show() {
        let secret = Secret::new("hush-hush\n").unwrap();
        assert_eq!(secret.header().to_str().unwrap(), "Bearer hush-hush");
        assert!(!format!("{secret:?} {:?}", secret.header()).contains("hush"));
        for wrong in ["", " \n", "two words", "line\nbreak", "é"] {
            assert_eq!(Secret::new(wrong), None, "{wrong}");
        }
    }
}
