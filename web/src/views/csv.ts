// A statement as a file for spreadsheets.
import type { StatementLine } from "../api/types";

interface Page {
  lines: StatementLine[];
  next?: number | null;
}

const HEADING = ["line", "at", "purpose", "amount", "balance", "job"] as const;

/** All lines of a statement, page by page, newest first. */
export async function statementCsv(read: (before: string) => Promise<Page>): Promise<string> {
  const rows: string[] = [HEADING.join(",")];
  let before = "";
  for (;;) {
    const page = await read(before);
    for (const line of page.lines) rows.push(HEADING.map((name) => line[name] ?? "").join(","));
    if (page.next == null) return `${rows.join("\n")}\n`;
    before = String(page.next);
  }
}

export function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
