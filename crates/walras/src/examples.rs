//! Files that come with the program, to start from.

use crate::failure::Failure;
use clap::ValueEnum;
use walras_api::{Scenario, Syntax, WorkflowFormat, read_scenario, read_workflow};
use walras_model::Workflow;

/// A built-in file.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum File {
    /// Three owners, twelve nodes, four hours, six jobs
    Federation,
    /// The worked example of the AMP papers
    WorkedExample,
    /// The federation with two jobs that are workflows
    TwoTier,
    /// The workflow of those jobs
    Pipeline,
    /// Sites that sell capacity, beside one that sells slots
    Metabroker,
    /// The federation with preferences, owners' rules and a queue
    Preferences,
    /// A short history of finished jobs, for walras predict
    History,
    /// What somebody chose, for walras preferences learn
    Choices,
    /// A job, for walras submit
    Job,
    /// A script with directives, for walras submit
    Script,
    /// A configuration, for walras serve
    Service,
    /// A job that runs on this machine, for that service
    LocalJob,
    /// A job whose budget is too small, for that service
    DearJob,
    /// A change of the rules, for walras policy --set
    Policy,
    /// An owner's prices, for walras prices --set
    Prices,
    /// Users, shares and limits, for walras users apply
    Users,
}

impl File {
    pub(crate) fn text(self) -> &'static str {
        match self {
            File::Federation => include_str!("../scenarios/federation.yaml"),
            File::WorkedExample => include_str!("../scenarios/worked-example.yaml"),
            File::TwoTier => include_str!("../scenarios/two-tier.yaml"),
            File::Pipeline => include_str!("../scenarios/pipeline.yaml"),
            File::Metabroker => include_str!("../scenarios/metabroker.yaml"),
            File::Preferences => include_str!("../scenarios/preferences.yaml"),
            File::History => include_str!("../scenarios/history.swf"),
            File::Choices => include_str!("../scenarios/choices.yaml"),
            File::Job => include_str!("../scenarios/job.yaml"),
            File::Script => include_str!("../scenarios/script.sh"),
            File::Service => include_str!("../scenarios/service.toml"),
            File::LocalJob => include_str!("../scenarios/local-job.yaml"),
            File::DearJob => include_str!("../scenarios/dear-job.yaml"),
            File::Policy => include_str!("../scenarios/policy.yaml"),
            File::Prices => include_str!("../scenarios/prices.yaml"),
            File::Users => include_str!("../scenarios/users.yaml"),
        }
    }
}

/// The workflow that comes with the program.
const PIPELINE: &str = "pipeline.yaml";

/// Scenarios that come with the program.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Example {
    /// Three owners, twelve nodes, four hours, six jobs
    Federation,
    /// The worked example of the AMP papers
    #[value(name = "worked-example")]
    Worked,
    /// The federation with two jobs that are workflows
    TwoTier,
    /// Sites that sell capacity, beside one that sells slots
    Metabroker,
    /// The federation with preferences, owners' rules and a queue
    Preferences,
}

impl Example {
    fn text(self) -> &'static str {
        match self {
            Example::Federation => File::Federation.text(),
            Example::Worked => File::WorkedExample.text(),
            Example::TwoTier => File::TwoTier.text(),
            Example::Metabroker => File::Metabroker.text(),
            Example::Preferences => File::Preferences.text(),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Example::Federation => "federation.yaml",
            Example::Worked => "worked-example.yaml",
            Example::TwoTier => "two-tier.yaml",
            Example::Metabroker => "metabroker.yaml",
            Example::Preferences => "preferences.yaml",
        }
    }

    /// The built-in workflow of that name.
    pub(crate) fn workflow(name: &str) -> Result<Workflow, Failure> {
        if name != PIPELINE {
            return Err(Failure::Fault(format!("there is no built-in workflow {name}")));
        }
        read_workflow(File::Pipeline.text().as_bytes(), name, WorkflowFormat::Yaml).map_err(Failure::fault)
    }

    pub(crate) fn scenario(self) -> Result<Scenario, Failure> {
        read_scenario(self.text().as_bytes(), self.name(), Syntax::Yaml).map_err(Failure::fault)
    }
}
