//! Why requests are refused.

use super::{NODE, SITE, at, context, credits, seconds, table};
use crate::sentence::{policy_text, prices_text};
use walras_broker::Refusal;
use walras_broker::account::{Account, Unpayable};
use walras_broker::budget::{Overspent, Spender};
use walras_broker::chain::BadChain;
use walras_broker::gate::{Condition, Dependency, Which};
use walras_broker::id::{CycleNumber, JobNumber, QuoteNumber};
use walras_broker::policy::{BadPolicy, PolicyField};
use walras_broker::price::{BadPrices, Demand};
use walras_broker::refusal::{BadAmount, BadJob, BadName, BadSite, Countable};
use walras_broker::sharing::{Limited, OverLimit};
use walras_broker::wish::BadWish;
use walras_core::prefer::Criterion;
use walras_model::{Multiplier, Rate, Share, SiteId};

#[test]
fn every_refusal_has_a_clause() {
    let over = Overspent { spender: Spender::Vo, left: credits(2), needed: credits(5) };
    table!(Refusal, |it: &Refusal| context().refusal(it);
        Refusal::NoUser(_) => Refusal::NoUser("eve".into()) => "there is no user 'eve'";
        Refusal::NoSite(_) => Refusal::NoSite(SITE) => "there is no site campus";
        Refusal::NoAccount(_) => Refusal::NoAccount(Account::Owner("eve".into())) =>
            "the account of owner eve does not exist";
        Refusal::NoJob(_) => Refusal::NoJob(JobNumber::new(3)) => "there is no job 3, or it has ended";
        Refusal::NoQuote(_) => Refusal::NoQuote(QuoteNumber::new(3)) => "there is no quote 3, or it has expired";
        Refusal::NoOption(_) => Refusal::NoOption(3) => "the quote has no alternative 3";
        Refusal::OptionPast(_) => Refusal::OptionPast(3) =>
            "the time of alternative 3 has begun: ask for a new quote";
        Refusal::Outdated => Refusal::Outdated => "what was for sale has changed meanwhile: ask again";
        Refusal::NotYours(_) => Refusal::NotYours(JobNumber::new(3)) => "job 3 is somebody else's";
        Refusal::NotHeld(_) => Refusal::NotHeld(JobNumber::new(3)) => "job 3 is not held";
        Refusal::KeyUsed(_) => Refusal::KeyUsed("k".into()) => "the key 'k' was used for another request";
        Refusal::BadName { .. } => Refusal::BadName { name: "n1".into(), fault: BadName::Taken } =>
            "the name n1 is taken";
        Refusal::BadJob(_) => Refusal::BadJob(BadJob::NoTasks) => "the job has no tasks: expected at least 1";
        Refusal::BadChain(_) => Refusal::BadChain(BadChain::TooShort) =>
            "a chain has at least two jobs: expected another";
        Refusal::ChainUnfit { .. } => Refusal::ChainUnfit { member: 1, from: None } =>
            "job 2 of the chain finds no window, so that there is no quote";
        Refusal::BadSite(_) => Refusal::BadSite(BadSite::NoNodes) =>
            "the site has no nodes: expected at least 1, unless it is a queue";
        Refusal::BadPolicy(_) => Refusal::BadPolicy(BadPolicy::NoneAllowed(PolicyField::BatchMax)) =>
            "batch_max is 0: expected at least 1";
        Refusal::BadPrices(_) => Refusal::BadPrices(BadPrices::Hours(23)) =>
            "hours has 23 factors: expected none or 24";
        Refusal::BadAmount(_) => Refusal::BadAmount(BadAmount::NoShare) => "the share is 0: expected at least 1";
        Refusal::NoMoney(_) => Refusal::NoMoney(Unpayable::Overflow) => "the amounts are too large to be summed";
        Refusal::OverBudget(_) => Refusal::OverBudget(over.clone()) =>
            "5 credits are needed, and the budget of the VO has 2 left in this period";
        Refusal::TooMany { .. } => Refusal::TooMany { what: Countable::Sites, most: 9 } =>
            "there would be more than 9 sites";
        Refusal::OverLimit(_) => over_limit(Limited::Jobs) =>
            "user ada would have more than 9 jobs at a time: try again when some have ended";
        Refusal::BadWish(_) => Refusal::BadWish(BadWish::Weight(0)) =>
            "the weight 0 is out of bounds: expected 1 to 1000000";
        Refusal::BadHold { .. } => Refusal::BadHold { asked: seconds(400), most: seconds(300) } =>
            "a quote cannot be held for 400 s: expected more than 0 and at most 300 s";
        Refusal::NoCycle(_) => Refusal::NoCycle(CycleNumber::new(3)) => "cycle 3 is not waiting for a plan";
    );
}

