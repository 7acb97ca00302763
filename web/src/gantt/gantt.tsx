// The picture of who has which node when, and everything that can be done with it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { now as clock } from "../live/clock";
import { clockOf, countOf, exactly, plural, spanOf } from "../parts/format";
import { useTheme } from "../parts/theme";
import { attach } from "./gestures";
import { type Hit, hit } from "./hit";
import { blockKey, loadAt, type Model, rowsOf } from "./model";
import { NO_OVERLAY, type Overlay } from "./overlay";
import { AXIS, paint, ROW, type Scene } from "./paint";
import { showing, type Window } from "./window";

interface Props {
  model: Model;
  /** What is shown around now, in milliseconds from it. */
  span: readonly [number, number];
  /** What is shown at first, where that is not now. */
  begin?: readonly [number, number] | null;
  word: string;
  /** The job that is chosen, and what is drawn for it. */
  chosen?: number | null;
  overlay?: Overlay;
  open: (job: number) => void;
  /** A block of nodes is to be opened, or closed. */
  unfold?: (block: string) => void;
  /** Told what stretch of time is seen. */
  seen?: (from: number, to: number) => void;
}

const HEIGHT_MOST = 640;

export function Gantt({ model, span, begin, word, chosen = null, overlay = NO_OVERLAY, open, unfold, seen }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [pointed, setPointed] = useState<{ hit: Hit; x: number; y: number } | null>(null);
  const rows = useMemo(() => rowsOf(model, folded), [model, folded]);
  const height = Math.min(HEIGHT_MOST, AXIS + rows.length * ROW + 2);
  const scene = useRef<Scene | null>(null);
  const window_ = useRef<Window | null>(null);
  const latest = useRef({ open, unfold, seen, span });
  latest.current = { open, unfold, seen, span };

  const draw = useRef<() => void>(() => undefined);
  draw.current = () => {
    const [place, home] = [canvas.current, box.current];
    const pen = place?.getContext("2d");
    if (!place || !home || !pen) return;
    const width = home.clientWidth;
    const gutter = width < 600 ? 84 : 132;
    const now = clock();
    const plot = width - gutter;
    const [from, to] = begin ?? [now + span[0], now + span[1]];
    window_.current ??= showing(from, to, plot);
    // On another width the same time is shown.
    if (scene.current && plot > 0) {
      const before = scene.current.width - scene.current.gutter;
      if (before > 0 && before !== plot) window_.current = { ...window_.current, scale: (window_.current.scale * before) / plot };
    }
    const job = pointed?.hit.bar?.job ?? chosen;
    scene.current = { model, rows, window: window_.current, theme, now, width, height, gutter, job, word, overlay };
    const ratio = devicePixelRatio || 1;
    if (place.width !== Math.round(width * ratio) || place.height !== Math.round(height * ratio)) {
      place.width = Math.round(width * ratio);
      place.height = Math.round(height * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(pen, scene.current);
  };

  // Everything that changes the picture asks for one painting in the next frame.
  const frame = useRef(0);
  const repaint = useRef(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => draw.current());
  });
  useEffect(() => repaint.current(), [model, rows, theme, word, pointed, height, chosen, overlay]);
  useEffect(() => {
    const [place, home] = [canvas.current, box.current];
    if (!place || !home) return;
    const move = (to: Window): void => {
      window_.current = to;
      repaint.current();
      setPointed(null);
      const current = scene.current;
      if (current) latest.current.seen?.(to.from, to.from + (current.width - current.gutter) * to.scale);
    };
    const hands = {
      scene: () => scene.current,
      move,
      point: (x: number, y: number) => {
        const found = scene.current && hit(scene.current, x, y);
        setPointed(found && (found.bar || found.free || found.block) ? { hit: found, x, y } : null);
        place.style.cursor = found?.bar?.job != null || found?.row.kind === "site" ? "pointer" : "grab";
      },
      leave: () => setPointed(null),
      press: (x: number, y: number) => {
        const found = scene.current && hit(scene.current, x, y);
        if (found?.bar?.job != null) latest.current.open(found.bar.job);
        else if (found?.row.kind === "site" && found.row.block) latest.current.unfold?.(blockKey(found.row.block));
        else if (found?.row.kind === "site") toggle(found.row.site);
      },
      home: () => {
        const current = scene.current;
        const [back, ahead] = latest.current.span;
        if (current) move(showing(clock() + back, clock() + ahead, current.width - current.gutter));
      },
    };
    const toggle = (site: string): void =>
      setFolded((old) => new Set(old.has(site) ? [...old].filter((it) => it !== site) : [...old, site]));
    const detach = attach(place, hands);
    const watcher = new ResizeObserver(() => repaint.current());
    watcher.observe(home);
    const ticking = setInterval(() => repaint.current(), 500);
    return () => {
      detach();
      watcher.disconnect();
      clearInterval(ticking);
      cancelAnimationFrame(frame.current);
    };
  }, []);

  return (
    <div class="gantt" ref={box}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label="Nodes and what they are used for, over time"
        aria-describedby="gantt-keys"
        style={{ height: `${height}px` }}
      />
      {pointed && <Tip {...pointed} model={model} />}
      <p id="gantt-keys" class="quiet keys">
        Wheel or + and − zoom, drag or arrows move, Home is now; shift and wheel scroll the nodes. A click chooses a job and shows where else it could run, another opens it; a click on a site folds it.
      </p>
    </div>
  );
}

interface TipProps {
  hit: Hit;
  model: Model;
  x: number;
  y: number;
}

function Tip({ hit: { bar, free, node, block, time }, model, x, y }: TipProps) {
  const at = { left: `${x + 14}px`, top: `${y + 14}px` };
  if (block) {
    const load = loadAt(block, model.span, time);
    return (
      <div class="tip" style={at}>
        <strong>{block.name}</strong>
        <span>
          {plural(block.nodes, "node")}, {clockOf(time)}
        </span>
        {load && (
          <span>
            {countOf(Math.round(load.used))} reserved, {countOf(Math.round(load.planned))} planned, {countOf(Math.round(load.owner))} used by the owner
          </span>
        )}
      </div>
    );
  }
  const of = bar ?? free;
  if (!of || !node) return null;
  return (
    <div class="tip" style={at}>
      <strong>{bar ? titleOf(bar) : "free"}</strong>
      <span>
        {node.site}/{node.node}
      </span>
      <span>
        {clockOf(of.start)} to {clockOf(of.end)}, {spanOf(of.end - of.start)}
      </span>
      {bar?.user && <span>{bar.user}</span>}
      {!bar && free && <span>{exactly(free.price)} credits a second</span>}
    </div>
  );
}

function titleOf(bar: NonNullable<Hit["bar"]>): string {
  if (bar.kind === "owner") return "the owner's own use";
  const whose = bar.job === null ? "somebody's job" : `${bar.job} ${bar.name ?? ""}`;
  return `${whose.trim()}, ${bar.kind}`;
}
