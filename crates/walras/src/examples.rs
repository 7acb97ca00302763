//! Files that come with the program, to start from.

use clap::ValueEnum;

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
        }
    }
}