#[test]
fn every_fault_of_a_chain_has_a_clause() {
    table!(BadChain, |it: &BadChain| context().refusal(&Refusal::BadChain(it.clone()));
        BadChain::NoPromises => BadChain::NoPromises =>
            "chains are quoted where jobs are promised something, and planned in windows that move: here they are not";
        BadChain::TooShort => BadChain::TooShort => "a chain has at least two jobs: expected another";
        BadChain::TooLong { .. } => BadChain::TooLong { jobs: 101, most: 100 } =>
            "the chain has 101 jobs: expected at most 100";
        BadChain::NotPlain(_) => BadChain::NotPlain(1) =>
            "job 2 of the chain is a workflow or an array, has a search of its own, or waits for something outside of the chain: \
             expected one without";
        BadChain::NotBefore { .. } => BadChain::NotBefore { job: 0, named: 2 } =>
            "job 1 of the chain waits for job 3: expected one before it";
        BadChain::ForFailure(_) => BadChain::ForFailure(1) =>
            "job 2 of the chain waits for another to fail: nobody plans for that";
        BadChain::SeveralUsers => BadChain::SeveralUsers => "the jobs of the chain are of several users: expected one";
    );
}

fn over_limit(what: Limited) -> Refusal {
    Refusal::OverLimit(OverLimit { whose: Spender::User("ada".into()), what, most: 9 })
}

#[test]
fn every_limit_has_a_clause() {
    table!(Limited, |it: &Limited| context().refusal(&over_limit(*it));
        Limited::Jobs => Limited::Jobs =>
            "user ada would have more than 9 jobs at a time: try again when some have ended";
        Limited::NodeTime => Limited::NodeTime =>
            "the jobs of user ada would ask for more than 9 s of nodes at a time: ask for less, or try again when some have ended";
        Limited::Quotes => Limited::Quotes =>
            "user ada would have more than 9 quotes at a time: try again when some have expired";
        Limited::Keys => Limited::Keys =>
            "user ada would have made more than 9 requests that are remembered: try again later";
        Limited::Bytes => Limited::Bytes =>
            "the jobs and quotes of user ada would be larger than 9 bytes: send less, or try again when some have ended";
    );
}

