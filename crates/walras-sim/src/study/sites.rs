//! Sites by their words (`100`, or `campus:100,cloud:200:1.5:2` with speed and price), by a table, or drawn as in the papers.

use super::prices::PriceList;
use crate::generate::SlotGenerator;
use crate::record::{Site, wholes};
use crate::table::Table;
use crate::trace::BadLine;
use std::collections::BTreeSet;
use std::io::BufRead;
use walras_model::{Decimal, Performance, Rate, Watts};
use walras_random::Purpose;

/// At most so many nodes in all.
const NODES_MAX: u64 = 1_000_000;
/// At most so many sites are drawn.
const DRAWN_MAX: u32 = 1_000;

/// What is wrong with sites.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadSites {
    /// Words that are no site, or no way to draw any.
    #[error("site '{words}': {why}")]
    Words {
        /// The words.
        words: String,
        /// What is wrong with them.
        why: String,
    },
    /// A line of a table that is no site.
    #[error("{0}")]
    Line(BadLine),
    /// A table without any.
    #[error("there is no site")]
    None,
    /// Two of them cannot be told apart.
    #[error("two sites have the same name")]
    SameName,
    /// The kinds of nodes of one site, whose names are the same up to a `/`, do not stand together.
    #[error("the kinds of nodes of site '{0}' must stand one after the other")]
    Apart(String),
    /// All of them together are too large.
    #[error("there may be {NODES_MAX} nodes in all")]
    TooManyNodes,
}

/// Reads sites, divided by commas: a number of nodes, or `NAME:NODES[:SPEED[:PRICE]]`. Speed and price are those of the price
/// list where it knows the name, else 1; the price is in credits a second. `drawn:SITESxNODES` draws speeds and
/// prices from a seed, as the papers draw those of their nodes.
pub fn sites_of(words: &str, prices: &PriceList, seed: u64) -> Result<Vec<Site>, BadSites> {
    let wrong = |words: &str, why: String| BadSites::Words { words: words.to_owned(), why };
    if let Some(drawn) = words.strip_prefix("drawn:") {
        let why = || format!("is not drawn:SITESxNODES, as in drawn:8x16, with at most {DRAWN_MAX} sites");
        return checked(draw(drawn, seed).ok_or_else(|| wrong(words, why()))?);
    }
    let mut sites = Vec::new();
    for (place, part) in words.split(',').enumerate() {
        sites.push(site(part.trim(), place, prices).map_err(|why| wrong(part.trim(), why))?);
    }
    checked(sites)
}

/// Reads sites from a table: `name`, `nodes`, and where they are there `speed`, `price` (credits a second) and `watts` of a
/// node. Speed and price that are not there are those of the price list, else 1.
pub fn read_sites<R: BufRead>(mut table: Table<R>, prices: &PriceList) -> Result<Vec<Site>, BadSites> {
    let mut sites = Vec::new();
    while let Some(row) = table.next_row().map_err(BadSites::Line)? {
        let read = || -> Result<Site, BadLine> {
            let wrong = |why: String| row.wrong(why);
            if row.knows(&["units"]) {
                return Err(row.wrong("units: nodes are simulated whole: leave the column out"));
            }
            let name = row.need(&["name", "site"])?;
            let nodes = row.need(&["nodes"])?;
            let mut site = named(name, nodes, prices).map_err(wrong)?;
            if let Some(speed) = row.text("speed") {
                site.speed = speed_of(speed).map_err(wrong)?;
            }
            if let Some(price) = row.text("price") {
                site.price = price_of(price).map_err(wrong)?;
            }
            if let Some(watts) = row.decimal("watts", 3)? {
                let watts = Watts::from_milliwatts(watts);
                site.watts = Some(watts.ok_or_else(|| row.wrong("watts: must not be negative"))?);
            }
            Ok(site)
        };
        sites.push(read().map_err(BadSites::Line)?);
    }
    if sites.is_empty() { Err(BadSites::None) } else { checked(sites) }
}

fn checked(sites: Vec<Site>) -> Result<Vec<Site>, BadSites> {
    let names: BTreeSet<&str> = sites.iter().map(|site| site.name.as_str()).collect();
    if names.len() < sites.len() {
        return Err(BadSites::SameName);
    }
    let mut seen = BTreeSet::new();
    if let Some(apart) = wholes(&sites).map(|kinds| kinds[0].whole()).find(|whole| !seen.insert(*whole)) {
        return Err(BadSites::Apart(apart.to_owned()));
    }
    if sites.iter().map(|site| u64::from(site.nodes)).sum::<u64>() > NODES_MAX {
        return Err(BadSites::TooManyNodes);
    }
    Ok(sites)
}

/// Speeds and prices by the papers' generator; a credit for their unit of money, a second for their unit of time.
fn draw(words: &str, seed: u64) -> Option<Vec<Site>> {
    let (sites, nodes) = words.split_once('x')?;
    let sites: u32 = sites.parse().ok().filter(|sites| (1..=DRAWN_MAX).contains(sites))?;
    let nodes: u32 = nodes.parse().ok().filter(|nodes| *nodes > 0)?;
    let mut chance = Purpose::Sites.stream(seed, 0);
    let generator = SlotGenerator::default();
    let one = |number: u32| {
        let (speed, price) = generator.draw_node(&mut chance)?;
        Some(Site { speed, price, ..Site::plain(&format!("drawn{number}"), nodes) })
    };
    (1..=sites).map(one).collect()
}

