//! What the tasks of a workflow take of nodes that are sold in units.
//!
//! A workflow holds places on nodes, and its tasks take turns on them. A place has as many units of its node as the dearest of the tasks needs that
//! the node can run at all, so that whichever of these comes next has room.

use super::{Task, Workflow};
use crate::attribute::Requirement;
use crate::need::TaskNeed;
use crate::request::Scope;

/// Of workflows whose tasks need more different things, nodes are taken whole.
const NEEDS_MAX: usize = 64;

/// What a task takes.
fn need_of(task: &Task) -> TaskNeed {
    TaskNeed { cores: task.cores, memory: task.memory, requires: task.requires.clone() }
}

impl Workflow {
    /// What its tasks take of their nodes, each need once; of more than can be looked at, one that takes nodes whole.
    pub fn needs(&self) -> Vec<TaskNeed> {
        let mut needs: Vec<TaskNeed> = Vec::new();
        for task in self.tasks() {
            let known = |need: &TaskNeed| {
                (need.cores, need.memory, &need.requires) == (task.cores, task.memory, &task.requires)
            };
            if needs.iter().any(known) {
                continue;
            }
            if needs.len() == NEEDS_MAX {
                return vec![TaskNeed { cores: 1, memory: None, requires: vec![Requirement::exclusive()] }];
            }
            needs.push(need_of(task));
        }
        needs
    }

    /// Says in the scope of its request what its tasks ask for: a gang has each of its nodes by itself, and all on one site.
    pub fn ask_in(&self, scope: &mut Scope) {
        let has_gangs = self.widest() > 1;
        scope.same_site |= has_gangs;
        scope.separate_nodes |= has_gangs;
        scope.asks = self.asks();
        scope.needs = self.needs();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::{Attributes, Test};
    use crate::division::Division;
    use crate::quantity::{Data, Fixed, Work};

    fn division(units: u32, resources: &[(&str, u64)]) -> (Division, Attributes) {
        let resources = resources.iter().map(|(name, amount)| ((*name).to_owned(), *amount)).collect();
        let division = Division::new(units, resources).unwrap();
        let mut stated = Attributes::new();
        division.state_in(&mut stated).unwrap();
        (division, stated)
    }

    fn task(name: &str, cores: u32, megabytes: Option<i64>) -> Task {
        let memory = megabytes.and_then(|it| Data::from_bytes(it * 1_000_000));
        Task { cores, memory, ..Task::new(name, Work::from_millis(1)) }
    }

    #[test]
    fn a_task_takes_the_units_of_its_dearest_need() {
        let (node, stated) = division(8, &[("cores", 64), ("memory_gb", 256)]);
        let units = |cores, megabytes| node.units_of_need(&need_of(&task("t", cores, megabytes)), &stated);
        assert_eq!(units(1, None), Some(1));
        assert_eq!(units(9, Some(32_000)), Some(2));
        assert_eq!(units(1, Some(32_001)), Some(2));
        assert_eq!(units(64, Some(256_000)), Some(8));
        assert_eq!((units(65, None), units(1, Some(256_001))), (None, None));
        // Where nothing is counted, all units are alike.
        let (plain, none) = division(4, &[]);
        assert_eq!(plain.units_of_need(&need_of(&task("t", 16, Some(9))), &none), Some(1));
        // What is stated and not counted is a test.
        let (_, mut stated) = division(4, &[]);
        stated.insert("cores".to_owned(), crate::attribute::Value::Number(Fixed::from_millionths(8_000_000)));
        assert_eq!(plain.units_of_need(&need_of(&task("t", 9, None)), &stated), None);
    }

    #[test]
    fn many_different_needs_take_nodes_whole() {
        let of = |count: u32| {
            let tasks = (0..count).map(|it| task(&format!("t{it}"), 1, Some(i64::from(it) + 1))).collect();
            Workflow::new("w", tasks, vec![]).unwrap().needs()
        };
        assert_eq!(of(64).len(), 64);
        let [whole] = &of(65)[..] else { panic!("one need") };
        let (node, stated) = division(8, &[("cores", 64)]);
        assert_eq!(node.units_of_need(whole, &stated), Some(8));
        assert!(matches!(whole.requires[0].test, Test::Equals(_)));
    }
}