#[test]
fn every_fault_of_a_job_has_a_clause() {
    let on = Dependency { on: Which::whole(JobNumber::new(17)), condition: Condition::Ok };
    table!(BadJob, |it: &BadJob| context().refusal(&Refusal::BadJob(it.clone()));
        BadJob::NoTasks => BadJob::NoTasks => "the job has no tasks: expected at least 1";
        BadJob::NegativeDelayCost(_) => BadJob::NegativeDelayCost(credits(-2)) =>
            "the job says that a delay costs -2 credits an hour: expected 0 or more";
        BadJob::NegativeBudget(_) => BadJob::NegativeBudget(credits(-2)) =>
            "the job's budget of -2 credits is below zero: expected 0 or more";
        BadJob::TooManyArguments { .. } => BadJob::TooManyArguments { arguments: 5, most: 4 } =>
            "the job's command has 5 arguments: expected at most 4";
        BadJob::CommandTooLong { .. } => BadJob::CommandTooLong { bytes: 5, most: 4 } =>
            "the job's command is 5 bytes long: expected at most 4";
        BadJob::ScriptTooLong { .. } => BadJob::ScriptTooLong { bytes: 5, most: 4 } =>
            "the job's script is 5 bytes long: expected at most 4";
        BadJob::BadOutput(_) => BadJob::BadOutput("../x".into()) =>
            "the job's output ../x is not a file in its directory: expected a relative path of names that do not begin \
             with a dot, or /dev/null";
        BadJob::BadVariable(_) => BadJob::BadVariable("1A".into()) =>
            "the job's variable 1A cannot be set: expected letters, digits and _, no digit first, not WALRAS_, and a value \
             without the character 0";
        BadJob::EnvironmentTooLarge { .. } => BadJob::EnvironmentTooLarge { bytes: 5, most: 4 } =>
            "the job's variables have 5 bytes: expected at most 4";
        BadJob::BadDirectory(_) => BadJob::BadDirectory("here".into()) =>
            "the job's directory here is not an absolute path on a site";
        BadJob::BadAddress(_) => BadJob::BadAddress("nowhere".into()) =>
            "notify: nowhere is not an address: expected one such as ada@example.org or https://example.org/hook";
        BadJob::CommentTooLong { .. } => BadJob::CommentTooLong { bytes: 5, most: 4 } =>
            "the job's comment is 5 bytes long: expected at most 4";
        BadJob::NoSite(_) => BadJob::NoSite(SiteId::new(4)) => "the job names site campus, which does not exist";
        BadJob::TooManyTasks { .. } => BadJob::TooManyTasks { tasks: 5, most: 4 } =>
            "the job's workflow has 5 tasks: expected at most 4";
        BadJob::OutsideFile(_) => BadJob::OutsideFile("../x".into()) =>
            "the job's file ../x is not a path inside its directory: expected a relative one without . and ..";
        BadJob::WrittenTwice(_) => BadJob::WrittenTwice("x".into()) =>
            "the job's file x comes from more than one place: expected one task that writes it";
        BadJob::NoSource(_) => BadJob::NoSource("x".into()) =>
            "the job's file x is written by no task that is waited for, and does not come with the job";
        BadJob::TooManyPrograms { .. } => BadJob::TooManyPrograms { programs: 5, most: 4 } =>
            "the job's workflow says what 5 tasks run: expected at most 4";
        BadJob::FilesTooLarge { .. } => BadJob::FilesTooLarge { bytes: 5, most: 4 } =>
            "the job's input files have 5 bytes: expected at most 4";
        BadJob::TooManyFiles { .. } => BadJob::TooManyFiles { files: 5, most: 4 } =>
            "the job, or a task of it, has 5 files: expected at most 4";
        BadJob::NeedsDeadline => BadJob::NeedsDeadline => "the job's strategy needs a deadline, and it has none";
        BadJob::NeedsBudget => BadJob::NeedsBudget =>
            "the job's strategy needs a budget or a price_max, and it has neither";
        BadJob::NoAlternatives => BadJob::NoAlternatives =>
            "the job's own search lists 0 alternatives: expected at least 1";
        BadJob::LongCriterion { .. } => BadJob::LongCriterion { bytes: 5, most: 4 } =>
            "the attribute that the job's own search goes by has 5 bytes: expected at most 4";
        BadJob::UnknownOfJobs(_) => BadJob::UnknownOfJobs(Criterion::FinishDeviation) =>
            "the job goes by finish-deviation, of which nothing is known here: too few jobs have ended to say how long \
             one like it runs";
        BadJob::NoDependency(_) => BadJob::NoDependency(on) =>
            "after.ok: 17 is not a job of the same user, or ended too long ago to be known";
        BadJob::NoElement(_) => BadJob::NoElement(Dependency { on: Which { element: Some(3), ..on.on }, ..on }) =>
            "after.ok: 17_3 is not an element of an array";
        BadJob::NeverMet(_) => BadJob::NeverMet(on) =>
            "after.ok: 17 has ended otherwise, so that this can never be";
        BadJob::TooManyDependencies { .. } => BadJob::TooManyDependencies { dependencies: 5, most: 4 } =>
            "after: the job waits for 5 others: expected at most 4";
        BadJob::QuoteWaits => BadJob::QuoteWaits =>
            "a quote is for what could be planned now: the job waits for others or for your word";
        BadJob::QuoteOfArray => BadJob::QuoteOfArray => "array: a quote is for one job, and this is an array";
        BadJob::Unwritable => BadJob::Unwritable => "the job cannot be written to the journal";
    );
}

