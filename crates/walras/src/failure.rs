//! How a command can fail, and what the shell is told.

use std::fmt::Display;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use walras_api::service::JobState;

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input or the call is wrong; the text says what, where, and what would be right.
    Input(String),
    /// A plan was checked and does not hold; what is wrong has been printed.
    Refuted,
    /// Some job has no place, or a workflow no schedule; which and why has been printed.
    NotAll,
    /// A job that was waited for has ended so; which has been printed.
    Ended(JobState),
    /// What was asked for did not come about: a job failed, a quote was not honoured, there is no such thing.
    Refused(String),
    /// The service does not allow it.
    Forbidden(String),
    /// The service cannot be reached, or cannot answer now.
    Unreachable(String),
    /// Walras itself went wrong.
    Fault(String),
    /// Walras itself went wrong where nobody expected it; what happened has been printed.
    Panicked,
    /// Whoever read the output has gone; nobody is left to be told.
    ReaderGone,
}

/// Says on standard error what went wrong and was made good: what is printed holds.
pub(crate) fn warn(problem: &str) {
    eprintln!("walras: warning: {problem} Please report this together with the input.");
}

impl Failure {
    /// Wrong input.
    pub(crate) fn input(problem: impl Display) -> Failure {
        Failure::Input(problem.to_string())
    }

    /// A fault of Walras.
    pub(crate) fn fault(problem: impl Display) -> Failure {
        Failure::Fault(problem.to_string())
    }

    /// Prints what there is to say and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Failure::Input(problem) => {
                eprintln!("walras: {problem}");
                ExitCode::from(2)
            }
            Failure::Refuted | Failure::NotAll => ExitCode::from(1),
            Failure::Ended(JobState::Cancelled) => ExitCode::from(5),
            Failure::Ended(JobState::GivenUp) => ExitCode::from(6),
            Failure::Ended(_) => ExitCode::from(1),
            Failure::Refused(problem) => {
                eprintln!("walras: {problem}");
                ExitCode::from(1)
            }
            Failure::Forbidden(problem) => {
                eprintln!("walras: {problem}");
                ExitCode::from(3)
            }
            Failure::Unreachable(problem) => {
                eprintln!("walras: {problem}");
                ExitCode::from(4)
            }
            Failure::Fault(problem) => {
                eprintln!("walras: internal fault: {problem}");
                eprintln!("walras: nothing was written; please report this together with the input");
                ExitCode::from(70)
            }
            Failure::Panicked => ExitCode::from(70),
            Failure::ReaderGone => ExitCode::SUCCESS,
        }
    }
}

/// From now on a panic is told in two lines that ask for a report; with `RUST_BACKTRACE` set also as usual.
pub(crate) fn tell_panics_briefly() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload_as_str().unwrap_or("no reason was given");
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        // Whoever read it may have gone; there is nobody else to tell.
        let _ = writeln!(
            std::io::stderr(),
            "walras: internal fault: {text} ({place})\nwalras: please report this together with the input"
        );
        if std::env::var_os("RUST_BACKTRACE").is_some() {
            usual(panic);
        }
    }));
}

/// Does something; a panic is a fault of Walras like others, and not the end of the process at any code.
pub(crate) fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Failure::Panicked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_fault() {
        let failure = guarded(|| panic!("a mistake of the program, made on purpose")).unwrap_err();
        assert!(matches!(failure, Failure::Panicked), "{failure:?}");
        let code = |code: ExitCode| format!("{code:?}");
        assert_eq!(code(failure.report()), code(ExitCode::from(70)));
        assert!(guarded(|| Ok(())).is_ok());
        assert_eq!(code(Failure::NotAll.report()), code(ExitCode::from(1)));
    }
}
