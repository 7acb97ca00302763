//! What is for sale and where, and what it was offered for.

use super::job::StrategyView;
use super::likely::LikelyView;
use super::why::{ChangeView, FitView};
use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A quote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuoteView {
    /// Its number.
    pub quote: u64,
    /// The name of the job.
    pub name: String,
    /// How the tasks of a workflow are placed, and who chose that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<StrategyView>,
    /// Until when it binds: until the last of its alternatives can be taken.
    pub until: Stamp,
    /// The alternatives that can still be taken, none at once later and dearer than another, but for the best by the job's own search.
    pub options: Vec<OptionView>,
    /// Why there is none.
    pub reasons: Vec<FitView>,
    /// The smallest change of each kind that would help.
    pub changes: Vec<ChangeView>,
}

/// One of a quote's alternatives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OptionView {
    /// Its number, from 0 on.
    pub option: u32,
    /// When it starts; only expected, in a queue.
    pub start: Stamp,
    /// When it has ended.
    pub finish: Stamp,
    /// What it costs at most, in credits.
    pub price: Num,
    /// Where it runs.
    pub sites: Vec<String>,
    /// How well it suits the user, from 0 to 1.
    pub satisfaction: Num,
    /// By each criterion that the job weighs itself: what the alternative is worth, and how well that suits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionView>,
    /// The job ends in the time that it asks for with this probability, where history says so.
    pub confidence: Option<Num>,
    /// How long the job is likely to run, where there is a history to say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likely: Option<LikelyView>,
    /// Until when it can be taken.
    pub until: Stamp,
    /// Whether its sites hold it until then. What nobody holds may be taken by somebody else first.
    pub held: HeldKind,
    /// What it costs to have it held and not take it, in credits; nothing while it is not held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold_fee: Option<Num>,
    /// Where a job that asks for a little less of its nodes would pay less, in the very same place and time: each of these alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cheaper: Vec<CheaperView>,
}

/// Less of something for less money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheaperView {
    /// By name: how much of it a task would ask for.
    pub resources: BTreeMap<String, Num>,
    /// What the alternative would then cost at most, in credits.
    pub price: Num,
    /// How much less that is, at least.
    pub saves: Num,
    /// The same in words.
    pub text: String,
}

/// What an alternative is worth by one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionView {
    /// Its name.
    pub criterion: String,
    /// How much it counts: a share of all.
    pub weight: Num,
    /// Its value: money in credits, times in seconds, points in time in seconds from when the quote was asked for; none where it says nothing
    /// of it.
    pub value: Option<Num>,
    /// How well that suits, from 0, the worst of the alternatives, to 1, the best; or within the range that the job gives.
    pub satisfaction: Num,
}

/// What somebody took of what they were shown: `choices/1`, as `walras preferences learn` reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChoicesView {
    /// The format and its version: `choices/1`.
    pub walras: String,
    /// What the values are of, in order: cost in credits, and finish in seconds after it was taken.
    pub criteria: Vec<String>,
    /// Quotes with several alternatives of which one was taken, latest last.
    pub choices: Vec<ChoiceView>,
}

/// A choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChoiceView {
    /// The alternatives, with a value for each criterion.
    pub alternatives: Vec<Vec<Num>>,
    /// The place of the one that was taken.
    pub picked: u32,
}

/// Whether an alternative of a quote is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HeldKind {
    /// Nobody holds it.
    No,
    /// Its sites are asked to.
    Asked,
    /// All its sites do.
    Held,
}

impl HeldKind {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            HeldKind::No => "no",
            HeldKind::Asked => "asked",
            HeldKind::Held => "held",
        }
    }
}

/// What became of an accepted quote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptedView {
    /// The job's number; of a chain, that of its first.
    pub job: u64,
    /// The number of its reservation; a chain has none yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<u64>,
    /// All jobs of a chain, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<u64>,
}

/// Free time that is for sale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OfferView {
    /// The name of the site that sells it.
    pub site: String,
    /// On which node; none in a queue.
    pub node: Option<String>,
    /// When it is free from; in a queue, now.
    pub start: Stamp,
    /// Until when; in a queue, when the wait is expected to end.
    pub end: Stamp,
    /// Credits a second.
    pub price: Num,
    /// Speed relative to the reference node.
    pub performance: Num,
}

/// What is for sale, as the sites said last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OffersView {
    /// The offers, by site, node and time.
    pub offers: Vec<OfferView>,
    /// Whether there are more than are listed.
    pub more: bool,
}

/// A site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteView {
    /// Its name.
    pub name: String,
    /// Who earns what it sells.
    pub owner: String,
    /// How it offers its time.
    pub kind: OfferKind,
    /// What is behind it: simulated, local or slurm.
    pub connector: String,
    /// Whether it has failed.
    pub lost: bool,
    /// Whether it leaves: it sells nothing new, and is gone when what it holds has ended.
    #[serde(default)]
    pub leaving: bool,
    /// What is wrong with what manages it, where something is. What runs there goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<TroubleView>,
    /// The factor that follows demand.
    pub demand: Num,
    /// Its nodes.
    pub nodes: Vec<NodeView>,
}

/// What is wrong with a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TroubleView {
    /// When the service first saw this kind of trouble; it has gone on since.
    pub since: Stamp,
    /// What sort of trouble.
    pub kind: TroubleKind,
    /// Why, in the words of whoever knows.
    pub why: String,
}

/// What sort of trouble a site is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TroubleKind {
    /// It does not answer.
    Unreachable,
    /// It does not let the service in.
    Denied,
    /// It says what nobody understands.
    NotUnderstood,
    /// Something of its own is broken.
    Broken,
}

impl TroubleKind {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            TroubleKind::Unreachable => "unreachable",
            TroubleKind::Denied => "denied",
            TroubleKind::NotUnderstood => "not-understood",
            TroubleKind::Broken => "broken",
        }
    }
}

/// How a site offers its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OfferKind {
    /// Free intervals of its nodes, guaranteed.
    Slots,
    /// Processors that are free now.
    Capacity,
    /// Best effort, after an expected wait.
    Queue,
}

impl OfferKind {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            OfferKind::Slots => "slots",
            OfferKind::Capacity => "capacity",
            OfferKind::Queue => "queue",
        }
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeView {
    /// Its name.
    pub name: String,
    /// What the owner's prices may name it by.
    pub class: Option<String>,
    /// Speed relative to the reference node.
    pub performance: Num,
    /// Its base price, in credits a second.
    pub price: Num,
    /// Whether it has failed.
    pub lost: bool,
    /// When nothing new is sold of it.
    pub drained: Vec<DrainedView>,
}

/// A time at which nothing new is sold of a node; what is held stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DrainedView {
    /// Nothing new is sold from this moment on; it may be to come.
    pub from: Stamp,
    /// Until when; until it is resumed, without.
    pub until: Option<Stamp>,
}

/// What reclaiming nodes does to others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReclaimView {
    /// Jobs that lose their window.
    pub stopped: Vec<u64>,
    /// Jobs that go on, on other nodes of their window.
    pub moved: Vec<u64>,
    /// What the owner pays their users, in credits.
    pub compensation: Num,
    /// Whether it was done, and not only asked.
    pub done: bool,
}

/// The sites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SitesView {
    /// In the order in which they joined.
    pub sites: Vec<SiteView>,
}
