//! What users may ask for.

use super::admin::name;
use super::failover::{close, end_job};
use super::reserve::{Wanted, reserve};
use super::{Draft, HEARD};
use crate::account::{Account, Purpose, Transaction};
use crate::check::Prices;
use crate::event::{Event, Origin, RequestKey};
use crate::id::{JobNumber, QuoteNumber};
use crate::input::{Answer, Refusal};
use crate::job::{JobEnd, JobSpec, Phase, Why, is_plain_name};
use crate::quote::{self, Findings, QuoteOption};
use crate::sabotage::{Sabotage, sabotaged};
use crate::settle::Fault;
use crate::state::{JOBS_MAX, Quote, State};
use crate::way::Way;
use walras_model::{Money, Share};

/// A command has at most so many arguments, and so many bytes.
const COMMAND_MAX: usize = 100_000;
/// A workflow has at most so many tasks.
const TASKS_MAX: usize = 100_000;

/// A script has at most so many bytes.
const SCRIPT_MAX: usize = 1_000_000;

/// Whether a job makes sense.
pub(crate) fn check_job(state: &State, spec: &JobSpec) -> Result<(), Refusal> {
    name(&spec.request.name)?;
    state.users.get(&spec.user).ok_or_else(|| Refusal::NoUser(spec.user.clone()))?;
    let bad = |why: &str| Err(Refusal::BadJob(why.to_owned()));
    let request = &spec.request;
    if request.tasks == 0 {
        return bad("it has no tasks");
    }
    if request.budget.is_some_and(|budget| budget < Money::ZERO) {
        return bad("its budget is negative");
    }
    if spec.command.len() > COMMAND_MAX || spec.command.iter().map(String::len).sum::<usize>() > COMMAND_MAX {
        return bad("its command is too long");
    }
    if spec.script.as_ref().is_some_and(|script| script.len() > SCRIPT_MAX) {
        return bad("its script is too long");
    }
    if spec.output.as_ref().is_some_and(|output| !is_plain_name(output)) {
        return bad("its output is not the plain name of a file");
    }
    let unknown = |site: &walras_model::SiteId| state.site(*site).is_none();
    if request.scope.sites.as_ref().is_some_and(|sites| sites.iter().any(unknown)) {
        return bad("it names a site that is not there");
    }
    if let Some(workflow) = &spec.workflow {
        if workflow.workflow.tasks().len() > TASKS_MAX {
            return bad("its workflow has too many tasks");
        }
        if workflow.strategy.needs_deadline() && request.deadline.is_none() {
            return bad("its strategy needs a deadline");
        }
        if workflow.strategy.needs_budget() && request.budget.is_none() && request.price_max.is_none() {
            return bad("its strategy needs a budget");
        }
    }
    Ok(())
}

/// The answer to a request that was made before, unless it was another one.
fn repeated(
    draft: &Draft<'_>,
    key: &RequestKey,
    same: impl Fn(&Answer) -> bool,
) -> Result<Option<Answer>, Refusal> {
    match draft.state.requests.get(key) {
        None => Ok(None),
        _ if sabotaged(Sabotage::ForgetKeys) => Ok(None),
        Some((answer, _)) if same(answer) => Ok(Some(answer.clone())),
        Some(_) => Err(Refusal::KeyUsed(key.key.clone())),
    }
}

/// Whether two requests are for the same job. Times that a client counts from now differ when it repeats itself.
fn is_same(one: &JobSpec, other: &JobSpec) -> bool {
    let mut repeated = other.clone();
    (repeated.request.deadline, repeated.request.earliest) = (one.request.deadline, one.request.earliest);
    *one == repeated
}

fn request_key(by: &str, key: &str) -> Result<RequestKey, Refusal> {
    name(key)?;
    Ok(RequestKey { by: by.to_owned(), key: key.to_owned() })
}

pub(super) fn submit(draft: &mut Draft<'_>, key: &str, spec: &JobSpec) -> Result<Answer, Refusal> {
    let key = request_key(&spec.user, key)?;
    let state = draft.state;
    let same = |answer: &Answer| match answer {
        Answer::Job(job) => state.jobs.get(job).is_none_or(|job| is_same(&job.spec, spec)),
        _ => false,
    };
    if let Some(answer) = repeated(draft, &key, same)? {
        return Ok(answer);
    }
    check_job(state, spec)?;
    if state.jobs.len() >= JOBS_MAX {
        return Err(Refusal::TooMany("jobs".to_owned()));
    }
    draft.last.job = draft.last.job.next();
    let job = draft.last.job;
    draft.push(Event::JobQueued { job, key, spec: Box::new(spec.clone()) });
    Ok(Answer::Job(job))
}

