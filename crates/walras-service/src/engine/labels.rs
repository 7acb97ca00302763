//! What figures are told apart by.

use prometheus_client::encoding::EncodeLabelSet;

/// One label of any name would do; each family has its own, so that nobody mixes them up.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(super) struct StateLabel {
    pub(super) state: String,
}

/// How something ended.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(super) struct OutcomeLabel {
    pub(super) outcome: String,
}

/// The owner whose income a figure is of.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(super) struct OwnerLabel {
    pub(super) owner: String,
}

/// The site that a figure is of.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(super) struct SiteLabel {
    pub(super) site: String,
}

/// What was predicted, where it was a queue's, and what was said of it.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(super) struct PredictedLabel {
    pub(super) of: String,
    pub(super) site: String,
    pub(super) level: String,
}

/// Which request, and how it was answered.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(super) struct RequestLabel {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) status: u16,
}
