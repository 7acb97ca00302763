// Where the words of marks on a line stand: each begins or ends at its mark, and none covers another.

/** How wide a letter is, in pixels, on the whole. */
const LETTER = 7;
const [GAP, MARGIN] = [10, 4];

export interface Label {
  anchor: "start" | "end";
  /** Rows below each other, from 0 on. */
  row: number;
}

interface Word {
  index: number;
  from: number;
  to: number;
  anchor: "start" | "end";
}

/** A label for every mark, by its place and its words. Those to the left stand lower, so that the line down to them meets no word. */
export function labelsOf(marks: readonly { x: number; text: string }[], width: number): Label[] {
  const words = marks.map(({ x, text }, index): Word => {
    const wide = text.length * LETTER;
    return x + wide + MARGIN <= width || x < wide ? { index, from: x, to: x + wide, anchor: "start" } : { index, from: x - wide, to: x, anchor: "end" };
  });
  const starting = words.filter((word) => word.anchor === "start").sort((one, other) => other.from - one.from);
  const ending = words.filter((word) => word.anchor === "end").sort((one, other) => one.to - other.to);
  const rows: Word[][] = [];
  const labels: Label[] = marks.map(() => ({ anchor: "start", row: 0 }));
  for (const word of [...starting, ...ending]) {
    const free = rows.findIndex((row) => row.every((other) => word.to + GAP <= other.from || other.to + GAP <= word.from));
    const row = free < 0 ? rows.length : free;
    (rows[row] ??= []).push(word);
    labels[word.index] = { anchor: word.anchor, row };
  }
  return labels;
}
