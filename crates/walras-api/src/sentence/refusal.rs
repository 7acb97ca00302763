//! Why a request is refused, as clauses: what is wrong, the value, and what would be right.

use super::rules::{policy_text, prices_text};
use super::why::{account_text, overspent_text, spender_text, unpayable_text};
use super::{Context, counted, credits};
use crate::error::echo;
use crate::service::Stamp;
use walras_broker::Refusal;
use walras_broker::chain::BadChain;
use walras_broker::refusal::{BadAmount, BadJob, BadName, BadSite, Countable};
use walras_broker::sharing::{Limited, OverLimit};
use walras_broker::wish::{BadWish, WISH_WEIGHT_MAX};
use walras_core::prefer::Criterion;

impl Context<'_> {
    /// Why a request is refused, as a clause.
    pub fn refusal(&self, refusal: &Refusal) -> String {
        match refusal {
            Refusal::NoUser(name) => format!("there is no user '{name}'"),
            Refusal::NoSite(site) => format!("there is no site {}", self.site(*site)),
            Refusal::NoAccount(account) => format!("{} does not exist", account_text(account)),
            Refusal::NoJob(job) => format!("there is no job {job}, or it has ended"),
            Refusal::NoQuote(quote) => format!("there is no quote {quote}, or it has expired"),
            Refusal::NoOption(option) => format!("the quote has no alternative {option}"),
            Refusal::OptionPast(option) => {
                format!("the time of alternative {option} has begun: ask for a new quote")
            }
            Refusal::Outdated => "what was for sale has changed meanwhile: ask again".to_owned(),
            Refusal::NotYours(job) => format!("job {job} is somebody else's"),
            Refusal::NotHeld(job) => format!("job {job} is not held"),
            Refusal::KeyUsed(key) => format!("the key '{key}' was used for another request"),
            Refusal::BadName { name, fault } => bad_name(name, *fault),
            Refusal::BadJob(fault) => self.bad_job(fault),
            Refusal::BadChain(fault) => bad_chain(fault),
            Refusal::ChainUnfit { member, from } => {
                let from = from.map_or_else(String::new, |from| format!(" from {} on", Stamp::from(from)));
                format!(
                    "job {} of the chain finds no window{from}, so that there is no quote",
                    u64::from(*member) + 1
                )
            }
            Refusal::BadSite(fault) => bad_site(self, *fault),
            Refusal::BadPolicy(fault) => policy_text(fault),
            Refusal::BadPrices(fault) => prices_text(fault),
            Refusal::BadAmount(fault) => bad_amount(*fault),
            Refusal::BadWish(fault) => bad_wish(fault),
            Refusal::NoMoney(why) => unpayable_text(why),
            Refusal::OverBudget(why) => overspent_text(why),
            Refusal::TooMany { what, most } => too_many(*what, *most),
            Refusal::OverLimit(over) => over_limit(over),
            Refusal::BadHold { asked, most } => {
                format!("a quote cannot be held for {asked} s: expected more than 0 and at most {most} s")
            }
            Refusal::NoCycle(cycle) => format!("cycle {cycle} is not waiting for a plan"),
        }
    }

    fn bad_job(&self, fault: &BadJob) -> String {
        match fault {
            BadJob::NoTasks => "the job has no tasks: expected at least 1".to_owned(),
            BadJob::NegativeDelayCost(cost) => {
                format!("the job says that a delay costs {} an hour: expected 0 or more", credits(*cost))
            }
            BadJob::NegativeBudget(budget) => {
                format!("the job's budget of {} is below zero: expected 0 or more", credits(*budget))
            }
            BadJob::TooManyArguments { arguments, most } => {
                format!("the job's command has {arguments} arguments: expected at most {most}")
            }
            BadJob::CommandTooLong { bytes, most } => {
                format!("the job's command is {bytes} bytes long: expected at most {most}")
            }
            BadJob::ScriptTooLong { bytes, most } => {
                format!("the job's script is {bytes} bytes long: expected at most {most}")
            }
            BadJob::BadOutput(name) => format!(
                "the job's output {} is not a file in its directory: expected a relative path of names that do not begin \
                 with a dot, or /dev/null",
                echo(name)
            ),
            BadJob::BadVariable(name) => format!(
                "the job's variable {} cannot be set: expected letters, digits and _, no digit first, not WALRAS_, and a value \
                 without the character 0",
                echo(name)
            ),
            BadJob::EnvironmentTooLarge { bytes, most } => {
                format!("the job's variables have {bytes} bytes: expected at most {most}")
            }
            BadJob::BadDirectory(name) => {
                format!("the job's directory {} is not an absolute path on a site", echo(name))
            }
            BadJob::BadAddress(address) => format!(
                "notify: {} is not an address: expected one such as ada@example.org or https://example.org/hook",
                echo(address)
            ),
            BadJob::CommentTooLong { bytes, most } => {
                format!("the job's comment is {bytes} bytes long: expected at most {most}")
            }
            BadJob::NoSite(site) => format!("the job names site {}, which does not exist", self.site(*site)),
            BadJob::TooManyTasks { tasks, most } => {
                format!("the job's workflow has {tasks} tasks: expected at most {most}")
            }
            BadJob::OutsideFile(name) => format!(
                "the job's file {} is not a path inside its directory: expected a relative one without . and ..",
                echo(name)
            ),
            BadJob::WrittenTwice(name) => {
                format!(
                    "the job's file {} comes from more than one place: expected one task that writes it",
                    echo(name)
                )
            }
            BadJob::NoSource(name) => format!(
                "the job's file {} is written by no task that is waited for, and does not come with the job",
                echo(name)
            ),
            BadJob::TooManyPrograms { programs, most } => {
                format!("the job's workflow says what {programs} tasks run: expected at most {most}")
            }
            BadJob::FilesTooLarge { bytes, most } => {
                format!("the job's input files have {bytes} bytes: expected at most {most}")
            }
            BadJob::TooManyFiles { files, most } => {
                format!("the job, or a task of it, has {files} files: expected at most {most}")
            }
            BadJob::NeedsDeadline => "the job's strategy needs a deadline, and it has none".to_owned(),
            BadJob::NeedsBudget => {
                "the job's strategy needs a budget or a price_max, and it has neither".to_owned()
            }
            BadJob::NoAlternatives => {
                "the job's own search lists 0 alternatives: expected at least 1".to_owned()
            }
            BadJob::LongCriterion { bytes, most } => format!(
                "the attribute that the job's own search goes by has {bytes} bytes: expected at most {most}"
            ),
            BadJob::UnknownOfJobs(criterion) => format!(
                "the job goes by {criterion}, of which nothing is known here: {}",
                missing_for(criterion)
            ),
            BadJob::NoDependency(on) => format!(
                "after.{}: {} is not a job of the same user, or ended too long ago to be known",
                on.condition.text(),
                on.on
            ),
            BadJob::NoElement(on) => {
                format!("after.{}: {} is not an element of an array", on.condition.text(), on.on)
            }
            BadJob::NeverMet(on) => format!(
                "after.{}: {} has ended otherwise, so that this can never be",
                on.condition.text(),
                on.on
            ),
            BadJob::TooManyDependencies { dependencies, most } => {
                format!("after: the job waits for {dependencies} others: expected at most {most}")
            }
            BadJob::QuoteWaits => {
                "a quote is for what could be planned now: the job waits for others or for your word"
                    .to_owned()
            }
            BadJob::QuoteOfArray => "array: a quote is for one job, and this is an array".to_owned(),
            BadJob::Unwritable => "the job cannot be written to the journal".to_owned(),
        }
    }
}

