//! Solves multiple-choice knapsacks with several limits from files in the usual text format: classes and limits,
//! the limits, then for every class the number of its items and a row `value weight…` each; the value is maximised.
//!
//! `cargo run --release -p walras-core --example mmkp -- [WORK] FILE…`, with at most so much work for each file, counted
//! in branches and candidates priced.

use walras_core::choose::knapsack::{Candidate, Knapsack, Solved};
use walras_core::choose::several;

/// The work where no number is given.
const WORK: u64 = 20_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let given = arguments.peek().and_then(|word| word.parse().ok());
    let work = given.unwrap_or(WORK);
    for path in arguments.skip(usize::from(given.is_some())) {
        let problem =
            read(&std::fs::read_to_string(&path)?).ok_or_else(|| format!("{path}: not such a file"))?;
        let solved = several::solve(&problem, work);
        let text = match solved {
            Solved::Found(solution) => {
                let sound = problem.keeps_limits(&solution.chosen)
                    && problem.value(&solution.chosen) == solution.value;
                format!("value {} bound {} verified {sound}", -solution.value, -solution.bound)
            }
            other => format!("{other:?}"),
        };
        #[expect(clippy::print_stdout, reason = "an example's output")]
        {
            println!("{path}: {text}");
        }
    }
    Ok(())
}

fn read(text: &str) -> Option<Knapsack> {
    let mut numbers = text.split_whitespace().map(|word| word.parse::<f64>().ok());
    let mut next = || -> Option<i128> {
        let number = numbers.next()??;
        #[expect(clippy::cast_possible_truncation, reason = "files hold whole numbers, some written as 12.0")]
        let whole = number.round() as i64;
        Some(i128::from(whole))
    };
    let (classes, limits) = (next()?, next()?);
    let limits: Vec<i128> = (0..limits).map(|_| next()).collect::<Option<_>>()?;
    let mut all = Vec::new();
    for _ in 0..classes {
        let items = next()?;
        let mut class = Vec::new();
        for _ in 0..items {
            let value = -next()?;
            class.push(Candidate { value, takes: limits.iter().map(|_| next()).collect::<Option<_>>()? });
        }
        all.push(class);
    }
    Some(Knapsack { classes: all, limits })
}