pub(super) fn ask_quote(
    draft: &mut Draft<'_>,
    key: &str,
    spec: &JobSpec,
    findings: Option<&Findings>,
) -> Result<Answer, Refusal> {
    let key = request_key(&spec.user, key)?;
    let state = draft.state;
    let same = |answer: &Answer| match answer {
        Answer::Quote(quote) => state.quotes.get(quote).is_none_or(|quote| is_same(&quote.spec, spec)),
        _ => false,
    };
    if let Some(answer) = repeated(draft, &key, same)? {
        return Ok(answer);
    }
    check_job(state, spec)?;
    if state.quotes.len() >= JOBS_MAX {
        return Err(Refusal::TooMany("quotes".to_owned()));
    }
    let found = quote::find(draft, spec, findings)?;
    let until = draft.now.checked_add(state.policy.quotes.valid_for).unwrap_or(draft.now);
    draft.last.quote = draft.last.quote.next();
    let quote = draft.last.quote;
    let why = found.why.map(Box::new);
    draft.push(Event::QuoteGiven {
        quote,
        key,
        spec: Box::new(spec.clone()),
        options: found.options,
        until,
        why,
    });
    Ok(Answer::Quote(quote))
}

pub(super) fn accept(
    draft: &mut Draft<'_>,
    user: Option<&str>,
    key: &str,
    number: QuoteNumber,
    option: u32,
) -> Result<Answer, Refusal> {
    let state = draft.state;
    let given = state.quotes.get(&number);
    let by = user.or(given.map(|quote| quote.spec.user.as_str())).ok_or(Refusal::NoQuote(number))?;
    // The quote may be gone when its acceptance is repeated: then only the key is left to know it by.
    match state.requests.get(&RequestKey { by: by.to_owned(), key: key.to_owned() }) {
        Some((answer @ (Answer::Accepted { .. } | Answer::Broken { .. }), _)) => return Ok(answer.clone()),
        Some(_) => return Err(Refusal::KeyUsed(key.to_owned())),
        None => {}
    }
    let binds = |quote: &&Quote| draft.now < quote.until && quote.spec.user == by;
    let quote = given.filter(binds).ok_or(Refusal::NoQuote(number))?;
    let chosen = quote.options.get(option as usize).ok_or(Refusal::NoOption(option))?;
    if chosen.start <= draft.now && !chosen.way.is_queue() {
        return Err(Refusal::OptionPast(option));
    }
    let key = request_key(&quote.spec.user, key)?;
    if state.jobs.len() >= JOBS_MAX {
        return Err(Refusal::TooMany("jobs".to_owned()));
    }
    let taken =
        if sabotaged(Sabotage::OtherOption) { quote.options.last().unwrap_or(chosen) } else { chosen };
    let job = draft.last.job.next();
    let others = quote.options.iter().zip(0_u32..).filter(|(_, place)| *place != option);
    let spares: Vec<Way> = others.map(|(other, _)| other.way.clone()).collect();
    let wanted = Wanted::new(state, job, &quote.spec, &Default::default(), Money::ZERO);
    let queued = Event::JobQueued { job, key: key.clone(), spec: Box::new(quote.spec.clone()) };
    let reservation = draft.last.reservation.next();
    let accepted = Event::QuoteAccepted { quote: number, key: key.clone(), option, job, reservation };
    let before = vec![queued, accepted];
    match reserve(draft, &wanted, &taken.way, spares, Origin::Quote(number), Prices::AsHeld, before) {
        Ok(reservation) => {
            draft.last.job = job;
            Ok(Answer::Accepted { job, reservation })
        }
        Err(why) => Ok(broken(draft, number, key, option, why, chosen)),
    }
}

/// A quote that cannot be honoured: the VO pays what its policy grants, as far as its fees go.
fn broken(
    draft: &mut Draft<'_>,
    quote: QuoteNumber,
    key: RequestKey,
    option: u32,
    why: Why,
    chosen: &QuoteOption,
) -> Answer {
    let own_fault =
        matches!(why, Why::NoMoney(_) | Why::OverBudget(_)) || has_taken(draft.state, &key.by, &chosen.way);
    let granted = if own_fault { Share::NOTHING } else { draft.state.policy.quotes.compensation };
    let compensation = granted.of(chosen.price).min(draft.books().available(&Account::Fee)).max(Money::ZERO);
    let user = Account::User(key.by.clone());
    let transaction = Transaction::transfer(Purpose::Compensation, Account::Fee, user, compensation);
    let payable = draft.post(&transaction).is_ok();
    let (compensation, transaction) =
        if payable { (compensation, transaction) } else { (Money::ZERO, Transaction::default()) };
    draft.push(Event::QuoteBroken { quote, key, option, why: why.clone(), compensation, transaction });
    Answer::Broken { why, compensation }
}

/// Whether a user holds some of a way's time already.
fn has_taken(state: &State, user: &str, way: &Way) -> bool {
    let own = state.reservations.values().filter(|reservation| reservation.user == user);
    own.flat_map(|reservation| reservation.holds_left()).any(|(_, held)| {
        way.holds().any(|(_, hold)| {
            hold.node.is_some() && hold.node == held.node && hold.interval.overlaps(held.interval)
        })
    })
}

pub(super) fn cancel(draft: &mut Draft<'_>, user: &str, number: JobNumber) -> Result<Answer, Refusal> {
    let job = draft.state.jobs.get(&number).ok_or(Refusal::NoJob(number))?;
    if job.spec.user != user {
        return Err(Refusal::NotYours(number));
    }
    if let Phase::Reserved(reservation) = job.phase {
        close(draft, reservation, Some(Why::Cancelled), Fault::Job);
    }
    end_job(draft, number, JobEnd::Cancelled);
    Ok(HEARD)
}
