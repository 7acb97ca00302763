// Users: whose they are, what they may use against the others, how far they may go below nothing, and what they may spend.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Budget, User } from "../../api/types";
import { useData } from "../../live/data";
import { Do, useAction, Wrong } from "../../parts/action";
import { Card } from "../../parts/card";
import { Field } from "../../parts/field";
import { exactly } from "../../parts/format";
import { Link } from "../../parts/link";
import { Empty, Shown } from "../../parts/states";
import { type Column, Table } from "../../parts/table";
import { leftText, MOVED } from "../budgets";
import { Spending } from "./spending";

const HOUR = 3_600;

interface Known {
  users: User[];
  budgets: Budget[];
}

async function read(): Promise<Known> {
  const [{ users }, budgets] = await Promise.all([ask(api.GET("/v1/users")), ask(api.GET("/v1/budgets"))]);
  return { users, budgets };
}

const groupBudget = (known: Known, { group }: User): Budget | undefined => known.budgets.find((budget) => group != null && budget.spender === `group:${group}`);
const budgetOf = (known: Known, name: string): Budget | undefined => known.budgets.find((budget) => budget.spender === `user:${name}`);

export function Users() {
  const data = useData(read, [], { ...MOVED, every: 30_000, apart: 15_000 });
  const [chosen, setChosen] = useState<User | null>(null);
  const spending = (known: Known, user: User): string => {
    const own = budgetOf(known, user.name);
    const shared = groupBudget(known, user);
    const parts = [...(own ? [leftText(own)] : []), ...(shared ? [`with ${user.group}: ${leftText(shared)}`] : [])];
    return parts.join("; ") || "no limit";
  };
  const columns = (known: Known): Column<User>[] => [
    { name: "User", cell: (user) => <Link to={`/jobs?user=${encodeURIComponent(user.name)}`}>{user.name}</Link> },
    { name: "Group", cell: (user) => user.group ?? "–" },
    { name: "Share", right: true, cell: (user) => user.share },
    { name: "Credit", right: true, cell: (user) => exactly(Math.abs(user.lowest)) },
    { name: "Spending", cell: (user) => spending(known, user) },
    { name: "Account", cell: (user) => <Link to={`/money?account=${encodeURIComponent(`user:${user.name}`)}`}>Account of {user.name}</Link> },
    {
      name: "Do",
      cell: (user) => (
        <button type="button" onClick={() => setChosen(user)}>
          Change {user.name}
        </button>
      ),
    },
  ];
  const done = (): void => {
    setChosen(null);
    data.reload();
  };
  return (
    <Shown data={data}>
      {(known) => (
        <>
          <div class="columns uneven">
            <Card title="Users">
              {known.users.length === 0 ? <Empty>There are no users yet: add one.</Empty> : <Table label="Users" columns={columns(known)} rows={known.users} keyOf={(user) => user.name} />}
            </Card>
            <SetUser key={chosen?.name ?? ""} user={chosen} budget={chosen ? budgetOf(known, chosen.name) : undefined} done={done} />
          </div>
          <Spending users={known.users} budgets={known.budgets} done={data.reload} />
        </>
      )}
    </Shown>
  );
}

interface SetProps {
  /** Who is changed; somebody new, without. */
  user: User | null;
  budget: Budget | undefined;
  done: () => void;
}

function SetUser({ user, budget, done }: SetProps) {
  const [name, setName] = useState(user?.name ?? "");
  const [group, setGroup] = useState(user?.group ?? "");
  const [share, setShare] = useState(String(user?.share ?? 1));
  const [credit, setCredit] = useState(String(Math.abs(user?.lowest ?? 0)));
  const [amount, setAmount] = useState(budget ? String(budget.amount) : "");
  const [hours, setHours] = useState(String((budget?.period ?? 24 * HOUR) / HOUR));
  const doing = useAction();
  const save = async (): Promise<void> => {
    const path = { user: name.trim() };
    const body = { share: Number(share), lowest: -Number(credit) || 0, ...(group.trim() ? { group: group.trim() } : {}) };
    await ask(api.PUT("/v1/users/{user}", { params: { path }, body }));
    const spender = { params: { path: { spender: `user:${path.user}` } } };
    if (amount.trim()) await ask(api.PUT("/v1/budgets/{spender}", { ...spender, body: { amount: Number(amount), period: Number(hours) * HOUR } }));
    else if (budget) await ask(api.DELETE("/v1/budgets/{spender}", spender));
    done();
  };
  const wrong = !name.trim() || !(Number(share) >= 1) || !(Number(credit) >= 0) || (amount.trim() !== "" && !(Number(hours) > 0));
  return (
    <Card title={user ? `Change ${user.name}` : "Add a user, or change one"}>
      <Field label="Name" value={name} set={setName} />
      <Field label="Group" value={group} set={setGroup} hint="For budgets and rules of access." />
      <div class="grid pairs">
        <Field label="Share" type="number" min={1} value={share} set={setShare} hint="What they may use, against the others." />
        <Field label="Credit" type="number" min={0} step="any" value={credit} set={setCredit} hint="How far they may go below nothing." />
        <Field label="May spend" type="number" min={0} step="any" value={amount} set={setAmount} hint="Credits in every period; no limit, without." />
        <Field label="Period" type="number" step="any" value={hours} set={setHours} hint="In hours." />
      </div>
      <Wrong doing={doing} />
      <p class="actions">
        <Do doing={doing} action={save} class="main" disabled={wrong}>
          Save the user
        </Do>
        {user && (
          <button type="button" onClick={done}>
            Leave it
          </button>
        )}
      </p>
    </Card>
  );
}
