//! `report`: what was earned, and how the VO is; as tables for people, or as CSV for spreadsheets.

use super::http::{Client, with_query};
use super::say::{say, say_json};
use super::settings::Connect;
use super::show::{or_dash, table_or, time};
use crate::failure::Failure;
use crate::files;
use jiff::civil::Date;
use walras_api::Num;
use walras_api::service::{IncomeLine, IncomeView, Stamp, VoView};

/// What is reported
#[derive(clap::Subcommand)]
pub(crate) enum ReportCommand {
    /// What one's sites earned, by day, site, node and user; how much was used and what stayed unsold
    Income(IncomeArgs),
    /// Budgets, who spent most, how long jobs waited and why some were not run; for an administrator
    Vo(VoArgs),
}

#[derive(clap::Args)]
struct Period {
    /// The first day, such as 2026-11-01 [default: 30 days ago]
    #[arg(long, value_name = "DAY")]
    from: Option<String>,
    /// The last day [default: today]
    #[arg(long, value_name = "DAY")]
    until: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct IncomeArgs {
    #[command(flatten)]
    period: Period,
    /// Only of this site
    #[arg(long)]
    site: Option<String>,
    /// Only of this owner's sites; for an administrator
    #[arg(long)]
    owner: Option<String>,
    /// Show this table alone
    #[arg(long, value_enum)]
    by: Option<By>,
    /// Print one table as CSV: that of --by, or by day
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    Day,
    Site,
    Node,
    User,
}

#[derive(clap::Args)]
pub(crate) struct VoArgs {
    #[command(flatten)]
    period: Period,
    /// Show this table alone
    #[arg(long, value_enum)]
    table: Option<VoTable>,
    /// Print one table as CSV: that of --table, or the users'
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum VoTable {
    Users,
    Budgets,
    Waits,
    Refusals,
}

impl Period {
    /// The query that asks for it: days are days in UTC.
    fn query(&self) -> Result<[(&'static str, Option<String>); 2], Failure> {
        let from = self.from.as_deref().map(|day| moment(day, 0)).transpose()?;
        // The last day is one of the period.
        let until = self.until.as_deref().map(|day| moment(day, 1)).transpose()?;
        Ok([("from", from), ("until", until)])
    }
}

/// The beginning of a day, or of one so many days later.
fn moment(day: &str, later: i64) -> Result<String, Failure> {
    let wrong = || Failure::Input(format!("'{day}' is not a day: expected one such as 2026-11-01"));
    let parsed: Date = day.parse().map_err(|_| wrong())?;
    let shifted = parsed.checked_add(jiff::Span::new().days(later)).map_err(|_| wrong())?;
    let text = format!("{shifted}T00:00:00Z");
    text.parse::<Stamp>().map(|_| text).map_err(|_| wrong())
}

pub(crate) fn run(command: &ReportCommand) -> Result<(), Failure> {
    match command {
        ReportCommand::Income(args) => income(args),
        ReportCommand::Vo(args) => vo(args),
    }
}

fn income(args: &IncomeArgs) -> Result<(), Failure> {
    let [from, until] = args.period.query()?;
    let query = [from, until, ("site", args.site.clone()), ("owner", args.owner.clone())];
    let answer = Client::of(&args.connect)?.get(&with_query("/v1/reports/income", &query))?;
    if args.connect.json {
        return say_json(&answer);
    }
    if args.csv {
        let view: IncomeView = answer.view()?;
        return files::print(&income_table(&view, args.by.unwrap_or(By::Day), true));
    }
    say(&args.connect, &answer, |view: &IncomeView| income_text(view, args.by))
}

const FIGURES: [&str; 7] =
    [">sales", ">charged", ">income", ">used, s", ">offered, s", ">unsold, s", ">used of offered"];

fn figures(line: &IncomeLine) -> [String; 7] {
    let or = |number: &Option<Num>| or_dash(number.as_ref());
    [
        line.sales.to_string(),
        line.charged.to_string(),
        line.income.to_string(),
        line.sold.to_string(),
        or(&line.offered),
        or(&line.unsold),
        or(&line.utilisation),
    ]
}

/// One of the tables: for people, or as CSV.
fn income_table(view: &IncomeView, by: By, csv: bool) -> String {
    let [a, b, c, d, e, f, g] = FIGURES;
    let named = |text: &Option<String>| or_dash(text.as_ref());
    let two = |one: &Option<String>, two: &Option<String>, line: &IncomeLine| {
        let [a, b, c, d, e, f, g] = figures(line);
        [named(one), named(two), a, b, c, d, e, f, g]
    };
    match by {
        By::Day => {
            let rows: Vec<_> = view.days.iter().map(|line| two(&line.day, &line.site, line)).collect();
            drawn(["day", "site", a, b, c, d, e, f, g], &rows, csv)
        }
        By::Node => {
            let rows: Vec<_> = view.nodes.iter().map(|line| two(&line.site, &line.node, line)).collect();
            drawn(["site", "node", a, b, c, d, e, f, g], &rows, csv)
        }
        By::Site => {
            let row = |line: &IncomeLine| {
                let [a, b, c, d, e, f, g] = figures(line);
                [named(&line.site), a, b, c, d, e, f, g]
            };
            drawn(["site", a, b, c, d, e, f, g], &view.sites.iter().map(row).collect::<Vec<_>>(), csv)
        }
        By::User => {
            let row = |line: &IncomeLine| {
                let [a, b, c, d, ..] = figures(line);
                [named(&line.user), a, b, c, d]
            };
            drawn(["user", a, b, c, d], &view.users.iter().map(row).collect::<Vec<_>>(), csv)
        }
    }
}

fn drawn<const COLUMNS: usize>(heading: [&str; COLUMNS], rows: &[[String; COLUMNS]], as_csv: bool) -> String {
    if as_csv { csv(&heading, rows) } else { table_or(heading, rows, "nothing was sold") }
}

fn income_text(view: &IncomeView, by: Option<By>) -> String {
    let mut text = format!("from {} until {}\n", time(view.from), time(view.until));
    if let Some(since) = view.since {
        text.push_str(&format!("sales are written down since {}: earlier ones are missing\n", time(since)));
    }
    if by.is_none() {
        let [a, b, c, d, e, f, g] = FIGURES;
        let [sales, charged, income, used, offered, unsold, share] = figures(&view.total);
        let total = [["all".to_owned(), sales, charged, income, used, offered, unsold, share]];
        text.push_str(&format!("\n{}", table_or(["", a, b, c, d, e, f, g], &total, "")));
    }
    for kind in [By::Day, By::Site, By::Node, By::User] {
        if by.is_none_or(|by| by == kind) {
            text.push_str(&format!("\n{}", income_table(view, kind, false)));
        }
    }
    if view.more {
        text.push_str("there are more lines than are listed: ask for a shorter period or one site\n");
    }
    text
}

fn vo(args: &VoArgs) -> Result<(), Failure> {
    let answer = Client::of(&args.connect)?.get(&with_query("/v1/reports/vo", &args.period.query()?))?;
    if args.connect.json {
        return say_json(&answer);
    }
    if args.csv {
        let view: VoView = answer.view()?;
        return files::print(&vo_csv(&view, args.table.unwrap_or(VoTable::Users)));
    }
    say(&args.connect, &answer, |view: &VoView| vo_text(view, args.table))
}

const USERS: [&str; 10] = [
    "user",
    "group",
    ">share",
    ">charged",
    ">used, s",
    ">done",
    ">failed",
    ">cancelled",
    ">given up",
    ">waiting",
];
const BUDGETS: [&str; 4] = ["budget of", ">period, s", ">amount", ">left"];
const WAITS: [&str; 4] = [">jobs", ">half waited, s", ">nine of ten, s", ">longest, s"];
const REFUSALS: [&str; 3] = ["reason", ">ended", ">waiting"];

fn users(view: &VoView) -> Vec<[String; 10]> {
    let row = |line: &walras_api::service::UserLine| {
        [
            line.user.clone(),
            or_dash(line.group.as_ref()),
            line.share.to_string(),
            line.charged.to_string(),
            line.used.to_string(),
            line.done.to_string(),
            line.failed.to_string(),
            line.cancelled.to_string(),
            line.given_up.to_string(),
            line.waiting.to_string(),
        ]
    };
    view.users.iter().map(row).collect()
}

fn budgets(view: &VoView) -> Vec<[String; 4]> {
    let row = |it: &walras_api::service::BudgetView| {
        [it.spender.clone(), it.period.to_string(), it.amount.to_string(), it.left.to_string()]
    };
    view.budgets.iter().map(row).collect()
}

fn waits(view: &VoView) -> Vec<[String; 4]> {
    let waits = &view.waits;
    let or = |number: &Option<Num>| or_dash(number.as_ref());
    vec![[waits.jobs.to_string(), or(&waits.median), or(&waits.ninth_tenth), or(&waits.longest)]]
}

fn refusals(view: &VoView) -> Vec<[String; 3]> {
    let name = |reason| serde_json::to_string(&reason).unwrap_or_default().trim_matches('"').to_owned();
    let row = |it: &walras_api::service::RefusalLine| {
        [name(it.reason), it.ended.to_string(), it.waiting.to_string()]
    };
    view.refusals.iter().map(row).collect()
}

fn vo_text(view: &VoView, only: Option<VoTable>) -> String {
    let mut text = format!("from {} until {}\n", time(view.from), time(view.until));
    for table in [VoTable::Users, VoTable::Budgets, VoTable::Waits, VoTable::Refusals] {
        if only.is_none_or(|only| only == table) {
            let part = match table {
                VoTable::Users => table_or(USERS, &users(view), "no users"),
                VoTable::Budgets => table_or(BUDGETS, &budgets(view), "no budgets"),
                VoTable::Waits => table_or(WAITS, &waits(view), ""),
                VoTable::Refusals => table_or(REFUSALS, &refusals(view), "no job was refused"),
            };
            text.push_str(&format!("\n{part}"));
        }
    }
    if !view.complete {
        text.push_str("there were more jobs than were looked at: ask for a shorter period\n");
    }
    text
}

fn vo_csv(view: &VoView, table: VoTable) -> String {
    match table {
        VoTable::Users => csv(&USERS, &users(view)),
        VoTable::Budgets => csv(&BUDGETS, &budgets(view)),
        VoTable::Waits => csv(&WAITS, &waits(view)),
        VoTable::Refusals => csv(&REFUSALS, &refusals(view)),
    }
}

/// A table as comma-separated values (RFC 4180). Text that a spreadsheet would take for a formula gets an apostrophe before it.
fn csv<const COLUMNS: usize>(heading: &[&str; COLUMNS], rows: &[[String; COLUMNS]]) -> String {
    let cell = |text: &str| {
        let text = match text {
            "-" => String::new(),
            _ if text.starts_with(['=', '+', '@', '\t', '\r']) => format!("'{text}"),
            _ if text.starts_with('-') && text.parse::<Num>().is_err() => format!("'{text}"),
            _ => text.to_owned(),
        };
        match text.contains(['"', ',', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text,
        }
    };
    let line = |cells: Vec<String>| format!("{}\n", cells.join(","));
    let mut text = line(heading.iter().map(|title| cell(title.trim_start_matches('>'))).collect());
    for row in rows {
        text.push_str(&line(row.iter().map(|text| cell(text)).collect()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_is_quoted_and_harmless() {
        let rows =
            [["a,\"b\"".to_owned(), "=1+1".to_owned(), "-2.5".to_owned(), "-x".to_owned(), "-".to_owned()]];
        let text = csv(&["name", ">used, s", "c", "d", "e"], &rows);
        assert_eq!(text, "name,\"used, s\",c,d,e\n\"a,\"\"b\"\"\",'=1+1,-2.5,'-x,\n");
    }

    #[test]
    fn days_are_whole_and_the_last_is_one_of_them() {
        let period = Period { from: Some("2026-11-01".into()), until: Some("2026-11-30".into()) };
        let asked = period.query().map_err(|_| ()).unwrap();
        assert_eq!(asked[0].1.as_deref(), Some("2026-11-01T00:00:00Z"));
        assert_eq!(asked[1].1.as_deref(), Some("2026-12-01T00:00:00Z"));
        assert!(moment("yesterday", 0).is_err());
    }
}
