//! What audits find.

use super::{NODE, SITE, at, context, credits, table};
use crate::sentence::audited::purpose;
use walras_audit::finding::{AllocationFault, EndFault, Gone, Thing};
use walras_audit::{Finding, FindingKind};
use walras_broker::account::{Account, Purpose};
use walras_broker::budget::Spender;
use walras_broker::id::{CycleNumber, JobNumber, QuoteNumber, ReservationNumber};
use walras_core::refine::Strategy;
use walras_model::TaskId;

#[test]
fn every_finding_has_a_sentence() {
    let (job, quote, cycle) = (JobNumber::new(1), QuoteNumber::new(2), CycleNumber::new(3));
    let (reservation, earlier) = (ReservationNumber::new(4), ReservationNumber::new(5));
    let ada = || Account::User("ada".into());
    let say = |it: &FindingKind| {
        context().finding(&Finding { position: 9, kind: it.clone() }).replace("entry 9: ", "")
    };
    table!(FindingKind, say;
        FindingKind::NoEvents => FindingKind::NoEvents => "the entry has no events";
        FindingKind::TimeWentBack { .. } => FindingKind::TimeWentBack { before: at(1), at: at(0) } =>
            "time went back from 2026-01-01T00:00:01.000Z to 2026-01-01T00:00:00.000Z";
        FindingKind::NumberOutOfOrder { .. } => FindingKind::NumberOutOfOrder { thing: Thing::Job, number: 3, expected: 2 } =>
            "job 3 was given out when 2 was the next";
        FindingKind::NotThere { .. } => FindingKind::NotThere { thing: Thing::Quote, number: 3 } =>
            "there is no quote 3, or not any more";
        FindingKind::NoSuchSite(_) => FindingKind::NoSuchSite(SITE) => "there is no site campus";
        FindingKind::NoSuchNode(_) => FindingKind::NoSuchNode(NODE) => "there is no node campus/n1";
        FindingKind::NoSuchUser(_) => FindingKind::NoSuchUser("eve".into()) => "there is no user 'eve'";
        FindingKind::RequestTwice { .. } => FindingKind::RequestTwice { by: "ada".into(), key: "k".into() } =>
            "request 'k' of ada was carried out twice";
        FindingKind::WrongStrategy { .. } =>
            FindingKind::WrongStrategy { job: "flow".into(), expected: Strategy::Cheapest } =>
            "the workflow 'flow' has another strategy than the VO's rules give it: cheapest";
        FindingKind::Unprompted { .. } => FindingKind::Unprompted { event: "job-queued" } =>
            "the event 'job-queued' does not follow from the entry's input";
        FindingKind::Unbalanced { .. } => FindingKind::Unbalanced { sum: 1_500_000 } =>
            "a transaction sums to 1.5 credits instead of 0";
        FindingKind::BadPosting { .. } =>
            FindingKind::BadPosting { account: ada(), purpose: Purpose::Income, amount: credits(2) } =>
            "a posting of 2 credits to the account of user ada cannot be an income here";
        FindingKind::NoAccount(_) => FindingKind::NoAccount(ada()) => "the account of user ada does not exist";
        FindingKind::BelowLimit { .. } => FindingKind::BelowLimit { account: ada(), balance: -2_000_000, lowest: 0 } =>
            "the account of user ada has -2 credits, and may not go below 0";
        FindingKind::HeldDiffers { .. } => FindingKind::HeldDiffers { held: 2_000_000, liens: 1_000_000 } =>
            "2 credits are held for liens of 1";
        FindingKind::WrongLien { .. } => FindingKind::WrongLien { reservation, expected: 2_000_000, posted: 1_000_000 } =>
            "reservation 4 costs 2 credits, and 1 were held";
        FindingKind::WrongSettlement { .. } => FindingKind::WrongSettlement {
            reservation, account: ada(), purpose: Purpose::Refund, expected: 2_000_000, posted: 1_000_000,
        } => "when reservation 4 was settled, the account of user ada had 1 credits as a refund instead of 2";
        FindingKind::WrongDeposit { .. } => FindingKind::WrongDeposit { account: ada() } =>
            "a deposit to the account of user ada was not booked as it was made";
        FindingKind::WrongCompensation { .. } =>
            FindingKind::WrongCompensation { quote, most: 2_000_000, posted: 3_000_000 } =>
            "quote 2 was broken for 3 credits; the policy grants at most 2";
        FindingKind::OverBudget { .. } => FindingKind::OverBudget { spender: Spender::Vo, left: 2_000_000, needed: 3_000_000 } =>
            "3 credits were held, and the budget of the VO had 2 left in its period";
        FindingKind::JobNotFree { .. } => FindingKind::JobNotFree { job } => "job 1 was reserved for when it was not to be";
        FindingKind::JobNotReturning { .. } => FindingKind::JobNotReturning { job } =>
            "job 1 was returned to a queue that it had not left";
        FindingKind::FreedWrongly { .. } => FindingKind::FreedWrongly { job } =>
            "job 1 was let into the queue before all that it waits for had happened";
        FindingKind::LeftBehind { .. } => FindingKind::LeftBehind { job } =>
            "job 1 waits although all that it waits for has happened, or can never happen";
        FindingKind::ElementTwice { .. } => FindingKind::ElementTwice { array: job, element: job } =>
            "element 1 of array 1 became a job, or ended, twice";
        FindingKind::TooManyAtOnce { .. } => FindingKind::TooManyAtOnce { array: job, live: 5 } =>
            "5 elements of array 1 are jobs at once, which is more than it allows";
        FindingKind::JobForgotten { .. } => FindingKind::JobForgotten { job } =>
            "job 1 lost its place, and no event gives a reason";
        FindingKind::WrongEnd { .. } => FindingKind::WrongEnd { job, why: EndFault::NotDone } =>
            "job 1 cannot end like this: not all of it was done";
        FindingKind::TooManyNodes { .. } => FindingKind::TooManyNodes { job, nodes: 8, most: 6 } =>
            "workflows of one user have 8 nodes with job 1, of 6 that they may have";
        FindingKind::TaskTwice { .. } => FindingKind::TaskTwice { job, task: TaskId::new(0) } => "task 0 of job 1 was done before";
        FindingKind::CycleStep { .. } => FindingKind::CycleStep { cycle, step: "closed" } => "cycle 3 was closed out of order";
        FindingKind::AskedWrongly { .. } => FindingKind::AskedWrongly { cycle, site: SITE } =>
            "cycle 3 asked site campus, which has failed or was asked already";
        FindingKind::OfferUnasked { .. } => FindingKind::OfferUnasked { cycle, site: SITE } =>
            "cycle 3 took an offer of site campus that it did not wait for";
        FindingKind::BadRound { .. } => FindingKind::BadRound { cycle } =>
            "cycle 3 assigned jobs to capacity before it was time, or otherwise than the VO does";
        FindingKind::OutOfRound { .. } => FindingKind::OutOfRound { job } =>
            "job 1 has processors of a site that sells capacity, but not as they were assigned";
        FindingKind::BatchStranger { .. } => FindingKind::BatchStranger { cycle, job } =>
            "the batch of cycle 3 has job 1, which is not in the queue or stands there twice";
        FindingKind::BatchOrder { .. } => FindingKind::BatchOrder { cycle, job } =>
            "the batch of cycle 3 has job 1 behind one of lower rank";
        FindingKind::BatchSize { .. } => FindingKind::BatchSize { cycle, queued: 5, batch: 4 } =>
            "the batch of cycle 3 has 4 of 5 queued jobs";
        FindingKind::WrongRank { .. } => FindingKind::WrongRank { cycle, job, aspect: "waiting", expected: 5, found: 4 } =>
            "in cycle 3, the waiting of job 1 is 4 and should be 5";
        FindingKind::BadAllocation { .. } => FindingKind::BadAllocation { reservation, fault: AllocationFault::Empty } =>
            "reservation 4 cannot be: it holds or runs nothing";
        FindingKind::ReservationStep { .. } => FindingKind::ReservationStep { reservation, step: "held" } =>
            "reservation 4 was held out of order";
        FindingKind::LegStep { .. } => FindingKind::LegStep { reservation, site: SITE, step: "prepared" } =>
            "site campus has prepared reservation 4 out of order";
        FindingKind::PartStep { .. } => FindingKind::PartStep { reservation, part: 0, step: "ended" } =>
            "part 0 of reservation 4 was ended out of order";
        FindingKind::TooSoon { .. } => FindingKind::TooSoon { reservation, part: 0 } =>
            "part 0 of reservation 4 was started before its time";
        FindingKind::BeforeOthers { .. } => FindingKind::BeforeOthers { reservation, part: 1, after: 0 } =>
            "part 1 of reservation 4 was started before the data of part 0 was there";
        FindingKind::BeforeFiles { .. } => FindingKind::BeforeFiles { reservation, part: 1, file: "a/b".into() } =>
            "part 1 of reservation 4 was started before a/b had come";
        FindingKind::FilesStep { .. } => FindingKind::FilesStep { reservation, task: TaskId::new(3), step: "done" } =>
            "bringing the files of task 3 for reservation 4 was done out of order";
        FindingKind::RunsTwice { .. } => FindingKind::RunsTwice { reservation, earlier } =>
            "reservation 4 was started while 5 of the same job may still run";
        FindingKind::WrongTime { .. } => FindingKind::WrongTime { reservation, part: 0, at: at(0) } =>
            "part 0 of reservation 4 cannot have started or ended at 2026-01-01T00:00:00.000Z";
        FindingKind::BadSchedule { .. } => FindingKind::BadSchedule { reservation, part: 0, fault: AllocationFault::Moved } =>
            "part 0 of reservation 4 was moved where it cannot run: what has begun stays where it is";
        FindingKind::WrongReason { .. } => FindingKind::WrongReason { reservation } =>
            "reservation 4 was closed or changed for a reason that the journal does not show";
        FindingKind::LeftThere { .. } => FindingKind::LeftThere { reservation, place: Gone::Node(NODE) } =>
            "reservation 4 still relies on node campus/n1, which is gone";
        FindingKind::WrongKept { .. } => FindingKind::WrongKept { reservation } =>
            "reservation 4 keeps other results than those of the tasks that ended well";
        FindingKind::NodeAlready { .. } => FindingKind::NodeAlready { node: NODE } => "node campus/n1 was in that state already";
        FindingKind::SiteAlready { .. } => FindingKind::SiteAlready { site: SITE } => "site campus was in that state already";
        FindingKind::QuoteTime { .. } => FindingKind::QuoteTime { quote, until: at(0) } =>
            "quote 2 binds until 2026-01-01T00:00:00.000Z, and not longer or shorter";
        FindingKind::NoSuchOption { .. } => FindingKind::NoSuchOption { quote, option: 7 } => "quote 2 has no alternative 7";
        FindingKind::PromiseBroken { .. } => FindingKind::PromiseBroken { job } =>
            "job 1 is planned where what it was promised is not kept";
        FindingKind::PromiseChanged { .. } => FindingKind::PromiseChanged { job } =>
            "job 1 is promised something else, and what that rested on is still there";
        FindingKind::BadPlan { .. } => FindingKind::BadPlan { job, fault: None } =>
            "job 1 is planned when or where it cannot be";
        FindingKind::NotAsPlanned { .. } => FindingKind::NotAsPlanned { job } =>
            "what is reserved for job 1 is not what was planned";
        FindingKind::NotHeld { .. } => FindingKind::NotHeld { quote } => "what is held for quote 2 is not what it lists";
        FindingKind::NotAsQuoted { .. } => FindingKind::NotAsQuoted { quote } => "what was reserved is not what quote 2 promised";
        FindingKind::Dominated { .. } => FindingKind::Dominated { quote, option: 1, by: 0 } =>
            "alternative 1 of quote 2 is neither sooner nor cheaper than 0";
        FindingKind::WrongOption { .. } => FindingKind::WrongOption { quote, option: 1 } =>
            "alternative 1 of quote 2 is not what its holds say, or one too many";
        FindingKind::NoReason { .. } => FindingKind::NoReason { quote } => "quote 2 has no alternative and no reason";
    );
}

