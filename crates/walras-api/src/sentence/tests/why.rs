//! Why jobs are where they are.

use super::super::Context;
use super::{NODE, SITE, at, context, credits, gpu, interval, seconds, table, workflow};
use crate::sentence::{account_text, part_end_text, part_ended_text, spender_text};
use walras_broker::account::{Account, Unpayable};
use walras_broker::array::ArrayCounts;
use walras_broker::budget::{Overspent, Spender};
use walras_broker::gate::{Condition, Dependency, Waits, Which};
use walras_broker::id::JobNumber;
use walras_broker::job::{JobEnd, OutputFault, PartEnd, SiteRefusal, Unassigned, Why};
use walras_broker::mismatch::{Mismatch, NodeOrQueue, TaskMismatch};
use walras_broker::moving::MoveFault;
use walras_broker::notice::News;
use walras_broker::used::Used;
use walras_core::agenda::Promise;
use walras_model::{Data, Explanation, Fixed, Performance, Rate, Reason, SmallestChange, Span, TaskId};

#[test]
fn a_part_is_called_by_its_task() {
    let why = |part| Why::PartEnded { part, end: PartEnd::Failed(125) };
    let parts = [Some("fetch".to_owned()), Some("align".to_owned()), None];
    let context = Context::nameless().with_parts(&parts);
    assert_eq!(context.why(&why(1)), "Task align failed with code 125.");
    assert_eq!(context.why(&why(2)), "Part 2 failed with code 125.");
    assert_eq!(Context::nameless().why(&why(1)), "Part 1 failed with code 125.");
}

#[test]
fn one_is_one_credit() {
    let reason = Reason::BudgetTooSmall { budget: credits(1), needed: credits(2) };
    let expected = "The budget of 1 credit is 1 credit short of the cheapest window, which costs 2 credits.";
    assert_eq!(context().reason(&reason), expected);
}

