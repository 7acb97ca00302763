//! How a command can fail, and what the shell is told.

use std::fmt::Display;
use std::process::ExitCode;

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input or the call is wrong; the text says what, where, and what would be right.
    Input(String),
    /// A plan was checked and does not hold; what is wrong has been printed.
    Refuted,
    /// What was asked for did not come about: a job failed, a quote was not honoured, there is no such thing.
    Refused(String),
    /// The service does not allow it.
    Forbidden(String),
    /// The service cannot be reached, or cannot answer now.
    Unreachable(String),
    /// Walras itself went wrong.
    Fault(String),
    /// Whoever read the output has gone; nobody is left to be told.
    ReaderGone,
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
            Failure::Refuted => ExitCode::from(1),
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
            Failure::ReaderGone => ExitCode::SUCCESS,
        }
    }
}
