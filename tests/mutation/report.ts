import { readFileSync, writeFileSync } from "node:fs";
import { REASONS } from "./reasons";
import { TARGETS } from "./targets";

/** A mutant that no test noticed: the first line of the changed code, and its replacement. */
export interface Survivor {
  line: number;
  code: string;
  replacement: string;
}

export interface FileResult {
  mutantCount: number;
  survivors: Survivor[];
}

const PAGE = "docs/mutation.md";
const SECTION_MARK = "\n### ";

/** Replaces the results of one file on the page. The page keeps the latest results of all other files. */
export function writeResult(file: string, result: FileResult): void {
  const page = readFileSync(PAGE, "utf8");
  const [overview = "", ...oldSections] = page.split(SECTION_MARK);
  const lines = overview.split("\n");
  const tableStart = lines.findIndex((line) => line.startsWith("|---"));
  const rows = indexByFile(lines.filter((line) => line.startsWith("| `"))).set(file, formatFileRow(file, result));
  const sections = indexByFile(oldSections).set(file, formatSection(file, result));
  if (result.survivors.length === 0) sections.delete(file);
  const listInOrder = (texts: Map<string, string>) => Object.keys(TARGETS).flatMap((name) => texts.get(name) ?? []);
  const newOverview = [...lines.slice(0, tableStart + 1), ...listInOrder(rows), "", "## Survivors"].join("\n");
  writeFileSync(PAGE, `${[newOverview, ...listInOrder(sections)].join(`\n${SECTION_MARK}`)}\n`);
}

/** Maps each text by the file that it names first. */
const indexByFile = (texts: string[]) => new Map(texts.map((text) => [text.split("`")[1]!, text.trim()]));

function formatFileRow(file: string, { mutantCount, survivors }: FileResult): string {
  const killed = mutantCount - survivors.length;
  return formatRow(`\`${file}\``, mutantCount, killed, survivors.length, formatPercent(killed, mutantCount));
}

function formatSection(file: string, { survivors }: FileResult): string {
  const rows = survivors.map((survivor) => {
    const { line, code, replacement } = survivor;
    return formatRow(line, formatCode(code), formatCode(replacement), findReason(file, survivor) ?? "not examined");
  });
  const head = [formatRow("Line", "Code", "Mutant", "Why it survives"), "|---:|---|---|---|"];
  return [`\`${file}\``, "", ...head, ...rows].join("\n");
}

function findReason(file: string, { code, replacement }: Survivor): string | undefined {
  const matches = (change: string | [string, string]) => {
    const [part, expected] = typeof change === "string" ? [change, replacement] : change;
    return code.includes(part) && expected === replacement;
  };
  return Object.entries(REASONS[file] ?? {}).find(([, changes]) => changes.some(matches))?.[0];
}

const formatRow = (...cells: (string | number)[]) => `| ${cells.join(" | ")} |`;
const formatCode = (code: string) => `\`${code.replaceAll("|", "\\|")}\``;
const formatPercent = (part: number, all: number) => (all === 0 ? "–" : `${((100 * part) / all).toFixed(1)} %`);
