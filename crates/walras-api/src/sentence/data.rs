//! Reasons for programs: the broker's data with names in place of ids, beside the sentences.

use super::Context;
use super::assigned::unassigned_view;
use crate::number::Num;
use crate::plan::ReasonKind;
use crate::sentence::{Change, ChangeKind};
use crate::service::{
    AwaitedView, ChangeView, ConditionKind, FitView, JobState, PartStage, RefusalKind, Stamp, WhyKind,
    WhyView,
};
use walras_broker::account::Unpayable;
use walras_broker::budget::Spender;
use walras_broker::gate::Dependency;
use walras_broker::job::{PartEnd, SiteRefusal, Why};
use walras_model::{Money, Reason, SmallestChange};

impl Context<'_> {
    /// Why a job is where it is, for programs.
    pub fn why_view(&self, why: &Why) -> WhyView {
        let plain = WhyView::plain;
        match why {
            Why::NoFit(explanation) => WhyView {
                reasons: explanation.reasons.iter().map(|reason| self.fit_view(reason)).collect(),
                changes: self.change_views(&explanation.smallest_change),
                ..plain(WhyKind::NoFit)
            },
            Why::LeftOut => plain(WhyKind::LeftOut),
            Why::OverQuota => plain(WhyKind::OverQuota),
            Why::NodesHad { .. } => plain(WhyKind::NodesHad),
            Why::MakingRoom(job) => WhyView { job: Some(job.get()), ..plain(WhyKind::MakingRoom) },
            Why::Unassigned(why) => unassigned_view(why),
            Why::NotAdmitted => plain(WhyKind::NotAdmitted),
            Why::NoMoney(why) => no_money(why),
            Why::OverBudget(why) => WhyView {
                account: Some(spender_code(&why.spender)),
                available: Some(Num::of_money(why.left)),
                needed: Some(Num::of_money(why.needed)),
                ..plain(WhyKind::OverBudget)
            },
            Why::Outdated(wrong) => {
                let mismatches = wrong.iter().map(|it| self.mismatch_view(it)).collect();
                WhyView { mismatches, ..plain(WhyKind::Outdated) }
            }
            Why::Refused { site, refusal } => WhyView {
                site: Some(self.site(*site)),
                refusal: Some(refusal_kind(*refusal)),
                ..plain(WhyKind::Refused)
            },
            Why::Silent(sites) => WhyView {
                sites: sites.iter().map(|site| self.site(*site)).collect(),
                ..plain(WhyKind::Silent)
            },
            Why::NodeLost(node) => WhyView { node: Some(self.node(*node)), ..plain(WhyKind::NodeLost) },
            Why::SiteLost(site) => WhyView { site: Some(self.site(*site)), ..plain(WhyKind::SiteLost) },
            Why::TakenBack(node) => WhyView { node: Some(self.node(*node)), ..plain(WhyKind::TakenBack) },
            Why::PartEnded { part, end } => {
                let (stage, exit_code) = part_stage(*end);
                let memory = match end {
                    PartEnd::OutOfMemory { limit } => Some(*limit),
                    PartEnd::Done | PartEnd::Failed(_) | PartEnd::TimedOut | PartEnd::Lost => None,
                    PartEnd::TakenBack | PartEnd::Vanished | PartEnd::NoOutput { .. } => None,
                };
                WhyView {
                    part: Some(*part),
                    part_state: Some(stage),
                    exit_code,
                    memory,
                    ..plain(WhyKind::PartEnded)
                }
            }
            Why::Late => plain(WhyKind::Late),
            Why::StartMissed => plain(WhyKind::StartMissed),
            Why::FilesLost(_) => plain(WhyKind::FilesLost),
            Why::NotBrought { task, to, fault } => WhyView {
                task: Some(task.clone()),
                file: fault.file().map(str::to_owned),
                site: Some(self.site(*to)),
                ..plain(WhyKind::FilesLost)
            },
            Why::NoOutput { part, file, fault } => {
                let (stage, exit_code) = part_stage(PartEnd::NoOutput { file: 0, fault: *fault });
                WhyView {
                    part: Some(*part),
                    part_state: Some(stage),
                    exit_code,
                    file: Some(file.clone()),
                    ..plain(WhyKind::NoOutput)
                }
            }
            Why::NotPlanned => plain(WhyKind::NotPlanned),
            Why::DeadlinePassed => plain(WhyKind::DeadlinePassed),
            Why::TooOften(last) => {
                WhyView { last: Some(Box::new(self.why_view(last))), ..plain(WhyKind::TooOften) }
            }
            Why::Cancelled => plain(WhyKind::Cancelled),
            Why::NotTaken => plain(WhyKind::NotTaken),
            Why::Waits(waits) => WhyView {
                waits_for: waits.on.iter().map(|(_, on)| awaited_view(on)).collect(),
                held: waits.held,
                singleton: waits.singleton,
                never: waits.never.as_ref().map(awaited_view),
                ..plain(WhyKind::Waits)
            },
            Why::Elements(counts) => WhyView {
                elements: [
                    (JobState::Done, counts.done),
                    (JobState::Failed, counts.failed),
                    (JobState::Cancelled, counts.cancelled),
                    (JobState::GivenUp, counts.given_up),
                ]
                .into_iter()
                .map(|(state, count)| (state.text().to_owned(), count))
                .collect(),
                ..plain(WhyKind::Elements)
            },
            Why::NeverMet(on) => WhyView { never: Some(awaited_view(on)), ..plain(WhyKind::NeverMet) },
        }
    }

    /// One thing that stands in the way of a job.
    pub fn fit_view(&self, reason: &Reason) -> FitView {
        let count = |count: u32| Some(Num::from_units(count.into(), 0));
        let (kind, available, needed) = match reason {
            Reason::RequirementUnmet { nodes, needed, .. } => {
                (ReasonKind::RequirementUnmet, count(*nodes), count(*needed))
            }
            Reason::KeptForOthers { nodes, needed, .. } => {
                (ReasonKind::KeptForOthers, count(*nodes), count(*needed))
            }
            Reason::TooSlow { nodes, needed, .. } => (ReasonKind::TooSlow, count(*nodes), count(*needed)),
            Reason::CriterionUnstated { nodes, needed, .. } => {
                (ReasonKind::CriterionUnstated, count(*nodes), count(*needed))
            }
            Reason::TooFewNodes { nodes, needed } => (ReasonKind::TooFewNodes, count(*nodes), count(*needed)),
            Reason::SlotsTooShort { runtime_min } => {
                (ReasonKind::SlotsTooShort, None, Some(Num::of_span(*runtime_min)))
            }
            Reason::TooFewAtOnce { most, needed } => (ReasonKind::TooFewAtOnce, count(*most), count(*needed)),
            Reason::BudgetTooSmall { budget, needed } => {
                (ReasonKind::BudgetTooSmall, Some(Num::of_money(*budget)), Some(Num::of_money(*needed)))
            }
            Reason::PriceCapTooLow { price_max, needed } => {
                (ReasonKind::PriceCapTooLow, Some(Num::of_rate(*price_max)), Some(Num::of_rate(*needed)))
            }
            Reason::DeadlineTooEarly { .. } => (ReasonKind::DeadlineTooEarly, None, None),
            Reason::SeveralLimits => (ReasonKind::SeveralLimits, None, None),
            Reason::TakenByOthers => (ReasonKind::TakenByOthers, None, None),
            Reason::LeftForOthers => (ReasonKind::LeftForOthers, None, None),
            Reason::TasksDoNotFit => (ReasonKind::TasksDoNotFit, None, None),
            Reason::NotExamined => (ReasonKind::NotExamined, None, None),
        };
        let (deadline, first_end) = match reason {
            Reason::DeadlineTooEarly { deadline, needed } => {
                (Some(Stamp::from(*deadline)), Some(Stamp::from(*needed)))
            }
            _ => (None, None),
        };
        FitView { kind, text: self.reason(reason), available, needed, deadline, first_end }
    }

    /// Each change that alone would help.
    pub fn change_views(&self, change: &SmallestChange) -> Vec<ChangeView> {
        let amount = |kind: ChangeKind| match kind {
            ChangeKind::Budget | ChangeKind::Funds => {
                change.budget.map(|it| Num::of_money(self.whole_budget(it)))
            }
            ChangeKind::PriceMax => change.price_max.map(Num::of_rate),
            ChangeKind::Tasks => change.tasks.map(|tasks| Num::from_units(tasks.into(), 0)),
            ChangeKind::PerformanceMin => {
                change.performance_min.map(|least| Num::of_millionths(least.as_millionths()))
            }
            ChangeKind::Deadline | ChangeKind::Resource => None,
        };
        let of_resource =
            |it: &Change| it.resource.as_ref().map(|(_, most)| Num::of_millionths(most.as_millionths()));
        let deadline = |kind| change.deadline.filter(|_| kind == ChangeKind::Deadline).map(Stamp::from);
        let all = self.changes(change).into_iter();
        all.map(|it| ChangeView {
            kind: it.kind,
            amount: amount(it.kind).or_else(|| of_resource(&it)),
            deadline: deadline(it.kind),
            resource: it.resource.map(|(name, _)| name),
            text: it.text,
        })
        .collect()
    }
}

