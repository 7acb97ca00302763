//! Where a study comes from, in words: what was asked for, by the names of options.

use super::Args;
use super::words::Failing;
use std::collections::BTreeMap;
use walras_model::{Multiplier, Share, Span};

/// The options of a call that its results follow from, and what they say.
pub(super) fn words(args: &Args) -> BTreeMap<String, String> {
    let range = |(low, high): (Multiplier, Multiplier)| format!("{}-{}", factor(low), factor(high));
    let paths = |paths: &[std::path::PathBuf]| {
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        (!paths.is_empty()).then(|| paths.join(" "))
    };
    let given = [
        ("trace", paths(&args.traces)),
        ("workflow", paths(&args.workflows)),
        (
            "arrivals",
            args.arrivals.map(|it| {
                let count = it.count.map(|count| format!(":{count}")).unwrap_or_default();
                format!("poisson:{}{count}", seconds(it.mean))
            }),
        ),
        ("from", args.from.as_ref().map(|path| path.display().to_string())),
        ("synthetic", args.synthetic.map(|count| count.to_string())),
        ("sites", args.sites.clone()),
        ("prices", paths(&args.prices)),
        ("skip", (args.skip > 0).then(|| args.skip.to_string())),
        ("take", args.take.map(|take| take.to_string())),
        ("load", args.load.map(|load| factor(load).to_string())),
        ("budgets", args.budgets.map(range)),
        ("deadlines", args.deadlines.map(range)),
        ("failures", args.failures.as_ref().map(failures)),
        ("owners", args.owners.map(|(share, mean)| format!("{},{}", percent(share), hours(mean)))),
        ("latency", args.latency.map(|it| seconds(it).to_string())),
        ("patience", args.patience.map(|it| seconds(it).to_string())),
        ("across-sites", args.across_sites.then(|| "true".to_owned())),
        ("quotes", (args.quotes > Share::NOTHING).then(|| percent(args.quotes).to_string())),
        ("demand", args.demand.map(|it| range((it.min, it.max)))),
        ("prefers", {
            let words: Vec<&str> = args.prefers.iter().map(|wanted| wanted.words.as_str()).collect();
            (!words.is_empty()).then(|| words.join(" "))
        }),
        ("audit", args.audit.then(|| "true".to_owned())),
    ];
    given.into_iter().filter_map(|(option, value)| Some((option.to_owned(), value?))).collect()
}

fn failures(failing: &Failing) -> String {
    match failing {
        Failing::Drawn(between, repair) => format!("{},{}", hours(*between), hours(*repair)),
        Failing::File(path) => path.display().to_string(),
    }
}

fn factor(factor: Multiplier) -> f64 {
    factor.as_millionths() as f64 / 1e6
}

fn percent(share: Share) -> f64 {
    share.as_millionths() as f64 / 1e4
}

fn seconds(span: Span) -> f64 {
    span.as_millis() as f64 / 1e3
}

fn hours(span: Span) -> f64 {
    seconds(span) / 3_600.0
}