/// What would have to be there for a criterion to be weighed.
fn missing_for(criterion: &Criterion) -> &'static str {
    match criterion {
        Criterion::LikelyFinish
        | Criterion::FinishDeviation
        | Criterion::FinishMax
        | Criterion::FinishError => "too few jobs have ended to say how long one like it runs",
        Criterion::SpareTime => "the job has no deadline",
        Criterion::GuaranteedStart
        | Criterion::Start
        | Criterion::Finish
        | Criterion::Cost
        | Criterion::Wait
        | Criterion::Speed
        | Criterion::Memory
        | Criterion::Energy
        | Criterion::Income
        | Criterion::Load
        | Criterion::Attribute(..) => "no node and no queue states it",
    }
}

fn bad_name(name: &str, fault: BadName) -> String {
    let name = echo(name);
    match fault {
        BadName::Empty => "a name or a key is empty".to_owned(),
        BadName::TooLong { bytes, most } => {
            format!("the name {name} is {bytes} bytes long: expected at most {most}")
        }
        BadName::Control => format!("the name {name} has a control character"),
        BadName::Taken => format!("the name {name} is taken"),
    }
}

fn bad_site(context: &Context<'_>, fault: BadSite) -> String {
    match fault {
        BadSite::QueueWithNodes(nodes) => {
            let nodes = counted(u64::try_from(nodes).unwrap_or(u64::MAX), "node");
            format!("the queue names {nodes}: expected none, because a queue is sold as a whole")
        }
        BadSite::NoNodes => "the site has no nodes: expected at least 1, unless it is a queue".to_owned(),
        BadSite::OtherBefore => {
            "a site of this name has left, and had another owner, kind or nodes: add it under another name"
                .to_owned()
        }
        BadSite::OtherKind => "the site offers its time in another way than it joined with".to_owned(),
        BadSite::QueueHasNoNodes => {
            "the site is a queue, which has no nodes that could be drained or reclaimed".to_owned()
        }
        BadSite::NoNodesNamed => "no nodes are named: expected at least 1".to_owned(),
        BadSite::OtherNode(node) => format!("node {} is not one of the site's", context.node(node)),
        BadSite::Over(end) => format!("that ends at {}, which has passed", Stamp::from(end)),
        BadSite::DrainedTooOften { node, most } => {
            format!("node {} is drained at {most} times to come already: resume it first", context.node(node))
        }
    }
}

