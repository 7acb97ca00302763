//! What the service says: the shapes of its answers, for servers and clients alike.
//!
//! Money is in credits, spans are in seconds, both as exact decimals; points in time are RFC 3339 in UTC. The comments of
//! these types are the descriptions in the OpenAPI document.

mod again;
mod chain;
mod job;
mod likely;
mod market;
mod money;
mod page;
mod past;
mod people;
mod places;
mod report;
mod stage;
mod system;
mod used;
mod why;
mod worth;

pub use again::{DisplacedJob, DisplacedView, ReplayView, TrialCycle, TrialFigures, TrialView};
pub use chain::{ChainAfterView, ChainJobView, ChainView, UnfitView};
pub use job::{
    ArrayView, ExplanationView, HappeningView, JobState, JobView, JobsView, OutlookView, PartView,
    PromiseView, RankView, StrategyByKind, StrategyView, SubmittedView,
};
pub use likely::{CalibrationView, LikelyView, PredictedKind};
pub use market::{
    AcceptedView, CheaperView, ChoiceView, ChoicesView, CriterionView, DrainedView, HeldKind, NodeView,
    OfferKind, OfferView, OffersView, OptionView, QuoteView, ReclaimView, SiteView, SitesView, TroubleKind,
    TroubleView,
};
pub use money::{
    AccountView, AccountsView, BillView, BillsView, BudgetView, PurposeKind, StatementLine, StatementView,
};
pub use page::{
    CodeView, DecidedAlternative, DecidedJobView, DecidedOutcome, DecisionView, DecisionsView, DraftView,
    HistoryView, LeftOutView, ProblemView, RootView, SampleView, SessionView, SiteSample,
};
pub use past::{PastJobView, PastJobsView};
pub use people::{
    AppliedChange, AppliedView, LogLine, LogView, MeView, Role, Scope, TokenMade, TokenView, TokensView,
    UserView, UsersView, WriterRole,
};
pub use places::{
    AlternativeView, PlaceView, PlacedPart, PlacesView, TransferView, UnsoldSite, UnsoldStep, UnsoldView,
};
pub use report::{IncomeLine, IncomeView, RefusalLine, UserLine, VoView, WaitsView};
pub use stage::PartStage;
pub use system::{
    BarKind, BoundView, CycleView, ErrorView, EventKind, EventView, ProofKind, ProofView, SiteStatus,
    StatusView, TimetableBar, TimetableBlock, TimetableRow, TimetableView,
};
pub use used::UsedView;
pub use why::{
    AwaitedView, ChangeView, ConditionKind, FitView, MismatchKind, MismatchView, RefusalKind, UnassignedKind,
    WhyKind, WhyView,
};
pub use worth::{NodeWorthView, ScarceView, WorthView};