#[test]
fn every_why_has_a_sentence() {
    let short =
        Unpayable::Short { account: Account::User("ada".into()), available: credits(1), needed: credits(5) };
    let over = Overspent { spender: Spender::Group("lab".into()), left: credits(2), needed: credits(5) };
    let seventeen = Dependency { on: Which::whole(JobNumber::new(17)), condition: Condition::Ok };
    let on = [(JobNumber::new(17), seventeen)].into();
    let waits = Waits { on, never: None, singleton: true, held: true };
    table!(Why, |it: &Why| context().why(it);
        Why::NoFit(_) => Why::NoFit(Box::default()) => "No window fits.";
        Why::LeftOut => Why::LeftOut => "The VO's limits left no window for the job in this cycle.";
        Why::OverQuota => Why::OverQuota => "An owner's quota left no window for the job in this cycle.";
        Why::NodesHad { .. } => Why::NodesHad { had: 7, most: 6 } =>
            "Workflows of its user have 7 of the 6 nodes or units of nodes that they may have at a time, now or later.";
        Why::MakingRoom(_) => Why::MakingRoom(JobNumber::new(3)) => "Room is made for job 3, which has waited too long.";
        Why::Unassigned(_) => Why::Unassigned(Unassigned::NoRoom) =>
            "It would fit, but other jobs have the processors in this round.";
        Why::NotAdmitted => Why::NotAdmitted => "The owners' rules of access admit the job nowhere.";
        Why::NoMoney(_) => Why::NoMoney(short.clone()) =>
            "The account of user ada has 1 credit available, and 5 are needed.";
        Why::OverBudget(_) => Why::OverBudget(over.clone()) =>
            "5 credits are needed, and the budget of group lab has 2 left in this period.";
        Why::Outdated(_) => Why::Outdated(vec![Mismatch::NodeTwice(NODE), Mismatch::Empty, Mismatch::Empty]) =>
            "The plan does not hold any more: it holds nothing; node campus/n1 is held twice.";
        Why::Refused { .. } => Why::Refused { site: SITE, refusal: SiteRefusal::Busy } =>
            "Site campus refused: its time is taken.";
        Why::Silent(_) => Why::Silent(vec![SITE, SITE]) => "Site campus did not answer in time.";
        Why::NodeLost(_) => Why::NodeLost(NODE) => "Node campus/n1 failed.";
        Why::SiteLost(_) => Why::SiteLost(SITE) => "Site campus failed.";
        Why::TakenBack(_) => Why::TakenBack(NODE) => "The owner of node campus/n1 needed it.";
        Why::PartEnded { .. } => Why::PartEnded { part: 2, end: PartEnd::Failed(9) } => "Part 2 failed with code 9.";
        Why::Late => Why::Late => "A task took so long that the others do not fit any more.";
        Why::StartMissed => Why::StartMissed => "The moment to start was missed.";
        Why::FilesLost(_) => Why::FilesLost(TaskId::new(1)) =>
            "The files of a task could not be brought to where they are read.";
        Why::NotBrought { .. } => Why::NotBrought { task: "align".into(), to: SITE, fault: MoveFault::NotThere("map".into()) } =>
            "A file of task align could not be brought to campus: map is not there.";
        Why::NoOutput { .. } => Why::NoOutput { part: 2, file: "map".into(), fault: OutputFault::NotThere } =>
            "Part 2 ended without its output: map is not there.";
        Why::NotPlanned => Why::NotPlanned => "Planning took too long.";
        Why::DeadlinePassed => Why::DeadlinePassed => "The deadline cannot be kept any more.";
        Why::TooOften(_) => Why::TooOften(Box::new(Why::NodeLost(NODE))) =>
            "Given up after too many failures; the last: Node campus/n1 failed.";
        Why::Cancelled => Why::Cancelled => "Its user cancelled it.";
        Why::NotTaken => Why::NotTaken => "It was held for a quote, and not taken.";
        Why::Waits(_) => Why::Waits(Box::new(waits)) =>
            "It waits for job 17 to end well, earlier jobs of its name and its user to release it.";
        Why::Elements(_) => Why::Elements(ArrayCounts { done: 4, failed: 2, cancelled: 0, given_up: 1 }) =>
            "Not all of its elements ended well: 2 failed, 1 given up and 4 done.";
        Why::NeverMet(_) => Why::NeverMet(seventeen) => "It waits for job 17 to end well, which cannot be any more.";
    );
    let refused = |it: &SiteRefusal| context().why(&Why::Refused { site: SITE, refusal: *it });
    table!(SiteRefusal, refused;
        SiteRefusal::Busy => SiteRefusal::Busy => "Site campus refused: its time is taken.";
        SiteRefusal::Expired => SiteRefusal::Expired => "Site campus refused: its hold had expired.";
        SiteRefusal::PriceChanged => SiteRefusal::PriceChanged => "Site campus refused: its price has changed.";
        SiteRefusal::Unknown => SiteRefusal::Unknown => "Site campus refused: it knows of no such reservation.";
        SiteRefusal::Unwilling => SiteRefusal::Unwilling => "Site campus refused: its owner does not take the job.";
        SiteRefusal::NoAccount => SiteRefusal::NoAccount => "Site campus refused: it has no account for you.";
        SiteRefusal::TakenBack => SiteRefusal::TakenBack => "Site campus refused: its owner needs that part of the node.";
    );
    table!(PartEnd, |it: &PartEnd| part_end_text(*it);
        PartEnd::Done => PartEnd::Done => "ended well";
        PartEnd::Failed(_) => PartEnd::Failed(1) => "failed with code 1";
        PartEnd::TimedOut => PartEnd::TimedOut => "needed more time than it had";
        PartEnd::Lost => PartEnd::Lost => "was lost with its node";
        PartEnd::TakenBack => PartEnd::TakenBack => "had to make way for its owner";
        PartEnd::Vanished => PartEnd::Vanished => "vanished: what watched over it was ended while its machine went on";
        PartEnd::NoOutput { .. } => PartEnd::NoOutput { file: 0, fault: OutputFault::NotThere } =>
            "ended without its output: a file is not there";
        PartEnd::OutOfMemory { .. } => PartEnd::OutOfMemory { limit: 512 << 20 } =>
            "used more than the 512 MB that its share of the node has";
    );
    let used = |limit| part_end_text(PartEnd::OutOfMemory { limit });
    assert_eq!(used(12 << 30), "used more than the 12 GB that its share of the node has");
    assert_eq!(used((1 << 20) + 1), "used more than the 2 MB that its share of the node has");
    let ended = |millis: Option<i64>, memory| {
        part_ended_text(PartEnd::Done, Some(Used { processor: millis.and_then(Span::from_millis), memory }))
    };
    for (millis, memory, text) in [
        (None, None, "ended well"),
        (Some(0), None, "ended well; it used 0 s of processor time"),
        (None, Some(1), "ended well; it used at most 0.1 MB of memory"),
        (
            Some(12_340),
            Some(34 << 20),
            "ended well; it used 13 s of processor time and at most 34.0 MB of memory",
        ),
        (None, Some(3 << 29), "ended well; it used at most 1.5 GB of memory"),
    ] {
        assert_eq!(ended(millis, memory), text);
    }
    assert_eq!(part_ended_text(PartEnd::Failed(1), None), "failed with code 1");
    let without =
        |fault: &OutputFault| context().why(&Why::NoOutput { part: 2, file: "map".into(), fault: *fault });
    table!(OutputFault, without;
        OutputFault::NotThere => OutputFault::NotThere =>
            "Part 2 ended without its output: map is not there.";
        OutputFault::Directory => OutputFault::Directory =>
            "Part 2 ended without its output: map is a directory, and no file.";
        OutputFault::Special => OutputFault::Special =>
            "Part 2 ended without its output: map is no plain file, but a pipe, a socket or a device.";
        OutputFault::Link => OutputFault::Link =>
            "Part 2 ended without its output: map is a link or lies behind one, which may lead out of the job's directory: no link is followed.";
        OutputFault::Refused => OutputFault::Refused =>
            "Part 2 ended without its output: the system does not let anybody look at map.";
    );
}

