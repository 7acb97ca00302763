//! `policy`, `cycle`, `user`, `token`: what an administrator decides.

use super::http::{Client, encode};
use super::say::{amount, read_value, say, say_json};
use super::settings::Connect;
use super::show::{or_dash, table_or, time, time_or};
use crate::failure::Failure;
use serde_json::json;
use std::path::PathBuf;
use ureq::http::Method;
use walras_api::Num;
use walras_api::service::{
    AppliedView, CalibrationView, CycleView, TokenMade, TokenView, TokensView, TrialFigures, TrialView,
    UserView, UsersView,
};

#[derive(clap::Args)]
pub(crate) struct PolicyArgs {
    /// Change what this file says, in YAML or JSON; the rest stays
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// Say what the latest cycles would have decided with the changes of this file, and change nothing
    #[arg(long, value_name = "FILE", conflicts_with = "set")]
    r#try: Option<PathBuf>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct CycleArgs {
    /// Plan now, without waiting for the next cycle
    #[arg(long)]
    now: bool,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Subcommand)]
pub(crate) enum UserCommand {
    /// Add a user, or change one
    Set(UserSetArgs),
    /// Show all users
    List(ListArgs),
    /// Set the terms of many users, groups and the VO by a file, in YAML or JSON; see --dry-run
    Apply(UserApplyArgs),
}

#[derive(clap::Args)]
pub(crate) struct UserApplyArgs {
    /// `users`, `groups` and `vo`, each with what they may have; those that are not named stay
    file: PathBuf,
    /// Only say what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct UserSetArgs {
    /// Their name
    name: String,
    /// For budgets and rules of access
    #[arg(long)]
    group: Option<String>,
    /// What they may use, against the others
    #[arg(long, default_value_t = 1)]
    share: u32,
    /// How low their balance may go, in credits
    #[arg(long, value_name = "CREDITS", default_value = "0", value_parser = amount, allow_negative_numbers = true)]
    lowest: String,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token; its secret is printed this once
    Make(TokenMakeArgs),
    /// Show all tokens, without their secrets
    List(ListArgs),
    /// Make a token worthless
    Revoke(TokenRevokeArgs),
}

#[derive(clap::Args)]
pub(crate) struct TokenMakeArgs {
    /// What it allows
    #[arg(value_parser = ["user", "owner", "administrator"])]
    role: String,
    /// Whose it is
    name: String,
    /// Narrow it down: it only reads, or only submits
    #[arg(long, value_parser = ["read-only", "submit-only"])]
    scope: Option<String>,
    /// Narrow it down to one site, of an owner
    #[arg(long)]
    site: Option<String>,
    /// After how many seconds it expires [default: never]
    #[arg(long, value_name = "SECONDS")]
    expires_in: Option<u64>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(clap::Args)]
pub(crate) struct TokenRevokeArgs {
    /// Its number
    token: u64,
    #[command(flatten)]
    connect: Connect,
}

pub(crate) fn policy(args: &PolicyArgs) -> Result<(), Failure> {
    let change = args.set.as_deref().map(read_value).transpose()?;
    let trial = args.r#try.as_deref().map(read_value).transpose()?;
    let client = Client::of(&args.connect)?;
    if let Some(trial) = &trial {
        let answer = client.send(Method::POST, "/v1/policy/trial", Some(trial))?;
        return say(&args.connect, &answer, trial_text);
    }
    let answer = match &change {
        None => client.get("/v1/policy")?,
        Some(change) => client.send(Method::PATCH, "/v1/policy", Some(change))?,
    };
    say_json(&answer)
}

