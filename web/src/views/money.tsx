// Accounts: what is on them, what moved, and what may still be spent.
import { useState } from "preact/hooks";
import { api, ask, freshKey } from "../api/client";
import type { Account, Budget, Me, StatementLine } from "../api/types";
import { useData } from "../live/data";
import { administers, mayRunJobs } from "../live/session";
import { Do, useAction, Wrong } from "../parts/action";
import { Card, Meter, Tile } from "../parts/card";
import { Field } from "../parts/field";
import { clockOf, exactly, fullTime, moneyOf, spanOf } from "../parts/format";
import { JobLink, Link } from "../parts/link";
import { Empty, Shown } from "../parts/states";
import { type Column, Table } from "../parts/table";
import { withQuery } from "../route";
import { download, statementCsv } from "./csv";

const PAGE = 50;

export function MoneyView({ who, query }: { who: Me; query: URLSearchParams }) {
  const account = query.get("account") ?? "";
  const before = query.get("before") ?? "";
  return (
    <>
      <h1>Money</h1>
      {administers(who.role) ? <Accounts shown={account} /> : <Own />}
      <Statement key={account} account={account} before={before} who={who} />
    </>
  );
}

function Own() {
  const data = useData(() => ask(api.GET("/v1/account")), [], { on: () => true, every: 10_000 });
  return (
    <Shown data={data}>
      {(account) => (
        <>
          <dl class="tiles">
            <Tile label="Balance" value={moneyOf(account.balance)} hint="credits" />
            <Tile label="Held" value={moneyOf(account.held)} hint="for reservations" />
            <Tile label="Available" value={moneyOf(account.available)} hint="to spend now" />
          </dl>
          <Budgets budgets={account.budgets} />
        </>
      )}
    </Shown>
  );
}

function Budgets({ budgets }: { budgets: readonly Budget[] }) {
  if (budgets.length === 0) return null;
  return (
    <Card title="Budgets">
      {budgets.map((budget) => (
        <div class="budget" key={budget.spender}>
          <p>
            {budget.spender}: {moneyOf(budget.left)} of {moneyOf(budget.amount)} credits left of every {spanOf(budget.period * 1_000)}
          </p>
          <Meter share={budget.amount > 0 ? 1 - budget.left / budget.amount : 1} label={`${budget.spender}: spent`} />
        </div>
      ))}
    </Card>
  );
}

function Accounts({ shown }: { shown: string }) {
  const data = useData(() => ask(api.GET("/v1/accounts")), [], { on: (event) => event.kind === "reservation-closed", every: 10_000 });
  const columns: Column<Account>[] = [
    { name: "Account", cell: (row) => <Link to={withQuery("/money", { account: row.account })} current={row.account === shown}>{row.account}</Link> },
    { name: "Balance", right: true, cell: (row) => moneyOf(row.balance) },
    { name: "Held", right: true, cell: (row) => moneyOf(row.held) },
    { name: "Available", right: true, cell: (row) => (row.account.startsWith("user:") ? moneyOf(row.available) : "–") },
  ];
  return (
    <div class="columns uneven">
      <Card title="Accounts">
        <Shown data={data}>{({ accounts }) => <Table label="Accounts" columns={columns} rows={accounts} keyOf={(row) => row.account} />}</Shown>
      </Card>
      <Deposit done={data.reload} suggested={shown} />
    </div>
  );
}

function Deposit({ done, suggested }: { done: () => void; suggested: string }) {
  const [account, setAccount] = useState(suggested);
  const [amount, setAmount] = useState("");
  const doing = useAction();
  const put = async (): Promise<void> => {
    const body = { account: account.trim(), amount: Number(amount) };
    await ask(api.POST("/v1/deposits", { body, params: { header: freshKey() } }));
    setAmount("");
    done();
  };
  return (
    <Card title="Deposit">
      <Field label="Account" value={account} set={setAccount} hint="user:NAME or owner:NAME" />
      <Field label="Amount" type="number" step="any" value={amount} set={setAmount} hint="Credits; negative takes out." />
      <Wrong doing={doing} />
      <Do doing={doing} action={put} class="main" disabled={!account.trim() || !Number(amount)}>
        Deposit
      </Do>
    </Card>
  );
}

function read(account: string, before: string, limit: number) {
  const query = { limit, ...(account ? { account } : {}), ...(before ? { before: Number(before) } : {}) };
  return ask(api.GET("/v1/account/statement", { params: { query } }));
}

function Statement({ account, before, who }: { account: string; before: string; who: Me }) {
  const data = useData(() => read(account, before, PAGE), [account, before], { on: (event) => event.kind === "reservation-closed", every: 10_000 });
  const doing = useAction();
  const linked = mayRunJobs(who.role);
  const columns: Column<StatementLine>[] = [
    { name: "When", cell: (line) => <time dateTime={line.at} title={fullTime(line.at)}>{clockOf(line.at)}</time> },
    { name: "What for", cell: (line) => line.purpose },
    { name: "Job", cell: (line) => (line.job == null ? "–" : linked ? <JobLink job={line.job} /> : line.job) },
    { name: "Amount", right: true, cell: (line) => <span class={line.amount < 0 ? "minus" : "plus"}>{exactly(line.amount)}</span> },
    { name: "Balance", right: true, cell: (line) => exactly(line.balance) },
  ];
  const save = async (): Promise<void> => download("statement.csv", await statementCsv((from) => read(account, from, 1_000)));
  return (
    <Card
      title={account ? `Statement of ${account}` : "Statement"}
      aside={
        <Do doing={doing} action={save}>
          Save as CSV
        </Do>
      }
    >
      <Wrong doing={doing} />
      <Shown data={data}>
        {({ lines, next }) => (
          <>
            {lines.length === 0 ? (
              <Empty>Nothing has moved on this account.</Empty>
            ) : (
              <Table label="Statement" columns={columns} rows={lines} keyOf={(line) => line.line} />
            )}
            <p class="pages">
              {before && <Link to={withQuery("/money", { account })}>Newest</Link>}
              {next != null && <Link to={withQuery("/money", { account, before: String(next) })}>Older</Link>}
            </p>
          </>
        )}
      </Shown>
    </Card>
  );
}
