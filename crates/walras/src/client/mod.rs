//! `walras` as a client of the service: what users, owners and administrators type.
//!
//! Every command asks the service ([`http`]), and prints what it says: as a table for people, or with `--json` as it came.
//! Nothing is decided here but how things look, and what a shell is told.

mod events;
#[cfg(test)]
mod fake;
pub(crate) mod http;
pub(crate) mod jobs;
mod market;
mod money;
mod rules;
pub(crate) mod secret;
pub(crate) mod settings;
pub(crate) mod show;
pub(crate) mod submit;

pub(crate) use events::{event_line, follow};

use crate::failure::Failure;
use crate::{files, watch};
use http::{Answer, Client};
use serde::de::DeserializeOwned;
use serde_json::{Number, Value};
use settings::{Connect, Process};
use std::path::Path;
use walras_api::Syntax;
use walras_api::service::{JOB_BYTES_MAX, read_object};

/// What can be asked of the service.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Submit jobs
    Submit(submit::SubmitArgs),
    /// Ask what a job would cost and when it would run, and hold that for a while
    Quote(submit::QuoteArgs),
    /// Take one of a quote's options
    Accept(submit::AcceptArgs),
    /// List jobs, the newest first
    Jobs(jobs::ListArgs),
    /// Show one job
    Job(jobs::OneArgs),
    /// Say why a job is where it is, and what would help
    Explain(jobs::OneArgs),
    /// Print what a job printed
    Output(jobs::OutputArgs),
    /// Wait until jobs have ended
    Wait(jobs::SeveralArgs),
    /// Cancel jobs
    Cancel(jobs::SeveralArgs),
    /// Show everything live: nodes over time, jobs, what happens
    Watch(watch::Args),
    /// Follow what happens, one line each
    Events(events::EventsArgs),
    /// List the free time that is for sale
    Offers(market::OffersArgs),
    /// List the sites
    Sites(market::SitesArgs),
    /// Show what is on an account
    Account(money::AccountArgs),
    /// Show what has moved on an account, the newest first
    Statement(money::StatementArgs),
    /// Show a site's prices, or set them
    Prices(market::PricesArgs),
    /// Let something go wrong on a simulated site
    Fault(market::FaultArgs),
    /// Show the rules, or change some of them
    Policy(rules::PolicyArgs),
    /// Show the latest cycle, or plan now
    Cycle(rules::CycleArgs),
    /// Add, change and list users
    #[command(subcommand)]
    User(rules::UserCommand),
    /// Make, list and revoke tokens
    #[command(subcommand)]
    Token(rules::TokenCommand),
    /// Pay into an account
    Deposit(money::DepositArgs),
    /// Limit what users, groups or all may spend
    #[command(subcommand)]
    Budget(money::BudgetCommand),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Submit(args) => submit::submit(args),
        Command::Quote(args) => submit::quote(args),
        Command::Accept(args) => submit::accept(args),
        Command::Jobs(args) => jobs::list(args),
        Command::Job(args) => jobs::one(args),
        Command::Explain(args) => jobs::explain(args),
        Command::Output(args) => jobs::output(args),
        Command::Wait(args) => jobs::wait(args),
        Command::Cancel(args) => jobs::cancel(args),
        Command::Watch(args) => watch::run(args),
        Command::Events(args) => events::run(args),
        Command::Offers(args) => market::offers(args),
        Command::Sites(args) => market::sites(args),
        Command::Account(args) => money::account(args),
        Command::Statement(args) => money::statement(args),
        Command::Prices(args) => market::prices(args),
        Command::Fault(args) => market::fault(args),
        Command::Policy(args) => rules::policy(args),
        Command::Cycle(args) => rules::cycle(args),
        Command::User(command) => rules::user(command),
        Command::Token(command) => rules::token(command),
        Command::Deposit(args) => money::deposit(args),
        Command::Budget(command) => money::budget(command),
    }
}

/// The service that is meant.
pub(crate) fn client(connect: &Connect) -> Result<Client, Failure> {
    Client::new(connect.settings(&Process)?)
}

/// Prints an answer: as it is, or for people.
fn say<T: DeserializeOwned>(
    connect: &Connect,
    answer: &Answer,
    for_people: impl FnOnce(&T) -> String,
) -> Result<(), Failure> {
    if connect.json {
        return say_json(answer);
    }
    files::print(&for_people(&answer.view()?))
}

/// Prints an answer as it is.
fn say_json(answer: &Answer) -> Result<(), Failure> {
    files::print(&show::pretty(&answer.text))
}

/// A map from a YAML or JSON file.
fn read_value(file: &Path) -> Result<Value, Failure> {
    let syntax = Syntax::of_path(file).map_err(Failure::input)?;
    let bytes = files::read(file, JOB_BYTES_MAX)?;
    read_object(&bytes, &file.display().to_string(), syntax).map_err(Failure::input)
}

/// An amount of money as an argument: a decimal of at most 15 digits.
fn amount(text: &str) -> Result<Number, String> {
    let wrong = || format!("'{text}' is not an amount: expected a number such as 40 or 12.5");
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.len() <= 16
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !plain {
        return Err(wrong());
    }
    match text.parse::<i64>() {
        Ok(whole) => Ok(whole.into()),
        Err(_) => text.parse().ok().and_then(Number::from_f64).ok_or_else(wrong),
    }
}