#[test]
fn every_trouble_with_money_has_a_sentence() {
    let ada = || Account::User("ada".into());
    table!(Unpayable, |it: &Unpayable| context().why(&Why::NoMoney(it.clone()));
        Unpayable::Unbalanced => Unpayable::Unbalanced => "The postings do not sum to zero.";
        Unpayable::Short { .. } => Unpayable::Short { account: ada(), available: credits(2), needed: credits(3) } =>
            "The account of user ada has 2 credits available, and 3 are needed.";
        Unpayable::NoAccount(_) => Unpayable::NoAccount(ada()) => "The account of user ada does not exist.";
        Unpayable::Overflow => Unpayable::Overflow => "The amounts are too large to be summed.";
    );
    table!(Account, account_text;
        Account::World => Account::World => "the account of the outside world";
        Account::Held => Account::Held => "the account of held money";
        Account::Fee => Account::Fee => "the account of the VO's fees";
        Account::User(_) => ada() => "the account of user ada";
        Account::Owner(_) => Account::Owner("eve".into()) => "the account of owner eve";
    );
    table!(Spender, spender_text;
        Spender::User(_) => Spender::User("ada".into()) => "user ada";
        Spender::Group(_) => Spender::Group("lab".into()) => "group lab";
        Spender::Vo => Spender::Vo => "the VO";
    );
}

#[test]
fn every_end_and_all_news_have_a_sentence() {
    let job = JobNumber::new(8);
    table!(JobEnd, |it: &JobEnd| context().job_end(job, it);
        JobEnd::Done => JobEnd::Done => "Job 8 is done.";
        JobEnd::Failed(_) => JobEnd::Failed(Why::Late) =>
            "Job 8 failed. A task took so long that the others do not fit any more.";
        JobEnd::Cancelled => JobEnd::Cancelled => "Job 8 was cancelled.";
        JobEnd::GivenUp(_) => JobEnd::GivenUp(Why::DeadlinePassed) =>
            "Job 8 was given up. The deadline cannot be kept any more.";
    );
    table!(News, |it: &News| context().news(job, it);
        News::Promised { .. } => News::Promised {
            start: at(0),
            promise: Promise { start: at(15), finish: at(75), cost: credits(1) },
            renewed: false,
        } =>
            "Job 8 starts by 2026-01-01T00:00:15.000Z and ends by 2026-01-01T00:01:15.000Z for at most 1 credit. By the plan of now it starts at 2026-01-01T00:00:00.000Z.";
        News::Held { .. } => News::Held { sites: vec![SITE], start: at(0), end: at(60), cost: credits(1) } =>
            "Job 8 runs from 2026-01-01T00:00:00.000Z to 2026-01-01T00:01:00.000Z on campus for at most 1 credit.";
        News::Begun => News::Begun => "Job 8 has begun.";
        News::ReservationLost(_) => News::ReservationLost(Why::SiteLost(SITE)) =>
            "Job 8 lost its reservation. Site campus failed.";
        News::Rescheduled(_) => News::Rescheduled(Why::NodeLost(NODE)) =>
            "Tasks of job 8 got other times. Node campus/n1 failed.";
        News::Ended(_) => News::Ended(JobEnd::Done) => "Job 8 is done.";
    );
}

