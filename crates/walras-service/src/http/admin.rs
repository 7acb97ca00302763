//! Users, budgets, the policy, cycles and tokens.

use super::App;
use super::endpoint::{ADMINISTRATOR, ALL, Endpoint};
use super::extract::{Sent, number};
use super::fault::Fault;
use super::market::cycle_view;
use crate::described::JsonSchema;
use crate::view::money::{all_budgets, spender_from, user_view};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get, patch, post, put};
use serde::Deserialize;
use walras_api::Num;
use walras_api::service::{
    BudgetView, CycleView, PolicyFile, Role, TokenMade, TokenView, TokensView, UserView, UsersView,
};
use walras_broker::Input;
use walras_broker::budget::Budget;
use walras_broker::input::User;
use walras_model::{Money, Span, Time};

/// Names of users and owners have at most so many characters.
const NAME_MAX: usize = 200;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<UsersView>("get", "/v1/users", ADMINISTRATOR, "List the users.", get(users)),
        Endpoint::new::<UserView>(
            "put",
            "/v1/users/{user}",
            ADMINISTRATOR,
            "Add a user, or change one.",
            put(set_user),
        )
        .body::<UserBody>()
        .refuses(&[400, 413, 415, 422]),
        Endpoint::new::<Vec<BudgetView>>(
            "get",
            "/v1/budgets",
            ADMINISTRATOR,
            "List all limits on spending.",
            get(budgets),
        ),
        Endpoint::new::<Vec<BudgetView>>(
            "put",
            "/v1/budgets/{spender}",
            ADMINISTRATOR,
            "Limit the spending of user:NAME, group:NAME or vo.",
            put(set_budget),
        )
        .body::<BudgetBody>()
        .refuses(&[400, 413, 415, 422]),
        Endpoint::new::<Vec<BudgetView>>(
            "delete",
            "/v1/budgets/{spender}",
            ADMINISTRATOR,
            "Lift a limit on spending.",
            delete(lift_budget),
        )
        .refuses(&[400, 422]),
        Endpoint::new::<PolicyFile>("get", "/v1/policy", ALL, "Show the VO's rules.", get(policy)),
        Endpoint::new::<PolicyFile>(
            "patch",
            "/v1/policy",
            ADMINISTRATOR,
            "Change some of the VO's rules.",
            patch(set_policy),
        )
        .body::<PolicyFile>()
        .refuses(&[400, 413, 415, 422]),
        Endpoint::new::<CycleView>("post", "/v1/cycles", ADMINISTRATOR, "Plan now.", post(cycle)).status(202),
        Endpoint::new::<TokensView>("get", "/v1/tokens", ADMINISTRATOR, "List the tokens.", get(tokens)),
        Endpoint::new::<TokenMade>("post", "/v1/tokens", ADMINISTRATOR, "Make a token.", post(make_token))
            .body::<TokenBody>()
            .status(201)
            .refuses(&[400, 413, 415, 422]),
        Endpoint::new::<TokenView>(
            "delete",
            "/v1/tokens/{token}",
            ADMINISTRATOR,
            "Revoke a token.",
            delete(revoke),
        )
        .refuses(&[400, 404]),
    ]
}

/// A user's terms.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UserBody {
    /// For budgets and rules of access.
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    group: Option<String>,
    /// What they may use, against the others.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000_000))]
    share: u32,
    /// How low their balance may go, in credits; zero or negative.
    #[serde(default)]
    #[schemars(range(min = -1_000_000_000, max = 0))]
    lowest: Option<Num>,
}

fn one() -> u32 {
    1
}

/// A limit on spending.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BudgetBody {
    /// How long a period lasts, in seconds.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    period: Num,
    /// What may be spent in it, in credits.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    amount: Num,
}

/// A token to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TokenBody {
    /// What it allows.
    role: Role,
    /// Whose it is: the name of a user or of an owner.
    #[schemars(length(min = 1, max = 200))]
    name: String,
    /// After how many seconds it expires; never, without.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    expires_in: Option<u32>,
}

pub(super) fn money(number: &Num, field: &str) -> Result<Money, Fault> {
    let wrong = || {
        format!(
            "body: {field}: {number} is not an amount: expected credits to six decimals, at most 1000000000"
        )
    };
    let micros = number.micros().filter(|micros| micros.unsigned_abs() <= 1_000_000_000_000_000);
    micros.map(Money::from_micros).ok_or_else(|| unprocessable("bad-amount", wrong()))
}

pub(super) fn unprocessable(code: &'static str, message: impl Into<String>) -> Fault {
    Fault::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
}

fn name(text: &str, field: &str) -> Result<(), Fault> {
    let fits = !text.is_empty() && text.chars().count() <= NAME_MAX && !text.contains(char::is_control);
    let wrong = format!("{field} must have 1 to {NAME_MAX} characters and no control characters");
    if fits { Ok(()) } else { Err(unprocessable("bad-name", wrong)) }
}

async fn users(State(app): State<App>) -> Result<Json<UsersView>, Fault> {
    let view = app.handle.ask(|state, _| UsersView { users: state.users.values().map(user_view).collect() });
    Ok(Json(view.await?))
}

