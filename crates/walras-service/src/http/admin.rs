//! Users, budgets, the policy and cycles.

use super::App;
use super::answer::Json;
use super::endpoint::{ADMINISTRATOR, ALL, Endpoint};
use super::extract::Sent;
use super::fault::Fault;
use super::market::cycle_view;
use crate::described::JsonSchema;
use crate::view::money::{all_budgets, spender_from, user_view};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get, patch, post, put};
use serde::Deserialize;
use walras_api::service::{
    BudgetView, CycleView, NameFault, PolicyFile, UserView, UsersView, name_fault, unseen,
};
use walras_api::{Num, written, written_if_any};
use walras_broker::Input;
use walras_broker::budget::Budget;
use walras_broker::input::User;
use walras_broker::policy::Policy;
use walras_model::{Money, Span};

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
    #[serde(default, deserialize_with = "written_if_any")]
    #[schemars(with = "Option<walras_api::Amount>", range(min = -1_000_000_000, max = 0))]
    lowest: Option<Num>,
}

fn one() -> u32 {
    1
}

/// A limit on spending.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BudgetBody {
    /// How long a period lasts, in seconds.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    period: Num,
    /// What may be spent in it, in credits.
    #[serde(deserialize_with = "written")]
    #[schemars(with = "walras_api::Amount", range(min = 0, max = 1_000_000_000))]
    amount: Num,
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

/// A name of somebody: another must not look the same.
pub(super) fn name(text: &str, field: &str) -> Result<(), Fault> {
    let fits = !text.is_empty() && text.chars().count() <= NAME_MAX && !text.contains(char::is_control);
    if !fits {
        let wrong = format!("{field} must have 1 to {NAME_MAX} characters and no control characters");
        return Err(unprocessable("bad-name", wrong));
    }
    let wrong = |fault: NameFault| unprocessable("bad-name", format!("{field} {fault}"));
    name_fault(text).map_or(Ok(()), |fault| Err(wrong(fault)))
}

/// A name of something: all of it must be seen.
pub(super) fn seen_name(text: &str, field: &str) -> Result<(), Fault> {
    let wrong = |fault: NameFault| unprocessable("bad-name", format!("{field} {fault}"));
    unseen(text).map_or(Ok(()), |fault| Err(wrong(fault)))
}

/// How low a balance may go.
pub(super) fn lowest_of(number: &Num) -> Result<Money, Fault> {
    let wrong = || unprocessable("bad-user", "body: lowest must be zero or negative");
    Some(money(number, "lowest")?).filter(|lowest| *lowest <= Money::ZERO).ok_or_else(wrong)
}

/// What somebody may use, against the others.
pub(super) fn share_of(share: u32) -> Result<u32, Fault> {
    let wrong = || unprocessable("bad-user", "body: share must be between 1 and 1000000");
    Some(share).filter(|share| (1..=1_000_000).contains(share)).ok_or_else(wrong)
}

/// What may be spent in every period.
pub(super) fn budget_of(body: &BudgetBody) -> Result<Budget, Fault> {
    let amount = money(&body.amount, "amount")?;
    let millis = body.period.millis().filter(|millis| (1..=1_000_000_000_000).contains(millis));
    let wrong = || unprocessable("bad-period", "body: period: expected seconds, greater than 0");
    let period = millis.and_then(Span::from_millis).ok_or_else(wrong)?;
    if amount < Money::ZERO {
        return Err(unprocessable("bad-amount", "body: amount: it must not be negative"));
    }
    Ok(Budget { period, amount })
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
    let lowest = body.lowest.as_ref().map_or(Ok(Money::ZERO), lowest_of)?;
    let set = User { name: user.clone(), group: body.group, share: share_of(body.share)?, lowest };
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
    app.handle.send(Input::SetBudget { spender, budget: Some(budget_of(&body)?) }).await?;
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

/// The VO's rules with a change.
pub(super) async fn changed(app: &App, change: PolicyFile) -> Result<Policy, Fault> {
    let policy = app.handle.ask(move |state, _| change.apply(&state.policy, "body")).await?;
    policy.map_err(|error| unprocessable("bad-policy", error.to_string()))
}

async fn set_policy(
    State(app): State<App>,
    Sent(change): Sent<PolicyFile>,
) -> Result<Json<PolicyFile>, Fault> {
    let policy = changed(&app, change).await?;
    app.handle.send(Input::SetPolicy(Box::new(policy))).await?;
    show_policy(&app).await
}

async fn cycle(State(app): State<App>) -> Result<(StatusCode, Json<CycleView>), Fault> {
    app.handle.send(Input::CycleNow).await?;
    let last = app.metrics.last_plan();
    let view = app.handle.ask(move |state, _| cycle_view(state, last)).await?;
    Ok((StatusCode::ACCEPTED, Json(view)))
}