/// Two rows of figures: the rules as they were, and the changed ones.
fn trial_text(trial: &TrialView) -> String {
    let TrialView { cycles, left, before, after } = trial;
    if cycles.is_empty() {
        return "Nobody has waited in any cycle since the service started: there is nothing to try it on.\n"
            .to_owned();
    }
    let changed: u32 = cycles.iter().map(|cycle| cycle.changed).sum();
    let row = |name: &str, figures: &TrialFigures| {
        let or_dash =
            |figure: &Option<Num>| figure.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        let TrialFigures { jobs, served, cost, wait, response, satisfaction } = figures;
        let served = format!("{served} of {jobs}");
        [name.to_owned(), served, cost.to_string(), or_dash(wait), or_dash(response), or_dash(satisfaction)]
    };
    let heads = ["rules", ">served", ">cost", ">mean wait s", ">mean response s", ">satisfaction"];
    let table = super::show::table(heads, &[row("as they were", before), row("changed", after)]);
    let more =
        if *left > 0 { format!(" ({left} more were not tried: it took too long)") } else { String::new() };
    format!(
        "{} cycles planned again{more}; {changed} times a job would have run otherwise.\n{table}",
        cycles.len()
    )
}

pub(crate) fn cycle(args: &CycleArgs) -> Result<(), Failure> {
    let client = Client::of(&args.connect)?;
    if args.now {
        let answer = client.send(Method::POST, "/v1/cycles", None)?;
        return say(&args.connect, &answer, cycle_text);
    }
    let answer = client.get("/v1/status")?;
    say(&args.connect, &answer, |view: &walras_api::service::StatusView| {
        cycle_text(&view.cycle) + &predictions_text(&view.predictions)
    })
}

fn cycle_text(cycle: &CycleView) -> String {
    let CycleView {
        cycle,
        open,
        next_at,
        proof,
        bound,
        assigned,
        satisfaction,
        served,
        unserved,
        decided_at,
        decided_in,
    } = cycle;
    let decided = decided_at.zip(decided_in.as_ref());
    let decided =
        decided.map_or_else(String::new, |(at, within)| format!("; decided at {} in {within} s", time(at)));
    let state = if *open { "being planned" } else { "closed" };
    let proof =
        proof.as_ref().map_or_else(String::new, |proof| format!(", {}", super::show::clean(&proof.text)));
    let bound =
        bound.as_ref().map_or_else(String::new, |bound| format!("; {}", super::show::clean(&bound.text)));
    let assigned =
        assigned.as_ref().map_or_else(String::new, |round| format!("; {}", super::show::clean(&round.text)));
    let content = satisfaction.iter().map(|(name, share)| [name.clone(), share.to_string()]);
    let content: Vec<[String; 2]> = content.collect();
    let content = if content.is_empty() {
        String::new()
    } else {
        super::show::table(["stakeholder", ">satisfaction"], &content)
    };
    format!(
        "cycle {cycle}: {state}; {served} served, {unserved} left out{proof}{bound}{assigned}{decided}; next at {}\n{content}",
        time_or(*next_at)
    )
}

/// How often what was said of jobs was right.
fn predictions_text(predictions: &[CalibrationView]) -> String {
    let share = |held: u64, said: u64| match said {
        0 => "-".to_owned(),
        said => format!("{:.1}% of {said}", held as f64 / said as f64 * 100.0),
    };
    let rows = predictions.iter().map(|it| {
        let site = it.site.as_ref().map_or_else(String::new, |site| format!(" at {site}"));
        [
            format!("{}{site}", it.of.text()),
            share(it.likely_held, it.likely_said),
            share(it.nine_in_ten_held, it.nine_in_ten_said),
        ]
    });
    let rows: Vec<[String; 3]> = rows.collect();
    if rows.is_empty() {
        return String::new();
    }
    super::show::table(["prediction", ">half within", ">nine of ten within"], &rows)
}

