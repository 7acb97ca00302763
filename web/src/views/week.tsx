// What an owner asks at every hour of a week: the dearer, the darker; not at all, when nothing is sold.
import type { Prices } from "../api/types";
import { exactly } from "../parts/format";
import { useTheme } from "../parts/theme";

export const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
const [CELL, TALL, LEFT, TOP] = [24, 18, 40, 18];

/** The base price at an hour of the week, in the service's zone, which is UTC; none when nothing is sold. */
function priceAt(prices: Prices, day: number, hour: number): number | null {
  const blacked = (prices.blackouts ?? []).some((blackout) => {
    const [from, to] = blackout.hours ?? [0, 24];
    return blackout.days != null && blackout.days.includes(day) && hour >= from && hour < to;
  });
  if (blacked) return null;
  return prices.base * (prices.hours?.[hour] ?? 1) * (prices.weekdays?.[day] ?? 1);
}

export function Week({ prices }: { prices: Prices }) {
  const theme = useTheme();
  const cells = DAYS.flatMap((_, day) => Array.from({ length: 24 }, (__, hour) => ({ day, hour, price: priceAt(prices, day, hour) })));
  const known = cells.flatMap((cell) => (cell.price === null ? [] : [cell.price]));
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const shade = (price: number): number => (most > least ? 0.15 + 0.7 * ((price - least) / (most - least)) : 0.4);
  const label = known.length === 0 ? "Nothing is sold" : least === most ? `${exactly(least)} credits a second at all hours` : `From ${exactly(least)} to ${exactly(most)} credits a second`;
  return (
    <>
      <p class="quiet">{label}, in UTC.</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Prices over a week">
        <svg class="week" viewBox={`0 0 ${LEFT + 24 * CELL} ${TOP + 7 * TALL}`} role="img" aria-label={label}>
          {DAYS.map((day, index) => (
            <text key={day} x={LEFT - 8} y={TOP + index * TALL + 13} text-anchor="end">
              {day}
            </text>
          ))}
          {[0, 6, 12, 18].map((hour) => (
            <text key={hour} x={LEFT + hour * CELL} y={12}>
              {String(hour).padStart(2, "0")}:00
            </text>
          ))}
          {cells.map(({ day, hour, price }) => (
            <rect
              key={day * 24 + hour}
              x={LEFT + hour * CELL}
              y={TOP + day * TALL}
              width={CELL - 1}
              height={TALL - 1}
              fill={price === null ? "none" : theme.accent}
              fill-opacity={price === null ? 1 : shade(price)}
              stroke={price === null ? theme.line : "none"}
            >
              <title>{`${DAYS[day]} ${String(hour).padStart(2, "0")}:00: ${price === null ? "not for sale" : exactly(price)}`}</title>
            </rect>
          ))}
        </svg>
      </div>
    </>
  );
}