#[test]
fn every_reason_has_a_sentence() {
    let least = Performance::from_millionths(2_000_000).unwrap();
    let rate = |micros| Rate::from_micros_per_second(micros).unwrap();
    table!(Reason, |it: &Reason| context().reason(it);
        Reason::RequirementUnmet { .. } => Reason::RequirementUnmet { requirement: gpu(), nodes: 1, needed: 2 } =>
            "Only 1 node passes the requirement gpu = true, and 2 are needed at once.";
        Reason::KeptForOthers { .. } => Reason::KeptForOthers { asked: vec![gpu(), gpu()], nodes: 1, needed: 2 } =>
            "Only 1 node takes the job's tasks: owners keep others for tasks that ask for gpu = true or gpu = true; 2 are needed at once.";
        Reason::TooSlow { .. } => Reason::TooSlow { performance_min: least, nodes: 0, needed: 2 } =>
            "No node has a performance of at least 2, and 2 are needed at once.";
        Reason::CriterionUnstated { .. } =>
            Reason::CriterionUnstated { criterion: "energy".into(), nodes: 3, needed: 4 } =>
            "Only 3 nodes state what criterion=energy sums, and 4 are needed at once.";
        Reason::TooFewNodes { .. } => Reason::TooFewNodes { nodes: 3, needed: 4 } =>
            "Only 3 nodes have everything that the job asks for, and 4 are needed at once.";
        Reason::SlotsTooShort { .. } => Reason::SlotsTooShort { runtime_min: seconds(90) } =>
            "No free time on a fitting node is long enough: a task takes at least 90 s.";
        Reason::TooFewAtOnce { .. } => Reason::TooFewAtOnce { most: 1, needed: 2 } =>
            "At most 1 fitting node is free at once for long enough, and 2 are needed.";
        Reason::BudgetTooSmall { .. } => Reason::BudgetTooSmall { budget: credits(5), needed: credits(8) } =>
            "The budget of 5 credits is 3 credits short of the cheapest window, which costs 8 credits.";
        Reason::PriceCapTooLow { .. } =>
            Reason::PriceCapTooLow { price_max: rate(1_000_000), needed: rate(2_500_000) } =>
            "The price cap of 1 credits per s is too low: a window needs 2.5.";
        Reason::DeadlineTooEarly { .. } => Reason::DeadlineTooEarly { deadline: at(0), needed: at(1) } =>
            "The deadline 2026-01-01T00:00:00.000Z is too early: the first window ends at 2026-01-01T00:00:01.000Z.";
        Reason::SeveralLimits => Reason::SeveralLimits =>
            "No single limit is to blame: only relaxing several of them together gives a window.";
        Reason::TakenByOthers => Reason::TakenByOthers =>
            "There was a window before jobs of higher rank took their first ones.";
        Reason::LeftForOthers => Reason::LeftForOthers =>
            "It had a window, whose time goes to others: as many are served, and the plan is better.";
        Reason::TasksDoNotFit => Reason::TasksDoNotFit =>
            "There are windows of the size that was asked for, but none of them holds all tasks of the workflow.";
        Reason::NotExamined => Reason::NotExamined =>
            "The reason was not looked for: there were no offers yet, or too many jobs without a window.";
    );
    let all = SmallestChange {
        budget: Some(credits(8)),
        price_max: Some(rate(2_500_000)),
        deadline: Some(at(1)),
        tasks: Some(1),
        performance_min: Some(least),
        resources: [("memory_gb".to_owned(), Fixed::from_millionths(12_000_000))].into(),
    };
    let explanation = Explanation { reasons: vec![Reason::SeveralLimits], smallest_change: all };
    assert!(context().why(&Why::NoFit(Box::new(explanation))).ends_with(
        "Any of these would do: a budget of 8 credits; a price_max of 2.5 credits per s; a deadline of \
         2026-01-01T00:00:01.000Z; 1 task; a performance_min of 2; memory_gb: 12."
    ));
}

