//! Workflows as `workflow/1`: what a job that carries its workflow contains.
//!
//! Times are written in whole milliseconds, so that nothing is lost. Amounts of memory are exact up to a petabyte and
//! attributes up to 15 digits, as far as numbers in JSON are.

use super::WORKFLOW_TAG;
use super::program::Runnable;
use serde_json::{Map, Value as Json, json};
use walras_broker::program::TaskProgram;
use walras_model::{Decimal, Fixed, Task, Test, Value, Workflow};

const BYTES_PER_GB: i64 = 1_000_000_000;
const MILLIONTHS: i64 = 1_000_000;

/// The workflow in our own format.
///
/// ```
/// use walras_api::{WorkflowFormat, read_workflow, workflow_json};
/// let workflow = read_workflow(b"2\n0 3 0\n1 5 1 0\n", "small.stg", WorkflowFormat::Stg).unwrap();
/// let text = workflow_json(&workflow).to_string();
/// assert_eq!(read_workflow(text.as_bytes(), "small.json", WorkflowFormat::Json).unwrap(), workflow);
/// ```
pub fn workflow_json(workflow: &Workflow) -> Json {
    with_programs(workflow, &[])
}

/// The same with what its tasks run.
pub fn runnable_json(runnable: &Runnable) -> Json {
    with_programs(&runnable.workflow, &runnable.programs)
}

fn with_programs(workflow: &Workflow, programs: &[TaskProgram]) -> Json {
    let name = |index: usize| workflow.tasks()[index].name.as_str();
    let plain = TaskProgram::default();
    let program = programs.iter().chain(std::iter::repeat(&plain));
    let tasks: Vec<Json> = workflow.tasks().iter().zip(program).map(|(of, runs)| task(of, runs)).collect();
    let edges = workflow.edges().iter().map(|edge| {
        json!({"from": name(edge.from.index()), "to": name(edge.to.index()), "bytes": edge.data.as_bytes()})
    });
    let edges: Vec<Json> = edges.collect();
    json!({"walras": WORKFLOW_TAG, "name": workflow.name(), "unit": "ms", "tasks": tasks, "edges": edges})
}

fn task(task: &Task, runs: &TaskProgram) -> Json {
    let mut entry = Map::new();
    for (key, words) in [("command", &runs.command), ("inputs", &runs.inputs), ("outputs", &runs.outputs)] {
        if !words.is_empty() {
            entry.insert(key.into(), words.clone().into());
        }
    }
    if let Some(script) = &runs.script {
        entry.insert("script".into(), script.clone().into());
    }
    if !runs.env.is_empty() {
        entry.insert("env".into(), json!(runs.env));
    }
    entry.insert("name".into(), task.name.clone().into());
    entry.insert("work".into(), task.work.map_or(0, |work| work.as_millis()).into());
    entry.insert("cores".into(), task.cores.into());
    if task.nodes != 1 {
        entry.insert("nodes".into(), task.nodes.into());
    }
    if let Some(memory) = task.memory {
        entry.insert("memory_gb".into(), fraction(memory.as_bytes(), BYTES_PER_GB));
    }
    if !task.requires.is_empty() {
        let tests = task.requires.iter();
        let tests: Map<String, Json> =
            tests.map(|required| (required.attribute.clone(), test(&required.test))).collect();
        entry.insert("requires".into(), tests.into());
    }
    if !task.estimates.is_empty() {
        let spans = task.estimates.iter();
        let spans: Map<String, Json> =
            spans.map(|(node, span)| (node.clone(), span.as_millis().into())).collect();
        entry.insert("estimates".into(), spans.into());
    }
    entry.into()
}

fn test(test: &Test) -> Json {
    match test {
        Test::Equals(value) => scalar(value),
        Test::OneOf(values) => json!({"in": values.iter().map(scalar).collect::<Vec<Json>>()}),
        Test::Range { min, max } => {
            let bounds = [("min", min), ("max", max)].into_iter();
            let bounds = bounds.filter_map(|(key, bound)| Some((key.to_owned(), decimal((*bound)?))));
            bounds.collect::<Map<String, Json>>().into()
        }
    }
}