pub(crate) fn user(command: &UserCommand) -> Result<(), Failure> {
    match command {
        UserCommand::Set(args) => {
            let mut body = json!({"share": args.share, "lowest": args.lowest});
            if let Some(group) = &args.group {
                body["group"] = json!(group);
            }
            let path = format!("/v1/users/{}", encode(&args.name));
            let answer = Client::of(&args.connect)?.send(Method::PUT, &path, Some(&body))?;
            say(&args.connect, &answer, |view: &UserView| users_text(std::slice::from_ref(view)))
        }
        UserCommand::List(args) => {
            let answer = Client::of(&args.connect)?.get("/v1/users")?;
            say(&args.connect, &answer, |view: &UsersView| users_text(&view.users))
        }
        UserCommand::Apply(args) => apply(args),
    }
}

fn apply(args: &UserApplyArgs) -> Result<(), Failure> {
    let mut body = read_value(&args.file)?;
    body["dry_run"] = json!(args.dry_run);
    let answer = Client::of(&args.connect)?.send(Method::PUT, "/v1/users", Some(&body))?;
    say(&args.connect, &answer, |view: &AppliedView| {
        let rows = view.changes.iter().map(|it| {
            [it.of.clone(), it.field.clone(), or_dash(it.before.as_ref()), or_dash(it.after.as_ref())]
        });
        let after = if view.done { "is" } else { "would be" };
        table_or(["of", "what", "was", after], &rows.collect::<Vec<_>>(), "nothing changes")
    })
}

fn users_text(users: &[UserView]) -> String {
    let rows = users.iter().map(|user| {
        [user.name.clone(), or_dash(user.group.as_ref()), user.share.to_string(), user.lowest.to_string()]
    });
    table_or(["user", "group", ">share", ">lowest"], &rows.collect::<Vec<_>>(), "no users")
}

pub(crate) fn token(command: &TokenCommand) -> Result<(), Failure> {
    match command {
        TokenCommand::Make(args) => {
            let mut body = json!({"role": args.role, "name": args.name});
            if let Some(seconds) = args.expires_in {
                body["expires_in"] = json!(seconds);
            }
            for (name, value) in [("scope", &args.scope), ("site", &args.site)] {
                if let Some(value) = value {
                    body[name] = json!(value);
                }
            }
            let answer = Client::of(&args.connect)?.send(Method::POST, "/v1/tokens", Some(&body))?;
            // The secret alone, so that it can go into a file; what it is for goes to the terminal.
            say(&args.connect, &answer, |made: &TokenMade| {
                let TokenView { token, role, name, .. } = &made.token;
                let only = match narrowed(&made.token).as_str() {
                    "-" => String::new(),
                    narrow => format!(" ({narrow})"),
                };
                eprintln!("token {token} for {} {name}{only}; its secret is shown this once", role.text());
                format!("{}\n", made.secret)
            })
        }
        TokenCommand::List(args) => {
            let answer = Client::of(&args.connect)?.get("/v1/tokens")?;
            say(&args.connect, &answer, |view: &TokensView| tokens_text(&view.tokens))
        }
        TokenCommand::Revoke(args) => {
            let path = format!("/v1/tokens/{}", args.token);
            let answer = Client::of(&args.connect)?.send(Method::DELETE, &path, None)?;
            say(&args.connect, &answer, |view: &TokenView| tokens_text(std::slice::from_ref(view)))
        }
    }
}

/// What a token is narrowed down to.
fn narrowed(token: &TokenView) -> String {
    let scope = token.scope.map(|scope| scope.text().to_owned());
    let site = token.site.as_ref().map(|site| format!("site {site}"));
    let all: Vec<String> = scope.into_iter().chain(site).collect();
    if all.is_empty() { "-".to_owned() } else { all.join(", ") }
}

fn tokens_text(tokens: &[TokenView]) -> String {
    let rows = tokens.iter().map(|token| {
        [
            token.token.to_string(),
            token.role.text().to_owned(),
            token.name.clone(),
            narrowed(token),
            time(token.made_at),
            time_or(token.expires_at),
            time_or(token.revoked_at),
        ]
    });
    let heading = [">token", "role", "name", "only", "made", "expires", "revoked"];
    table_or(heading, &rows.collect::<Vec<_>>(), "no tokens")
}