async fn set_user(
    State(app): State<App>,
    Path(user): Path<String>,
    Sent(body): Sent<UserBody>,
) -> Result<Json<UserView>, Fault> {
    name(&user, "the name of a user")?;
    body.group.as_deref().map_or(Ok(()), |group| name(group, "body: group:"))?;
    let lowest = body.lowest.as_ref().map_or(Ok(Money::ZERO), |number| money(number, "lowest"))?;
    if !(1..=1_000_000).contains(&body.share) || lowest > Money::ZERO {
        let message = "body: share must be between 1 and 1000000, and lowest zero or negative";
        return Err(unprocessable("bad-user", message));
    }
    let set = User { name: user.clone(), group: body.group, share: body.share, lowest };
    app.handle.send(Input::SetUser(set)).await?;
    let view = app.handle.ask(move |state, _| state.users.get(user.as_str()).map(user_view)).await?;
    view.map(Json).ok_or_else(|| Fault::missing("such user"))
}

async fn show_budgets(app: &App) -> Result<Json<Vec<BudgetView>>, Fault> {
    Ok(Json(app.handle.ask(all_budgets).await?))
}

async fn budgets(State(app): State<App>) -> Result<Json<Vec<BudgetView>>, Fault> {
    show_budgets(&app).await
}

fn spender(text: &str) -> Result<walras_broker::budget::Spender, Fault> {
    let wrong = || unprocessable("bad-spender", "expected user:NAME, group:NAME or vo");
    let found = spender_from(text).ok_or_else(wrong)?;
    name(text, "a spender")?;
    Ok(found)
}

async fn set_budget(
    State(app): State<App>,
    Path(text): Path<String>,
    Sent(body): Sent<BudgetBody>,
) -> Result<Json<Vec<BudgetView>>, Fault> {
    let spender = spender(&text)?;
    let amount = money(&body.amount, "amount")?;
    let millis = body.period.millis().filter(|millis| (1..=1_000_000_000_000).contains(millis));
    let wrong = || unprocessable("bad-period", "body: period: expected seconds, greater than 0");
    let period = millis.and_then(Span::from_millis).ok_or_else(wrong)?;
    if amount < Money::ZERO {
        return Err(unprocessable("bad-amount", "body: amount: it must not be negative"));
    }
    app.handle.send(Input::SetBudget { spender, budget: Some(Budget { period, amount }) }).await?;
    show_budgets(&app).await
}

async fn lift_budget(
    State(app): State<App>,
    Path(text): Path<String>,
) -> Result<Json<Vec<BudgetView>>, Fault> {
    let spender = spender(&text)?;
    app.handle.send(Input::SetBudget { spender, budget: None }).await?;
    show_budgets(&app).await
}

async fn show_policy(app: &App) -> Result<Json<PolicyFile>, Fault> {
    Ok(Json(app.handle.ask(|state, _| PolicyFile::of(&state.policy)).await?))
}

async fn policy(State(app): State<App>) -> Result<Json<PolicyFile>, Fault> {
    show_policy(&app).await
}

async fn set_policy(
    State(app): State<App>,
    Sent(change): Sent<PolicyFile>,
) -> Result<Json<PolicyFile>, Fault> {
    let policy = app.handle.ask(move |state, _| change.apply(&state.policy, "body")).await?;
    let policy = policy.map_err(|error| unprocessable("bad-policy", error.to_string()))?;
    app.handle.send(Input::SetPolicy(Box::new(policy))).await?;
    show_policy(&app).await
}

async fn cycle(State(app): State<App>) -> Result<(StatusCode, Json<CycleView>), Fault> {
    app.handle.send(Input::CycleNow).await?;
    let last = app.metrics.last_plan();
    let view = app.handle.ask(move |state, _| cycle_view(state, last)).await?;
    Ok((StatusCode::ACCEPTED, Json(view)))
}

async fn tokens(State(app): State<App>) -> Json<TokensView> {
    Json(TokensView { tokens: app.tokens.list() })
}

async fn make_token(
    State(app): State<App>,
    Sent(body): Sent<TokenBody>,
) -> Result<(StatusCode, Json<TokenMade>), Fault> {
    name(&body.name, "body: name:")?;
    if body.expires_in.is_some_and(|seconds| !(1..=1_000_000_000).contains(&seconds)) {
        return Err(unprocessable("bad-time", "body: expires_in must be between 1 and 1000000000 seconds"));
    }
    let now = app.clock.now();
    let expires_at = body
        .expires_in
        .map(|seconds| Time::from_millis(now.as_millis() + i64::from(seconds) * 1_000).unwrap_or(Time::MAX));
    let inner = app.clone();
    let made = tokio::task::spawn_blocking(move || inner.tokens.make(body.role, &body.name, now, expires_at));
    let (token, secret) = made.await.map_err(|error| app.broken(&error))?.map_err(|error| unkept(&error))?;
    Ok((StatusCode::CREATED, Json(TokenMade { token, secret })))
}

fn unkept(error: &std::io::Error) -> Fault {
    Fault::new(StatusCode::SERVICE_UNAVAILABLE, "unwritable", error.to_string())
}

async fn revoke(State(app): State<App>, Path(token): Path<String>) -> Result<Json<TokenView>, Fault> {
    let token = number(&token, "token")?;
    let (inner, now) = (app.clone(), app.clock.now());
    let revoked = tokio::task::spawn_blocking(move || inner.tokens.revoke(token, now));
    let revoked = revoked.await.map_err(|error| app.broken(&error))?.map_err(|error| unkept(&error))?;
    // Whoever listens with it hears no more.
    app.closing.send_modify(|_| {});
    revoked.map(Json).ok_or_else(|| Fault::missing(format_args!("token {token}")))
}
