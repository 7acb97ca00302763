//! Digests of what is asked for: numbers that differ for other words, other jobs and other chains, but for chance.
//!
//! Who repeats a request under its key is told from who asks for something else under the same; and names are looked up by their digest.

use super::chain::ChainMember;
use super::job::JobSpec;
use super::strategy_rule::StrategyBy;
use std::fmt::{Debug, Write};
use walras_core::refine::Strategy;

/// FNV-1a with 64 bits (G. Fowler, L. Noll, K.-P. Vo): tells apart by chance, and not against malice.
struct Fnv(u64);

/// Where it begins.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // What ends here does not run into what comes next.
        self.0 = (self.0 ^ 0xff).wrapping_mul(0x0100_0000_01b3);
    }

    fn text(&mut self, text: &str) {
        self.add(text.as_bytes());
    }

    fn number(&mut self, number: i64) {
        self.add(&number.to_le_bytes());
    }

    /// What is seldom there, and small.
    fn small(&mut self, value: &impl Debug) {
        // Writing to a number does not fail.
        let _ = write!(self, "{value:?}");
    }
}

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

/// A number that is another for other words, but for chance.
pub(crate) fn digest_of(words: &[&str]) -> u64 {
    let mut hash = Fnv(BASIS);
    for word in words {
        hash.text(word);
    }
    hash.0
}

/// A number that is another for another chain.
pub(crate) fn digest_of_chain(members: &[ChainMember]) -> u64 {
    let words: Vec<String> =
        members.iter().map(|member| format!("{} {:?}", member.job.digest(), member.after)).collect();
    digest_of(&words.iter().map(String::as_str).collect::<Vec<&str>>())
}

impl JobSpec {
    /// A number that is another for another job. Times that a client counts from now do not count: they differ when it repeats
    /// itself.
    pub fn digest(&self) -> u64 {
        let mut hash = Fnv(BASIS);
        let JobSpec {
            user,
            request,
            workflow,
            strategy_by,
            preference,
            delay,
            search,
            command,
            script,
            output,
            particulars,
            notify,
            gate,
            array,
            rerun,
        } = self;
        hash.text(user);
        hash.text(&request.name);
        hash.number(request.tasks.into());
        hash.number(request.work.as_millis());
        hash.number(request.performance_min.as_millionths());
        hash.number(request.price_max.map_or(-1, |rate| rate.as_micros_per_second()));
        hash.number(request.budget.map_or(-1, |budget| budget.as_micros()));
        hash.number(request.priority);
        hash.small(&(&request.requires, &request.scope, preference, delay.map(|delay| delay.per_hour)));
        for word in command {
            hash.text(word);
        }
        for text in [script, output] {
            hash.text(text.as_deref().unwrap_or_default());
        }
        if let Some(search) = search {
            hash.small(search);
        }
        if !particulars.is_plain() {
            hash.small(particulars);
        }
        if let Some(notify) = notify {
            hash.small(notify);
        }
        if !gate.is_open() {
            hash.small(gate);
        }
        if let Some(array) = array {
            hash.text(&array.to_string());
        }
        if *rerun {
            hash.text("rerun");
        }
        if let Some(of) = workflow {
            // What the VO's rules give was not asked for.
            let asked = if *strategy_by == StrategyBy::User { of.strategy } else { Strategy::Asap };
            hash.small(&asked);
            for task in of.workflow.tasks() {
                hash.text(&task.name);
                hash.number(task.work.map_or(-1, |work| work.as_millis()));
                hash.small(&(task.cores, task.memory, &task.requires, &task.estimates));
                if task.nodes != 1 {
                    hash.number(task.nodes.into());
                }
            }
            for edge in of.workflow.edges() {
                hash.number(edge.from.number().into());
                hash.number(edge.to.number().into());
                hash.small(&edge.data);
            }
        }
        hash.0
    }
}
