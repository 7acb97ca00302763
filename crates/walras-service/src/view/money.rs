//! Accounts as the API shows them.

use crate::journal::FoundBill;
use walras_api::Num;
use walras_api::service::{AccountView, BillView, BudgetView, PurposeKind, UserView};
use walras_broker::State;
use walras_broker::account::{Account, Purpose};
use walras_broker::budget::{BudgetUse, Spender};
use walras_broker::id::JobNumber;
use walras_broker::state::UserState;
use walras_model::{Money, Time};

/// An account as the API writes it.
pub fn account_text(account: &Account) -> String {
    account.code()
}

/// The account that is written so.
pub fn account_from(text: &str) -> Option<Account> {
    match text.split_once(':') {
        Some(("user", name)) => Some(Account::User(name.to_owned())),
        Some(("owner", name)) => Some(Account::Owner(name.to_owned())),
        None if text == "fee" => Some(Account::Fee),
        None if text == "held" => Some(Account::Held),
        None if text == "world" => Some(Account::World),
        _ => None,
    }
}

/// Whose spending is limited, as the API writes it.
pub fn spender_text(spender: &Spender) -> String {
    match spender {
        Spender::User(name) => format!("user:{name}"),
        Spender::Group(name) => format!("group:{name}"),
        Spender::Vo => "vo".to_owned(),
    }
}

/// The spender that is written so.
pub fn spender_from(text: &str) -> Option<Spender> {
    match text.split_once(':') {
        Some(("user", name)) if !name.is_empty() => Some(Spender::User(name.to_owned())),
        Some(("group", name)) if !name.is_empty() => Some(Spender::Group(name.to_owned())),
        None if text == "vo" => Some(Spender::Vo),
        _ => None,
    }
}

/// A purpose as the API names it.
pub fn purpose_kind(purpose: Purpose) -> PurposeKind {
    match purpose {
        Purpose::Deposit => PurposeKind::Deposit,
        Purpose::Lien => PurposeKind::Lien,
        Purpose::Charge => PurposeKind::Charge,
        Purpose::Refund => PurposeKind::Refund,
        Purpose::Income => PurposeKind::Income,
        Purpose::Fee => PurposeKind::Fee,
        Purpose::Compensation => PurposeKind::Compensation,
    }
}

/// An account.
pub fn account_view(state: &State, account: &Account, now: Time) -> AccountView {
    let held = match account {
        Account::User(name) => {
            let own = state.reservations.values().filter(|it| it.user == *name);
            own.filter(|it| it.phase != walras_broker::reservation::ReservationPhase::Closing)
                .map(|it| it.lien)
                .sum()
        }
        Account::World | Account::Held | Account::Fee | Account::Owner(_) => Money::ZERO,
    };
    let balance = state.books.balance(account);
    let available = state.books.available(account);
    // Nothing limits the world, and what it owes is no credit of anybody's.
    let credit = match account {
        Account::World => Money::ZERO,
        Account::Held | Account::Fee | Account::User(_) | Account::Owner(_) => {
            let credit = available.checked_sub(balance);
            credit.expect("what an account may owe is within the limit of all credit")
        }
    };
    let available = if *account == Account::World { balance } else { available };
    let whole = balance.checked_add(held).expect("every sum of balances is within the range of money");
    AccountView {
        account: account_text(account),
        balance: Num::of_money(whole),
        held: Num::of_money(held),
        credit: Num::of_money(credit),
        available: Num::of_money(available),
        budgets: budgets(state, account, now),
    }
}

/// What a job moved on an account; of one that has not ended, the broker knows the name.
pub fn bill_view(state: &State, bill: FoundBill) -> BillView {
    let number = JobNumber::new(bill.job);
    let of_job = state.jobs.get(&number).map(|job| &job.spec);
    let open = of_job.or_else(|| state.arrays.get(&number).map(|array| &array.spec));
    BillView {
        job: bill.job,
        name: bill.name.or_else(|| open.map(|spec| spec.request.name.clone())),
        from: bill.from.into(),
        until: bill.until.into(),
        lines: bill.lines,
        amount: Num::of_money(Money::from_micros(bill.amount)),
    }
}

/// The limits on spending that count for an account.
fn budgets(state: &State, account: &Account, now: Time) -> Vec<BudgetView> {
    let Account::User(name) = account else { return Vec::new() };
    let group = state.users.get(name.as_str()).and_then(|user| user.user.group.clone());
    let concerns = |spender: &Spender| match spender {
        Spender::User(user) => user == name,
        Spender::Group(of) => group.as_ref() == Some(of),
        Spender::Vo => true,
    };
    let own = state.budgets.iter().filter(|(spender, _)| concerns(spender));
    own.map(|(spender, used)| budget_view(spender, used, now)).collect()
}

/// Every limit on spending.
pub fn all_budgets(state: &State, now: Time) -> Vec<BudgetView> {
    state.budgets.iter().map(|(spender, used)| budget_view(spender, used, now)).collect()
}

fn budget_view(spender: &Spender, used: &BudgetUse, now: Time) -> BudgetView {
    BudgetView {
        spender: spender_text(spender),
        period: Num::of_span(used.budget.period),
        amount: Num::of_money(used.budget.amount),
        left: Num::of_money(used.left(now)),
    }
}

/// A user.
pub fn user_view(user: &UserState) -> UserView {
    UserView {
        name: user.user.name.clone(),
        group: user.user.group.clone(),
        share: user.user.share,
        lowest: Num::of_money(user.user.lowest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_and_spenders_read_as_they_are_written() {
        for account in [
            Account::World,
            Account::Held,
            Account::Fee,
            Account::User("a:b".into()),
            Account::Owner("o".into()),
        ] {
            assert_eq!(account_from(&account_text(&account)), Some(account));
        }
        for spender in [Spender::Vo, Spender::User("u".into()), Spender::Group("g:h".into())] {
            assert_eq!(spender_from(&spender_text(&spender)), Some(spender));
        }
        assert_eq!(account_from("somebody"), None);
        assert_eq!(spender_from("user:"), None);
    }
}