#[test]
fn every_mismatch_has_a_clause() {
    let speed = |millionths| Performance::from_millionths(millionths).unwrap();
    let (node, queue) = (NodeOrQueue::Node(NODE), NodeOrQueue::Queue(SITE));
    table!(Mismatch, |it: &Mismatch| context().mismatch(it);
        Mismatch::Empty => Mismatch::Empty => "it holds nothing";
        Mismatch::NoSite(_) => Mismatch::NoSite(SITE) => "there is no site campus";
        Mismatch::SiteLeaving(_) => Mismatch::SiteLeaving(SITE) => "site campus sells nothing new any more";
        Mismatch::SiteLost(_) => Mismatch::SiteLost(SITE) => "site campus has failed";
        Mismatch::NoNode { .. } => Mismatch::NoNode { site: SITE, node: NODE } => "site campus has no node campus/n1";
        Mismatch::StartPassed(_) => Mismatch::StartPassed(at(0)) =>
            "it was to start at 2026-01-01T00:00:00.000Z, which has passed";
        Mismatch::PartOutside(_) => Mismatch::PartOutside(1) => "part 1 lies outside the time that is held for it";
        Mismatch::NothingFree => Mismatch::NothingFree => "none of its nodes has free time left";
        Mismatch::NotOffered => Mismatch::NotOffered => "the free time of its nodes contradicts itself";
        Mismatch::NotFree { .. } => Mismatch::NotFree { node: NODE, interval: interval(0, 60) } =>
            "node campus/n1 is not free from 2026-01-01T00:00:00.000Z to 2026-01-01T00:01:00.000Z";
        Mismatch::PriceChanged { .. } => Mismatch::PriceChanged { node: NODE, was: credits(2), now: credits(3) } =>
            "the time on node campus/n1 costs 3 credits now instead of 2";
        Mismatch::WrongCost { .. } => Mismatch::WrongCost { cost: credits(2), expected: Some(credits(3)) } =>
            "some of its time is priced at 2 credits, and costs 3 at its rate";
        Mismatch::WrongTotal { .. } => Mismatch::WrongTotal { cost: credits(2), expected: credits(3) } =>
            "it is priced at 2 credits, and its parts cost 3 together";
        Mismatch::SeveralSites => Mismatch::SeveralSites =>
            "its nodes are on several sites, and the job must stay on one";
        Mismatch::OutsideScope(_) => Mismatch::OutsideScope(SITE) => "the job may not run on site campus";
        Mismatch::TooSlow { .. } =>
            Mismatch::TooSlow { place: node, performance: speed(1_000_000), least: speed(1_500_000) } =>
            "node campus/n1 has performance 1, and the job asks for 1.5";
        Mismatch::RequirementUnmet { .. } => Mismatch::RequirementUnmet { place: queue, requirement: gpu() } =>
            "the queue of site campus does not have gpu = true, which the job requires";
        Mismatch::WrongCount { .. } => Mismatch::WrongCount { tasks: 2, holds: 1, parts: 1 } =>
            "the job has 2 tasks, and the plan has 1 hold for 1 part";
        Mismatch::WrongUnits { .. } => Mismatch::WrongUnits { node: NODE, held: 3, expected: 2 } =>
            "of the units of node campus/n1, 3 are held instead of 2";
        Mismatch::KeptForOthers(_) => Mismatch::KeptForOthers(NODE) =>
            "node campus/n1 is kept for tasks that ask for more";
        Mismatch::NodeTwice(_) => Mismatch::NodeTwice(NODE) => "node campus/n1 is held twice";
        Mismatch::StartsApart { .. } => Mismatch::StartsApart { node: NODE, start: at(1), expected: at(0) } =>
            "node campus/n1 starts at 2026-01-01T00:00:01.000Z, and the window at 2026-01-01T00:00:00.000Z";
        Mismatch::WrongLength { .. } =>
            Mismatch::WrongLength { place: queue, held: seconds(5), expected: Some(seconds(6)) } =>
            "the queue of site campus is held for 5 s, and the work takes 6 s";
        Mismatch::NotForQueues => Mismatch::NotForQueues =>
            "only the tasks of one parallel job can go to a queue, and to one";
        Mismatch::NotAQueue(_) => Mismatch::NotAQueue(SITE) => "site campus has no queue";
        Mismatch::AfterDeadline { .. } => Mismatch::AfterDeadline { end: at(1), deadline: at(0) } =>
            "it ends at 2026-01-01T00:00:01.000Z, after the deadline 2026-01-01T00:00:00.000Z";
        Mismatch::BeforeEarliest { .. } => Mismatch::BeforeEarliest { start: at(0), earliest: at(1) } =>
            "it starts at 2026-01-01T00:00:00.000Z, and the job may not start before 2026-01-01T00:00:01.000Z";
        Mismatch::OverBudget { .. } => Mismatch::OverBudget { cost: credits(3), budget: credits(2) } =>
            "it costs 3 credits, and the job may spend 2";
        Mismatch::WrongTasks => Mismatch::WrongTasks => "its parts are not the tasks that are left of the workflow";
        Mismatch::Task { .. } => Mismatch::Task { task: TaskId::new(0), fault: TaskMismatch::OutsideHold } =>
            "task 0 lies outside the time that is held of its node";
        Mismatch::Inconsistent => Mismatch::Inconsistent => "it contradicts itself";
    );
}

