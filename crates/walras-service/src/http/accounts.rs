//! Accounts: what is on them, what has moved, and what comes in.

use super::App;
use super::admin::{money, unprocessable};
use super::answer::Json;
use super::endpoint::{ADMINISTRATOR, ALL, Endpoint};
use super::extract::{Asked, Key, Sent};
use super::fault::Fault;
use crate::described::JsonSchema;
use crate::token::Caller;
use crate::view::money::{account_from, account_text, account_view, bill_view};
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde::Deserialize;
use walras_api::service::{AccountView, AccountsView, BillsView, Role, StatementLine, StatementView};
use walras_api::{Num, written};
use walras_broker::Input;
use walras_broker::account::Account;
use walras_model::Money;

/// How many lines are listed at most, and without a word.
const LIST_MAX: usize = 1_000;
const LIST_DEFAULT: usize = 100;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<AccountView>("get", "/v1/account", ALL, "Show one's own account.", get(account)),
        Endpoint::new::<StatementView>(
            "get",
            "/v1/account/statement",
            ALL,
            "List what moved on one's own account, newest first; on any, for an administrator.",
            get(statement),
        )
        .query::<StatementQuery>()
        .refuses(&[400, 404]),
        Endpoint::new::<BillsView>(
            "get",
            "/v1/account/bills",
            ALL,
            "List what each job and each array moved on one's own account, newest first; on any, for an administrator.",
            get(bills),
        )
        .query::<StatementQuery>()
        .refuses(&[400, 404]),
        Endpoint::new::<AccountsView>(
            "get",
            "/v1/accounts",
            ADMINISTRATOR,
            "List all accounts.",
            get(accounts),
        ),
        Endpoint::new::<AccountView>(
            "post",
            "/v1/deposits",
            ADMINISTRATOR,
            "Put money on an account.",
            post(deposit),
        )
        .body::<DepositBody>()
        .keyed()
        .status(201)
        .refuses(&[400, 404, 409, 413, 415, 422]),
    ]
}

/// Which lines are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StatementQuery {
    /// Whose account, as `user:NAME`, `owner:NAME` or `fee`; one's own, without.
    account: Option<String>,
    /// Only lines whose numbers are below this.
    before: Option<u64>,
    /// At most so many.
    #[schemars(range(min = 1, max = 1_000))]
    limit: Option<usize>,
}

/// Money that comes in, or goes out when negative.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DepositBody {
    /// Whose account, as `user:NAME` or `owner:NAME`.
    account: String,
    /// How much, in credits.
    #[serde(deserialize_with = "written")]
    #[schemars(with = "walras_api::Amount", range(min = -1_000_000_000, max = 1_000_000_000))]
    amount: Num,
}

/// The account of whoever asks; an administrator looks after the fees.
fn own_account(caller: &Caller) -> Account {
    match caller.role {
        Role::User => Account::User(caller.name.clone()),
        Role::Owner => Account::Owner(caller.name.clone()),
        Role::Administrator => Account::Fee,
    }
}

async fn show_account(app: &App, account: Account) -> Result<AccountView, Fault> {
    Ok(app.handle.ask(move |state, now| account_view(state, &account, now)).await?)
}

async fn account(State(app): State<App>, caller: Caller) -> Result<Json<AccountView>, Fault> {
    show_account(&app, own_account(&caller)).await.map(Json)
}

/// Whose account is asked for, and how many lines of it.
fn wanted(caller: &Caller, query: &StatementQuery) -> Result<(Account, usize), Fault> {
    let most = query.limit.unwrap_or(LIST_DEFAULT);
    if !(1..=LIST_MAX).contains(&most) {
        return Err(Fault::bad(format!("limit: {most} is not between 1 and {LIST_MAX}")));
    }
    let own = own_account(caller);
    let Some(text) = &query.account else { return Ok((own, most)) };
    let account = account_from(text).filter(|it| *it == own || caller.role == Role::Administrator);
    let account = account.ok_or_else(|| Fault::missing("such account, or it is somebody else's"))?;
    Ok((account, most))
}

async fn bills(
    State(app): State<App>,
    caller: Caller,
    Asked(query): Asked<StatementQuery>,
) -> Result<Json<BillsView>, Fault> {
    let (wanted, most) = wanted(&caller, &query)?;
    let (account, before) = (account_text(&wanted), query.before);
    let text = account.clone();
    let mut found = app.read(move |register| register.bills(&text, before, most + 1)).await?;
    let more = found.len() > most;
    found.truncate(most);
    let next = found.last().filter(|_| more).map(|bill| bill.job);
    let bills = app.handle.ask(move |known, _| found.into_iter().map(|it| bill_view(known, it)).collect());
    Ok(Json(BillsView { account, bills: bills.await?, next }))
}

async fn statement(
    State(app): State<App>,
    caller: Caller,
    Asked(query): Asked<StatementQuery>,
) -> Result<Json<StatementView>, Fault> {
    let (wanted, most) = wanted(&caller, &query)?;
    let text = account_text(&wanted);
    let (account, before) = (text.clone(), query.before);
    let mut found = app.read(move |register| register.lines(&text, before, most + 1)).await?;
    let more = found.len() > most;
    found.truncate(most);
    let next = found.last().filter(|_| more).map(|line| line.number);
    let lines = found.into_iter().map(|line| StatementLine {
        line: line.number,
        at: line.at.into(),
        purpose: line.purpose,
        amount: Num::of_money(Money::from_micros(line.amount)),
        balance: Num::of_money(Money::from_micros(line.balance)),
        job: line.job,
    });
    Ok(Json(StatementView { account, lines: lines.collect(), next }))
}

async fn accounts(State(app): State<App>) -> Result<Json<AccountsView>, Fault> {
    let view = app.handle.ask(|state, now| {
        let all = state.books.balances().map(|(account, _)| account_view(state, account, now));
        AccountsView { accounts: all.collect() }
    });
    Ok(Json(view.await?))
}

async fn deposit(
    State(app): State<App>,
    Key(key): Key,
    Sent(body): Sent<DepositBody>,
) -> Result<(StatusCode, Json<AccountView>), Fault> {
    let account = account_from(&body.account).filter(|it| matches!(it, Account::User(_) | Account::Owner(_)));
    let wrong = || unprocessable("bad-account", "body: account: expected user:NAME or owner:NAME");
    let account = account.ok_or_else(wrong)?;
    let amount = money(&body.amount, "amount")?;
    app.handle.send(Input::Deposit { key, account: account.clone(), amount }).await?;
    Ok((StatusCode::CREATED, Json(show_account(&app, account).await?)))
}
