//! Tokens that are narrowed down: what they may still be used for.

use crate::token::Caller;
use walras_api::service::{Role, Scope};

/// What the guard knows of an endpoint.
#[derive(Clone, Copy)]
pub(super) struct Post {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) roles: &'static [Role],
    /// Whether the answer goes on for ever.
    pub(super) streams: bool,
}

/// What a token that only submits may be used for.
const SUBMITTING: [(&str, &str); 5] = [
    ("post", "/v1/jobs"),
    ("post", "/v1/jobs/{job}/again"),
    ("post", "/v1/quotes"),
    ("post", "/v1/quotes/{quote}/accept"),
    ("get", "/v1/me"),
];
/// What a token for one site may be used for beside that site itself; reports know of its site.
const BESIDE_SITES: [&str; 6] =
    ["/v1/me", "/v1/status", "/v1/sites", "/v1/offers", "/v1/reports/income", "/v1/reports/unsold"];

/// Why a caller's token is too narrow for an endpoint at a path, if it is.
pub(super) fn too_narrow(caller: &Caller, post: Post, path: &str) -> Option<&'static str> {
    let reads = post.method == "get";
    match caller.scope {
        Some(Scope::ReadOnly) if !reads => return Some("this token only reads"),
        Some(Scope::SubmitOnly) if !SUBMITTING.contains(&(post.method, post.path)) => {
            return Some("this token only submits");
        }
        Some(Scope::ReadOnly | Scope::SubmitOnly) | None => {}
    }
    let site = caller.site.as_deref()?;
    let asked = post.path.split('/').zip(path.split('/')).find(|(name, _)| *name == "{site}");
    let theirs = match asked {
        Some((_, asked)) => asked == site,
        None => reads && BESIDE_SITES.contains(&post.path),
    };
    (!theirs).then_some("this token is for one site")
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_api::service::Role;

    #[test]
    fn a_token_for_one_site_does_nothing_with_others() {
        let caller = Caller {
            token: 1,
            role: Role::Owner,
            name: "olga".to_owned(),
            scope: None,
            site: Some("north".to_owned()),
            expires_at: None,
        };
        let post = |method, path| Post { method, path, roles: &[], streams: false };
        let drain = post("post", "/v1/sites/{site}/drain");
        assert_eq!(too_narrow(&caller, drain, "/v1/sites/north/drain"), None);
        assert!(too_narrow(&caller, drain, "/v1/sites/south/drain").is_some());
        assert!(too_narrow(&caller, drain, "/v1/sites/%6eorth/drain").is_some(), "as it is written only");
        assert!(too_narrow(&caller, post("get", "/v1/account"), "/v1/account").is_some());
        assert_eq!(too_narrow(&caller, post("get", "/v1/sites"), "/v1/sites"), None);
        let both = Caller { scope: Some(Scope::ReadOnly), ..caller };
        assert!(too_narrow(&both, drain, "/v1/sites/north/drain").is_some());
    }
}
