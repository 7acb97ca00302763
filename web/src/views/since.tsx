// What changed since yesterday, or since the service started.
import type { History } from "../api/types";
import { Card } from "../parts/card";
import { clockOf, exactly, moneyOf, plural, shareOf } from "../parts/format";
import { Table } from "../parts/table";

const DAY = 86_400_000;

type Sample = History["samples"][number];
type Figures = Sample["sites"][number];

interface Row {
  site: string;
  then: Figures;
  now: Figures;
}

/** The sample nearest to a day before the last one. */
export function yesterday(samples: readonly Sample[]): Sample | null {
  const last = samples.at(-1);
  if (!last) return null;
  const wanted = Date.parse(last.at) - DAY;
  const away = (sample: Sample): number => Math.abs(Date.parse(sample.at) - wanted);
  return samples.reduce((best, sample) => (away(sample) < away(best) ? sample : best), last);
}

const use = ({ sold, nodes }: Figures): string => (nodes > 0 ? shareOf(sold / nodes) : "–");
const price = (figures: Figures): string => (figures.price == null ? "nothing offered" : exactly(figures.price));
const fromTo = (then: string, now: string): string => (then === now ? now : `${then} → ${now}`);

export function Since({ history }: { history: History }) {
  const [then, now] = [yesterday(history.samples), history.samples.at(-1)];
  if (!then || !now || then === now) return null;
  const rows = history.sites.flatMap((site, index): Row[] => {
    const [before, after] = [then.sites[index], now.sites[index]];
    return before && after ? [{ site, then: before, now: after }] : [];
  });
  const earns = rows.some((row) => row.now.balance != null);
  const whole = Date.parse(now.at) - Date.parse(then.at) > 0.9 * DAY;
  return (
    <Card title={whole ? "Since yesterday" : `Since ${clockOf(then.at)}`}>
      <p>
        {plural(now.ended - then.ended, "job")} ended; {plural(now.queued, "job")} waiting now, {then.queued} then.
      </p>
      <Table
        label="What changed at the sites"
        rows={rows}
        keyOf={(row) => row.site}
        columns={[
          { name: "Site", cell: (row) => row.site },
          { name: "Nodes at work", cell: (row) => fromTo(use(row.then), use(row.now)), right: true },
          { name: "Price a second", cell: (row) => fromTo(price(row.then), price(row.now)), right: true },
          ...(earns
            ? [{ name: "Earned", cell: (row: Row) => (row.now.balance == null ? "–" : moneyOf(row.now.balance - (row.then.balance ?? 0))), right: true }]
            : []),
        ]}
      />
    </Card>
  );
}
