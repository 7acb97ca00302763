//! A job is kept once in an entry of the journal, however many of its events have it.

use crate::vo::{MINUTE, Vo, at, span};
use walras_broker::job::JobSpec;
use walras_broker::journal::Entry;
use walras_broker::{Event, Input};

/// So long is the script, about.
const KILOBYTES: usize = 10;
/// Everything else in an entry takes less.
const REST: usize = 4_000;

fn with_script(vo: &Vo) -> JobSpec {
    let line = "echo \"one hundred characters of a script, as people write them, with words and with $NUMBERS\" >> out\n";
    let script = Some(format!("#!/bin/sh\n{}", line.repeat(KILOBYTES * 1_024 / line.len())));
    JobSpec { script, ..vo.job("scripted", 1, 10) }
}

fn entry(vo: &Vo, input: Input) -> Entry {
    let events: Vec<Event> = vo.broker.decide(at(vo.now), &input).unwrap().events;
    Entry { at: at(vo.now), input, events }
}

fn times(text: &str) -> usize {
    text.matches("#!/bin/sh").count()
}

#[test]
fn a_script_is_kept_once() {
    let mut vo = Vo::new(&[(2, 1_000), (2, 9_000)]);
    vo.say(Input::CycleNow);
    let job = || Box::new(with_script(&vo));
    let quote = |hold| Input::AskQuote { key: "q".to_owned(), job: job(), findings: None, hold };
    let submit = Input::Submit { key: "j".to_owned(), job: job() };
    let held = Some(span(5 * MINUTE));
    for (what, input, before) in
        [("job", submit, 2), ("quote", quote(None), 2), ("held quote", quote(held), 3)]
    {
        let entry = entry(&vo, input);
        let whole = serde_json::to_string(&entry).unwrap();
        let short = serde_json::to_string(&entry.short()).unwrap();
        println!("{what}: {} bytes in short, {} as a whole", short.len(), whole.len());
        assert!(times(&whole) >= before, "{what}: {}", times(&whole));
        assert_eq!(times(&short), 1, "{what}");
        let once = serde_json::to_string(&with_script(&vo)).unwrap().len();
        assert!(short.len() < once + REST && whole.len() > 2 * once, "{what}: {} {once}", short.len());
        for written in [&whole, &short] {
            let read: Entry = serde_json::from_str(written).unwrap();
            assert_eq!(read, entry, "{what}");
            assert_eq!(serde_json::to_string(&read).unwrap(), whole, "{what}");
            assert_eq!(serde_json::to_string(&read.short()).unwrap(), short, "{what}");
        }
    }
}

/// What a broker has made of a job is kept beside what was submitted, and nothing else is taken for it.
#[test]
fn another_job_than_the_one_that_was_sent_is_kept_whole() {
    let vo = Vo::new(&[(2, 1_000)]);
    let mut entry = entry(&vo, Input::Submit { key: "j".to_owned(), job: Box::new(with_script(&vo)) });
    let Input::Submit { job, .. } = &mut entry.input else { panic!("a job was sent") };
    job.request.priority = 7;
    let short = serde_json::to_string(&entry.short()).unwrap();
    assert_eq!((times(&short), serde_json::from_str::<Entry>(&short).unwrap()), (2, entry));
}

#[test]
fn an_event_without_its_job_is_damage() {
    let vo = Vo::new(&[(2, 1_000)]);
    let entry = entry(&vo, Input::Submit { key: "j".to_owned(), job: Box::new(with_script(&vo)) });
    let mut short = serde_json::to_value(entry.short()).unwrap();
    short["input"] = serde_json::to_value(Input::Tick).unwrap();
    let wrong = serde_json::from_value::<Entry>(short).unwrap_err().to_string();
    assert!(wrong.contains("an event is without its job"), "{wrong}");
}
