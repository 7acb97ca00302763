//! `walras` as a client of the service: what users, owners and administrators type.
//!
//! Every command asks the service ([`http`]), and prints what it says: as a table for people, or with `--json` as it came.
//! Nothing is decided here but how things look, and what a shell is told.

mod cancel;
mod chain;
pub(crate) mod columns;
pub(crate) mod events;
pub(crate) mod explain;
#[cfg(test)]
mod fake;
mod fetch;
pub(crate) mod filter;
mod hear;
mod history;
pub(crate) mod http;
mod jobs;
mod list;
mod market;
mod money;
mod output;
mod owner;
mod report;
mod rules;
mod say;
pub(crate) mod secret;
mod service;
pub(crate) mod settings;
pub(crate) mod show;
mod status_line;
pub(crate) mod submit;
mod wait;
mod worth;
pub(crate) mod written;

use crate::failure::Failure;
use crate::watch;

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
    Jobs(list::ListArgs),
    /// Show one job
    Job(jobs::OneArgs),
    /// Say why a job is where it is, and what would help
    Explain(explain::ExplainArgs),
    /// Print what a job printed
    Output(output::OutputArgs),
    /// Show what jobs took that have ended: waits, run times, cost, exit codes
    History(history::HistoryArgs),
    /// Wait until jobs have ended
    Wait(wait::WaitArgs),
    /// Let jobs go that are held
    Release(cancel::ReleaseArgs),
    /// Cancel jobs
    Cancel(cancel::CancelArgs),
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
    /// Report what was earned, or how the VO is
    #[command(subcommand)]
    Report(report::ReportCommand),
    /// Show a site's prices, or set them
    Prices(market::PricesArgs),
    /// Add a site; drain one of one's own, or sell it again
    #[command(subcommand)]
    Site(owner::SiteCommand),
    /// Drain nodes of one's own, sell them again, or use them oneself
    #[command(subcommand)]
    Node(owner::NodeCommand),
    /// Show what a site's owner or the administrator wants of plans, or set it
    Prefer(market::PreferArgs),
    /// Let something go wrong on a simulated site
    Fault(market::FaultArgs),
    /// Show how the service is: alarms, the queue, its sites
    Status(service::StatusArgs),
    /// Show who has changed what, the newest first
    Log(service::LogArgs),
    /// Show the rules, or change some of them
    Policy(rules::PolicyArgs),
    /// Show the latest cycle, or plan now
    Cycle(rules::CycleArgs),
    /// Add, change and list users
    #[command(subcommand, visible_alias = "users")]
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
        Command::Jobs(args) => list::list(args),
        Command::Job(args) => jobs::one(args),
        Command::Explain(args) => explain::explain(args),
        Command::Output(args) => output::output(args),
        Command::History(args) => history::history(args),
        Command::Wait(args) => wait::wait(args),
        Command::Release(args) => cancel::release(args),
        Command::Cancel(args) => cancel::cancel(args),
        Command::Watch(args) => watch::run(args),
        Command::Events(args) => events::run(args),
        Command::Offers(args) => market::offers(args),
        Command::Sites(args) => market::sites(args),
        Command::Account(args) => money::account(args),
        Command::Statement(args) => money::statement(args),
        Command::Report(command) => report::run(command),
        Command::Prices(args) => market::prices(args),
        Command::Site(command) => owner::site(command),
        Command::Node(command) => owner::node(command),
        Command::Prefer(args) => market::prefer(args),
        Command::Fault(args) => market::fault(args),
        Command::Status(args) => service::status(args),
        Command::Log(args) => service::log(args),
        Command::Policy(args) => rules::policy(args),
        Command::Cycle(args) => rules::cycle(args),
        Command::User(command) => rules::user(command),
        Command::Token(command) => rules::token(command),
        Command::Deposit(args) => money::deposit(args),
        Command::Budget(command) => money::budget(command),
    }
}
