//! Endpoints as data: the one table from which the router, the checks of who may call what, the OpenAPI document and the
//! tests are made. An endpoint that is not in the table does not exist.

use super::App;
use super::shape::Shape;
use crate::described::JsonSchema;
use axum::routing::MethodRouter;
use walras_api::service::Role;

/// Everybody who has a token.
pub(super) const ALL: &[Role] = &[Role::User, Role::Owner, Role::Administrator];
/// Those who run jobs.
pub(super) const USERS: &[Role] = &[Role::User, Role::Administrator];
/// Those who sell.
pub(super) const OWNERS: &[Role] = &[Role::Owner, Role::Administrator];
/// The administrator.
pub(super) const ADMINISTRATOR: &[Role] = &[Role::Administrator];

/// What an answer carries.
#[derive(Clone, Copy)]
pub enum Content {
    /// JSON of this shape.
    Json(Shape),
    /// Text of this media type.
    Text(&'static str),
}

/// One endpoint.
pub struct Endpoint {
    /// `get`, `post`, `put`, `patch` or `delete`.
    pub method: &'static str,
    /// Its path, with parameters in braces.
    pub path: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Who may call it; nobody in particular means everybody, without a token.
    pub roles: &'static [Role],
    /// The parameters of its query, as the properties of an object.
    pub query: Option<Shape>,
    /// What it is sent.
    pub body: Option<Shape>,
    /// Whether it can be repeated under a key.
    pub keyed: bool,
    /// The status of its answer.
    pub status: u16,
    /// What its answer carries.
    pub content: Content,
    /// What it may be refused with besides what every endpoint may.
    pub refusals: &'static [u16],
    /// What answers it.
    pub route: MethodRouter<App>,
}

impl Endpoint {
    /// An endpoint that answers with JSON.
    pub fn new<T: JsonSchema>(
        method: &'static str,
        path: &'static str,
        roles: &'static [Role],
        summary: &'static str,
        route: MethodRouter<App>,
    ) -> Endpoint {
        Endpoint {
            method,
            path,
            summary,
            roles,
            query: None,
            body: None,
            keyed: false,
            status: 200,
            content: Content::Json(Shape::of::<T>()),
            refusals: &[],
            route,
        }
    }

    /// It has a query of this shape.
    pub fn query<Q: JsonSchema>(mut self) -> Endpoint {
        self.query = Some(Shape::of::<Q>());
        self
    }

    /// It is sent JSON of this shape.
    pub fn body<B: JsonSchema>(mut self) -> Endpoint {
        self.body = Some(Shape::of::<B>());
        self
    }

    /// It can be repeated under a key.
    pub fn keyed(mut self) -> Endpoint {
        self.keyed = true;
        self
    }

    /// It answers with another status than 200.
    pub fn status(mut self, status: u16) -> Endpoint {
        self.status = status;
        self
    }

    /// It answers with text.
    pub fn text(mut self, media: &'static str) -> Endpoint {
        self.content = Content::Text(media);
        self
    }

    /// It may be refused so.
    pub fn refuses(mut self, refusals: &'static [u16]) -> Endpoint {
        self.refusals = refusals;
        self
    }

    /// The names of the parameters in its path.
    pub fn parameters(&self) -> Vec<&'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect()
    }
}