#[test]
fn every_fault_of_names_sites_amounts_and_counts_has_a_clause() {
    let named = |it: &BadName| context().refusal(&Refusal::BadName { name: "n".into(), fault: *it });
    table!(BadName, named;
        BadName::Empty => BadName::Empty => "a name or a key is empty";
        BadName::TooLong { .. } => BadName::TooLong { bytes: 5, most: 4 } =>
            "the name n is 5 bytes long: expected at most 4";
        BadName::Control => BadName::Control => "the name n has a control character";
        BadName::Taken => BadName::Taken => "the name n is taken";
    );
    table!(BadSite, |it: &BadSite| context().refusal(&Refusal::BadSite(*it));
        BadSite::QueueWithNodes(_) => BadSite::QueueWithNodes(1) =>
            "the queue names 1 node: expected none, because a queue is sold as a whole";
        BadSite::NoNodes => BadSite::NoNodes => "the site has no nodes: expected at least 1, unless it is a queue";
        BadSite::OtherBefore => BadSite::OtherBefore =>
            "a site of this name has left, and had another owner, kind or nodes: add it under another name";
        BadSite::OtherKind => BadSite::OtherKind => "the site offers its time in another way than it joined with";
        BadSite::QueueHasNoNodes => BadSite::QueueHasNoNodes =>
            "the site is a queue, which has no nodes that could be drained or reclaimed";
        BadSite::NoNodesNamed => BadSite::NoNodesNamed => "no nodes are named: expected at least 1";
        BadSite::OtherNode(_) => BadSite::OtherNode(NODE) => "node campus/n1 is not one of the site's";
        BadSite::Over(_) => BadSite::Over(at(0)) => "that ends at 2026-01-01T00:00:00.000Z, which has passed";
        BadSite::DrainedTooOften { .. } => BadSite::DrainedTooOften { node: NODE, most: 100 } =>
            "node campus/n1 is drained at 100 times to come already: resume it first";
    );
    table!(BadAmount, |it: &BadAmount| context().refusal(&Refusal::BadAmount(*it));
        BadAmount::LowestAboveZero(_) => BadAmount::LowestAboveZero(credits(1)) =>
            "the lowest balance of 1 credit is above zero: expected 0 or less";
        BadAmount::LowestAboveBalance { .. } =>
            BadAmount::LowestAboveBalance { lowest: credits(-2), balance: credits(-3) } =>
            "the lowest balance of -2 credits is above what is on the account, -3";
        BadAmount::NoShare => BadAmount::NoShare => "the share is 0: expected at least 1";
        BadAmount::NegativeBudget(_) => BadAmount::NegativeBudget(credits(-2)) =>
            "the budget of -2 credits is below zero: expected 0 or more";
        BadAmount::NoPeriod => BadAmount::NoPeriod => "the budget's period has no length: expected at least 0.001 s";
        BadAmount::NothingDeposited => BadAmount::NothingDeposited => "a deposit of 0 credits moves nothing";
        BadAmount::TooLarge { .. } => BadAmount::TooLarge { amount: credits(5), most: credits(4) } =>
            "a deposit of 5 credits is too large: expected at most 4 at once";
    );
    table!(Countable, |it: &Countable| context().refusal(&Refusal::TooMany { what: *it, most: 9 });
        Countable::Jobs => Countable::Jobs =>
            "there are 9 jobs already, which is the most: try again when some have ended";
        Countable::HeldQuotes => Countable::HeldQuotes =>
            "you have as many quotes held as you may at a time, 9: accept one, or let one expire";
        Countable::Quotes => Countable::Quotes =>
            "there are 9 quotes already, which is the most: try again when some have expired";
        Countable::Sites => Countable::Sites => "there would be more than 9 sites";
        Countable::Nodes => Countable::Nodes => "there would be more than 9 nodes";
        Countable::FreeIntervals => Countable::FreeIntervals =>
            "the site offers more than 9 free intervals at once";
    );
}

