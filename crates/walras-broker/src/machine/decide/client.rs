//! What users may ask for.

use super::HEARD;
use super::draft::Draft;
use super::failover::close;
use super::gate::end_job;
use super::reserve::{Terms, reserve};
use super::{array, chain, hold, quote};
use crate::model::account::{Account, Purpose, Transaction};
use crate::model::allocation::Allocation;
use crate::model::array::{Array, number_at};
use crate::model::event::{Event, JobEvent, QuoteEvent};
use crate::model::id::{JobNumber, QuoteNumber};
use crate::model::input::{Answer, Refusal, RequestKey};
use crate::model::job::{Job, JobEnd, JobSpec, Phase, Why};
use crate::model::limits::JOBS_MAX;
use crate::model::quote::{Findings, Quote};
use crate::model::ranks::Ranks;
use crate::model::refusal::{BadJob, Countable};
use crate::model::repeated::Asked;
use crate::model::reservation::Origin;
use crate::model::sharing::Tally;
use crate::model::state::State;
use crate::rules::check::Prices;
use crate::rules::limiting::check_limits;
use crate::rules::strategy::given;
use crate::rules::submission::{check_job, check_name};
use crate::rules::wanted::Wanted;
use std::sync::Arc;
use walras_model::{Money, Share, Span};

/// The answer to a request that was made before, unless it was another one. What has ended is known by its digest alone.
fn repeated(
    draft: &Draft<'_>,
    key: &RequestKey,
    spec: &JobSpec,
    same: impl Fn(&Answer) -> bool,
) -> Result<Option<Answer>, Refusal> {
    let Some(known) = draft.before.requests.get(key) else { return Ok(None) };
    let asked = known.asked.is_none_or(|asked| asked == Asked::Job(spec.digest()));
    if asked && same(&known.answer) {
        return Ok(Some(known.answer.clone()));
    }
    Err(Refusal::KeyUsed(key.key.clone()))
}

/// Whether two requests are for the same job. Times that a client counts from now differ when it repeats itself.
fn is_same(one: &JobSpec, other: &JobSpec) -> bool {
    let (mut one, mut repeated) = (one.as_asked(), other.as_asked());
    // Before it was told apart, who asked for no strategy was taken to have asked for the usual one.
    (one.strategy_by, repeated.strategy_by) = Default::default();
    (repeated.request.deadline, repeated.request.earliest) = (one.request.deadline, one.request.earliest);
    if let (Some(delay), Some(known)) = (&mut repeated.delay, &one.delay) {
        delay.after = known.after;
    }
    one == repeated
}

pub(super) fn request_key(by: &str, key: &str) -> Result<RequestKey, Refusal> {
    check_name(key)?;
    Ok(RequestKey { by: by.to_owned(), key: key.to_owned() })
}

pub(super) fn submit(draft: &mut Draft<'_>, key: &str, spec: &JobSpec) -> Result<Answer, Refusal> {
    let key = request_key(&spec.user, key)?;
    let state = draft.before;
    let same = |answer: &Answer| match answer {
        Answer::Job(job) => state.spec_of(*job).is_none_or(|known| is_same(known, spec)),
        Answer::Done
        | Answer::Deposited(_)
        | Answer::Quote(_)
        | Answer::Accepted { .. }
        | Answer::Chain(_)
        | Answer::Broken { .. }
        | Answer::Site(_) => false,
    };
    if let Some(answer) = repeated(draft, &key, spec, same)? {
        return Ok(answer);
    }
    let spec = &*given(state, draft.now, spec);
    check_job(state, spec)?;
    if state.jobs.len() + state.arrays.len() >= JOBS_MAX {
        return Err(Refusal::TooMany { what: Countable::Jobs, most: JOBS_MAX });
    }
    let array = spec.array.as_ref().map(|array| Tally::of_array(spec, array.count()));
    let added = array.unwrap_or_else(|| Tally::of_job(spec));
    check_limits(state, &spec.user, added.plus(Tally::KEY))?;
    let job = state.last.job.next();
    draft.push(JobEvent::Queued { job, key, spec: Arc::new(spec.clone()) });
    Ok(Answer::Job(job))
}

