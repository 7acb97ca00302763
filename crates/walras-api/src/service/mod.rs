//! The service's API: what requests carry, and what answers look like.

mod job;
mod stamp;
mod view;

pub use job::{JOB_BYTES_MAX, JOB_TAG, JobFile, moment, read_job};
pub use stamp::Stamp;
pub use view::{
    AcceptedView, AccountView, AccountsView, BarKind, BudgetView, ChangeView, CycleView, ErrorView,
    EventView, ExplanationView, HappeningView, JobState, JobView, JobsView, MeView, NodeView, OfferView,
    OffersView, OptionView, PartView, QuoteView, RankView, Role, SiteView, SitesView, StatementLine,
    StatementView, StatusView, SubmittedView, TimetableBar, TimetableRow, TimetableView, TokenMade,
    TokenView, TokensView, UserView, UsersView,
};
