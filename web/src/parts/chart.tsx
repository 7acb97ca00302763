// Lines over time, drawn by uPlot in the page's colours.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { useTheme } from "./theme";

export interface Line {
  name: string;
  values: readonly (number | null)[];
}

interface Props {
  label: string;
  /** Milliseconds since 1970. */
  times: readonly number[];
  lines: readonly Line[];
  show: (value: number) => string;
  /** The greatest value of the axis, where it is known. */
  most?: number;
}

const HEIGHT = 190;
const clockAt = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export function Chart({ label, times, lines, show, most }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const theme = useTheme();
  const names = lines.map((line) => line.name).join("\n");
  useEffect(() => {
    const home = place.current;
    if (!home) return;
    const axis = { stroke: theme.muted, grid: { stroke: theme.line, width: 1 }, ticks: { stroke: theme.line } };
    const options: uPlot.Options = {
      width: home.clientWidth,
      height: HEIGHT,
      legend: { live: false },
      cursor: { y: false },
      scales: { y: { range: (_, __, max) => [0, most ?? Math.max(max * 1.1, 1e-6)] } },
      axes: [{ ...axis, values: (_, ticks) => ticks.map((tick) => clockAt.format(tick * 1_000)), space: 90 }, { ...axis, size: 56, values: (_, ticks) => ticks.map(show) }],
      series: [
        { label: "time" },
        ...lines.map((line, index) => ({
          label: line.name,
          stroke: theme.series[index % theme.series.length] ?? theme.muted,
          width: 2,
          points: { show: false },
        })),
      ],
    };
    const made = new uPlot(options, dataOf(times, lines), home);
    chart.current = made;
    const watcher = new ResizeObserver(() => made.setSize({ width: home.clientWidth, height: HEIGHT }));
    watcher.observe(home);
    return () => {
      watcher.disconnect();
      made.destroy();
      chart.current = null;
    };
  }, [names, theme, most]);
  useEffect(() => chart.current?.setData(dataOf(times, lines)), [times, lines]);
  const last = lines.map((line) => `${line.name} ${showLast(line, show)}`).join(", ");
  return <div class="chart" ref={place} role="img" aria-label={`${label}: ${last}`} />;
}

function dataOf(times: readonly number[], lines: readonly Line[]): uPlot.AlignedData {
  return [times.map((time) => time / 1_000), ...lines.map((line) => [...line.values])];
}

function showLast(line: Line, show: (value: number) => string): string {
  const last = line.values.at(-1);
  return last === null || last === undefined ? "unknown" : show(last);
}