#[test]
fn every_fault_of_a_task_has_a_clause_with_its_name() {
    let job = workflow();
    let sum = TaskId::new(1);
    let say =
        |it: &TaskMismatch| context().about(&job).mismatch(&Mismatch::Task { task: sum, fault: it.clone() });
    table!(TaskMismatch, say;
        TaskMismatch::NotHeld => TaskMismatch::NotHeld => "task sum is on a node that is not held";
        TaskMismatch::WrongLength { .. } => TaskMismatch::WrongLength { planned: seconds(5), expected: None } =>
            "task sum has 5 s and needs longer than time is counted";
        TaskMismatch::OutsideHold => TaskMismatch::OutsideHold =>
            "task sum lies outside the time that is held of its node";
        TaskMismatch::TooFewCores(_) => TaskMismatch::TooFewCores(2) => "task sum uses 2 cores, and its node has fewer";
        TaskMismatch::TooLittleMemory(_) => TaskMismatch::TooLittleMemory(Data::from_bytes(9).unwrap()) =>
            "task sum needs 9 bytes of memory, and its node has less";
        TaskMismatch::RequirementUnmet(_) => TaskMismatch::RequirementUnmet(gpu()) =>
            "task sum requires gpu = true, which its node does not have";
        TaskMismatch::WrongCost { .. } => TaskMismatch::WrongCost { cost: credits(2), expected: credits(3) } =>
            "task sum is priced at 2 credits, and its time costs 3";
        TaskMismatch::BeforeData { .. } =>
            TaskMismatch::BeforeData { from: TaskId::new(0), arrives: at(1), start: at(0) } =>
            "task sum starts at 2026-01-01T00:00:00.000Z, and the data of task fit arrives at 2026-01-01T00:00:01.000Z";
        TaskMismatch::Overlaps(_) => TaskMismatch::Overlaps(TaskId::new(0)) =>
            "task sum is on its node at the same time as task fit";
    );
}

#[test]
fn every_reason_for_not_being_assigned_has_a_sentence() {
    table!(Unassigned, |it: &Unassigned| context().why(&Why::Unassigned(*it));
        Unassigned::NotDue => Unassigned::NotDue => "It waits for the next round in which jobs are assigned.";
        Unassigned::NotYet { .. } => Unassigned::NotYet { earliest: at(60) } =>
            "It may not start before 2026-01-01T00:01:00.000Z.";
        Unassigned::NoRoom => Unassigned::NoRoom =>
            "It would fit, but other jobs have the processors in this round.";
        Unassigned::TooWide { .. } => Unassigned::TooWide { tasks: 9, most: 4 } =>
            "It needs 9 processors at once, and can get 4 at most.";
        Unassigned::TooLate { .. } => Unassigned::TooLate { fastest: seconds(90), within: seconds(60) } =>
            "It takes 90 s at least, and has 60 s until its deadline.";
        Unassigned::TooDear { .. } => Unassigned::TooDear { cheapest: credits(5), budget: credits(2) } =>
            "It costs 5 credits at least in time, and may cost 2 credits.";
        Unassigned::OutOfRange => Unassigned::OutOfRange => "Its run time or cost is too large to be counted.";
    );
}
