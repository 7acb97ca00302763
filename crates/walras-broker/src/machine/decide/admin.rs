//! What the administrator and owners may say.

use super::HEARD;
use super::draft::Draft;
use crate::model::account::{Account, Purpose, Transaction};
use crate::model::budget::{Budget, Spender};
use crate::model::event::{JobEvent, SiteEvent, VoEvent};
use crate::model::id::NoticeNumber;
use crate::model::input::{Answer, Refusal, RequestKey, User};
use crate::model::limits::{NODES_MAX, SITES_MAX};
use crate::model::policy::Policy;
use crate::model::price::PriceRules;
use crate::model::site::{SiteKind, SiteSpec};
use crate::rules::submission::check_name;
use std::collections::BTreeSet;
use walras_model::{Money, SiteId, Span};

pub(super) fn set_policy(draft: &mut Draft<'_>, policy: &Policy) -> Result<Answer, Refusal> {
    policy.check().map_err(Refusal::BadPolicy)?;
    draft.push(VoEvent::PolicySet(Box::new(policy.clone())));
    Ok(HEARD)
}

pub(super) fn set_user(draft: &mut Draft<'_>, user: &User) -> Result<Answer, Refusal> {
    check_name(&user.name)?;
    user.group.as_deref().map_or(Ok(()), check_name)?;
    let account = Account::User(user.name.clone());
    // A limit that rises above what is owed already would be broken at once.
    if user.share == 0 || !draft.before.books.may_open(&account, user.lowest) {
        return Err(Refusal::BadAmount(user.lowest));
    }
    draft.push(VoEvent::UserSet(user.clone()));
    Ok(HEARD)
}

pub(super) fn add_site(draft: &mut Draft<'_>, spec: &SiteSpec) -> Result<Answer, Refusal> {
    check_name(&spec.name)?;
    check_name(&spec.owner)?;
    let state = draft.before;
    if state.sites.iter().any(|site| site.spec.name == spec.name) {
        return Err(Refusal::BadName(spec.name.clone()));
    }
    if state.sites.len() >= SITES_MAX || state.nodes.len() + spec.nodes.len() > NODES_MAX {
        return Err(Refusal::TooMany("sites or nodes".to_owned()));
    }
    let mut names = BTreeSet::new();
    for node in &spec.nodes {
        check_name(&node.name)?;
        if !names.insert(&node.name) {
            return Err(Refusal::BadName(node.name.clone()));
        }
    }
    if matches!(spec.kind, SiteKind::Queue(_)) != spec.nodes.is_empty() {
        return Err(Refusal::BadSite("a queue has no nodes, and every other site has some".to_owned()));
    }
    spec.prices.check().map_err(Refusal::BadPrices)?;
    draft.push(SiteEvent::Added(Box::new(spec.clone())));
    SiteId::from_index(state.sites.len()).map(Answer::Site).ok_or(Refusal::TooMany("sites".to_owned()))
}

pub(super) fn set_prices(
    draft: &mut Draft<'_>,
    site: SiteId,
    prices: &PriceRules,
) -> Result<Answer, Refusal> {
    draft.before.site(site).ok_or(Refusal::NoSite(site))?;
    prices.check().map_err(Refusal::BadPrices)?;
    draft.push(SiteEvent::PricesSet { site, prices: Box::new(prices.clone()) });
    Ok(HEARD)
}

pub(super) fn set_budget(
    draft: &mut Draft<'_>,
    spender: &Spender,
    budget: Option<Budget>,
) -> Result<Answer, Refusal> {
    if let Spender::User(user) = spender {
        draft.before.users.get(user.as_str()).ok_or_else(|| Refusal::NoUser(user.clone()))?;
    }
    if let Some(budget) = budget.filter(|it| it.amount < Money::ZERO || it.period == Span::ZERO) {
        return Err(Refusal::BadAmount(budget.amount));
    }
    draft.push(VoEvent::BudgetSet { spender: spender.clone(), budget });
    Ok(HEARD)
}

/// A single deposit is at most this: a thousand million credits. All together are limited by the books.
const DEPOSIT_MAX: i64 = 1_000_000_000_000_000;

pub(super) fn deposit(
    draft: &mut Draft<'_>,
    key: &str,
    account: &Account,
    amount: Money,
) -> Result<Answer, Refusal> {
    check_name(key)?;
    if matches!(account, Account::World | Account::Held) || !draft.before.books.has(account) {
        return Err(Refusal::NoAccount(account.clone()));
    }
    if amount == Money::ZERO || amount.as_micros().unsigned_abs() > DEPOSIT_MAX.unsigned_abs() {
        return Err(Refusal::BadAmount(amount));
    }
    let key = RequestKey { by: account.to_string(), key: key.to_owned() };
    match draft.before.requests.get(&key) {
        Some((answer @ Answer::Deposited(before), _)) if *before == amount => return Ok(answer.clone()),
        Some(_) => return Err(Refusal::KeyUsed(key.key)),
        None => {}
    }
    let transaction = Transaction::transfer(Purpose::Deposit, Account::World, account.clone(), amount);
    draft.before.books.check(&transaction).map_err(Refusal::NoMoney)?;
    draft.push(VoEvent::Deposited { key, account: account.clone(), transaction });
    Ok(Answer::Deposited(amount))
}

pub(super) fn noticed(draft: &mut Draft<'_>, notice: NoticeNumber) -> Answer {
    if draft.before.notices.contains_key(&notice) {
        draft.push(JobEvent::Noticed(notice));
    }
    HEARD
}
