//! What reports are made from: sales, offered time, jobs that ended in a period, and who has changed what.

use super::act::Act;
use super::record::Record;
use super::register::{Register, below};
use super::tables::NO_NODE;
use super::{JournalError, Writer, decode};
use crate::columns::{limit, number, number_if_any, time, time_if_any};
use rusqlite::{Error, Row, params};
use walras_api::service::WriterRole;
use walras_broker::journal::Entry;
use walras_model::{Interval, Money, NodeId, Share, SiteId, Time};

/// A sale as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSale {
    /// When it was settled.
    pub at: Time,
    /// The site that held it.
    pub site: SiteId,
    /// On which node; none in a queue.
    pub node: Option<NodeId>,
    /// The user who was charged.
    pub user: String,
    /// What the user was charged.
    pub charged: Money,
    /// What of that the owner got.
    pub income: Money,
    /// The time that was paid for.
    pub used: Option<Interval>,
    /// How much of the node it was.
    pub part: Share,
}

/// Offered time as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundOffered {
    /// The day, counted from the beginning of 1970.
    pub day: i64,
    /// The site that offered it.
    pub site: SiteId,
    /// On which node; all together, without.
    pub node: Option<NodeId>,
    /// How many milliseconds.
    pub millis: i64,
}

/// That somebody has changed something, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundAct {
    /// Its number.
    pub number: u64,
    /// When it was done, by the service's clock.
    pub at: Time,
    /// Who did it, and by which token.
    pub by: Writer,
    /// The entry that it came to, and its position.
    pub entry: Option<(u64, Box<Entry>)>,
    /// What it was, where it is in no entry.
    pub act: Option<Act>,
}

/// The role that is written so. One that is not known must not become another.
fn role(text: &str) -> Result<WriterRole, Error> {
    let known = WriterRole::ALL.into_iter().find(|role| role.text() == text);
    known.ok_or_else(|| Error::InvalidColumnName(format!("role {text}")))
}

/// The time that was paid for, where there is any.
fn used(row: &Row<'_>) -> Result<Option<Interval>, Error> {
    let Some((from, until)) = time_if_any(row, 6)?.zip(time_if_any(row, 7)?) else { return Ok(None) };
    let used = Interval::new(from, until);
    used.map(Some).ok_or(Error::IntegralValueOutOfRange(7, until.as_millis()))
}

/// How much of a node was sold.
fn part(row: &Row<'_>) -> Result<Share, Error> {
    let kept: i64 = row.get(8)?;
    Share::from_millionths(kept).ok_or(Error::IntegralValueOutOfRange(8, kept))
}

fn sale(row: &Row<'_>) -> Result<FoundSale, Error> {
    Ok(FoundSale {
        at: time(row, 0)?,
        site: SiteId::new(row.get(1)?),
        node: row.get::<_, Option<u32>>(2)?.map(NodeId::new),
        user: row.get(3)?,
        charged: Money::from_micros(row.get(4)?),
        income: Money::from_micros(row.get(5)?),
        used: used(row)?,
        part: part(row)?,
    })
}

fn offered(row: &Row<'_>) -> Result<FoundOffered, Error> {
    let node: i64 = row.get(2)?;
    let known = |node: i64| u32::try_from(node).map_err(|_| Error::IntegralValueOutOfRange(2, node));
    let node = if node == NO_NODE { None } else { Some(NodeId::new(known(node)?)) };
    Ok(FoundOffered { day: row.get(0)?, site: SiteId::new(row.get(1)?), node, millis: row.get(3)? })
}

impl Register {
    /// Since when sales are written down.
    pub fn sales_since(&self) -> Result<Time, JournalError> {
        let text = "SELECT value FROM meta WHERE key = 'sales_since'";
        let since = self.with(|it| it.query_row(text, [], |row| row.get::<_, String>(0)))?;
        let known = since.parse().ok().and_then(Time::from_millis);
        known.ok_or_else(|| {
            JournalError::Unreadable(format!("it says that sales are written down since {since}"))
        })
    }

