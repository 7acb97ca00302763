//! What the administrator and owners may say.

use super::{Draft, HEARD};
use crate::account::{Account, Purpose, Transaction};
use crate::budget::{Budget, Spender};
use crate::event::{Event, RequestKey};
use crate::id::NoticeNumber;
use crate::input::{Answer, Refusal, User};
use crate::policy::Policy;
use crate::price::PriceRules;
use crate::refusal::{BadAmount, BadName, BadSite, Countable};
use crate::site::{SiteKind, SiteSpec};
use crate::state::{NAME_MAX, NODES_MAX, SITES_MAX};
use std::collections::BTreeSet;
use walras_model::{Money, SiteId, Span};

/// A name that is neither empty nor too long.
pub(super) fn name(text: &str) -> Result<(), Refusal> {
    let fault = if text.is_empty() {
        BadName::Empty
    } else if text.len() > NAME_MAX {
        BadName::TooLong { bytes: text.len(), most: NAME_MAX }
    } else if text.chars().any(char::is_control) {
        BadName::Control
    } else {
        return Ok(());
    };
    Err(Refusal::BadName { name: text.chars().take(NAME_MAX).collect(), fault })
}

fn taken(name: &str) -> Refusal {
    Refusal::BadName { name: name.to_owned(), fault: BadName::Taken }
}

pub(super) fn set_policy(draft: &mut Draft<'_>, policy: &Policy) -> Result<Answer, Refusal> {
    policy.check().map_err(Refusal::BadPolicy)?;
    draft.push(Event::PolicySet(Box::new(policy.clone())));
    Ok(HEARD)
}

pub(super) fn set_user(draft: &mut Draft<'_>, user: &User) -> Result<Answer, Refusal> {
    name(&user.name)?;
    user.group.as_deref().map_or(Ok(()), name)?;
    if user.lowest > Money::ZERO {
        return Err(Refusal::BadAmount(BadAmount::LowestAboveZero(user.lowest)));
    }
    if user.share == 0 {
        return Err(Refusal::BadAmount(BadAmount::NoShare));
    }
    let account = Account::User(user.name.clone());
    // A limit that rises above what is owed already would be broken at once.
    let balance = draft.state.books.balance(&account);
    if balance < user.lowest {
        return Err(Refusal::BadAmount(BadAmount::LowestAboveBalance { lowest: user.lowest, balance }));
    }
    draft.push(Event::UserSet(user.clone()));
    Ok(HEARD)
}

pub(super) fn add_site(draft: &mut Draft<'_>, spec: &SiteSpec) -> Result<Answer, Refusal> {
    name(&spec.name)?;
    name(&spec.owner)?;
    let state = draft.state;
    if state.sites.iter().any(|site| site.spec.name == spec.name) {
        return Err(taken(&spec.name));
    }
    if state.sites.len() >= SITES_MAX {
        return Err(Refusal::TooMany { what: Countable::Sites, most: SITES_MAX });
    }
    if state.nodes.len() + spec.nodes.len() > NODES_MAX {
        return Err(Refusal::TooMany { what: Countable::Nodes, most: NODES_MAX });
    }
    let mut names = BTreeSet::new();
    for node in &spec.nodes {
        name(&node.name)?;
        if !names.insert(&node.name) {
            return Err(taken(&node.name));
        }
    }
    match (matches!(spec.kind, SiteKind::Queue(_)), spec.nodes.len()) {
        (true, 0) | (false, 1..) => {}
        (true, nodes) => return Err(Refusal::BadSite(BadSite::QueueWithNodes(nodes))),
        (false, 0) => return Err(Refusal::BadSite(BadSite::NoNodes)),
    }
    spec.prices.check().map_err(Refusal::BadPrices)?;
    draft.push(Event::SiteAdded(spec.clone()));
    let too_many = Refusal::TooMany { what: Countable::Sites, most: SITES_MAX };
    SiteId::from_index(state.sites.len()).map(Answer::Site).ok_or(too_many)
}

pub(super) fn set_prices(
    draft: &mut Draft<'_>,
    site: SiteId,
    prices: &PriceRules,
) -> Result<Answer, Refusal> {
    draft.state.site(site).ok_or(Refusal::NoSite(site))?;
    prices.check().map_err(Refusal::BadPrices)?;
    draft.push(Event::PricesSet { site, prices: prices.clone() });
    Ok(HEARD)
}

pub(super) fn set_budget(
    draft: &mut Draft<'_>,
    spender: &Spender,
    budget: Option<Budget>,
) -> Result<Answer, Refusal> {
    if let Spender::User(user) = spender {
        draft.state.users.get(user).ok_or_else(|| Refusal::NoUser(user.clone()))?;
    }
    if let Some(budget) = budget.filter(|it| it.amount < Money::ZERO) {
        return Err(Refusal::BadAmount(BadAmount::NegativeBudget(budget.amount)));
    }
    if budget.is_some_and(|it| it.period == Span::ZERO) {
        return Err(Refusal::BadAmount(BadAmount::NoPeriod));
    }
    draft.push(Event::BudgetSet { spender: spender.clone(), budget });
    Ok(HEARD)
}

/// Deposits are rounded to nothing and limited so that all balances together stay far from the range's end.
const DEPOSIT_MAX: i64 = 1_000_000_000_000_000;

pub(super) fn deposit(
    draft: &mut Draft<'_>,
    key: &str,
    account: &Account,
    amount: Money,
) -> Result<Answer, Refusal> {
    name(key)?;
    if matches!(account, Account::World | Account::Held) || !draft.state.books.has(account) {
        return Err(Refusal::NoAccount(account.clone()));
    }
    if amount == Money::ZERO {
        return Err(Refusal::BadAmount(BadAmount::NothingDeposited));
    }
    if amount.as_micros().unsigned_abs() > DEPOSIT_MAX.unsigned_abs() {
        let most = Money::from_micros(DEPOSIT_MAX);
        return Err(Refusal::BadAmount(BadAmount::TooLarge { amount, most }));
    }
    let key = RequestKey { by: account.code(), key: key.to_owned() };
    match draft.state.requests.get(&key) {
        Some((answer @ Answer::Deposited(before), _)) if *before == amount => return Ok(answer.clone()),
        Some(_) => return Err(Refusal::KeyUsed(key.key)),
        None => {}
    }
    let transaction = Transaction::transfer(Purpose::Deposit, Account::World, account.clone(), amount);
    draft.post(&transaction).map_err(Refusal::NoMoney)?;
    draft.push(Event::Deposited { key, account: account.clone(), transaction });
    Ok(Answer::Deposited(amount))
}

pub(super) fn noticed(draft: &mut Draft<'_>, notice: NoticeNumber) -> Answer {
    if draft.state.notices.contains_key(&notice) {
        draft.push(Event::Noticed(notice));
    }
    HEARD
}
