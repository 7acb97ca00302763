//! What the register keeps of a job that has ended: a record of its own, with ids, times and money.
//!
//! The API's answer is made from it when somebody asks, so that views and sentences can change without touching what is
//! kept. Every record says its version; a later one is added beside `v1` and never replaces it.

use super::JournalError;
use serde::{Deserialize, Serialize};

/// A record of any version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "version", content = "job")]
pub enum Record {
    /// The first.
    #[serde(rename = "1")]
    V1(v1::Ended),
}

impl Record {
    /// As it is written.
    pub fn encode(&self) -> Result<String, JournalError> {
        serde_json::to_string(self).map_err(|error| JournalError::Unwritable(error.to_string()))
    }

    /// As it was written.
    pub fn decode(text: &str) -> Result<Record, JournalError> {
        let unreadable = |error| JournalError::Unreadable(format!("a record of the register: {error}"));
        serde_json::from_str(text).map_err(unreadable)
    }
}

/// The first version.
pub mod v1 {
    use serde::{Deserialize, Serialize};
    use walras_api::sentence::MoneyLimit;
    use walras_broker::array::{ArrayCounts, ArrayTook, Element};
    use walras_broker::id::{JobNumber, ReservationNumber};
    use walras_broker::indices::Indices;
    use walras_broker::job::{JobEnd, PartEnd};
    use walras_broker::used::Used;
    use walras_model::{Money, NodeId, SiteId, Span, Time, Work};

    /// A job that has ended.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Ended {
        /// Its number.
        pub number: JobNumber,
        /// Its name.
        pub name: String,
        /// Whose it was.
        pub user: String,
        /// How many nodes it needed at once; for a workflow, how many tasks it had.
        pub tasks: u32,
        /// Whether it was a workflow.
        pub workflow: bool,
        /// When it was submitted.
        pub queued_at: Time,
        /// When it started, if it did.
        pub start: Option<Time>,
        /// When it ended.
        pub ended_at: Time,
        /// When it had to have ended.
        pub deadline: Option<Time>,
        /// The most that it could cost.
        pub budget: Option<Money>,
        /// What it was charged.
        pub spent: Money,
        /// How many reservations failed that it could do nothing about.
        pub attempts: u32,
        /// Its last reservation.
        pub reservation: Option<ReservationNumber>,
        /// Where that was.
        pub sites: Vec<SiteId>,
        /// The parts of that.
        pub parts: Vec<Part>,
        /// For how long nodes were reserved for the parts that have begun, all together.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub reserved: Option<Span>,
        /// What limited its money, where that is the reason.
        pub limit: MoneyLimit,
        /// How it ended.
        pub end: JobEnd,
        /// The array of which it was an element.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub element: Option<Element>,
        /// Its elements, where it was an array.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub array: Option<Array>,
        /// All of its work, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub work: Option<Work>,
        /// The files that were wanted back.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub outputs: Vec<String>,
    }

    /// The elements of an array that has ended.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Array {
        /// Which there were.
        pub indices: Indices,
        /// How they ended.
        pub counts: ArrayCounts,
        /// What they took, all together; unknown of those that ended before it was counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub took: Option<ArrayTook>,
    }

    /// A part of a job that has ended.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Part {
        /// The task of the workflow.
        pub task: Option<String>,
        /// The site that held its time.
        pub site: SiteId,
        /// On which node; none in a queue.
        pub node: Option<NodeId>,
        /// When it started, or should have.
        pub start: Time,
        /// When it ended, or should have.
        pub end: Time,
        /// How far it came.
        pub stage: Stage,
        /// What it used, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub used: Option<Used>,
    }

    /// How far a part came.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Stage {
        /// Its time had not come.
        Waiting,
        /// Its site was asked to start it.
        Due,
        /// It ran.
        Running,
        /// It had ended.
        Ended(PartEnd),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_broker::id::JobNumber;
    use walras_broker::job::{JobEnd, PartEnd, Why};
    use walras_model::{Money, NodeId, SiteId, Time};

    /// What was written once is read for ever: this text must not change.
    const FIRST: &str = r#"{"version":"1","job":{"number":7,"name":"fit","user":"ada","tasks":1,"workflow":false,"queued_at":1000,"start":2000,"ended_at":3000,"deadline":null,"budget":5000000,"spent":2500000,"attempts":1,"reservation":null,"sites":[0],"parts":[{"task":null,"site":0,"node":1,"start":2000,"end":3000,"stage":{"ended":{"failed":3}}}],"limit":"of-job","end":{"failed":{"part-ended":{"part":0,"end":{"failed":3}}}}}}"#;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let at = |millis| Time::from_millis(millis).unwrap();
        let end = PartEnd::Failed(3);
        let record = Record::V1(v1::Ended {
            number: JobNumber::new(7),
            name: "fit".to_owned(),
            user: "ada".to_owned(),
            tasks: 1,
            workflow: false,
            queued_at: at(1_000),
            start: Some(at(2_000)),
            ended_at: at(3_000),
            deadline: None,
            budget: Some(Money::from_micros(5_000_000)),
            spent: Money::from_micros(2_500_000),
            attempts: 1,
            reservation: None,
            sites: vec![SiteId::new(0)],
            parts: vec![v1::Part {
                task: None,
                site: SiteId::new(0),
                node: Some(NodeId::new(1)),
                start: at(2_000),
                end: at(3_000),
                stage: v1::Stage::Ended(end),
                used: None,
            }],
            reserved: None,
            limit: Default::default(),
            end: JobEnd::Failed(Why::PartEnded { part: 0, end }),
            element: None,
            array: None,
            work: None,
            outputs: Vec::new(),
        });
        assert_eq!(record.encode().unwrap(), FIRST);
        assert_eq!(Record::decode(FIRST).unwrap(), record);
        assert!(Record::decode(r#"{"version":"9","job":{}}"#).is_err(), "a version of the future");
    }
}
