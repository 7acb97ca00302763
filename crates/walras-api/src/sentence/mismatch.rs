//! What does not hold any more about an alternative, as clauses.

use super::{Context, counted, credits};
use walras_broker::mismatch::{Mismatch, NodeOrQueue, TaskMismatch};
use walras_model::Span;

impl Context<'_> {
    /// One thing that does not hold, as a clause.
    pub fn mismatch(&self, mismatch: &Mismatch) -> String {
        match mismatch {
            Mismatch::Empty => "it holds nothing".to_owned(),
            Mismatch::NoSite(site) => format!("there is no site {}", self.site(*site)),
            Mismatch::SiteLeaving(site) => format!("site {} sells nothing new any more", self.site(*site)),
            Mismatch::SiteLost(site) => format!("site {} has failed", self.site(*site)),
            Mismatch::NoNode { site, node } => {
                format!("site {} has no node {}", self.site(*site), self.node(*node))
            }
            Mismatch::StartPassed(start) => {
                format!("it was to start at {}, which has passed", self.moment(*start))
            }
            Mismatch::PartOutside(part) => format!("part {part} lies outside the time that is held for it"),
            Mismatch::NothingFree => "none of its nodes has free time left".to_owned(),
            Mismatch::NotOffered => "the free time of its nodes contradicts itself".to_owned(),
            Mismatch::NotFree { node, interval } => {
                format!("node {} is not free {}", self.node(*node), self.between(*interval))
            }
            Mismatch::PriceChanged { node, was, now } => {
                format!("the time on node {} costs {} now instead of {was}", self.node(*node), credits(*now))
            }
            Mismatch::AfterDeadline { end, deadline } => {
                format!("it ends at {}, after the deadline {}", self.moment(*end), self.moment(*deadline))
            }
            Mismatch::BeforeEarliest { start, earliest } => format!(
                "it starts at {}, and the job may not start before {}",
                self.moment(*start),
                self.moment(*earliest)
            ),
            Mismatch::OverBudget { cost, budget } => {
                format!("it costs {}, and the job may spend {budget}", credits(*cost))
            }
            Mismatch::Task { task, fault } => format!("task {} {}", self.task(*task), self.task_fault(fault)),
            Mismatch::WrongCost { cost, expected: Some(expected) } => {
                format!("some of its time is priced at {}, and costs {expected} at its rate", credits(*cost))
            }
            Mismatch::WrongCost { cost, expected: None } => {
                format!("some of its time is priced at {}, and costs more than is counted", credits(*cost))
            }
            Mismatch::WrongTotal { cost, expected } => {
                format!("it is priced at {}, and its parts cost {expected} together", credits(*cost))
            }
            Mismatch::SeveralSites => {
                "its nodes are on several sites, and the job must stay on one".to_owned()
            }
            Mismatch::OutsideScope(site) => format!("the job may not run on site {}", self.site(*site)),
            Mismatch::TooSlow { place, performance, least } => {
                format!("{} has performance {performance}, and the job asks for {least}", self.place(*place))
            }
            Mismatch::RequirementUnmet { place, requirement } => {
                let requirement = crate::error::echo(&requirement.to_string());
                format!("{} does not have {requirement}, which the job requires", self.place(*place))
            }
            Mismatch::WrongCount { tasks, holds, parts } => {
                let (tasks, holds) = (counted(*tasks, "task"), counted(*holds, "hold"));
                format!("the job has {tasks}, and the plan has {holds} for {}", counted(*parts, "part"))
            }
            Mismatch::WrongUnits { node, held, expected } => {
                format!("of the units of node {}, {held} are held instead of {expected}", self.node(*node))
            }
            Mismatch::KeptForOthers(node) => {
                format!("node {} is kept for tasks that ask for more", self.node(*node))
            }
            Mismatch::NodeTwice(node) => format!("node {} is held twice", self.node(*node)),
            Mismatch::StartsApart { node, start, expected } => format!(
                "node {} starts at {}, and the window at {}",
                self.node(*node),
                self.moment(*start),
                self.moment(*expected)
            ),
            Mismatch::WrongLength { place, held, expected } => {
                let (place, held) = (self.place(*place), self.span(*held));
                format!("{place} is held for {held}, and the work takes {}", self.length(*expected))
            }
            Mismatch::NotForQueues => {
                "only the tasks of one parallel job can go to a queue, and to one".to_owned()
            }
            Mismatch::NotAQueue(site) => format!("site {} has no queue", self.site(*site)),
            Mismatch::WrongTasks => "its parts are not the tasks that are left of the workflow".to_owned(),
            Mismatch::Inconsistent => "it contradicts itself".to_owned(),
        }
    }

    fn place(&self, place: NodeOrQueue) -> String {
        match place {
            NodeOrQueue::Node(node) => format!("node {}", self.node(node)),
            NodeOrQueue::Queue(site) => format!("the queue of site {}", self.site(site)),
        }
    }

    fn length(&self, span: Option<Span>) -> String {
        span.map_or_else(|| "longer than time is counted".to_owned(), |span| self.span(span))
    }

    /// What is wrong with a task, as the rest of a clause about it.
    fn task_fault(&self, fault: &TaskMismatch) -> String {
        match fault {
            TaskMismatch::NotHeld => "is on a node that is not held".to_owned(),
            TaskMismatch::WrongLength { planned, expected } => {
                format!("has {} and needs {}", self.span(*planned), self.length(*expected))
            }
            TaskMismatch::OutsideHold => "lies outside the time that is held of its node".to_owned(),
            TaskMismatch::TooFewCores(cores) => {
                format!("uses {}, and its node has fewer", counted(*cores, "core"))
            }
            TaskMismatch::TooLittleMemory(needed) => {
                format!("needs {} bytes of memory, and its node has less", needed.as_bytes())
            }
            TaskMismatch::RequirementUnmet(requirement) => {
                let requirement = crate::error::echo(&requirement.to_string());
                format!("requires {requirement}, which its node does not have")
            }
            TaskMismatch::WrongCost { cost, expected } => {
                format!("is priced at {}, and its time costs {expected}", credits(*cost))
            }
            TaskMismatch::BeforeData { from, arrives, start } => format!(
                "starts at {}, and the data of task {} arrives at {}",
                self.moment(*start),
                self.task(*from),
                self.moment(*arrives)
            ),
            TaskMismatch::Overlaps(other) => {
                format!("is on its node at the same time as task {}", self.task(*other))
            }
        }
    }
}
