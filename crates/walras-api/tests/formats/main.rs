//! Tests of the file formats from the outside.

#![expect(clippy::unwrap_used, reason = "a test whose own preparation fails should panic")]

mod bad_scenarios;
mod capacity;
mod conversion;
mod never_panics;
mod orlib;
mod plans;
mod policies;
mod runnable;
mod schema;
mod units;
mod workflows;

use walras_api::{ReadError, Scenario, Syntax, read_scenario};

/// The scenario that the documentation shows.
pub(crate) const EXAMPLE: &str = r"walras: scenario/1
horizon: [0, 600]            # time units are seconds unless `unit: ms`
sites:
  - name: campus
    nodes:
      - {name: cpu1, performance: 1.0, price: 5, busy: [[20, 150], [370, 580]]}
      - {name: cpu2, performance: 2.5, price: 9.5, watts: 180, attributes: {os: linux, memory_gb: 64}}
jobs:
  - {name: J1, tasks: 2, work: 80, price_max: 5}
  - {name: J2, tasks: 3, work: 30, budget: 900, performance_min: 1.0, deadline: 500, earliest: 0, priority: 2,
     requires: {os: linux, memory_gb: {min: 16}}, same_site: true}
";

/// The same as JSON, shortened to what the tests change.
pub(crate) const EXAMPLE_JSON: &str = r#"{
  "walras": "scenario/1",
  "horizon": [0, 600],
  "sites": [
    {"name": "campus", "nodes": [
      {"name": "cpu1", "performance": 1.0, "price": 5, "busy": [[20, 150], [370, 580]]},
      {"name": "cpu2", "performance": 2.5, "price": 9.5, "watts": 180, "attributes": {"os": "linux", "gpu": true}}
    ]}
  ],
  "jobs": [
    {"name": "J1", "tasks": 2, "work": 80, "price_max": 5},
    {"name": "J2", "work": 30, "budget": 900, "requires": {"os": ["linux", "bsd"]}, "sites": ["campus"]}
  ]
}
"#;

/// Sites that sell capacity beside one that sells slots.
pub(crate) const CAPACITY: &str = r"walras: scenario/1
horizon: [0, 600]
sites:
  - name: campus
    nodes: [{name: cpu1, performance: 300, price: 5}]
  - name: grid
    capacity: {processors: 4, mips: 400, price: 4, prices: {ada: 3}}
  - name: lab
    capacity: {processors: 2, performance: 250.5, price: 2, watts: 90, attributes: {os: linux}}
jobs:
  - {name: J1, user: ada, tasks: [160000, 170500, 1], kind: single-site, budget: 5000, deadline: 500}
  - {name: J2, tasks: 2, work: 90000, same_site: false}
";

pub(crate) fn read_yaml(text: &str) -> Result<Scenario, ReadError> {
    read_scenario(text.as_bytes(), "scenario.yaml", Syntax::Yaml)
}

pub(crate) fn read_json(text: &str) -> Result<Scenario, ReadError> {
    read_scenario(text.as_bytes(), "scenario.json", Syntax::Json)
}
