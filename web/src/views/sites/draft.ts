// Prices as they are being written: text that may not be numbers yet.
import type { Prices, Site } from "../../api/types";

export interface Draft {
  base: string;
  classes: Record<string, string>;
  /** Those with a price of their own. */
  nodes: Record<string, string>;
  /** A factor for every hour of the day (UTC), and for every day of the week from Monday on. */
  hours: readonly string[];
  weekdays: readonly string[];
}

const texts = (of: Record<string, number> | undefined): Record<string, string> => Object.fromEntries(Object.entries(of ?? {}).map(([name, price]) => [name, String(price)]));
const factors = (of: readonly number[] | undefined, count: number): string[] => Array.from({ length: count }, (_, index) => String(of?.[index] ?? 1));

/** What is asked now; classes of nodes that have no price of their own can be given one. */
export function draftOf(prices: Prices, nodes: Site["nodes"]): Draft {
  const classes = Object.fromEntries(nodes.flatMap((node) => (node.class ? [[node.class, ""]] : [])));
  return {
    base: String(prices.base),
    classes: { ...classes, ...texts(prices.classes) },
    nodes: texts(prices.nodes),
    hours: factors(prices.hours, 24),
    weekdays: factors(prices.weekdays, 7),
  };
}

const isPrice = (text: string): boolean => text.trim() !== "" && Number(text) > 0;

function numbers(of: Record<string, string>): Record<string, number> {
  return Object.fromEntries(Object.entries(of).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, Number(text)]])));
}

/** Factors that change nothing are none. */
const listed = (of: readonly string[]): number[] => (of.every((text) => Number(text) === 1) ? [] : of.map(Number));

/** The prices that are meant; nothing while something is no price. */
export function pricesOf(draft: Draft, before: Prices): Prices | null {
  const named = [...Object.values(draft.classes), ...Object.values(draft.nodes)].filter((text) => text.trim() !== "");
  if (![draft.base, ...named, ...draft.hours, ...draft.weekdays].every(isPrice)) return null;
  const { exact: _, ...rest } = before;
  return {
    ...rest,
    base: Number(draft.base),
    classes: numbers(draft.classes),
    nodes: numbers(draft.nodes),
    hours: listed(draft.hours),
    weekdays: listed(draft.weekdays),
  };
}
