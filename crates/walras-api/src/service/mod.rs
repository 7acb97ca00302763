//! The service's API: what requests carry, and what answers look like.

mod assign;
mod digits;
mod directive;
mod draft;
mod environment;
pub mod exact;
mod giving;
mod job;
mod lookalike;
mod meant;
mod moments;
mod network;
mod notify;
mod places;
mod policy;
mod prices;
mod promises;
mod quotes;
mod sbatch;
mod scheme;
mod script;
mod search;
mod setting;
mod sharing;
mod slurm;
mod stamp;
mod submitter;
mod view;
mod waiting;
mod wish;
mod words;

pub use assign::{AssignFile, AssignedView};
pub use directive::{DIRECTIVES, Directive, DirectiveKind, Takes};
pub use draft::{JobDraft, read_object};
pub(crate) use environment::environment;
pub use giving::StrategyRuleFile;
pub use job::{JOB_BYTES_MAX, JOB_TAG, JobFile, check_amounts, read_job};
pub use lookalike::{NameFault, name_fault, unseen};
pub use meant::{Meant, NoneMeant};
pub use network::{LinkFile, NetworkFile};
pub use notify::NotifyFile;
pub use places::Origin;
pub use policy::{MoneyFile, PolicyFile, RankFile};
pub use prices::{BlackoutFile, CrossingName, DemandFile, PricesFile};
pub use promises::{DecideFile, OrderByFile, OrderFile, PromisesFile};
pub use quotes::QuotesFile;
pub use sbatch::LeftOut;
pub use script::{has_directives, read_script};
pub use search::FinishByFile;
pub use sharing::{LimitsFile, SharingFile};
pub use slurm::Flag;
pub use stamp::{NoMoment, NotAMoment, Stamp, moment};
pub use submitter::Submitter;
pub use view::{
    AcceptedView, AccountView, AccountsView, AlternativeView, AppliedChange, AppliedView, ArrayView,
    AwaitedView, BarKind, BillView, BillsView, BoundView, BudgetView, CalibrationView, ChainAfterView,
    ChainJobView, ChainView, ChangeView, CheaperView, ChoiceView, ChoicesView, CodeView, ConditionKind,
    CriterionView, CycleView, DecidedAlternative, DecidedJobView, DecidedOutcome, DecisionView,
    DecisionsView, DisplacedJob, DisplacedView, DraftView, DrainedView, ErrorView, EventKind, EventView,
    ExplanationView, FitView, HappeningView, HeldKind, HistoryView, IncomeLine, IncomeView, JobState,
    JobView, JobsView, LeftOutView, LikelyView, LogLine, LogView, MeView, MismatchKind, MismatchView,
    NodeView, NodeWorthView, OfferKind, OfferView, OffersView, OptionView, OutlookView, PartStage, PartView,
    PastJobView, PastJobsView, PlaceView, PlacedPart, PlacesView, PredictedKind, ProblemView, PromiseView,
    ProofKind, ProofView, PurposeKind, QuoteView, RankView, ReclaimView, RefusalKind, RefusalLine,
    ReplayView, Role, RootView, SampleView, ScarceView, Scope, SessionView, SiteSample, SiteStatus, SiteView,
    SitesView, StatementLine, StatementView, StatusView, StrategyByKind, StrategyView, SubmittedView,
    TimetableBar, TimetableBlock, TimetableRow, TimetableView, TokenMade, TokenView, TokensView,
    TransferView, TrialCycle, TrialFigures, TrialView, TroubleKind, TroubleView, UnassignedKind, UnfitView,
    UnsoldSite, UnsoldStep, UnsoldView, UsedView, UserLine, UserView, UsersView, VoView, WaitsView, WhyKind,
    WhyView, WorthView, WriterRole,
};
pub use waiting::NeverMetFile;
pub use wish::{AggregationKind, WishFile, WishView};
pub use words::BatchWords;
