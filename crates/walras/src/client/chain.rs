//! A quote for a whole chain: several files, each after the one before it.

use super::http::{Client, fresh_key};
use super::say::say;
use super::show::{table, time, told};
use super::submit::QuoteArgs;
use super::written::{Finished, Written};
use crate::failure::Failure;
use serde_json::{Value, json};
use walras_api::service::ChainView;

/// Asks for one quote for all files.
pub(super) fn quote(args: &QuoteArgs, client: &Client) -> Result<(), Failure> {
    if args.hold.is_some() {
        return Err(Failure::input("--hold is for one job: give one file"));
    }
    if !args.arguments.is_empty() {
        return Err(Failure::input("arguments after -- are for one job: give one file"));
    }
    let mut read: Vec<Finished> = Vec::with_capacity(args.files.len());
    for file in &args.files {
        read.push(Written::of_file(file, &[])?.finished(&[], &args.reading, Some(client))?);
    }
    let member = |(place, one): (usize, &Finished)| {
        let before = place.checked_sub(1);
        let after: Vec<Value> =
            before.map(|before| json!({"job": before, "condition": args.on})).into_iter().collect();
        json!({"job": one.job, "after": after})
    };
    let jobs: Vec<Value> = read.iter().enumerate().map(member).collect();
    let key = args.key.clone().map_or_else(fresh_key, Ok)?;
    let answer = client.post_once("/v1/chains", &json!({"jobs": jobs}), &key);
    let answer = answer.map_err(|failure| placed(failure, &read))?;
    say(&args.connect, &answer, chain_text)?;
    // A chain that does not fit is an answer, not what was hoped for.
    match answer.view::<ChainView>()?.quote {
        Some(_) => Ok(()),
        None => Err(Failure::Refuted),
    }
}

/// What the service says of one job of the chain, with the place in its file that it is about.
fn placed(failure: Failure, read: &[Finished]) -> Failure {
    let Failure::Input(text) = failure else { return failure };
    let member = || {
        let (place, rest) = text.strip_prefix("jobs[")?.split_once("]: ")?;
        Some((read.get(place.parse::<usize>().ok()?)?, rest))
    };
    match member() {
        Some((one, rest)) => one.placed(Failure::Input(rest.to_owned())),
        None => Failure::Input(text),
    }
}

fn chain_text(chain: &ChainView) -> String {
    let mut text = String::new();
    if let (Some(quote), Some(price), Some(start), Some(finish), Some(until)) =
        (chain.quote, &chain.price, chain.start, chain.finish, chain.until)
    {
        text.push_str(&format!(
            "quote {quote}: {} jobs, from {} to {} at the latest, {} at most\n",
            chain.jobs.len(),
            time(start),
            time(finish),
            price.credits()
        ));
        let rows = chain.jobs.iter().map(|job| {
            let after: Vec<String> =
                job.after.iter().map(|it| format!("{}:{}", u64::from(it.job) + 1, it.condition)).collect();
            [
                told(&job.name),
                if after.is_empty() { "-".to_owned() } else { after.join(",") },
                time(job.start),
                time(job.start_by),
                time(job.finish_by),
                job.price.to_string(),
                job.sites.join(","),
            ]
        });
        let rows: Vec<[String; 7]> = rows.collect();
        text.push_str(&table(["job", "after", "start", "start by", "finish by", ">price", "sites"], &rows));
        text.push_str(&format!("to be accepted until {}: walras accept {quote}\n", time(until)));
    }
    if let Some(unfit) = &chain.unfit {
        let from = unfit.from.map_or_else(String::new, |from| format!(" from {} on", time(from)));
        let (place, name) = (u64::from(unfit.job) + 1, told(&unfit.name));
        text.push_str(&format!("no quote: job {place} of the chain, {name}, finds no window{from}\n"));
        for reason in &unfit.reasons {
            text.push_str(&format!("{}\n", told(&reason.text)));
        }
        for change in &unfit.changes {
            text.push_str(&format!("would help: {}\n", told(&change.text)));
        }
    }
    text
}
