//! What does not hold any more about an alternative, for programs.

use super::Context;
use crate::number::Num;
use crate::service::{MismatchKind, MismatchView, Stamp};
use walras_broker::mismatch::{Mismatch, NodeOrQueue, TaskMismatch};
use walras_model::{Interval, Money, NodeId, SiteId, Span, Time};

impl Context<'_> {
    /// One thing that does not hold, with the fields that go with its kind.
    pub fn mismatch_view(&self, mismatch: &Mismatch) -> MismatchView {
        let plain = || MismatchView::plain(mismatch_kind(mismatch), self.mismatch(mismatch));
        let of_site = |site: SiteId| MismatchView { site: Some(self.site(site)), ..plain() };
        let of_node = |node: NodeId| MismatchView { node: Some(self.node(node)), ..plain() };
        match mismatch {
            Mismatch::NoSite(site)
            | Mismatch::SiteLost(site)
            | Mismatch::SiteLeaving(site)
            | Mismatch::OutsideScope(site)
            | Mismatch::NotAQueue(site) => of_site(*site),
            Mismatch::NoNode { site, node } => {
                MismatchView { site: Some(self.site(*site)), ..of_node(*node) }
            }
            Mismatch::NodeTwice(node) | Mismatch::KeptForOthers(node) => of_node(*node),
            Mismatch::WrongUnits { node, held, expected } => MismatchView {
                planned: Some(count(*held)),
                expected: Some(count(*expected)),
                ..of_node(*node)
            },
            Mismatch::StartPassed(start) => timed(plain(), *start, None),
            Mismatch::NotFree { node, interval } => during(of_node(*node), *interval),
            Mismatch::PriceChanged { node, was, now } => priced(of_node(*node), *was, Some(*now)),
            Mismatch::WrongCost { cost, expected } => priced(plain(), *cost, *expected),
            Mismatch::WrongTotal { cost, expected } => priced(plain(), *cost, Some(*expected)),
            Mismatch::OverBudget { cost, budget } => priced(plain(), *cost, Some(*budget)),
            Mismatch::TooSlow { place, performance, least } => MismatchView {
                planned: Some(Num::of_millionths(performance.as_millionths())),
                expected: Some(Num::of_millionths(least.as_millionths())),
                ..self.at_place(plain(), *place)
            },
            Mismatch::RequirementUnmet { place, .. } => self.at_place(plain(), *place),
            Mismatch::WrongLength { place, held, expected } => {
                lasting(self.at_place(plain(), *place), *held, *expected)
            }
            Mismatch::WrongCount { tasks, parts, .. } => {
                MismatchView { planned: Some(count(*parts)), expected: Some(count(*tasks)), ..plain() }
            }
            Mismatch::PartOutside(part) => MismatchView { planned: Some(count(*part)), ..plain() },
            Mismatch::StartsApart { node, start, expected } => timed(of_node(*node), *start, Some(*expected)),
            Mismatch::AfterDeadline { end, deadline } => timed(plain(), *end, Some(*deadline)),
            Mismatch::BeforeEarliest { start, earliest } => timed(plain(), *start, Some(*earliest)),
            Mismatch::Task { task, fault } => {
                of_task(MismatchView { task: Some(self.task(*task)), ..plain() }, fault)
            }
            Mismatch::Empty
            | Mismatch::NothingFree
            | Mismatch::NotOffered
            | Mismatch::SeveralSites
            | Mismatch::NotForQueues
            | Mismatch::WrongTasks
            | Mismatch::Inconsistent => plain(),
        }
    }

    fn at_place(&self, view: MismatchView, place: NodeOrQueue) -> MismatchView {
        match place {
            NodeOrQueue::Node(node) => MismatchView { node: Some(self.node(node)), ..view },
            NodeOrQueue::Queue(site) => MismatchView { site: Some(self.site(site)), ..view },
        }
    }
}

fn of_task(view: MismatchView, fault: &TaskMismatch) -> MismatchView {
    match fault {
        TaskMismatch::WrongLength { planned, expected } => lasting(view, *planned, *expected),
        TaskMismatch::WrongCost { cost, expected } => priced(view, *cost, Some(*expected)),
        TaskMismatch::BeforeData { arrives, start, .. } => timed(view, *start, Some(*arrives)),
        TaskMismatch::TooFewCores(cores) => MismatchView { expected: Some(count(*cores)), ..view },
        TaskMismatch::TooLittleMemory(needed) => {
            MismatchView { expected: Some(Num::from_units(i128::from(needed.as_bytes()), 0)), ..view }
        }
        TaskMismatch::NotHeld
        | TaskMismatch::OutsideHold
        | TaskMismatch::RequirementUnmet(_)
        | TaskMismatch::Overlaps(_) => view,
    }
}

fn count(count: u32) -> Num {
    Num::from_units(count.into(), 0)
}

fn timed(view: MismatchView, at: Time, until: Option<Time>) -> MismatchView {
    MismatchView { at: Some(Stamp::from(at)), until: until.map(Stamp::from), ..view }
}

fn during(view: MismatchView, interval: Interval) -> MismatchView {
    timed(view, interval.start(), Some(interval.end()))
}

fn priced(view: MismatchView, planned: Money, expected: Option<Money>) -> MismatchView {
    MismatchView { planned: Some(Num::of_money(planned)), expected: expected.map(Num::of_money), ..view }
}

fn lasting(view: MismatchView, planned: Span, expected: Option<Span>) -> MismatchView {
    MismatchView { planned: Some(Num::of_span(planned)), expected: expected.map(Num::of_span), ..view }
}

fn mismatch_kind(mismatch: &Mismatch) -> MismatchKind {
    match mismatch {
        Mismatch::SiteLost(_)
        | Mismatch::SiteLeaving(_)
        | Mismatch::NothingFree
        | Mismatch::NotFree { .. }
        | Mismatch::NoSite(_)
        | Mismatch::NoNode { .. } => MismatchKind::NotFree,
        Mismatch::PriceChanged { .. } => MismatchKind::PriceChanged,
        Mismatch::StartPassed(_) => MismatchKind::StartPassed,
        Mismatch::AfterDeadline { .. } | Mismatch::BeforeEarliest { .. } | Mismatch::OverBudget { .. } => {
            MismatchKind::OverLimit
        }
        Mismatch::SeveralSites
        | Mismatch::OutsideScope(_)
        | Mismatch::TooSlow { .. }
        | Mismatch::RequirementUnmet { .. }
        | Mismatch::WrongCount { .. }
        | Mismatch::WrongUnits { .. }
        | Mismatch::KeptForOthers(_)
        | Mismatch::WrongLength { .. }
        | Mismatch::NotForQueues
        | Mismatch::NotAQueue(_)
        | Mismatch::WrongTasks
        | Mismatch::Task { .. } => MismatchKind::Unfit,
        Mismatch::Empty
        | Mismatch::PartOutside(_)
        | Mismatch::NotOffered
        | Mismatch::WrongCost { .. }
        | Mismatch::WrongTotal { .. }
        | Mismatch::NodeTwice(_)
        | Mismatch::StartsApart { .. }
        | Mismatch::Inconsistent => MismatchKind::Inconsistent,
    }
}
