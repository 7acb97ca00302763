//! The register's tables: what is written beside the entries, in the same transaction.

use super::{Group, Writer};
use crate::columns::signed;
use rusqlite::{Connection, Transaction, params};

pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS entry (
        position INTEGER PRIMARY KEY, at INTEGER NOT NULL, format INTEGER NOT NULL, body BLOB NOT NULL, sum BLOB);
    CREATE TABLE IF NOT EXISTS ended (
        number INTEGER PRIMARY KEY, user TEXT NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL, at INTEGER,
        array INTEGER);
    CREATE INDEX IF NOT EXISTS ended_user ON ended (user, number);
    CREATE TABLE IF NOT EXISTS line (
        number INTEGER PRIMARY KEY, account TEXT NOT NULL, at INTEGER NOT NULL, purpose TEXT NOT NULL,
        amount INTEGER NOT NULL, balance INTEGER NOT NULL, job INTEGER);
    CREATE INDEX IF NOT EXISTS line_account ON line (account, number);
    CREATE TABLE IF NOT EXISTS about (
        job INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (job, position)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS sale (
        number INTEGER PRIMARY KEY, at INTEGER NOT NULL, site INTEGER NOT NULL, node INTEGER, user TEXT NOT NULL,
        job INTEGER NOT NULL, charged INTEGER NOT NULL, income INTEGER NOT NULL, used_from INTEGER, used_until INTEGER,
        part INTEGER NOT NULL DEFAULT 1000000);
    CREATE INDEX IF NOT EXISTS sale_at ON sale (at);
    CREATE TABLE IF NOT EXISTS offered (
        day INTEGER NOT NULL, site INTEGER NOT NULL, node INTEGER NOT NULL, millis INTEGER NOT NULL,
        PRIMARY KEY (day, site, node)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS act (
        number INTEGER PRIMARY KEY, at INTEGER NOT NULL, role TEXT NOT NULL, name TEXT NOT NULL, token INTEGER,
        position INTEGER, body TEXT);
";

/// Stands where time was offered on all nodes together.
pub(super) const NO_NODE: i64 = -1;

/// Tables of an earlier version get what they lack.
pub(super) fn upgrade(connection: &Connection) -> Result<(), rusqlite::Error> {
    let text = "SELECT count(*) FROM pragma_table_info('ended') WHERE name = 'at'";
    if connection.query_row(text, [], |row| row.get::<_, i64>(0))? == 0 {
        connection.execute_batch(
            "BEGIN; ALTER TABLE ended ADD COLUMN at INTEGER;
             UPDATE ended SET at = json_extract(body, '$.job.ended_at'); COMMIT;",
        )?;
    }
    let text = "SELECT count(*) FROM pragma_table_info('ended') WHERE name = 'array'";
    if connection.query_row(text, [], |row| row.get::<_, i64>(0))? == 0 {
        connection.execute_batch("ALTER TABLE ended ADD COLUMN array INTEGER")?;
    }
    let text = "SELECT count(*) FROM pragma_table_info('ended') WHERE name = 'queued'";
    if connection.query_row(text, [], |row| row.get::<_, i64>(0))? == 0 {
        connection.execute_batch(
            "BEGIN; ALTER TABLE ended ADD COLUMN name TEXT; ALTER TABLE ended ADD COLUMN queued INTEGER;
             UPDATE ended SET name = json_extract(body, '$.job.name'), queued = json_extract(body, '$.job.queued_at');
             COMMIT;",
        )?;
    }
    // Before parts of nodes were sold, all of a node was.
    let text = "SELECT count(*) FROM pragma_table_info('sale') WHERE name = 'part'";
    if connection.query_row(text, [], |row| row.get::<_, i64>(0))? == 0 {
        connection.execute_batch("ALTER TABLE sale ADD COLUMN part INTEGER NOT NULL DEFAULT 1000000")?;
    }
    // Lists leave out the elements of arrays, of which there may be very many.
    connection.execute_batch(
        "CREATE INDEX IF NOT EXISTS ended_at ON ended (at);
         CREATE INDEX IF NOT EXISTS line_job ON line (account, job) WHERE job IS NOT NULL;
         CREATE INDEX IF NOT EXISTS ended_whole ON ended (number) WHERE array IS NULL;
         CREATE INDEX IF NOT EXISTS ended_whole_user ON ended (user, number) WHERE array IS NULL;
         CREATE INDEX IF NOT EXISTS ended_array ON ended (array, number) WHERE array IS NOT NULL;",
    )?;
    // What was sold before it was written down is not known.
    connection.execute(
        "INSERT OR IGNORE INTO meta (key, value) SELECT 'sales_since', coalesce(max(at), 0) FROM entry",
        [],
    )?;
    Ok(())
}

/// Writes what goes with a group of entries after a position.
pub(super) fn write(
    transaction: &Transaction<'_>,
    expected: u64,
    group: &Group,
) -> Result<(), rusqlite::Error> {
    let position = |place: usize| signed(expected.saturating_add(1).saturating_add(place as u64));
    let mut about =
        transaction.prepare_cached("INSERT OR IGNORE INTO about (job, position) VALUES (?1, ?2)")?;
    for (job, place) in &group.about {
        about.execute(params![signed(*job)?, position(*place)?])?;
    }
    let mut ended = transaction.prepare_cached(
        "REPLACE INTO ended (number, user, state, body, at, array, name, queued)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for job in &group.ended {
        let (number, at, array) =
            (signed(job.number)?, job.at.as_millis(), job.array.map(signed).transpose()?);
        let queued = job.queued.as_millis();
        ended.execute(params![number, job.user, job.state, job.body, at, array, job.name, queued])?;
    }
    let mut line = transaction.prepare_cached(
        "INSERT INTO line (account, at, purpose, amount, balance, job) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for it in &group.lines {
        let (at, job) = (it.at.as_millis(), it.job.map(signed).transpose()?);
        line.execute(params![it.account, at, it.purpose, it.amount, it.balance, job])?;
    }
    sales(transaction, group)?;
    let mut act = transaction.prepare_cached(
        "INSERT INTO act (at, role, name, token, position, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for it in &group.acts {
        let Writer { role, name, token } = &it.by;
        let (place, body) = (it.place.map(position).transpose()?, it.body.as_deref());
        let token = token.map(signed).transpose()?;
        act.execute(params![it.at.as_millis(), role.text(), name, token, place, body])?;
    }
    Ok(())
}

fn sales(transaction: &Transaction<'_>, group: &Group) -> Result<(), rusqlite::Error> {
    let mut sale = transaction.prepare_cached(
        "INSERT INTO sale (at, site, node, user, job, charged, income, used_from, used_until, part)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for it in &group.sales {
        let sold = &it.sale;
        let used = sold.used.map(|used| (used.start().as_millis(), used.end().as_millis())).unzip();
        let (charged, income) = (sold.charged.as_micros(), sold.income.as_micros());
        let (site, node) = (sold.site.number(), sold.node.map(|node| node.number()));
        let (at, job) = (it.at.as_millis(), signed(it.job)?);
        let part = sold.part.as_millionths();
        sale.execute(params![at, site, node, it.user, job, charged, income, used.0, used.1, part])?;
    }
    let mut offered = transaction.prepare_cached(
        "INSERT INTO offered (day, site, node, millis) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET millis = millis + excluded.millis",
    )?;
    for it in &group.offered {
        let node = it.node.map_or(NO_NODE, |node| i64::from(node.number()));
        offered.execute(params![it.day, it.site.number(), node, it.millis])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of before ends had their own column: they are found in the records, once.
    #[test]
    fn tables_of_an_earlier_version_get_what_they_lack() {
        let connection = Connection::open_in_memory().unwrap();
        let before = SCHEMA
            .replace(", body TEXT NOT NULL, at INTEGER,\n        array INTEGER);", ", body TEXT NOT NULL);");
        assert_ne!(before, SCHEMA);
        connection.execute_batch(&before).unwrap();
        let old = "INSERT INTO ended (number, user, state, body) VALUES (7, 'ada', 'done', ?1)";
        connection
            .execute(
                old,
                [r#"{"version":"1","job":{"number":7,"name":"fit","queued_at":1000,"ended_at":3000}}"#],
            )
            .unwrap();
        connection
            .execute("INSERT INTO entry (position, at, format, body) VALUES (1, 4000, 2, x'')", [])
            .unwrap();
        for _ in 0..2 {
            upgrade(&connection).unwrap();
            let at = connection.query_row("SELECT at FROM ended", [], |row| row.get::<_, i64>(0)).unwrap();
            let found = connection.query_row("SELECT name, queued FROM ended", [], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
            });
            assert_eq!(found.unwrap(), ("fit".to_owned(), 1_000));
            let since = "SELECT value FROM meta WHERE key = 'sales_since'";
            let since: String = connection.query_row(since, [], |row| row.get(0)).unwrap();
            assert_eq!((at, since.as_str()), (3_000, "4000"));
        }
    }
}
