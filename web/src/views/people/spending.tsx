// What groups, and everybody together, may spend in a period; users' own limits stand with the users.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Budget, User } from "../../api/types";
import { Do, useAction, Wrong } from "../../parts/action";
import { Card } from "../../parts/card";
import { Choice, Field } from "../../parts/field";
import { Empty } from "../../parts/states";
import { type Column, Table } from "../../parts/table";
import { BudgetMeter, leftText, spenderText } from "../budgets";

const HOUR = 3_600;

interface Props {
  users: readonly User[];
  budgets: readonly Budget[];
  done: () => void;
}

export function Spending({ users, budgets, done }: Props) {
  const doing = useAction();
  const shared = budgets.filter((budget) => !budget.spender.startsWith("user:"));
  const lift = async (spender: string): Promise<void> => {
    await ask(api.DELETE("/v1/budgets/{spender}", { params: { path: { spender } } }));
    done();
  };
  const columns: Column<Budget>[] = [
    { name: "Whose", cell: (budget) => spenderText(budget.spender) },
    { name: "Spending", cell: leftText },
    { name: "Spent", cell: (budget) => <BudgetMeter budget={budget} /> },
    {
      name: "Do",
      cell: (budget) => (
        <Do doing={doing} action={() => lift(budget.spender)} class="danger" sure={`Lift the limit of ${spenderText(budget.spender)}?`}>
          Lift the limit of {spenderText(budget.spender)}
        </Do>
      ),
    },
  ];
  const groups = [...new Set(users.flatMap((user) => user.group ?? []))].sort();
  return (
    <div class="columns uneven">
      <Card title="Budgets of groups">
        <Wrong doing={doing} />
        {shared.length === 0 ? <Empty>No group&rsquo;s spending is limited.</Empty> : <Table label="Budgets of groups" columns={columns} rows={shared} keyOf={(budget) => budget.spender} />}
      </Card>
      <SetBudget spenders={[...groups.map((group) => `group:${group}`), "vo"]} done={done} />
    </div>
  );
}

function SetBudget({ spenders, done }: { spenders: readonly string[]; done: () => void }) {
  const [chosen, setChosen] = useState("");
  const [amount, setAmount] = useState("");
  const [hours, setHours] = useState("24");
  const doing = useAction();
  const spender = chosen || (spenders[0] ?? "vo");
  const save = async (): Promise<void> => {
    const body = { amount: Number(amount), period: Number(hours) * HOUR };
    await ask(api.PUT("/v1/budgets/{spender}", { params: { path: { spender } }, body }));
    setAmount("");
    done();
  };
  return (
    <Card title="Limit a group">
      <Choice label="Whose spending" value={spender} set={setChosen} choices={spenders.map((it) => [it, spenderText(it)] as const)} />
      <div class="grid pairs">
        <Field label="Most for all of them" type="number" min={0} step="any" value={amount} set={setAmount} hint="In credits, in every period." />
        <Field label="In every" type="number" min={0} step="any" value={hours} set={setHours} hint="Hours." />
      </div>
      <Wrong doing={doing} />
      <Do doing={doing} action={save} class="main" disabled={!(Number(amount) >= 0) || amount.trim() === "" || !(Number(hours) > 0)}>
        Set the limit
      </Do>
    </Card>
  );
}
