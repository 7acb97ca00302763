//! Price lists of providers: what a type of instance costs and how fast it is.
//!
//! **Problem.** A simulation with invented prices tells about the inventor. Providers publish lists with a row for every type and
//! region, in money an hour for a whole instance; a job asks for processors, and a site here has nodes of one processor.
//!
//! **Method.** Columns are found by name: the type is `InstanceType`, `type` or `name`; `vCPUs`, `cores` or `cpus` say how many processors
//! it has (one, without); `Price` or `price_per_hour` is what it costs an hour; `Speed` or `performance` is how fast one of its processors is, where 1 is
//! the processor for which the jobs' run times hold; `Region` tells rows of a type apart. A node costs its share of the instance.
//! A rate is a whole number of micro-credits a second, which is coarse for a cent an hour, so a unit of the list's money
//! is a thousand credits.
//!
//! `TYPE` is the cheapest row of that type, `TYPE@REGION` the cheapest of that region. Rows without a type or a
//! price, or of nothing, are passed over. Several lists may be read one after the other: what a later one says of a type holds, so speeds may
//! come from a list of their own.
//!
//! ```
//! use walras_sim::study::PriceList;
//! use walras_sim::table::Table;
//! let mut list = PriceList::default();
//! let text = "InstanceType,vCPUs,Price,Region\nc5.large,2,0.0720,eu\nc5.large,2,0.0864,us\n";
//! list.read(Table::new(text.as_bytes())).unwrap();
//! list.read(Table::new("type,speed\nc5.large,1.3\n".as_bytes())).unwrap();
//! // 0.036 an hour and processor: ten micro-units a second.
//! assert_eq!(list.price("c5.large").unwrap().as_micros_per_second(), 10_000);
//! assert_eq!(list.price("c5.large@us").unwrap().as_micros_per_second(), 12_000);
//! assert_eq!(list.speed("c5.large@us").unwrap().as_millionths(), 1_300_000);
//! assert_eq!(list.price("m5.large"), None);
//! ```

use crate::table::{Row, Table};
use crate::trace::BadLine;
use std::collections::BTreeMap;
use std::io::BufRead;
use walras_model::quantity::rounding;
use walras_model::{Performance, Rate};

/// What is known of types of instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriceList {
    /// By type, and by type and region.
    prices: BTreeMap<String, Rate>,
    /// By type.
    speeds: BTreeMap<String, Performance>,
}

/// What the column of types may be called.
const TYPE: [&str; 3] = ["InstanceType", "type", "name"];
/// Micro-credits that a millionth of a list's money is worth.
const MICROS: i128 = 1_000;
/// The broker takes no price beyond this, in micro-credits a second.
const RATE_MAX: i64 = 1_000_000_000_000_000;
/// Seconds in an hour.
const HOUR: i128 = 3_600;
/// Numbers of processors are read in thousandths.
const CORES: i128 = 1_000;

impl PriceList {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.prices.is_empty() && self.speeds.is_empty()
    }

    /// What a node costs, by the name of its type, with a region or without.
    pub fn price(&self, name: &str) -> Option<Rate> {
        self.prices.get(name).copied()
    }

    /// How fast a node is, by the name of its type, with a region or without.
    pub fn speed(&self, name: &str) -> Option<Performance> {
        let of_type = || name.split_once('@').and_then(|(kind, _)| self.speeds.get(kind));
        self.speeds.get(name).or_else(of_type).copied()
    }

    /// Takes in a list, and says how many rows told something.
    pub fn read<R: BufRead>(&mut self, mut table: Table<R>) -> Result<u64, BadLine> {
        let mut list = PriceList::default();
        let mut rows = 0;
        while let Some(row) = table.next_row()? {
            let Some(kind) = row.any(&TYPE).map(str::to_owned) else {
                // Lists price what is no instance, too; but one without types is no price list.
                if row.knows(&TYPE) {
                    continue;
                }
                return Err(row.wrong(format!("there is no column '{}'", TYPE.join("' or '"))));
            };
            let (price, speed) = (price(&row)?, speed(&row)?);
            rows += u64::from(price.is_some() || speed.is_some());
            if let Some(price) = price {
                let regional = row.text("Region").map(|region| format!("{kind}@{region}"));
                for name in [Some(kind.clone()), regional].into_iter().flatten() {
                    let least = list.prices.entry(name).or_insert(price);
                    *least = (*least).min(price);
                }
            }
            list.speeds.extend(speed.map(|speed| (kind, speed)));
        }
        self.prices.extend(list.prices);
        self.speeds.extend(list.speeds);
        Ok(rows)
    }
}

