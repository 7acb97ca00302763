// The week to come as a calendar: what an owner asks at every hour, the dearer the darker, and what is not sold. A stretch of it is
// chosen by dragging, or by two taps.
import { useRef, useState } from "preact/hooks";
import type { Prices, Site } from "../../api/types";
import { now } from "../../live/clock";
import { exactly } from "../../parts/format";
import { useTheme } from "../../parts/theme";

export const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
export const HOUR = 3_600_000;
const [CELL, TALL, LEFT, TOP] = [24, 20, 92, 18];
const HOURS = 7 * 24;
const DAY_NAME = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });

/** From a moment to another, in milliseconds. */
export interface Stretch {
  from: number;
  to: number;
}

/** The day of the week, from Monday on, in the service's zone, which is UTC. */
export const weekday = (moment: number): number => (new Date(moment).getUTCDay() + 6) % 7;
export const hourOf = (moment: number): number => new Date(moment).getUTCHours();

/** The base price in an hour; none when nothing is sold in it. */
export function priceAt(prices: Prices, moment: number): number | null {
  const [day, hour] = [weekday(moment), hourOf(moment)];
  const kept = (prices.blackouts ?? []).some(({ from, to, days, hours }) => {
    if (from != null && to != null) return Date.parse(from) < moment + HOUR && Date.parse(to) > moment;
    const [first, last] = hours ?? [0, 24];
    return (days ?? [day]).includes(day) && hour >= first && hour < last;
  });
  return kept ? null : prices.base * (prices.hours?.[hour] ?? 1) * (prices.weekdays?.[day] ?? 1);
}

/** The share of a site's nodes that are drained in an hour. */
function drainedAt(nodes: Site["nodes"], moment: number): number {
  const in_it = nodes.filter((node) => node.drained.some(({ from, until }) => Date.parse(from) < moment + HOUR && (until == null || Date.parse(until) > moment)));
  return nodes.length === 0 ? 0 : in_it.length / nodes.length;
}

interface Props {
  prices: Prices;
  nodes: Site["nodes"];
  /** Chosen by whoever may change something. */
  chosen: Stretch | null;
  choose: ((stretch: Stretch) => void) | null;
}

export function Calendar({ prices, nodes, chosen, choose }: Props) {
  const theme = useTheme();
  const picture = useRef<SVGSVGElement>(null);
  const [anchor, setAnchor] = useState<number | null>(null);
  const begin = Math.floor(now() / (24 * HOUR)) * 24 * HOUR;
  const cells = Array.from({ length: HOURS }, (_, index) => {
    const at = begin + index * HOUR;
    return { index, at, price: priceAt(prices, at), drained: drainedAt(nodes, at) };
  });
  const known = cells.flatMap((cell) => (cell.price === null ? [] : [cell.price]));
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const shade = (price: number): number => (most > least ? 0.15 + 0.7 * ((price - least) / (most - least)) : 0.4);
  const label = known.length === 0 ? "Nothing is sold" : least === most ? `${exactly(least)} credits a second at all hours` : `From ${exactly(least)} to ${exactly(most)} credits a second`;
  const within = (at: number): boolean => chosen !== null && at + HOUR > chosen.from && at < chosen.to;

  const cellAt = (event: PointerEvent): number | null => {
    const box = picture.current?.getBoundingClientRect();
    if (!box || box.width === 0) return null;
    const scale = (LEFT + 24 * CELL) / box.width;
    const [column, row] = [Math.floor(((event.clientX - box.left) * scale - LEFT) / CELL), Math.floor(((event.clientY - box.top) * scale - TOP) / TALL)];
    return column >= 0 && column < 24 && row >= 0 && row < 7 ? row * 24 + column : null;
  };
  const extend = (from: number, to: number): void => choose?.({ from: begin + Math.min(from, to) * HOUR, to: begin + (Math.max(from, to) + 1) * HOUR });
  const down = (event: PointerEvent): void => {
    const cell = cellAt(event);
    if (cell === null || !choose) return;
    // A finger that moves scrolls: two taps say from where to where.
    if (event.pointerType === "touch" && anchor !== null) {
      extend(anchor, cell);
      setAnchor(null);
      return;
    }
    setAnchor(cell);
    extend(cell, cell);
    if (event.pointerType !== "touch") picture.current?.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    const cell = cellAt(event);
    if (anchor !== null && cell !== null && event.pointerType !== "touch") extend(anchor, cell);
  };
  const up = (event: PointerEvent): void => {
    if (event.pointerType !== "touch") setAnchor(null);
  };
  return (
    <>
      <p class="quiet">
        {label}, in UTC.{choose ? " Drag over hours to keep them, or to drain nodes in them; on a touch screen, tap the first and the last." : ""}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Prices over a week">
        <svg
          ref={picture}
          class={choose ? "week chooses" : "week"}
          viewBox={`0 0 ${LEFT + 24 * CELL} ${TOP + 7 * TALL}`}
          role="img"
          aria-label={label}
          onPointerDown={down}
          onPointerMove={move}
          onPointerUp={up}
        >
          {DAYS.map((_, row) => (
            <text key={row} x={LEFT - 8} y={TOP + row * TALL + 14} text-anchor="end">
              {DAY_NAME.format(begin + row * 24 * HOUR)}
            </text>
          ))}
          {[0, 6, 12, 18].map((hour) => (
            <text key={hour} x={LEFT + hour * CELL} y={12}>
              {String(hour).padStart(2, "0")}:00
            </text>
          ))}
          {cells.map(({ index, at, price, drained }) => {
            const [x, y] = [LEFT + (index % 24) * CELL, TOP + Math.floor(index / 24) * TALL];
            return (
              <g key={index}>
                <rect x={x + 0.5} y={y + 0.5} width={CELL - 2} height={TALL - 2} fill={price === null ? "none" : theme.accent} fill-opacity={price === null ? 1 : shade(price)} stroke={price === null ? theme.line : "none"}>
                  <title>{titleOf(at, price, drained)}</title>
                </rect>
                {price !== null && drained > 0 && <rect class="drained" x={x + 0.5} y={y + 0.5 + (TALL - 2) * (1 - drained)} width={CELL - 2} height={(TALL - 2) * drained} />}
                {within(at) && <rect class="chosen" x={x + 0.5} y={y + 0.5} width={CELL - 2} height={TALL - 2} />}
              </g>
            );
          })}
        </svg>
      </div>
    </>
  );
}

function titleOf(at: number, price: number | null, drained: number): string {
  const when = `${DAY_NAME.format(at)} ${String(hourOf(at)).padStart(2, "0")}:00`;
  const less = drained > 0 ? `, ${Math.round(drained * 100)} % of the nodes drained` : "";
  return `${when}: ${price === null ? "not for sale" : exactly(price)}${less}`;
}
