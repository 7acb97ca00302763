//! What the administrator and owners may say.

use super::HEARD;
use super::draft::Draft;
use crate::model::account::{Account, Purpose, Transaction};
use crate::model::budget::{Budget, Spender};
use crate::model::event::{JobEvent, SiteEvent, VoEvent};
use crate::model::id::NoticeNumber;
use crate::model::input::{Answer, Refusal, RequestKey, User};
use crate::model::policy::Policy;
use crate::model::price::PriceRules;
use crate::model::refusal::BadAmount;
use crate::model::wish::{Wish, Wisher};
use crate::rules::submission::check_name;
use walras_model::{Money, SiteId, Span};

pub(super) fn set_policy(draft: &mut Draft<'_>, policy: &Policy) -> Result<Answer, Refusal> {
    policy.check().map_err(Refusal::BadPolicy)?;
    draft.push(VoEvent::PolicySet(Box::new(policy.clone())));
    Ok(HEARD)
}

pub(super) fn set_user(draft: &mut Draft<'_>, user: &User) -> Result<Answer, Refusal> {
    check_name(&user.name)?;
    user.group.as_deref().map_or(Ok(()), check_name)?;
    if user.lowest > Money::ZERO {
        return Err(Refusal::BadAmount(BadAmount::LowestAboveZero(user.lowest)));
    }
    if user.share == 0 {
        return Err(Refusal::BadAmount(BadAmount::NoShare));
    }
    let account = Account::User(user.name.clone());
    // A limit that rises above what is owed already would be broken at once.
    if !draft.before.books.may_open(&account, user.lowest) {
        let balance = draft.before.books.balance(&account);
        return Err(Refusal::BadAmount(BadAmount::LowestAboveBalance { lowest: user.lowest, balance }));
    }
    draft.push(VoEvent::UserSet(user.clone()));
    Ok(HEARD)
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
    if let Some(budget) = budget.filter(|it| it.amount < Money::ZERO) {
        return Err(Refusal::BadAmount(BadAmount::NegativeBudget(budget.amount)));
    }
    if budget.is_some_and(|it| it.period == Span::ZERO) {
        return Err(Refusal::BadAmount(BadAmount::NoPeriod));
    }
    draft.push(VoEvent::BudgetSet { spender: spender.clone(), budget });
    Ok(HEARD)
}

pub(super) fn set_wish(draft: &mut Draft<'_>, of: Wisher, wish: Option<&Wish>) -> Result<Answer, Refusal> {
    if let Wisher::Owner(site) = of {
        draft.before.site(site).ok_or(Refusal::NoSite(site))?;
    }
    wish.map_or(Ok(()), Wish::check).map_err(Refusal::BadWish)?;
    draft.push(VoEvent::WishSet { of, wish: wish.cloned().map(Box::new) });
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
    if amount == Money::ZERO {
        return Err(Refusal::BadAmount(BadAmount::NothingDeposited));
    }
    if amount.as_micros().unsigned_abs() > DEPOSIT_MAX.unsigned_abs() {
        let most = Money::from_micros(DEPOSIT_MAX);
        return Err(Refusal::BadAmount(BadAmount::TooLarge { amount, most }));
    }
    let key = RequestKey { by: account.code(), key: key.to_owned() };
    match draft.before.requests.get(&key).map(|known| &known.answer) {
        Some(answer @ Answer::Deposited(before)) if *before == amount => return Ok(answer.clone()),
        Some(_) => return Err(Refusal::KeyUsed(key.key)),
        None => {}
    }
    let transaction = Transaction::transfer(Purpose::Deposit, Account::World, account.clone(), amount);
    draft.before.books.check(&transaction).map_err(Refusal::NoMoney)?;
    draft.push(VoEvent::Deposited { key, account: account.clone(), transaction });
    Ok(Answer::Deposited(amount))
}

/// Sites are listened to again. Where nothing was asked of them it makes no difference.
pub(super) fn service_back(draft: &mut Draft<'_>) -> Answer {
    if !draft.before.reservations.is_empty() {
        draft.push(VoEvent::ServiceBack);
    }
    HEARD
}

pub(super) fn noticed(draft: &mut Draft<'_>, notice: NoticeNumber) -> Answer {
    if draft.before.notices.contains_key(&notice) {
        draft.push(JobEvent::Noticed(notice));
    }
    HEARD
}