fn site(part: &str, place: usize, prices: &PriceList) -> Result<Site, String> {
    let mut words = part.split(':');
    let first = words.next().unwrap_or_default();
    let (name, nodes) = match words.next() {
        Some(nodes) => (first.to_owned(), nodes),
        None => (format!("site{}", place + 1), first),
    };
    let mut site = named(&name, nodes, prices)?;
    if let Some(speed) = words.next() {
        site.speed = speed_of(speed)?;
    }
    if let Some(price) = words.next() {
        site.price = price_of(price)?;
    }
    match words.next() {
        Some(_) => Err("has more than NAME:NODES:SPEED:PRICE".to_owned()),
        None => Ok(site),
    }
}

/// A site of a name, with speed and price by the list.
fn named(name: &str, nodes: &str, prices: &PriceList) -> Result<Site, String> {
    let nodes: u32 =
        nodes.parse().ok().filter(|nodes| *nodes > 0).ok_or("needs a number of nodes of at least 1")?;
    if name.is_empty() || name.len() > 60 || name.chars().any(char::is_control) {
        return Err("needs a name of 1 to 60 characters".to_owned());
    }
    let plain = Site::plain(name, nodes);
    let (speed, price) =
        (prices.speed(name).unwrap_or(plain.speed), prices.price(name).unwrap_or(plain.price));
    Ok(Site { speed, price, ..plain })
}

fn speed_of(text: &str) -> Result<Performance, String> {
    let read = millionths(text).filter(|speed| *speed > 0).and_then(Performance::from_millionths);
    read.ok_or_else(|| format!("'{text}' is not a speed"))
}

fn price_of(text: &str) -> Result<Rate, String> {
    let read = millionths(text).and_then(Rate::from_micros_per_second);
    read.ok_or_else(|| format!("'{text}' is not a price"))
}

fn millionths(text: &str) -> Option<i64> {
    Decimal::plain(text).ok()?.units(6).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str) -> Result<Vec<Site>, BadSites> {
        sites_of(words, &PriceList::default(), 1)
    }

    fn seen(sites: &[Site]) -> Vec<(&str, u32, i64, i64)> {
        let one = |it: &'_ Site| (it.nodes, it.speed.as_millionths(), it.price.as_micros_per_second());
        sites.iter().map(|it| (it.name.as_str(), one(it).0, one(it).1, one(it).2)).collect()
    }

    #[test]
    fn words_are_sites_or_say_what_is_wrong() {
        let sites = of("slow:100:0.8:0.6, 50,cloud:7").unwrap();
        let seen = seen(&sites);
        let expected = [
            ("slow", 100, 800_000, 600_000),
            ("site2", 50, 1_000_000, 1_000_000),
            ("cloud", 7, 1_000_000, 1_000_000),
        ];
        assert_eq!(seen, expected);
        for wrong in ["", "a:0", "a:b", ":3", "a:3:0", "a:3:x", "a:3:1:-1", "a:3:1:1:1", "a:1,a:2", "2000000"]
        {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_table_and_a_price_list_are_sites_too() {
        let list = "InstanceType,vCPUs,Price,Speed\nm.large,2,0.72,1.25\n";
        let mut prices = PriceList::default();
        prices.read(Table::new(list.as_bytes())).unwrap();
        // 0.72 an hour for two processors is a tenth of a thousandth a second for each: 0.1 credits.
        let sites = sites_of("m.large:8,m.large@eu:2:2,own:1", &prices, 1);
        assert!(sites.is_ok());
        let text = "name,nodes,speed,price,watts\nm.large,8,,,\ncampus,3,0.5,0.25,120.5\n";
        let sites = read_sites(Table::new(text.as_bytes()), &prices).unwrap();
        assert_eq!(seen(&sites), [("m.large", 8, 1_250_000, 100_000), ("campus", 3, 500_000, 250_000)]);
        assert_eq!(sites[1].watts.unwrap().as_milliwatts(), 120_500);
        let error = |text: &str| read_sites(Table::new(text.as_bytes()), &prices).unwrap_err().to_string();
        assert_eq!(error("name,nodes\na,0\n"), "line 2: needs a number of nodes of at least 1");
        assert_eq!(error("name,nodes,price\na,1,x\n"), "line 2: 'x' is not a price");
        assert_eq!(error("name,nodes\n"), "there is no site");
        assert_eq!(
            error("name,nodes,units\na,1,8\n"),
            "line 2: units: nodes are simulated whole: leave the column out"
        );
        assert_eq!(error("name,nodes\na,1\na,2\n"), "two sites have the same name");
    }

    #[test]
    fn drawn_sites_are_those_of_the_papers() {
        let sites = of("drawn:40x16").unwrap();
        assert_eq!((sites.len(), sites[0].nodes, &sites[39].name), (40, 16, &"drawn40".to_owned()));
        for site in &sites {
            let speed = site.speed.as_millionths() as f64 / 1e6;
            assert!((1.0..=3.0).contains(&speed));
            let spread = site.price.as_micros_per_second() as f64 / 1e6 / 1.7_f64.powf(speed);
            assert!((0.749..=1.251).contains(&spread), "{spread}");
        }
        assert_ne!(sites, sites_of("drawn:40x16", &PriceList::default(), 2).unwrap());
        for wrong in ["drawn:", "drawn:0x3", "drawn:3x0", "drawn:3", "drawn:9999x1"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