#[test]
fn every_fault_of_a_reservation_has_a_clause() {
    let other = ReservationNumber::new(5);
    table!(AllocationFault, |it: &AllocationFault| context().allocation_fault(it);
        AllocationFault::Empty => AllocationFault::Empty => "it holds or runs nothing";
        AllocationFault::SiteTwice(_) => AllocationFault::SiteTwice(SITE) => "site campus is asked twice";
        AllocationFault::NoSite(_) => AllocationFault::NoSite(SITE) => "there is no site campus";
        AllocationFault::SiteLeaving(_) => AllocationFault::SiteLeaving(SITE) => "site campus sells nothing new any more";
        AllocationFault::SiteLost(_) => AllocationFault::SiteLost(SITE) => "site campus has failed";
        AllocationFault::NotOfSite { .. } => AllocationFault::NotOfSite { node: NODE, site: SITE } =>
            "node campus/n1 is not one of site campus";
        AllocationFault::NotAQueue(_) => AllocationFault::NotAQueue(SITE) => "site campus does not offer its time like this";
        AllocationFault::NodeLost(_) => AllocationFault::NodeLost(NODE) => "node campus/n1 has failed";
        AllocationFault::NodeTaken(_) => AllocationFault::NodeTaken(NODE) => "the owner of node campus/n1 uses it then";
        AllocationFault::NodeDrained(_) => AllocationFault::NodeDrained(NODE) => "nothing new is sold of node campus/n1 then";
        AllocationFault::WrongUnits { .. } => AllocationFault::WrongUnits { node: NODE, needed: 2, held: 3 } =>
            "of the units of node campus/n1, 3 are held instead of 2";
        AllocationFault::KeptForOthers(_) => AllocationFault::KeptForOthers(NODE) =>
            "node campus/n1 is kept for tasks that ask for more";
        AllocationFault::DoubleBooked { .. } => AllocationFault::DoubleBooked { node: NODE, other } =>
            "node campus/n1 is held for reservation 5 then";
        AllocationFault::Past(_) => AllocationFault::Past(at(0)) => "it starts at 2026-01-01T00:00:00.000Z, which has passed";
        AllocationFault::WrongCost { .. } => AllocationFault::WrongCost { expected: 2_000_000, cost: 3_000_000 } =>
            "a hold costs 3 credits instead of 2";
        AllocationFault::AfterDeadline => AllocationFault::AfterDeadline => "it ends after the deadline";
        AllocationFault::BeforeEarliest => AllocationFault::BeforeEarliest => "it starts before the job may";
        AllocationFault::OverBudget { .. } => AllocationFault::OverBudget { limit: 2_000_000, cost: 3_000_000 } =>
            "it costs 3 credits, and the job may spend 2";
        AllocationFault::WrongCount => AllocationFault::WrongCount => "the job has another number of tasks";
        AllocationFault::NotSeparate(_) => AllocationFault::NotSeparate(NODE) =>
            "two tasks are on node campus/n1, and each is to have its own";
        AllocationFault::StartsApart => AllocationFault::StartsApart => "its holds do not start together";
        AllocationFault::WrongLength { .. } => AllocationFault::WrongLength { expected: 5, length: 4 } =>
            "4 ms are planned for what takes 5 ms";
        AllocationFault::TooSlow(_) => AllocationFault::TooSlow(SITE) => "a node of site campus is too slow";
        AllocationFault::Unmet(_) => AllocationFault::Unmet(SITE) => "a node of site campus lacks what the job asks for";
        AllocationFault::OutOfScope(_) => AllocationFault::OutOfScope(SITE) => "the job may not run on site campus then";
        AllocationFault::PartOutside(_) => AllocationFault::PartOutside(1) => "part 1 lies outside what is held for it";
        AllocationFault::WrongTasks => AllocationFault::WrongTasks => "its parts are not what is left of the job";
        AllocationFault::BeforeData(_) => AllocationFault::BeforeData(1) => "part 1 does not wait for its data";
        AllocationFault::PartsOverlap(_) => AllocationFault::PartsOverlap(1) => "part 1 runs beside another on one node";
        AllocationFault::WrongExpiry => AllocationFault::WrongExpiry =>
            "what is prepared must expire after now and not after the start";
        AllocationFault::NotASpare => AllocationFault::NotASpare => "it is none of the job's spare alternatives";
        AllocationFault::Moved => AllocationFault::Moved => "what has begun stays where it is";
    );
    let ended = |it: &EndFault| {
        let kind = FindingKind::WrongEnd { job: JobNumber::new(1), why: *it };
        context().finding(&Finding { position: 1, kind }).replace("entry 1: job 1 cannot end like this: ", "")
    };
    table!(EndFault, ended;
        EndFault::Reserved => EndFault::Reserved => "its reservation is not closed";
        EndFault::NotDone => EndFault::NotDone => "not all of it was done";
        EndFault::NotFailed => EndFault::NotFailed => "no part of it failed";
        EndFault::Attempts => EndFault::Attempts => "it is given up when its attempts are used up, and not before";
        EndFault::InTime => EndFault::InTime => "its deadline had not passed";
        EndFault::NotCancelled => EndFault::NotCancelled => "its user did not cancel it";
        EndFault::NotOffered => EndFault::NotOffered => "it was not held for a quote, or its reservation is not closed";
        EndFault::NotInVain => EndFault::NotInVain => "what it waits for may yet be";
        EndFault::Offered => EndFault::Offered => "it is held for a quote that nobody has accepted";
    );
    table!(Purpose, |it: &Purpose| purpose(*it).to_owned();
        Purpose::Deposit => Purpose::Deposit => "a deposit";
        Purpose::Lien => Purpose::Lien => "a lien";
        Purpose::Charge => Purpose::Charge => "a charge";
        Purpose::Refund => Purpose::Refund => "a refund";
        Purpose::Income => Purpose::Income => "an income";
        Purpose::Fee => Purpose::Fee => "a fee";
        Purpose::Compensation => Purpose::Compensation => "a compensation";
    );
}
