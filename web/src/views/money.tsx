// Accounts: what is on them, what moved, and what may still be spent.
import { useState } from "preact/hooks";
import { api, ask, freshKey } from "../api/client";
import type { Account, Me, StatementLine } from "../api/types";
import { useData } from "../live/data";
import { administers, mayRunJobs } from "../live/session";
import { Do, useAction, Wrong } from "../parts/action";
import { Card, Tile } from "../parts/card";
import { Field } from "../parts/field";
import { clockOf, exactly, fullTime, moneyOf } from "../parts/format";
import { JobLink, Link } from "../parts/link";
import { Empty, Shown } from "../parts/states";
import { type Column, Table } from "../parts/table";
import { withQuery } from "../route";
import { AllBudgets, BudgetList, MOVED } from "./budgets";
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
  const data = useData(() => ask(api.GET("/v1/account")), [], MOVED);
  return (
    <Shown data={data}>
      {(account) => (
        <>
          <dl class="tiles">
            <Tile label="Balance" value={moneyOf(account.balance)} hint="credits" />
            <Tile label="Held" value={moneyOf(account.held)} hint="for reservations" />
            <Tile label="Available" value={moneyOf(account.available)} hint="to spend now" />
          </dl>
          {account.budgets.length > 0 && (
            <Card title="Budgets">
              <BudgetList budgets={account.budgets} />
            </Card>
          )}
        </>
      )}
    </Shown>
  );
}

function Accounts({ shown }: { shown: string }) {
  const data = useData(() => ask(api.GET("/v1/accounts")), [], MOVED);
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
      <div>
        <AllBudgets />
        <Deposit key={shown} done={data.reload} suggested={shown} />
      </div>
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
  const data = useData(() => read(account, before, PAGE), [account, before], MOVED);
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
