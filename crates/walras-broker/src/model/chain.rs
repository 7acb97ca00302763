//! Chains of jobs that wait for one another, quoted and taken as a whole.

use super::gate::Condition;
use super::job::{JobSpec, Planned};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use walras_core::agenda::{Promise, Terms};
use walras_model::{Money, Time};

/// A chain has at most so many jobs.
pub const CHAIN_MAX: usize = 100;

/// A job of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainMember {
    /// The job; what it waits for of the chain stands beside it.
    pub job: Arc<JobSpec>,
    /// What must have become of jobs before it in the chain, by their places from 0 on.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub after: BTreeSet<(u32, Condition)>,
}

/// A job of a chain that is quoted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotedMember {
    /// The job, and what it waits for.
    pub member: ChainMember,
    /// The window that it would have; it may move until sites hold it.
    pub plan: Planned,
    /// When that starts and ends, and what it costs.
    pub window: Terms,
    /// What it would be promised.
    pub promise: Promise,
}

/// A quote for a chain that binds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainQuote {
    /// Its jobs, each after those it waits for.
    pub members: Arc<[QuotedMember]>,
    /// Until when it can be taken.
    pub until: Time,
}

impl ChainQuote {
    /// Who asked for it, and pays.
    pub fn user(&self) -> &str {
        self.members.first().map_or("", |first| first.member.job.user.as_str())
    }

    /// What all of it costs at most.
    pub fn price(&self) -> Money {
        price_of(&self.members)
    }
}

/// What all of them cost at most. What is more than can be counted is more than anybody has.
pub(crate) fn price_of(members: &[QuotedMember]) -> Money {
    members.iter().fold(Money::ZERO, |sum, member| sum + member.promise.cost)
}

/// Why a chain cannot be quoted as one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadChain {
    /// Here nothing is planned ahead that waits for others.
    NoPromises,
    /// It has fewer than two jobs.
    TooShort,
    /// It has too many jobs.
    TooLong {
        /// How many it has.
        jobs: usize,
        /// How many it may have.
        most: usize,
    },
    /// A job is not one that can be planned ahead: it is a workflow or an array, has a search of its own, or waits for something outside.
    NotPlain(u32),
    /// A job waits for one that does not stand before it.
    NotBefore {
        /// The job, by its place from 0 on.
        job: u32,
        /// The one that it names.
        named: u32,
    },
    /// A job waits for another to fail: nobody plans for that.
    ForFailure(u32),
    /// Its jobs are of several users.
    SeveralUsers,
}