pub(super) fn ask_quote(
    draft: &mut Draft<'_>,
    key: &str,
    spec: &JobSpec,
    findings: Option<&Findings>,
    hold: Option<Span>,
) -> Result<Answer, Refusal> {
    let key = request_key(&spec.user, key)?;
    let state = draft.before;
    let same = |answer: &Answer| match answer {
        Answer::Quote(quote) => state.quotes.get(quote).is_none_or(|quote| is_same(&quote.spec, spec)),
        Answer::Done
        | Answer::Deposited(_)
        | Answer::Job(_)
        | Answer::Accepted { .. }
        | Answer::Chain(_)
        | Answer::Broken { .. }
        | Answer::Site(_) => false,
    };
    if let Some(answer) = repeated(draft, &key, spec, same)? {
        return Ok(answer);
    }
    let spec = &*given(state, draft.now, spec);
    check_job(state, spec)?;
    if !spec.gate.is_open() {
        return Err(Refusal::BadJob(BadJob::QuoteWaits));
    }
    if spec.array.is_some() {
        return Err(Refusal::BadJob(BadJob::QuoteOfArray));
    }
    if state.quotes.len() >= JOBS_MAX {
        return Err(Refusal::TooMany { what: Countable::Quotes, most: JOBS_MAX });
    }
    check_limits(state, &spec.user, Tally::of_quote(spec).plus(Tally::KEY))?;
    if let Some(hold) = hold {
        hold::check(state, &spec.user, hold)?;
    }
    let found = quote::find(draft, spec, findings, hold)?;
    let valid_for = hold.unwrap_or(state.policy.quotes.valid_for);
    let until = draft.now.checked_add(valid_for).unwrap_or(draft.now);
    let quote = state.last.quote.next();
    let why = found.why.map(Box::new);
    let spec = Arc::new(spec.clone());
    let (options, holds) = match hold {
        None => (found.options, Vec::new()),
        Some(_) => hold::ask(draft, quote, &spec, found.options, until)?,
    };
    draft.push(QuoteEvent::Given { quote, key, spec, options: options.into(), until, why, holds });
    Ok(Answer::Quote(quote))
}

pub(super) fn accept(
    draft: &mut Draft<'_>,
    user: Option<&str>,
    key: &str,
    number: QuoteNumber,
    option: u32,
) -> Result<Answer, Refusal> {
    let state = draft.before;
    if let Some(quote) = state.chains.get(&number) {
        return chain::accept(draft, user, key, number, (quote, option));
    }
    let given = state.quotes.get(&number);
    let known_by = || user.or(given.map(|quote| quote.spec.user.as_str()));
    // The quote may be gone when its acceptance is repeated: then only the key is left to know it by.
    let by = known_by().or_else(|| accepted_by(state, key, number)).ok_or(Refusal::NoQuote(number))?;
    if let Some(known) = state.requests.get(&RequestKey { by: by.to_owned(), key: key.to_owned() }) {
        let same = known.asked.is_none_or(|asked| asked == Asked::Accept { quote: number, option });
        return match &known.answer {
            answer @ (Answer::Accepted { .. } | Answer::Chain(_) | Answer::Broken { .. }) if same => {
                Ok(answer.clone())
            }
            Answer::Accepted { .. }
            | Answer::Chain(_)
            | Answer::Broken { .. }
            | Answer::Done
            | Answer::Deposited(_)
            | Answer::Job(_)
            | Answer::Quote(_)
            | Answer::Site(_) => Err(Refusal::KeyUsed(key.to_owned())),
        };
    }
    let binds = |quote: &&Quote| draft.now < quote.until && quote.spec.user == by;
    let quote = given.filter(binds).ok_or(Refusal::NoQuote(number))?;
    let chosen = quote.options.get(option as usize).ok_or(Refusal::NoOption(option))?;
    if quote.option_until(chosen) <= draft.now {
        return Err(Refusal::OptionPast(option));
    }
    let key = request_key(&quote.spec.user, key)?;
    if let Some((job, reservation)) = hold::held(state, number, option) {
        draft.push(QuoteEvent::Accepted { quote: number, key, option, job, reservation });
        hold::withdraw(draft, number, quote, Some(job));
        return Ok(Answer::Accepted { job, reservation });
    }
    if state.jobs.len() >= JOBS_MAX {
        return Err(Refusal::TooMany { what: Countable::Jobs, most: JOBS_MAX });
    }
    check_limits(state, &quote.spec.user, Tally::of_job(&quote.spec).plus(Tally::KEY))?;
    // What is held of the others is in the way of this one, or of its price.
    hold::withdraw(draft, number, quote, None);
    let job = state.last.job.next();
    let others = quote.options.iter().zip(0_u32..).filter(|(_, place)| *place != option);
    let spares = others.map(|(other, _)| Arc::new(other.allocation.clone())).collect();
    let wanted = Wanted::new(state, job, &quote.spec, &Default::default(), Money::ZERO);
    let queued = JobEvent::Queued { job, key: key.clone(), spec: quote.spec.clone() };
    let reservation = state.last.reservation.next();
    let accepted = QuoteEvent::Accepted { quote: number, key: key.clone(), option, job, reservation };
    let terms = Terms { origin: Origin::Quote(number), prices: Prices::AsHeld, spares };
    let before: Vec<Event> = vec![queued.into(), accepted.into()];
    match reserve(draft, &wanted, &chosen.allocation, terms, before) {
        Ok(reservation) => Ok(Answer::Accepted { job, reservation }),
        Err(why) => {
            let own = has_taken(state, &key.by, &chosen.allocation);
            Ok(broken(draft, number, key, option, why, (chosen.price, own)))
        }
    }
}