fn awaited_view(on: &Dependency) -> AwaitedView {
    AwaitedView { job: on.on.to_string(), condition: ConditionKind::of(on.condition) }
}

fn no_money(why: &Unpayable) -> WhyView {
    let plain = WhyView::plain(WhyKind::NoMoney);
    match why {
        Unpayable::Short { account, available, needed } => WhyView {
            account: Some(account.code()),
            available: Some(Num::of_money(*available)),
            needed: Some(Num::of_money(*needed)),
            ..plain
        },
        Unpayable::NoAccount(account) => {
            WhyView { account: Some(account.code()), available: Some(Num::of_money(Money::ZERO)), ..plain }
        }
        Unpayable::Unbalanced | Unpayable::Overflow => plain,
    }
}

fn spender_code(spender: &Spender) -> String {
    match spender {
        Spender::User(name) => format!("user:{name}"),
        Spender::Group(name) => format!("group:{name}"),
        Spender::Vo => "vo".to_owned(),
    }
}

fn refusal_kind(refusal: SiteRefusal) -> RefusalKind {
    match refusal {
        SiteRefusal::Busy => RefusalKind::Busy,
        SiteRefusal::Expired => RefusalKind::Expired,
        SiteRefusal::PriceChanged => RefusalKind::PriceChanged,
        SiteRefusal::Unknown => RefusalKind::Unknown,
        SiteRefusal::Unwilling => RefusalKind::Unwilling,
        SiteRefusal::NoAccount => RefusalKind::NoAccount,
        SiteRefusal::TakenBack => RefusalKind::TakenBack,
    }
}

/// How a part ended, and its code where it has one.
pub fn part_stage(end: PartEnd) -> (PartStage, Option<i32>) {
    let stage = match end {
        PartEnd::Done => PartStage::Done,
        PartEnd::Failed(_) | PartEnd::NoOutput { .. } => PartStage::Failed,
        PartEnd::TimedOut => PartStage::TimedOut,
        PartEnd::Lost => PartStage::Lost,
        PartEnd::TakenBack => PartStage::TakenBack,
        PartEnd::Vanished => PartStage::Vanished,
        PartEnd::OutOfMemory { .. } => PartStage::OutOfMemory,
    };
    (stage, end.code())
}
