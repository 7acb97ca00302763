// Where the parts of a job run: as it was planned in outlines, as it went in colour, data on its way between tasks, and the path on
// which the end hangs.
import type { PlacedPart, PlaceOf, Places } from "../../api/types";
import { now as clock } from "../../live/clock";
import { Card } from "../../parts/card";
import { clockOf, plural, spanOf } from "../../parts/format";
import { useWidth } from "../../parts/width";

const [ROW, TOP, LETTER] = [30, 22, 7];
/** So much room the names of nodes have at most, as a share of all, and in pixels. */
const [NAMES_SHARE, NAMES_MAX] = [0.3, 150];
/** Of larger jobs the first so many nodes are drawn. */
const ROWS_MAX = 60;

const rowOf = (place: PlaceOf): string => (place.node ? `${place.site}/${place.node}` : place.site);
const placesOf = (part: PlacedPart): PlaceOf[] => [part.planned, part.actual].flatMap((place) => (place ? [place] : []));

export function Plan({ places }: { places: Places }) {
  const [place, width] = useWidth<HTMLDivElement>(280);
  const left = Math.min(NAMES_MAX, Math.round(width * NAMES_SHARE));
  const letters = Math.floor((left - 12) / LETTER);
  const all = places.parts.flatMap(placesOf);
  const rows = [...new Set(all.map(rowOf))].sort().slice(0, ROWS_MAX);
  const first = Math.min(...all.map((place) => Date.parse(place.start)));
  const last = Math.max(...all.map((place) => Date.parse(place.end)), first + 1_000);
  const x = (moment: string | number): number => left + ((new Date(moment).getTime() - first) / (last - first)) * (width - left - 8);
  const y = (place: PlaceOf): number => TOP + rows.indexOf(rowOf(place)) * ROW;
  const known = (place: PlaceOf | null | undefined): place is PlaceOf => place != null && rows.includes(rowOf(place));
  const hangs = places.parts.some((part) => part.critical);
  const height = TOP + rows.length * ROW + 4;
  return (
    <Card title="Planned and actual" aside={<span class="quiet">{summaryOf(places)}</span>}>
      <ul class="legend">
        <li class="planned">as it was planned</li>
        <li class="runs">as it went</li>
        {hangs && <li class="critical">the end hangs on it</li>}
        {places.transfers.length > 0 && <li class="transfer">data on its way</li>}
      </ul>
      <div ref={place}>
        <svg class="plan" width={width} height={height} role="img" aria-label={`${plural(places.parts.length, "part")} on ${plural(rows.length, "node")}: ${summaryOf(places)}`}>
          {(width > 480 ? [0, 0.5, 1] : [0, 1]).map((share) => {
            const at = first + share * (last - first);
            return (
              <text key={share} x={x(at)} y={14} text-anchor={share === 0 ? "start" : share === 1 ? "end" : "middle"}>
                {clockOf(at)}
              </text>
            );
          })}
          {rows.map((row, index) => (
            <g key={row}>
              <line class="rule" x1={0} x2={width} y1={TOP + (index + 1) * ROW} y2={TOP + (index + 1) * ROW} />
              <text x={left - 10} y={TOP + index * ROW + 19} text-anchor="end">
                {row.length > letters ? `…${row.slice(1 - letters)}` : row}
              </text>
            </g>
          ))}
          {places.parts.map((part) => (
            <g key={part.part} class={part.critical ? "critical" : ""}>
              <title>{titleOf(part)}</title>
              {known(part.actual) && <rect class="actual" x={x(part.actual.start)} y={y(part.actual) + 7} width={Math.max(2, x(endOf(part.actual)) - x(part.actual.start))} height={ROW - 13} rx="2" />}
              {known(part.planned) && <rect class="planned" x={x(part.planned.start)} y={y(part.planned) + 4} width={Math.max(2, x(part.planned.end) - x(part.planned.start))} height={ROW - 7} rx="3" />}
              {known(part.planned) && part.task && x(part.planned.end) - x(part.planned.start) > 7 * part.task.length + 8 && (
                <text class="task" x={x(part.planned.start) + 6} y={y(part.planned) + 19}>
                  {part.task}
                </text>
              )}
            </g>
          ))}
          {places.transfers.map((transfer) => {
            const [from, to] = [places.parts[transfer.from]?.planned, places.parts[transfer.to]?.planned];
            if (!known(from) || !known(to)) return null;
            const [x1, y1, x2, y2] = [x(transfer.start), y(from) + ROW / 2, Math.max(x(transfer.end), x(transfer.start) + 1), y(to) + ROW / 2];
            return <path key={`${transfer.from} ${transfer.to}`} class={transfer.critical ? "transfer critical" : "transfer"} d={`M${x1},${y1}C${x1 + 12},${y1} ${x2 - 12},${y2} ${x2},${y2}`} />;
          })}
        </svg>
      </div>
    </Card>
  );
}

/** A part that runs is drawn as far as it has come. */
const endOf = (place: PlaceOf): number => Math.min(Date.parse(place.end), Math.max(clock(), Date.parse(place.start)));

function titleOf(part: PlacedPart): string {
  const said = (word: string, place: PlaceOf | null | undefined): string => (place ? `, ${word} ${clockOf(place.start)} to ${clockOf(place.end)} on ${rowOf(place)}` : "");
  return `${part.task ?? `Part ${part.part}`}${said("planned", part.planned)}${said("ran", part.actual)}`;
}

/** How far from the plan it ended, once all of it has run. */
function summaryOf(places: Places): string {
  const ends = (pick: (part: PlacedPart) => PlaceOf | null | undefined): number[] => places.parts.flatMap((part) => pick(part)?.end ?? []).map((end) => Date.parse(end));
  const [planned, actual] = [ends((part) => part.planned), ends((part) => part.actual)];
  if (planned.length === 0 || actual.length < places.parts.length) return "";
  const late = Math.max(...actual) - Math.max(...planned);
  if (Math.abs(late) < 1_000) return "just as planned";
  return late > 0 ? `${spanOf(late)} later than planned` : `${spanOf(late)} earlier than planned`;
}