/// Who accepted a quote under a key, where whoever repeats that does not say so.
fn accepted_by<'a>(state: &'a State, key: &str, number: QuoteNumber) -> Option<&'a str> {
    let accepts = |asked: Asked| matches!(asked, Asked::Accept { quote, .. } if quote == number);
    let mut all = state.requests.iter();
    let found = all.find(|(known, it)| known.key == key && it.asked.is_some_and(accepts));
    found.map(|(known, _)| known.by.as_str())
}

/// A quote that cannot be honoured: the VO pays what its policy grants of its price, as far as its fees go; nothing where its user has taken the time.
pub(super) fn broken(
    draft: &mut Draft<'_>,
    quote: QuoteNumber,
    key: RequestKey,
    option: u32,
    why: Why,
    (price, own): (Money, bool),
) -> Answer {
    let state = draft.before;
    let own_fault = own || matches!(why, Why::NoMoney(_) | Why::OverBudget(_));
    let granted = if own_fault { Share::NOTHING } else { state.policy.quotes.compensation };
    let most = state.books.available(&Account::Fee);
    let compensation = granted.of(price).min(most).max(Money::ZERO);
    let user = Account::User(key.by.clone());
    let transaction = Transaction::transfer(Purpose::Compensation, Account::Fee, user, compensation);
    draft.push(QuoteEvent::Broken { quote, key, option, why: why.clone(), compensation, transaction });
    Answer::Broken { why, compensation }
}

/// Whether a user holds some of an alternative's time already.
fn has_taken(state: &State, user: &str, allocation: &Allocation) -> bool {
    let own = state.reservations.values().filter(|reservation| reservation.user == user);
    own.flat_map(|reservation| reservation.holds_left()).any(|(_, held)| {
        allocation.holds().any(|(_, hold)| {
            hold.node.is_some() && hold.node == held.node && hold.interval.overlaps(held.interval)
        })
    })
}

pub(super) fn cancel(draft: &mut Draft<'_>, user: &str, number: JobNumber) -> Result<Answer, Refusal> {
    let state = draft.before;
    let own = |array: &Array| if array.spec.user == user { Ok(()) } else { Err(Refusal::NotYours(number)) };
    if let Some(array) = state.arrays.get(&number) {
        own(array)?;
        cancel_array(draft, array);
        return Ok(HEARD);
    }
    if let Some((array, rank)) = state.array_of(number).filter(|(array, rank)| array.pending.contains(*rank))
    {
        own(array)?;
        array::cancel_pending(draft, array, Ranks::one(rank));
        return Ok(HEARD);
    }
    let job = draft.before.jobs.get(&number).filter(|job| job.offered.is_none());
    let job = job.ok_or(Refusal::NoJob(number))?;
    if job.spec.user != user {
        return Err(Refusal::NotYours(number));
    }
    cancel_job(draft, job);
    Ok(HEARD)
}

/// Ends some elements of an array at once: those that are no jobs yet in one event.
pub(super) fn cancel_elements(
    draft: &mut Draft<'_>,
    user: &str,
    number: JobNumber,
    elements: &Ranks,
) -> Result<Answer, Refusal> {
    let state = draft.before;
    let array = state.arrays.get(&number).ok_or(Refusal::NoJob(number))?;
    if array.spec.user != user {
        return Err(Refusal::NotYours(number));
    }
    let open = |of: &Ranks| if elements.is_sound() { of.shared(elements) } else { Ranks::default() };
    let (pending, live) = (open(&array.pending), open(&array.live));
    if pending.is_empty() && live.is_empty() {
        return Err(Refusal::NoJob(number));
    }
    // What is pending first, so that an array of which no other element is left ends with the last of its jobs.
    array::cancel_pending(draft, array, pending);
    for rank in live.iter() {
        if let Some(job) = state.jobs.get(&number_at(number, rank)) {
            cancel_job(draft, job);
        }
    }
    Ok(HEARD)
}

fn cancel_job(draft: &mut Draft<'_>, job: &Job) {
    if let Phase::Reserved(reservation) = job.phase {
        close(draft, reservation, Some(Why::Cancelled), None);
    }
    end_job(draft, job.number, JobEnd::Cancelled);
}

/// Ends all of an array: what is pending first, so that it ends with the last of its jobs.
fn cancel_array(draft: &mut Draft<'_>, array: &Array) {
    let state = draft.before;
    array::cut_all(draft, array, JobEnd::Cancelled);
    for job in state.live_elements(array) {
        cancel_job(draft, job);
    }
    if array.live.is_empty() {
        end_job(draft, array.number, JobEnd::Cancelled);
    }
}
