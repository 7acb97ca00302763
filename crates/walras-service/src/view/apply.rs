//! What new terms of users and limits would change.

use super::money::spender_text;
use std::collections::BTreeMap;
use walras_api::Num;
use walras_api::service::AppliedChange;
use walras_broker::budget::{Budget, Spender};
use walras_broker::input::User;
use walras_broker::{Broker, Input, Refusal, State};
use walras_model::{Money, Time};

/// A user's terms; what is not said stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The group, or that there is none.
    pub group: Option<Option<String>>,
    /// What they may use, against the others.
    pub share: Option<u32>,
    /// How low their balance may go.
    pub lowest: Option<Money>,
}

/// What changes, and the inputs that change it: each is decided on a copy first, so that all are taken or none.
pub fn changes(
    state: &State,
    now: Time,
    users: &BTreeMap<String, Terms>,
    limits: &[(Spender, Option<Budget>)],
) -> Result<(Vec<AppliedChange>, Vec<Input>), Refusal> {
    let (mut changes, mut inputs) = (Vec::new(), Vec::new());
    for (name, terms) in users {
        let before = state.users.get(name.as_str()).map(|user| &user.user);
        let after = merged(name, before, terms);
        if before != Some(&after) {
            changes.extend(user_changes(before, &after));
            inputs.push(Input::SetUser(after));
        }
    }
    for (spender, budget) in limits {
        let before = state.budgets.get(spender).map(|used| used.budget);
        if before != *budget {
            changes.push(AppliedChange {
                of: spender_text(spender),
                field: "budget".to_owned(),
                before: before.map(budget_text),
                after: budget.map(budget_text),
            });
            inputs.push(Input::SetBudget { spender: spender.clone(), budget: *budget });
        }
    }
    let mut broker = Broker::from_state(state.clone());
    for input in &inputs {
        broker.handle(now, input)?;
    }
    Ok((changes, inputs))
}

fn merged(name: &str, before: Option<&User>, terms: &Terms) -> User {
    let new = || User { name: name.to_owned(), group: None, share: 1, lowest: Money::ZERO };
    let mut user = before.cloned().unwrap_or_else(new);
    if let Some(group) = &terms.group {
        user.group.clone_from(group);
    }
    user.share = terms.share.unwrap_or(user.share);
    user.lowest = terms.lowest.unwrap_or(user.lowest);
    user
}

fn budget_text(budget: Budget) -> String {
    format!("{} in {} s", Num::of_money(budget.amount), Num::of_span(budget.period))
}

fn user_changes(before: Option<&User>, after: &User) -> Vec<AppliedChange> {
    let fields = |user: &User| {
        [
            ("group", user.group.clone()),
            ("share", Some(user.share.to_string())),
            ("lowest", Some(Num::of_money(user.lowest).to_string())),
        ]
    };
    let was = before.map(fields);
    let mut changes = Vec::new();
    for (place, (field, after_value)) in fields(after).into_iter().enumerate() {
        let before_value = was.as_ref().and_then(|was| was[place].1.clone());
        if before_value != after_value {
            let of = format!("user:{}", after.name);
            changes.push(AppliedChange {
                of,
                field: field.to_owned(),
                before: before_value,
                after: after_value,
            });
        }
    }
    changes
}