    /// Shows every sale that was settled in a period, or settled after it and used in it, oldest first.
    pub fn sales(&self, period: Interval, mut see: impl FnMut(FoundSale)) -> Result<(), JournalError> {
        let text = "SELECT at, site, node, user, charged, income, used_from, used_until, part FROM sale
                    WHERE at >= ?1 AND (at < ?2 OR used_from < ?2) ORDER BY at, number";
        self.with(|connection| {
            let mut statement = connection.prepare_cached(text)?;
            let mut rows = statement.query(params![period.start().as_millis(), period.end().as_millis()])?;
            while let Some(row) = rows.next()? {
                see(sale(row)?);
            }
            Ok(())
        })
    }

    /// Shows the time that was offered on some days.
    pub fn offered(
        &self,
        from: i64,
        until: i64,
        mut see: impl FnMut(FoundOffered),
    ) -> Result<(), JournalError> {
        let text = "SELECT day, site, node, millis FROM offered WHERE day >= ?1 AND day < ?2 ORDER BY day, site, node";
        self.with(|connection| {
            let mut statement = connection.prepare_cached(text)?;
            let mut rows = statement.query(params![from, until])?;
            while let Some(row) = rows.next()? {
                see(offered(row)?);
            }
            Ok(())
        })
    }

    /// Shows the latest jobs that ended in a period, at most so many; says whether those were all.
    pub fn ended_in(
        &self,
        period: Interval,
        most: usize,
        mut see: impl FnMut(Record),
    ) -> Result<bool, JournalError> {
        let text = "SELECT body FROM ended WHERE at >= ?1 AND at < ?2 ORDER BY at DESC LIMIT ?3";
        let limit = limit(most).saturating_add(1);
        let mut count = 0;
        let mut wrong = Ok(());
        self.with(|connection| {
            let mut statement = connection.prepare_cached(text)?;
            let (start, end) = (period.start().as_millis(), period.end().as_millis());
            let mut rows = statement.query(params![start, end, limit])?;
            while let Some(row) = rows.next()? {
                count += 1;
                if count > most {
                    break;
                }
                match Record::decode(&row.get::<_, String>(0)?) {
                    Ok(record) => see(record),
                    Err(error) => {
                        wrong = Err(error);
                        break;
                    }
                }
            }
            Ok(())
        })?;
        wrong.map(|()| count <= most)
    }

    /// Who has changed what, newest first, with numbers below `before`.
    pub fn acts(&self, before: Option<u64>, most: usize) -> Result<Vec<FoundAct>, JournalError> {
        let text = "SELECT number, act.at, role, name, token, act.position, act.body, format, entry.body
                    FROM act LEFT JOIN entry ON entry.position = act.position
                    WHERE number < ?1 ORDER BY number DESC LIMIT ?2";
        type Found = (FoundAct, Option<String>, Option<(u64, u32, Vec<u8>)>);
        let found: Vec<Found> = self.with(|connection| {
            let mut statement = connection.prepare_cached(text)?;
            let rows = statement.query_map(params![below(before), limit(most)], |row| {
                let token = number_if_any(row, 4)?;
                let act = FoundAct {
                    number: number(row, 0)?,
                    at: time(row, 1)?,
                    by: Writer { role: role(&row.get::<_, String>(2)?)?, name: row.get(3)?, token },
                    entry: None,
                    act: None,
                };
                let entry = match (number_if_any(row, 5)?, row.get(7)?, row.get(8)?) {
                    (Some(position), Some(format), Some(body)) => Some((position, format, body)),
                    _ => None,
                };
                Ok((act, row.get(6)?, entry))
            })?;
            rows.collect()
        })?;
        let read = |(mut found, body, entry): Found| {
            found.act = body.map(|body| Act::decode(&body)).transpose()?;
            if let Some((position, format, body)) = entry {
                found.entry = Some((position, Box::new(decode(position, format, &body)?)));
            }
            Ok(found)
        };
        found.into_iter().map(read).collect()
    }
}
