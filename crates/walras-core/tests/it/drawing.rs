//! Drawings of instances: one line per node, one character per second.
//!
//! ```text
//! n1 price=2 |..####..|          # free where it shows '#', the owner's where it shows '.'
//! job J nodes=2 length=2 budget=20
//! ```

use std::fmt::Write;
use walras_core::*;
use walras_model::*;

/// What a drawing shows.
pub struct Drawing {
    pub offers: Offers,
    pub batch: Batch,
}

fn seconds(number: i64) -> Time {
    Time::from_millis(number * 1_000).unwrap()
}

fn millionths(text: &str) -> i64 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{part:0<6}").parse().unwrap()
}

/// Reads a drawing; it panics on one that cannot be read.
pub fn read(text: &str) -> Drawing {
    let lines =
        text.lines().map(|line| line.split("  #").next().unwrap().trim()).filter(|line| !line.is_empty());
    let (jobs, nodes): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("job "));
    let width = nodes.iter().map(|line| line.split('|').nth(1).unwrap().len()).max().unwrap();
    let horizon = Interval::new(seconds(0), seconds(i64::try_from(width).unwrap())).unwrap();
    let (mut sites, mut list, mut slots) = (Vec::<Site>::new(), Vec::new(), Vec::new());
    for (index, line) in nodes.iter().enumerate() {
        let (head, picture) = line.split_once('|').unwrap();
        let id = NodeId::from_index(index).unwrap();
        let (node, rate) = read_node(head, &mut sites);
        slots.extend(walras_model::offer::slots_of_node(id, rate, &free_parts(picture)).unwrap());
        list.push(node);
    }
    let offers = Offers::new(horizon, sites, list, slots).unwrap();
    let requests = jobs.iter().map(|line| read_job(line, &offers)).collect();
    Drawing { batch: Batch::new(requests), offers }
}

fn read_node(head: &str, sites: &mut Vec<Site>) -> (Node, Rate) {
    let mut words = head.split_whitespace();
    let name = words.next().unwrap().to_owned();
    let (mut performance, mut rate, mut site) = (1_000_000, 1_000_000, "site".to_owned());
    let (mut watts, mut attributes) = (None, Attributes::new());
    for (key, value) in words.map(|word| word.split_once('=').unwrap()) {
        match key {
            "price" => rate = millionths(value),
            "perf" => performance = millionths(value),
            "site" => site = value.to_owned(),
            "watts" => watts = Watts::from_milliwatts(millionths(value) / 1_000),
            _ => drop(attributes.insert(key.to_owned(), attribute(value))),
        }
    }
    let known = sites.iter().position(|known| known.name == site).unwrap_or_else(|| {
        sites.push(Site { name: site });
        sites.len() - 1
    });
    let performance = Performance::from_millionths(performance).unwrap();
    let node = Node {
        division: Default::default(),
        name,
        site: SiteId::from_index(known).unwrap(),
        performance,
        watts,
        attributes,
    };
    (node, Rate::from_micros_per_second(rate).unwrap())
}

fn attribute(value: &str) -> Value {
    match value.parse::<f64>() {
        Ok(_) => Value::Number(Fixed::from_millionths(millionths(value))),
        Err(_) => Value::Text(value.to_owned()),
    }
}

fn free_parts(picture: &str) -> Vec<Interval> {
    let free = picture.char_indices().filter(|(_, mark)| *mark == '#');
    free.map(|(at, _)| i64::try_from(at).unwrap())
        .map(|at| Interval::new(seconds(at), seconds(at + 1)).unwrap())
        .collect()
}

fn read_job(line: &str, offers: &Offers) -> Request {
    let mut words = line.split_whitespace().skip(1);
    let mut request = Request::new(words.next().unwrap(), 1, Work::from_millis(1_000).unwrap());
    for word in words {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        match key {
            "nodes" => request.tasks = value.parse().unwrap(),
            "length" => request.work = Work::from_millis(millionths(value) / 1_000).unwrap(),
            "price_max" => request.price_max = Rate::from_micros_per_second(millionths(value)),
            "budget" => request.budget = Some(Money::from_micros(millionths(value))),
            "perf" => request.performance_min = Performance::from_millionths(millionths(value)).unwrap(),
            "deadline" => request.deadline = Some(seconds(value.parse().unwrap())),
            "earliest" => request.earliest = Some(seconds(value.parse().unwrap())),
            "priority" => request.priority = value.parse().unwrap(),
            "same_site" => request.scope.same_site = true,
            "sites" => {
                let named = |name| offers.sites().iter().position(|site| site.name == name).unwrap();
                let ids = value.split(',').map(|name| SiteId::from_index(named(name)).unwrap());
                request.scope.sites = Some(ids.collect());
            }
            _ => request.requires.push(Requirement { attribute: key.to_owned(), test: test(value) }),
        }
    }
    request
}

fn test(value: &str) -> Test {
    let number = |text| Some(Fixed::from_millionths(millionths(text)));
    match (value.strip_prefix('>'), value.strip_prefix('<')) {
        (Some(min), _) => Test::Range { min: number(min), max: None },
        (_, Some(max)) => Test::Range { min: None, max: number(max) },
        _ if value.contains(',') => Test::OneOf(value.split(',').map(attribute).collect()),
        _ => Test::Equals(attribute(value)),
    }
}

/// What a search finds, as text: one line per window, then one per job without.
pub fn describe(drawing: &Drawing, config: &SearchConfig) -> String {
    let Drawing { offers, batch } = drawing;
    let alternatives = find_alternatives(offers, batch, config);
    let mut text = String::new();
    for found in &alternatives.found {
        let window = &found.window;
        let names: Vec<&str> =
            window.placements().iter().map(|placement| offers.node(placement.node).name.as_str()).collect();
        let (job, start, end) = (&batch.request(found.job).name, window.start(), window.end());
        writeln!(text, "{job} [{start},{end}] {} cost={}", names.join(","), window.cost()).unwrap();
    }
    for unscheduled in &alternatives.unscheduled {
        let job = &batch.request(unscheduled.job).name;
        let Explanation { reasons, smallest_change } = &unscheduled.explanation;
        writeln!(text, "{job} nowhere: {reasons:?}").unwrap();
        let SmallestChange { budget, price_max, deadline, tasks, performance_min, resources } =
            smallest_change;
        let mut say = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                writeln!(text, "  with {name}={value}").unwrap();
            }
        };
        say("budget", budget.map(|value| value.to_string()));
        say("price_max", price_max.map(|value| value.to_string()));
        say("deadline", deadline.map(|value| value.to_string()));
        say("nodes", tasks.map(|value| value.to_string()));
        say("perf", performance_min.map(|value| value.to_string()));
        resources.iter().for_each(|(name, amount)| say(name, Some(amount.to_string())));
    }
    text
}
