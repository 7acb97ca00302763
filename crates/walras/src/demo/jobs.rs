//! What is submitted at the start of the demo: one of every kind.

use super::home::DemoHome;
use super::people::People;
use crate::client::http::{Client, fresh_key, with_query};
use crate::client::written::finished;
use crate::failure::Failure;
use serde_json::{Value, json};
use std::time::Duration;
use walras_api::service::{AcceptedView, JobView, OffersView, QuoteView, SitesView, SubmittedView};

/// The samples that are submitted as they are, and by whom.
const SAMPLES: [(&str, &str); 13] = [
    ("single.yaml", "ada"),
    ("parallel.yaml", "ada"),
    ("bag.yaml", "ben"),
    ("bag.yaml", "ben"),
    ("bag.yaml", "ben"),
    ("bag.yaml", "ben"),
    ("bag.yaml", "ben"),
    ("bag.yaml", "ben"),
    ("gpu.yaml", "cleo"),
    ("workflow.yaml", "cleo"),
    (LOCAL, "ada"),
    ("report.sh", "ada"),
    (IMPOSSIBLE, "ada"),
];
const LOCAL: &str = "hello.yaml";
const IMPOSSIBLE: &str = "impossible.yaml";
const QUOTED: (&str, &str) = ("quoted.yaml", "cleo");
/// How long offers are waited for before the first quote.
const OFFERS_WITHIN: Duration = Duration::from_secs(10);

/// What has been submitted.
pub(super) struct Samples {
    pub(super) url: String,
    /// All that should end.
    pub(super) jobs: Vec<u64>,
    /// The one that cannot fit.
    pub(super) impossible: u64,
    /// The one that runs here.
    pub(super) local: u64,
    /// What became of the quote.
    pub(super) quote: String,
}

fn job_of(home: &DemoHome, name: &str, client: &Client) -> Result<Value, Failure> {
    finished(&home.job(name), client)
}

fn submit(home: &DemoHome, people: &People, name: &str, user: &str) -> Result<u64, Failure> {
    let client = people.user(user)?;
    let job = job_of(home, name, client)?;
    Ok(client.post_once("/v1/jobs", &job, &fresh_key()?)?.view::<SubmittedView>()?.job)
}

/// Submits one of every kind.
pub(super) fn submit_samples(
    home: &DemoHome,
    people: &People,
    over: &impl Fn() -> bool,
) -> Result<Samples, Failure> {
    let mut samples = Samples {
        url: people.url.clone(),
        jobs: Vec::new(),
        impossible: 0,
        local: 0,
        quote: "no quote was accepted".to_owned(),
    };
    quote(home, people, &mut samples, over)?;
    for (name, user) in SAMPLES {
        let job = submit(home, people, name, user)?;
        match name {
            IMPOSSIBLE => samples.impossible = job,
            LOCAL => samples.local = job,
            _ => {}
        }
        if name != IMPOSSIBLE {
            samples.jobs.push(job);
        }
    }
    Ok(samples)
}

/// Whether every site has said what is free.
fn all_offer(client: &Client) -> Result<bool, Failure> {
    for site in client.get("/v1/sites")?.view::<SitesView>()?.sites {
        let query = [("site", Some(site.name)), ("limit", Some("1".to_owned()))];
        if client.get(&with_query("/v1/offers", &query))?.view::<OffersView>()?.offers.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Asks for a quote and takes the cheapest option; sites should have said what is free before.
fn quote(
    home: &DemoHome,
    people: &People,
    samples: &mut Samples,
    over: &impl Fn() -> bool,
) -> Result<(), Failure> {
    let (name, user) = QUOTED;
    let client = people.user(user)?;
    let pause = Duration::from_millis(100);
    let mut waited = Duration::ZERO;
    while !all_offer(client)? {
        if over() {
            return Ok(());
        }
        if waited >= OFFERS_WITHIN {
            break;
        }
        std::thread::sleep(pause);
        waited += pause;
    }
    let job = job_of(home, name, client)?;
    let quote: QuoteView = client.post_once("/v1/quotes", &job, &fresh_key()?)?.view()?;
    let Some(cheapest) = quote.options.iter().min_by_key(|option| option.price.millionths()) else {
        return Ok(());
    };
    let path = format!("/v1/quotes/{}/accept", quote.quote);
    let taken = client.post_once(&path, &json!({"option": cheapest.option}), &fresh_key()?);
    match taken.and_then(|answer| answer.view::<AcceptedView>()) {
        Ok(AcceptedView { job, .. }) => {
            samples.jobs.push(job);
            samples.quote = format!(
                "quote {} had {} options; {user} took the cheapest, {} credits: job {job}",
                quote.quote,
                quote.options.len(),
                cheapest.price
            );
            Ok(())
        }
        // An owner may have taken the nodes meanwhile: that is an answer too.
        Err(Failure::Refused(why)) => {
            samples.quote = format!("quote {} was not honoured: {why}", quote.quote);
            Ok(())
        }
        Err(failure) => Err(failure),
    }
}

/// Whether all samples that should end have.
pub(super) fn have_ended(people: &People, samples: &Samples) -> Result<bool, Failure> {
    for job in &samples.jobs {
        let view: JobView = people.administrator.get(&format!("/v1/jobs/{job}"))?.view()?;
        if !view.state.is_over() {
            return Ok(false);
        }
    }
    Ok(true)
}
