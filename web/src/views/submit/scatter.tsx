// Alternatives as points: to the right they end later, upwards they cost more.
import type { Quote } from "../../api/types";
import { clockOf, moneyOf } from "../../parts/format";
import { useWidth } from "../../parts/width";

interface Props {
  options: Quote["options"];
  picked: number;
  pick: (option: number) => void;
}

const HEIGHT = 240;
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 20, 16, 40];

/** A scale with room at both ends. */
function scale(values: readonly number[], from: number, to: number): (value: number) => number {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = Math.max((most - least) * 0.12, most * 1e-9, 1e-9);
  return (value) => from + ((value - least + room) / (most - least + 2 * room)) * (to - from);
}

export function Scatter({ options, picked, pick }: Props) {
  const [place, width] = useWidth<HTMLDivElement>();
  const points = options.map((option) => ({ ...option, at: Date.parse(option.finish) }));
  const x = scale(points.map((point) => point.at), LEFT, width - RIGHT);
  const y = scale(points.map((point) => point.price), HEIGHT - BOTTOM, TOP);
  const ordered = [...points].sort((one, other) => one.at - other.at);
  const path = ordered.map((point, index) => (index === 0 ? `M${x(point.at)},${y(point.price)}` : `H${x(point.at)}V${y(point.price)}`)).join("");
  const [first, last] = [ordered[0], ordered.at(-1)];
  const chosen = points.find((point) => point.option === picked);
  return (
    <div class="drawn" ref={place}>
      <svg class="scatter" width={width} height={HEIGHT} role="img" aria-label={`${options.length} alternatives, cost against finish`}>
        <line x1={LEFT} x2={width - RIGHT} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} class="axis" />
        <line x1={LEFT} x2={LEFT} y1={TOP} y2={HEIGHT - BOTTOM} class="axis" />
        <path d={path} class="front" />
        {chosen && (
          <path d={`M${LEFT},${y(chosen.price)}H${x(chosen.at)}V${HEIGHT - BOTTOM}`} class="guide" />
        )}
        {points.map((point) => (
          <circle
            key={point.option}
            cx={x(point.at)}
            cy={y(point.price)}
            r={point.option === picked ? 8 : 6}
            class={point.option === picked ? "picked" : ""}
            onClick={() => pick(point.option)}
          />
        ))}
        {first && (
          <text x={x(first.at)} y={HEIGHT - 20} text-anchor="middle">
            {clockOf(first.at)}
          </text>
        )}
        {last && last !== first && (
          <text x={x(last.at)} y={HEIGHT - 20} text-anchor={x(last.at) > width - 70 ? "end" : "middle"}>
            {clockOf(last.at)}
          </text>
        )}
        {first && (
          <text x={LEFT - 8} y={y(first.price) + 4} text-anchor="end">
            {moneyOf(first.price)}
          </text>
        )}
        {last && last !== first && (
          <text x={LEFT - 8} y={y(last.price) + 4} text-anchor="end">
            {moneyOf(last.price)}
          </text>
        )}
        <text x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 4} text-anchor="middle" class="name">
          done by
        </text>
        <text x={6} y={TOP - 2} class="name" dominant-baseline="hanging">
          credits
        </text>
      </svg>
    </div>
  );
}
