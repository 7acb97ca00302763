// Limits on spending, with what is left of their periods.
import { api, ask } from "../api/client";
import type { Budget } from "../api/types";
import { useData } from "../live/data";
import { movesMoney } from "../live/kinds";
import { Card, Meter } from "../parts/card";
import { moneyOf, spanOf } from "../parts/format";
import { Link } from "../parts/link";
import { Empty, Shown } from "../parts/states";

/** When what accounts and budgets have is read again: no event tells of deposits, and nearly every event moves some money. */
export const MOVED = { on: movesMoney, every: 15_000, apart: 5_000 };

/** Whose it is, in words: `group:physics`, `user:ada`, `vo`. */
export function spenderText(spender: string): string {
  const [kind, ...name] = spender.split(":");
  return kind === "vo" ? "everybody together" : `${kind} ${name.join(":")}`;
}

export const leftText = (budget: Budget): string => `${moneyOf(budget.left)} left of ${moneyOf(budget.amount)} in ${spanOf(budget.period * 1_000)}`;

const spent = ({ amount, left }: Budget): number => (amount > 0 ? 1 - left / amount : 1);

export const BudgetMeter = ({ budget }: { budget: Budget }) => <Meter share={spent(budget)} label={`${spenderText(budget.spender)}: spent`} />;

export const BudgetList = ({ budgets }: { budgets: readonly Budget[] }) => (
  <>
    {budgets.map((budget) => (
      <div class="budget" key={budget.spender}>
        <p>
          {spenderText(budget.spender)}: {leftText(budget)}
        </p>
        <BudgetMeter budget={budget} />
      </div>
    ))}
  </>
);

/** All there are, for administrators. */
export function AllBudgets() {
  const data = useData(() => ask(api.GET("/v1/budgets")), [], MOVED);
  return (
    <Card title="Budgets" aside={<Link to="/people">Change them</Link>}>
      <Shown data={data}>{(budgets) => (budgets.length === 0 ? <Empty>Nobody&rsquo;s spending is limited.</Empty> : <BudgetList budgets={budgets} />)}</Shown>
    </Card>
  );
}