/// What a node costs; `None` where the row does not say, or says that it is for nothing.
fn price(row: &Row<'_>) -> Result<Option<Rate>, BadLine> {
    let found = ["Price", "price_per_hour"].iter().find(|name| row.text(name).is_some());
    let Some(price) = found.map(|name| row.decimal(name, 6)).transpose()?.flatten() else {
        return Ok(None);
    };
    if price <= 0 {
        return if price == 0 { Ok(None) } else { Err(row.wrong("a price must not be negative")) };
    }
    let named = ["vCPUs", "cores", "cpus"].iter().find(|name| row.text(name).is_some());
    let cores = named.map(|name| row.decimal(name, 3)).transpose()?.flatten().unwrap_or(1_000);
    if cores <= 0 {
        return Err(row.wrong("a number of processors must be above 0"));
    }
    let rate = rounding::nearest(i128::from(price) * MICROS * CORES, i128::from(cores) * HOUR);
    // A rate is never nothing.
    let rate = i64::try_from(rate.max(1))
        .ok()
        .filter(|rate| *rate <= RATE_MAX)
        .and_then(Rate::from_micros_per_second);
    rate.map(Some).ok_or_else(|| row.wrong("a price is too high"))
}

fn speed(row: &Row<'_>) -> Result<Option<Performance>, BadLine> {
    let found = ["Speed", "performance"].iter().find(|name| row.text(name).is_some());
    let Some(speed) = found.map(|name| row.decimal(name, 6)).transpose()?.flatten() else { return Ok(None) };
    let read = Some(speed).filter(|speed| *speed > 0).and_then(Performance::from_millionths);
    read.map(Some).ok_or_else(|| row.wrong("a speed must be above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PriceList, String> {
        let mut list = PriceList::default();
        list.read(Table::new(text.as_bytes())).map_err(|bad| bad.to_string())?;
        Ok(list)
    }

    #[test]
    fn rows_say_something_or_what_is_wrong() {
        let list = read("type,price,cores,note\na,3.6,,\nb,,4,\"x, y\"\nc,0,1,\na,7.2,1,\n").unwrap();
        // 3.6 an hour is a thousandth a second: a credit.
        assert_eq!(list.price("a").unwrap().as_micros_per_second(), 1_000_000);
        assert_eq!((list.price("b"), list.price("c"), list.speed("a")), (None, None, None));
        let error = |text: &str| read(text).unwrap_err();
        assert_eq!(error("type,price\na,x\n"), "line 2: Price: 'x' is not a plain number");
        assert_eq!(error("type,price\na,-1\n"), "line 2: a price must not be negative");
        assert_eq!(error("type,price,cores\na,1,0\n"), "line 2: a number of processors must be above 0");
        assert_eq!(error("type,speed\na,0\n"), "line 2: a speed must be above 0");
        assert_eq!(error("price\n1\n"), "line 2: there is no column 'InstanceType' or 'type' or 'name'");
        assert_eq!(read("type,price\n,1\nb,3.6\n").unwrap().prices.len(), 1);
        assert_eq!(error("type,price\na,9000000000000\n"), "line 2: a price is too high");
    }
}