#[test]
fn every_fault_of_policies_and_prices_has_a_clause() {
    use PolicyField as Field;
    table!(BadPolicy, policy_text;
        BadPolicy::NoLength(_) => BadPolicy::NoLength(Field::Horizon) => "horizon is 0: expected a longer time";
        BadPolicy::LeadTooShort { .. } => BadPolicy::LeadTooShort {
            lead: seconds(1), prepare_within: seconds(2), confirm_within: seconds(3)
        } => "lead is 1 s: expected at least prepare_within + confirm_within, which are 2 s and 3 s, because a window must \
              not start before it is held";
        BadPolicy::LeadTooLong { .. } => BadPolicy::LeadTooLong { lead: seconds(9), horizon: seconds(8) } =>
            "lead is 9 s: expected less than the horizon of 8 s";
        BadPolicy::NotAShare { .. } => BadPolicy::NotAShare { field: Field::Fee, millionths: 1_500_000 } =>
            "money.fee is 1.5: expected a share between 0 and 1";
        BadPolicy::BadWeight { .. } => BadPolicy::BadWeight { field: Field::RankWaiting, weight: 0, least: 1 } =>
            "rank.waiting is 0: expected a weight between 1 and 1000000";
        BadPolicy::NoneAllowed(_) => BadPolicy::NoneAllowed(Field::OptionsMax) =>
            "quotes.options_max is 0: expected at least 1";
    );
    let named =
        |it: &Field| policy_text(&BadPolicy::NoneAllowed(*it)).replace(" is 0: expected at least 1", "");
    table!(Field, named;
        Field::CycleEvery => Field::CycleEvery => "cycle_every";
        Field::Horizon => Field::Horizon => "horizon";
        Field::OverdueAfter => Field::OverdueAfter => "overdue_after";
        Field::BatchMax => Field::BatchMax => "batch_max";
        Field::Fee => Field::Fee => "money.fee";
        Field::EarlyRefund => Field::EarlyRefund => "money.early_refund";
        Field::Compensation => Field::Compensation => "money.compensation";
        Field::QuoteCompensation => Field::QuoteCompensation => "quotes.compensation";
        Field::OptionsMax => Field::OptionsMax => "quotes.options_max";
        Field::AlternativesMax => Field::AlternativesMax => "alternatives_max";
        Field::RankPrice => Field::RankPrice => "rank.price";
        Field::RankDeadline => Field::RankDeadline => "rank.deadline";
        Field::RankAttempts => Field::RankAttempts => "rank.attempts";
        Field::RankWaiting => Field::RankWaiting => "rank.waiting";
        Field::RankPriority => Field::RankPriority => "rank.priority";
        Field::RankFairShare => Field::RankFairShare => "rank.fair_share";
        Field::HalfLife => Field::HalfLife => "sharing.half_life";
        Field::SharedAhead => Field::SharedAhead => "sharing.ahead";
        Field::RestMax => Field::RestMax => "sharing.rest_max";
    );
    let times = |millionths| Multiplier::from_millionths(millionths).unwrap();
    let (low, high) = (Share::NOTHING, Share::percent(50));
    let demand = Demand { min: times(2_000_000), max: times(3_000_000), step: times(1), low, high };
    table!(BadPrices, prices_text;
        BadPrices::Hours(_) => BadPrices::Hours(23) => "hours has 23 factors: expected none or 24";
        BadPrices::Weekdays(_) => BadPrices::Weekdays(6) => "weekdays has 6 factors: expected none or 7";
        BadPrices::Factor(_) => BadPrices::Factor(0) => "a factor is 0: expected 0.000001 to 1000";
        BadPrices::Demand(_) => BadPrices::Demand(demand) =>
            "demand has min 2, max 3, step 0.000001, low 0 and high 0.5: expected 0 < min <= 1 <= max, step >= 0 and \
             0 <= low <= high <= 1";
        BadPrices::UserPrices => BadPrices::UserPrices =>
            "prices for single users go with one base price: expected no classes, nodes, hours, weekdays and demand \
             beside them";
        BadPrices::TooDear(_) => BadPrices::TooDear(Rate::from_micros_per_second(2_000_000_000_000_000).unwrap()) =>
            "a price is 2000000000 credits a second: expected at most 1000000000";
        BadPrices::Blackouts(_) => BadPrices::Blackouts(101) => "blackouts has 101 entries: expected at most 100";
        BadPrices::Users(_) => BadPrices::Users(1_001) => "users has 1001 prices: expected at most 1000";
    );
}
