//! What the administrator has set, and money from outside.

use crate::model::account::{Account, Transaction};
use crate::model::budget::{Budget, Spender};
use crate::model::input::{RequestKey, User};
use crate::model::policy::Policy;
use crate::model::wish::{Wish, Wisher};
use serde::{Deserialize, Serialize};

/// What the administrator has set, and money from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VoEvent {
    /// The rules are these.
    PolicySet(Box<Policy>),
    /// A user is there.
    UserSet(User),
    /// Spending is limited.
    BudgetSet {
        /// Whose spending it is.
        spender: Spender,
        /// What may be spent in a period; `None` lifts the limit.
        budget: Option<Budget>,
    },
    /// What an owner or the administrator wants is this.
    WishSet {
        /// Whose wish it is.
        of: Wisher,
        /// What they want; `None` takes back what they wanted before.
        wish: Option<Box<Wish>>,
    },
    /// Money came in, or went out.
    Deposited {
        /// The request.
        key: RequestKey,
        /// The account that got it or lost it.
        account: Account,
        /// How it was booked.
        transaction: Transaction,
    },
    /// Nobody listened to the sites for a while, and somebody does again.
    ServiceBack,
}
