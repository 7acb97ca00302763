//! Users' terms and limits by file: what would change, and all of it at once or nothing.

use super::App;
use super::admin::{BudgetBody, budget_of, lowest_of, name, share_of};
use super::answer::Json;
use super::endpoint::{ADMINISTRATOR, Endpoint};
use super::extract::Sent;
use super::fault::Fault;
use crate::described::JsonSchema;
use crate::engine::Failed;
use crate::view::apply::{Terms, changes};
use axum::extract::State;
use axum::routing::put;
use serde::de::{Deserialize as _, DeserializeOwned, Deserializer, Error as _};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use walras_api::service::AppliedView;
use walras_api::{Num, written_if_any};
use walras_broker::budget::{Budget, Spender};

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<AppliedView>(
            "put",
            "/v1/users",
            ADMINISTRATOR,
            "Set the terms of many users, groups and the VO, or ask what that would change; those that are not named stay.",
            put(apply),
        )
        .body::<ApplyBody>()
        .refuses(&[400, 409, 413, 415, 422]),
    ]
}

/// Terms of many.
#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ApplyBody {
    /// Users by name; those that are not there are added.
    #[serde(default, deserialize_with = "objects")]
    users: BTreeMap<String, UserTerms>,
    /// Groups by name.
    #[serde(default, deserialize_with = "objects")]
    groups: BTreeMap<String, GroupTerms>,
    /// All together.
    #[serde(default, deserialize_with = "object")]
    vo: Option<GroupTerms>,
    /// Only say what would change.
    #[serde(default)]
    dry_run: bool,
}

/// A user's terms; what is not said stays, or is 1, 0 and nothing for somebody new.
#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UserTerms {
    /// For budgets and rules of access; none, with null.
    #[serde(default, deserialize_with = "given")]
    group: Option<Option<String>>,
    /// What they may use, against the others.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000))]
    share: Option<u32>,
    /// How low their balance may go, in credits; zero or negative.
    #[serde(default, deserialize_with = "written_if_any")]
    #[schemars(with = "Option<walras_api::Amount>", range(min = -1_000_000_000, max = 0))]
    lowest: Option<Num>,
    /// What they may spend; lifted, with null.
    #[serde(default, deserialize_with = "given_object")]
    budget: Option<Option<BudgetBody>>,
}

/// A group's terms.
#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GroupTerms {
    /// What they may spend together; lifted, with null.
    #[serde(default, deserialize_with = "given_object")]
    budget: Option<Option<BudgetBody>>,
}

/// Something that is said, if only that it is nothing.
fn given<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// The same of an object.
fn given_object<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    object(deserializer).map(Some)
}

/// An object or null; a list would be read as its fields in order.
fn object<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::<Box<RawValue>>::deserialize(deserializer)?
        .map(|raw| of_object(&raw))
        .transpose()
        .map_err(D::Error::custom)
}

/// Objects by name.
fn objects<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, T>, D::Error> {
    let values = BTreeMap::<String, Box<RawValue>>::deserialize(deserializer)?;
    let read = |(name, value): (String, Box<RawValue>)| match of_object(&value) {
        Ok(read) => Ok((name, read)),
        Err(why) => Err(D::Error::custom(format_args!("{name}: {why}"))),
    };
    values.into_iter().map(read).collect()
}

/// By its text, in which amounts have all their digits.
fn of_object<T: DeserializeOwned>(raw: &RawValue) -> Result<T, String> {
    if !raw.get().starts_with('{') {
        return Err("expected an object".to_owned());
    }
    // Where in the object is no place in the body.
    let without_place = |said: String| said.split(" at line ").next().unwrap_or_default().to_owned();
    serde_json::from_str(raw.get()).map_err(|error| without_place(error.to_string()))
}

/// Whose limit on spending changes, and to what; none takes it away.
type BudgetChanges = Vec<(Spender, Option<Budget>)>;

fn limit(
    budgets: &mut BudgetChanges,
    spender: Spender,
    budget: Option<Option<BudgetBody>>,
) -> Result<(), Fault> {
    if let Some(budget) = budget {
        budgets.push((spender, budget.as_ref().map(budget_of).transpose()?));
    }
    Ok(())
}

async fn apply(State(app): State<App>, Sent(body): Sent<ApplyBody>) -> Result<Json<AppliedView>, Fault> {
    let (mut users, mut budgets) = (BTreeMap::new(), BudgetChanges::new());
    for (user, terms) in body.users {
        name(&user, "the name of a user")?;
        if let Some(Some(group)) = &terms.group {
            name(group, "body: group:")?;
        }
        let share = terms.share.map(share_of).transpose()?;
        let lowest = terms.lowest.as_ref().map(lowest_of).transpose()?;
        limit(&mut budgets, Spender::User(user.clone()), terms.budget)?;
        users.insert(user, Terms { group: terms.group, share, lowest });
    }
    for (group, terms) in body.groups {
        name(&group, "the name of a group")?;
        limit(&mut budgets, Spender::Group(group), terms.budget)?;
    }
    if let Some(terms) = body.vo {
        limit(&mut budgets, Spender::Vo, terms.budget)?;
    }
    let planned = app.handle.ask(move |state, now| changes(state, now, &users, &budgets)).await?;
    let (changes, inputs) = planned.map_err(|refusal| Failed::Refused(Box::new(refusal)))?;
    if !body.dry_run {
        for input in inputs {
            app.handle.send(input).await?;
        }
    }
    Ok(Json(AppliedView { changes, done: !body.dry_run }))
}