fn scalar(value: &Value) -> Json {
    match value {
        Value::Text(text) => text.clone().into(),
        Value::Number(number) => decimal(*number),
        Value::Flag(flag) => (*flag).into(),
    }
}

fn decimal(number: Fixed) -> Json {
    fraction(number.as_millionths(), MILLIONTHS)
}

/// `units` / `one` as a number: whole where it is whole.
fn fraction(units: i64, one: i64) -> Json {
    if units % one == 0 {
        return (units / one).into();
    }
    let decimals = one.ilog10();
    let text = Decimal::new(units.into(), decimals).to_string();
    // The text is a decimal, so this always succeeds.
    text.parse::<f64>().map_or(Json::Null, Json::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflow::{WorkflowFormat, read_workflow};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use walras_model::{Data, Edge, Requirement, Span, TaskId, Work};

    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            "[a-z]{1,8}".prop_map(Value::Text),
            (-999_999_999_999_999_i64..1_000_000_000_000_000)
                .prop_map(|units| Value::Number(Fixed::from_millionths(units))),
            any::<bool>().prop_map(Value::Flag),
        ]
    }

    fn any_test() -> impl Strategy<Value = Test> {
        let bound = || (0_i64..1_000_000_000).prop_map(Fixed::from_millionths);
        prop_oneof![
            any_value().prop_map(Test::Equals),
            prop::collection::vec(any_value(), 1..4).prop_map(Test::OneOf),
            bound().prop_map(|min| Test::Range { min: Some(min), max: None }),
            (bound(), bound()).prop_map(|(a, b)| Test::Range { min: Some(a.min(b)), max: Some(a.max(b)) }),
        ]
    }

    fn any_task() -> impl Strategy<Value = Task> {
        let requires = prop::collection::btree_map("[a-z_]{1,8}", any_test(), 0..3);
        let estimates = prop::collection::btree_map("[a-z/]{1,8}", 0_i64..1_000_000_000, 0..3);
        let memory = prop::option::of(0_i64..1_000_000_000_000_000);
        let wide = (1_u32.., prop_oneof![Just(1_u32), 2_u32..100_000]);
        (0_i64..1_000_000_000, wide, memory, requires, estimates).prop_map(
            |(work, (cores, nodes), memory, requires, estimates)| Task {
                name: String::new(),
                work: Some(work).filter(|work| *work > 0).and_then(Work::from_millis),
                cores,
                nodes,
                memory: memory.and_then(Data::from_bytes),
                requires: requires
                    .into_iter()
                    .map(|(attribute, test)| Requirement { attribute, test })
                    .collect(),
                estimates: estimates
                    .into_iter()
                    .filter_map(|(node, span)| Some((node, Span::from_millis(span)?)))
                    .collect::<BTreeMap<String, Span>>(),
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_written_reads_back(
            mut tasks in prop::collection::vec(any_task(), 1..8),
            pairs in prop::collection::btree_map((0_usize..8, 0_usize..8), 0_i64..i64::MAX, 0..8),
        ) {
            for (index, task) in tasks.iter_mut().enumerate() {
                task.name = format!("t{index}");
            }
            let id = |index: usize| TaskId::from_index(index).unwrap();
            let edges = pairs.iter().filter(|((from, to), _)| from < to && *to < tasks.len());
            let edges = edges.map(|((from, to), bytes)| {
                Edge { from: id(*from), to: id(*to), data: Data::from_bytes(*bytes).unwrap() }
            });
            let edges: Vec<Edge> = edges.collect();
            let workflow = Workflow::new("all", tasks, edges).unwrap();
            let text = workflow_json(&workflow).to_string();
            let read = read_workflow(text.as_bytes(), "all.json", WorkflowFormat::Json);
            prop_assert_eq!(read.unwrap(), workflow);
        }
    }
}
