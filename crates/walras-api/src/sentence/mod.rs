//! Reasons in plain English: the one place for sentences.
//!
//! The broker, the searches and the auditor say what is wrong as data: enums with ids, times and money. Here that data becomes
//! words for people. A [`Context`] knows how sites and nodes are called and whether moments are dates or counted from a
//! plan's beginning. Nothing reads these sentences back; programs use the data (see [`crate::service::WhyView`]), so every
//! sentence may be reworded at any time.
//!
//! Methods that give whole sentences begin with a capital and end with a full stop; those for refusals give a clause,
//! which goes behind the name of whoever prints it.

mod act;
mod assigned;
mod audit;
mod audited;
mod choice;
mod clearing;
mod data;
mod event;
mod files;
mod likely;
mod mismatch;
mod mismatch_data;
mod names;
mod parts;
mod planned;
mod proof;
mod reason;
mod refusal;
mod rules;
#[cfg(test)]
mod tests;
mod unmet;
mod why;

pub use act::{token_made_text, token_revoked_text};
pub use assigned::assigned_view;
pub use audit::summary_text;
pub(crate) use choice::alternatives;
pub use choice::{change_texts, cheaper_text, infeasible_text, reason_text, unplaced_text};
pub use clearing::{bound_view, calm_text, clearing_text, one_more_text};
pub use data::part_stage;
pub use event::{context_of_event, ended_text, event_text, own_event_text, proof_view};
pub use likely::{likely_text, span_text};
pub use names::{NameList, Names};
pub use parts::task_names;
pub use planned::Window;
pub use proof::{OtherPlans, best_of_listed_text, improved_by_search_text};
pub use reason::{Change, ChangeKind, MoneyLimit};
pub use rules::{policy_text, prices_text};
pub use unmet::{beyond_share_text, unmet_task_text, unmet_text};
pub use why::{account_text, part_end_text, part_ended_text, spender_text};

use crate::service::Stamp;
use crate::unit::Unit;
use walras_broker::State;
use walras_broker::job::{JobSpec, Why};
use walras_model::{Interval, Money, NodeId, SiteId, Span, TaskId, Time};

/// Where a sentence is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// By a service: moments are dates.
    Service,
    /// Of a plan from files: moments are counted in the plan's unit.
    Plan(Unit),
}

/// What a sentence needs to know beside the reason.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    names: &'a dyn Names,
    setting: Setting,
    job: Option<&'a JobSpec>,
    /// By part: the name of its task, where it is one of a workflow's.
    parts: &'a [Option<String>],
    limit: MoneyLimit,
}

impl<'a> Context<'a> {
    /// With these names.
    pub fn new(names: &'a dyn Names, setting: Setting) -> Context<'a> {
        Context { names, setting, job: None, parts: &[], limit: MoneyLimit::OfJob }
    }

    /// For sentences that name no sites and nodes, such as refusals.
    pub fn nameless() -> Context<'static> {
        static NONE: NameList = NameList::none();
        Context::new(&NONE, Setting::Service)
    }

    /// Of a service whose broker knows this.
    pub fn of_service(state: &'a State) -> Context<'a> {
        Context::new(state, Setting::Service)
    }

    /// About a job and why it is where it is: a limit of its own is told from one of its user's money.
    pub fn of_job(state: &'a State, job: &'a JobSpec, why: &Why) -> Context<'a> {
        Context::of_service(state).about(job).limited(MoneyLimit::of_why(state, job, why))
    }

    /// The same, about a job: its tasks have names.
    pub fn about(self, job: &'a JobSpec) -> Context<'a> {
        Context { job: Some(job), ..self }
    }

    /// The same, about parts that have the names of their tasks.
    pub fn with_parts(self, parts: &'a [Option<String>]) -> Context<'a> {
        Context { parts, ..self }
    }

    /// The same, where this limits the money that the job may spend.
    pub fn limited(self, limit: MoneyLimit) -> Context<'a> {
        Context { limit, ..self }
    }

    fn site(&self, site: SiteId) -> String {
        self.names.site(site).map_or_else(|| site.number().to_string(), str::to_owned)
    }

    /// A node with its site.
    fn node(&self, node: NodeId) -> String {
        match self.names.node(node) {
            Some((site, name)) => format!("{}/{name}", self.site(site)),
            None => node.number().to_string(),
        }
    }

    fn task(&self, task: TaskId) -> String {
        let workflow = self.job.and_then(|job| job.workflow.as_ref()).map(|it| &it.workflow);
        let known = workflow.and_then(|workflow| workflow.tasks().get(task.index()));
        known.map_or_else(|| task.number().to_string(), |task| task.name.clone())
    }

    /// A part as its user knows it: by its task, where it has one.
    fn part(&self, part: u32) -> String {
        let known = usize::try_from(part).ok().and_then(|part| self.parts.get(part));
        parts::called(known.and_then(Option::as_deref), part)
    }

    fn moment(&self, time: Time) -> String {
        match self.setting {
            Setting::Service => Stamp::from(time).to_string(),
            Setting::Plan(unit) => format!("{} {}", unit.time_text(time), unit.symbol()),
        }
    }

    fn unit(&self) -> Unit {
        match self.setting {
            Setting::Service => Unit::Seconds,
            Setting::Plan(unit) => unit,
        }
    }

    fn span(&self, span: Span) -> String {
        format!("{} {}", self.unit().span_text(span), self.unit().symbol())
    }

    fn between(&self, interval: Interval) -> String {
        format!("from {} to {}", self.moment(interval.start()), self.moment(interval.end()))
    }
}

/// `1 credit`, `2.5 credits`.
fn credits(money: Money) -> String {
    let one = money == Money::from_micros(1_000_000);
    format!("{money} {}", if one { "credit" } else { "credits" })
}

/// `1 task`, `2 tasks`.
fn counted(count: impl Into<u64>, noun: &str) -> String {
    let count: u64 = count.into();
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// With a capital, and a full stop.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// `a`, `a and b`, `a, b and c`.
fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