fn bad_amount(fault: BadAmount) -> String {
    match fault {
        BadAmount::LowestAboveZero(lowest) => {
            format!("the lowest balance of {} is above zero: expected 0 or less", credits(lowest))
        }
        BadAmount::LowestAboveBalance { lowest, balance } => {
            format!("the lowest balance of {} is above what is on the account, {balance}", credits(lowest))
        }
        BadAmount::NoShare => "the share is 0: expected at least 1".to_owned(),
        BadAmount::NegativeBudget(amount) => {
            format!("the budget of {} is below zero: expected 0 or more", credits(amount))
        }
        BadAmount::NoPeriod => "the budget's period has no length: expected at least 0.001 s".to_owned(),
        BadAmount::NothingDeposited => "a deposit of 0 credits moves nothing".to_owned(),
        BadAmount::TooLarge { amount, most } => {
            format!("a deposit of {} is too large: expected at most {most} at once", credits(amount))
        }
    }
}

fn bad_wish(fault: &BadWish) -> String {
    match fault {
        BadWish::Weight(weight) => {
            format!("the weight {weight} is out of bounds: expected 1 to {WISH_WEIGHT_MAX}")
        }
        BadWish::NoTotal(criterion) => format!(
            "{criterion} is not known of everything that runs: expected income, cost, load, start, finish, wait, \
             guaranteed-start or speed"
        ),
    }
}

fn over_limit(over: &OverLimit) -> String {
    let (whose, most) = (spender_text(&over.whose), over.most);
    match over.what {
        Limited::Jobs => {
            format!("{whose} would have more than {most} jobs at a time: try again when some have ended")
        }
        Limited::NodeTime => format!(
            "the jobs of {whose} would ask for more than {most} s of nodes at a time: ask for less, or try again when some \
             have ended"
        ),
        Limited::Quotes => {
            format!("{whose} would have more than {most} quotes at a time: try again when some have expired")
        }
        Limited::Keys => {
            format!("{whose} would have made more than {most} requests that are remembered: try again later")
        }
        Limited::Bytes => format!(
            "the jobs and quotes of {whose} would be larger than {most} bytes: send less, or try again when some have ended"
        ),
    }
}

fn too_many(what: Countable, most: usize) -> String {
    match what {
        Countable::Jobs => {
            format!("there are {most} jobs already, which is the most: try again when some have ended")
        }
        Countable::Quotes => {
            format!("there are {most} quotes already, which is the most: try again when some have expired")
        }
        Countable::HeldQuotes => {
            format!(
                "you have as many quotes held as you may at a time, {most}: accept one, or let one expire"
            )
        }
        Countable::Sites => format!("there would be more than {most} sites"),
        Countable::Nodes => format!("there would be more than {most} nodes"),
        Countable::FreeIntervals => format!("the site offers more than {most} free intervals at once"),
    }
}

fn bad_chain(fault: &BadChain) -> String {
    let nth = |place: u32| u64::from(place) + 1;
    match fault {
        BadChain::NoPromises => {
            "chains are quoted where jobs are promised something, and planned in windows that move: here they are not".to_owned()
        }
        BadChain::TooShort => "a chain has at least two jobs: expected another".to_owned(),
        BadChain::TooLong { jobs, most } => format!("the chain has {jobs} jobs: expected at most {most}"),
        BadChain::NotPlain(place) => format!(
            "job {} of the chain is a workflow or an array, has a search of its own, or waits for something outside of the chain: \
             expected one without",
            nth(*place)
        ),
        BadChain::NotBefore { job, named } => format!(
            "job {} of the chain waits for job {}: expected one before it",
            nth(*job),
            nth(*named)
        ),
        BadChain::ForFailure(place) => {
            format!("job {} of the chain waits for another to fail: nobody plans for that", nth(*place))
        }
        BadChain::SeveralUsers => "the jobs of the chain are of several users: expected one".to_owned(),
    }
}
