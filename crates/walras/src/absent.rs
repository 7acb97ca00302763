//! The commands whose code this program was built without: they are there, and say so.

use crate::failure::Failure;
use std::ffi::OsString;

pub(crate) const NO_SIMULATOR: &str =
    "this needs the simulator, which this program was built without: build it with `make build`";

/// Whatever the command would have been given.
#[derive(clap::Args)]
#[command(after_help = NO_SIMULATOR)]
pub(crate) struct Args {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<OsString>,
}

pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    Err(Failure::input(NO_SIMULATOR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Call {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn whatever_is_asked_for_the_answer_is_what_to_build() {
        let calls: [&[&str]; 4] = [
            &["simulate", "some.swf", "--policy", "easy"],
            &["simulate", "--synthetic=30", "--", "-x"],
            &["reproduce"],
            &["predict", "evaluate", "some.swf", "--json"],
        ];
        for call in calls {
            let Call { args } = Call::try_parse_from(call).unwrap();
            let Err(Failure::Input(problem)) = run(&args) else { panic!("{call:?} was done") };
            assert!(problem.contains("`make build`"), "{problem}");
        }
    }
}
