//! Searches for one job, on a thread that may take its time.

use super::App;
use super::fault::Fault;
use crate::turns::Turn;
use walras_broker::quote::Findings;
use walras_broker::quoting::Inquiry;

/// Searches in what was copied, for as long as it has a turn.
pub(super) async fn searched(app: &App, turn: Turn, inquiry: Inquiry) -> Result<Findings, Fault> {
    let found = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        inquiry.search()
    });
    found.await.map_err(|error| app.broken(&error))
}
