// What a site has earned, and what its idle time would have sold at which price.
import { api, ask } from "../../api/client";
import type { Income, UnsoldSite } from "../../api/types";
import { useData } from "../../live/data";
import { Card, Facts } from "../../parts/card";
import { exactly, moneyOf, plural, shareOf, spanOf } from "../../parts/format";
import { Empty, Shown } from "../../parts/states";
import { Table } from "../../parts/table";
import { useWidth } from "../../parts/width";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [460, 180, 84, 26, 12];

const timeOf = (seconds: number): string => spanOf(seconds * 1_000);

export function Earned({ site }: { site: string }) {
  const query = { params: { query: { site } } };
  const income = useData(() => ask(api.GET("/v1/reports/income", query)), [site], { every: 30_000 });
  const unsold = useData(() => ask(api.GET("/v1/reports/unsold", query)), [site], { every: 30_000 });
  return (
    <div class="columns">
      <Card title="Earned in the last 30 days">
        <Shown data={income}>{(value) => <Sums income={value} />}</Shown>
      </Card>
      <Card title="What idle time would have sold">
        <Shown data={unsold}>{({ sites }) => (sites[0] ? <Besides of={sites[0]} /> : <Empty>Nothing is known of this site.</Empty>)}</Shown>
      </Card>
    </div>
  );
}

function Sums({ income: { total, days } }: { income: Income }) {
  const most = Math.max(...days.map((day) => day.income), 1e-9);
  return (
    <>
      <Facts
        facts={[
          ["Income", `${moneyOf(total.income)} credits`],
          ["Sales", String(total.sales)],
          ["Sold", timeOf(total.sold)],
          ["Unsold", total.unsold != null ? timeOf(total.unsold) : "not known yet"],
          ["Used of what was for sale", total.utilisation != null ? shareOf(total.utilisation) : "–"],
        ]}
      />
      {days.length > 1 && (
        <svg class="bars" viewBox={`0 0 ${WIDTH} 90`} role="img" aria-label={`Income by day: ${days.map((day) => `${day.day} ${moneyOf(day.income)}`).join(", ")}`}>
          {days.map((day, index) => {
            const [wide, tall] = [WIDTH / days.length, (day.income / most) * 80];
            return (
              <rect key={day.day} x={index * wide + 1} width={Math.max(wide - 2, 1)} y={86 - tall} height={Math.max(tall, 1)}>
                <title>{`${day.day}: ${moneyOf(day.income)} credits`}</title>
              </rect>
            );
          })}
        </svg>
      )}
    </>
  );
}

/** Lower prices, and what would have sold at them. */
function Besides({ of }: { of: UnsoldSite }) {
  if (of.steps.length === 0) {
    return <Empty>Nobody was turned away who would have paid less than the {exactly(of.price)} credits a second that are asked: a lower price would have sold nothing more.</Empty>;
  }
  const best = of.steps.reduce((one, other) => (other.charged > one.charged ? other : one));
  return (
    <>
      <p>
        {of.unsold != null ? `${timeOf(of.unsold)} on nodes stayed unsold. ` : ""}
        At {exactly(best.price)} instead of {exactly(of.price)} credits a second, {plural(best.jobs, "job")} that nobody served would have used {timeOf(best.time)} for {moneyOf(best.charged)} credits, going by their budgets.
      </p>
      <Curve of={of} />
      <Table
        label="What would have sold at which price"
        rows={of.steps}
        keyOf={(step) => step.price}
        columns={[
          { name: "Price", right: true, cell: (step) => exactly(step.price) },
          { name: "Jobs", right: true, cell: (step) => step.jobs },
          { name: "Time on nodes", right: true, cell: (step) => timeOf(step.time) },
          { name: "Credits", right: true, cell: (step) => moneyOf(step.charged) },
        ]}
      />
    </>
  );
}

function Curve({ of }: { of: UnsoldSite }) {
  const [place, width] = useWidth<HTMLDivElement>();
  const most = Math.max(...of.steps.map((step) => step.time), 1);
  const x = (price: number): number => LEFT + (price / of.price) * (width - LEFT - 12);
  const y = (time: number): number => HEIGHT - BOTTOM - (time / most) * (HEIGHT - BOTTOM - TOP);
  // From the price that is asked, where nothing more sells, down to the lowest.
  const path = of.steps.map((step, index) => `H${x(step.price)}V${y(step.time)}${index === of.steps.length - 1 ? `H${LEFT}` : ""}`).join("");
  const last = of.steps.at(-1);
  return (
    <div class="drawn" ref={place}>
      <svg class="curve" width={width} height={HEIGHT} role="img" aria-label={`Time that would have sold by price, from ${exactly(of.price)} down to ${exactly(last?.price ?? 0)}`}>
        <line class="axis" x1={LEFT} x2={width - 8} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
        <line class="axis" x1={LEFT} x2={LEFT} y1={TOP} y2={HEIGHT - BOTTOM} />
        <path class="area" d={`M${x(of.price)},${y(0)}${path}V${y(0)}Z`} />
        <path class="front" d={`M${x(of.price)},${y(0)}${path}`} />
        <text x={LEFT - 6} y={y(most) + 4} text-anchor="end">
          {timeOf(most)}
        </text>
        <text x={x(of.price)} y={HEIGHT - 8} text-anchor="end">
          {exactly(of.price)} credits a second
        </text>
        <text x={LEFT} y={HEIGHT - 8}>
          0
        </text>
      </svg>
    </div>
  );
}
