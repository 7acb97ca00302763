//! `account`, `statement`, `deposit`, `budget`: who has what.

use super::http::{Client, encode, fresh_key, with_query};
use super::say::{amount, say, say_json};
use super::settings::Connect;
use super::show::{or_dash, table, table_or, time};
use crate::failure::Failure;
use serde_json::json;
use ureq::http::Method;
use walras_api::service::{AccountView, AccountsView, BillsView, StatementView};

#[derive(clap::Args)]
pub(crate) struct AccountArgs {
    /// Whose: user:NAME, owner:NAME or fee; for an administrator [default: one's own]
    account: Option<String>,
    /// All accounts; for an administrator
    #[arg(long, conflicts_with = "account")]
    all: bool,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct StatementArgs {
    /// Whose: user:NAME, owner:NAME or fee; for an administrator [default: one's own]
    account: Option<String>,
    /// One line for each job, and for each array
    #[arg(long)]
    by_job: bool,
    /// At most so many lines, the newest first
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// Only those before this line, to go on from there; with --by-job, before this job
    #[arg(long, value_name = "LINE")]
    before: Option<u64>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct DepositArgs {
    /// Whose: user:NAME or owner:NAME
    account: String,
    /// How many credits; what is negative is paid out
    #[arg(value_parser = amount, allow_negative_numbers = true)]
    amount: String,
    /// Your own key: however often it is sent, it is paid in once
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Subcommand)]
pub(crate) enum BudgetCommand {
    /// Limit what may be spent in every period
    Set(BudgetSetArgs),
    /// Take a limit away
    Remove(BudgetRemoveArgs),
}

#[derive(clap::Args)]
pub(crate) struct BudgetSetArgs {
    /// Whose: user:NAME, group:NAME or vo
    spender: String,
    /// How many credits a period
    #[arg(value_parser = amount)]
    amount: String,
    /// How many seconds a period lasts
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400)]
    period: u64,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct BudgetRemoveArgs {
    /// Whose: user:NAME, group:NAME or vo
    spender: String,
    #[command(flatten)]
    connect: Connect,
}

pub(crate) fn account(args: &AccountArgs) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    if !args.all {
        // One's own may be asked for by its name, too.
        let own = client.get("/v1/account")?;
        let name = own.view::<AccountView>()?.account;
        if args.account.as_ref().is_none_or(|asked| *asked == name) {
            return say(&args.connect, &own, |view: &AccountView| accounts_text(std::slice::from_ref(view)));
        }
    }
    let answer = client.get("/v1/accounts")?;
    let Some(name) = &args.account else {
        return say(&args.connect, &answer, |view: &AccountsView| accounts_text(&view.accounts));
    };
    let accounts: AccountsView = answer.view()?;
    let found = accounts.accounts.into_iter().find(|account| account.account == *name);
    let found = found.ok_or_else(|| Failure::Refused(format!("there is no account {name}")))?;
    let text = if args.connect.json {
        super::show::pretty(&serde_json::to_string(&found).map_err(Failure::fault)?)
    } else {
        accounts_text(&[found])
    };
    crate::files::print(&text)
}

fn accounts_text(accounts: &[AccountView]) -> String {
    let rows = accounts.iter().map(|account| {
        let AccountView { account, balance, held, credit, available, .. } = account;
        [account.clone(), balance.to_string(), held.to_string(), credit.to_string(), available.to_string()]
    });
    let rows: Vec<[String; 5]> = rows.collect();
    let heading = ["account", ">balance", ">held", ">credit", ">available"];
    let mut text = if rows.iter().all(|row| row[3] == "0") {
        // Nobody here has credit: there is nothing to say of it.
        let rows: Vec<[String; 4]> = rows
            .into_iter()
            .map(|[account, balance, held, _, available]| [account, balance, held, available])
            .collect();
        table_or(["account", ">balance", ">held", ">available"], &rows, "no accounts")
    } else {
        table(heading, &rows)
    };
    let mut budgets: Vec<[String; 4]> = Vec::new();
    for budget in accounts.iter().flat_map(|account| &account.budgets) {
        let (amount, left) = (budget.amount.to_string(), budget.left.to_string());
        let row = [budget.spender.clone(), budget.period.to_string(), amount, left];
        if !budgets.contains(&row) {
            budgets.push(row);
        }
    }
    if !budgets.is_empty() {
        text.push('\n');
        text.push_str(&table(["budget of", ">period, s", ">amount", ">left"], &budgets));
    }
    text
}

pub(crate) fn statement(args: &StatementArgs) -> Result<(), Failure> {
    let query = [
        ("account", args.account.clone()),
        ("before", args.before.map(|line| line.to_string())),
        ("limit", Some(args.limit.to_string())),
    ];
    if args.by_job {
        let answer = Client::of(&args.connect)?.get(&with_query("/v1/account/bills", &query))?;
        return say(&args.connect, &answer, bills_text);
    }
    let answer = Client::of(&args.connect)?.get(&with_query("/v1/account/statement", &query))?;
    say(&args.connect, &answer, |view: &StatementView| {
        let rows = view.lines.iter().map(|line| {
            [
                line.line.to_string(),
                time(line.at),
                line.purpose.text().to_owned(),
                line.amount.to_string(),
                line.balance.to_string(),
                or_dash(line.job.as_ref()),
            ]
        });
        let rows: Vec<[String; 6]> = rows.collect();
        let heading = [">line", "time", "purpose", ">amount", ">balance", ">job"];
        let mut text = table_or(heading, &rows, "nothing has moved");
        if let Some(next) = view.next {
            text.push_str(&format!("there are more: --before {next}\n"));
        }
        text
    })
}

fn bills_text(view: &BillsView) -> String {
    let rows = view.bills.iter().map(|bill| {
        let (from, until) = (time(bill.from), time(bill.until));
        let name = or_dash(bill.name.as_ref());
        [bill.job.to_string(), name, from, until, bill.lines.to_string(), bill.amount.to_string()]
    });
    let heading = [">job", "name", "from", "until", ">lines", ">amount"];
    let mut text = table_or(heading, &rows.collect::<Vec<_>>(), "no job has moved anything");
    if let Some(next) = view.next {
        text.push_str(&format!("there are more: --before {next}\n"));
    }
    text
}

pub(crate) fn deposit(args: &DepositArgs) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    let key = args.key.clone().map_or_else(fresh_key, Ok)?;
    let body = json!({"account": args.account, "amount": args.amount});
    let answer = client.post_once("/v1/deposits", &body, &key)?;
    say(&args.connect, &answer, |view: &AccountView| accounts_text(std::slice::from_ref(view)))
}

pub(crate) fn budget(command: &BudgetCommand) -> Result<(), Failure> {
    let path = |spender: &str| format!("/v1/budgets/{}", encode(spender));
    let (connect, answer) = match command {
        BudgetCommand::Set(args) => {
            let body = json!({"period": args.period, "amount": args.amount});
            let client = Client::of(&args.connect)?;
            (&args.connect, client.send(Method::PUT, &path(&args.spender), Some(&body))?)
        }
        BudgetCommand::Remove(args) => {
            let client = Client::of(&args.connect)?;
            (&args.connect, client.send(Method::DELETE, &path(&args.spender), None)?)
        }
    };
    if connect.json && !answer.text.is_empty() { say_json(&answer) } else { Ok(()) }
}
