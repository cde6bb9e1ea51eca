import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { REASONS } from "./reasons";
import { TARGETS } from "./targets";

/** A mutant that no test noticed: the first line of the changed code, and its replacement. */
export interface Survivor {
  line: number;
  code: string;
  to: string;
}

export interface FileResult {
  mutants: number;
  survivors: Survivor[];
}

type Results = Record<string, FileResult>;

/** File with the latest result of every file. A run of one file keeps the rows of the others. */
const RESULTS = "tests/mutation/results.json";
const TABLE = "docs/mutation.md";

/** Stores the result of one file and rewrites the table. */
export function writeResult(file: string, result: FileResult): void {
  const results: Results = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")) : {};
  results[file] = result;
  const sortedResults = Object.keys(TARGETS).flatMap((name) => (results[name] ? [[name, results[name]] as const] : []));
  writeFileSync(RESULTS, `${JSON.stringify(Object.fromEntries(sortedResults), null, 2)}\n`);
  writeFileSync(TABLE, formatPage(sortedResults));
}

const HEAD = `# Mutation tests

\`npm run mutate\` changes one expression at a time in the files that handle money, and runs their unit tests against each change.
A killed mutant is a change that a test noticed. \`npm run mutate -- money\` runs one file. The run is not part of \`npm test\`.
Two kinds of mutants are left out: constants (their code runs only while a module loads), and the texts of errors that only a bug
causes.
`;

function formatPage(results: (readonly [string, FileResult])[]): string {
  const rows = results.map(([file, { mutants, survivors }]) => {
    const killed = mutants - survivors.length;
    return formatRow(`\`${file}\``, mutants, killed, survivors.length, formatPercent(killed, mutants));
  });
  const head = [formatRow("File", "Mutants", "Killed", "Survived", "Score"), "|---|---:|---:|---:|---:|"];
  const sections = results
    .filter(([, { survivors }]) => survivors.length > 0)
    .map(([file, result]) => formatSection(file, result));
  return [HEAD, [...head, ...rows].join("\n"), "\n## Survivors", ...sections, ""].join("\n");
}

function formatSection(file: string, { survivors }: FileResult): string {
  const rows = survivors.map((survivor) => {
    const { line, code, to } = survivor;
    return formatRow(line, formatCode(code), formatCode(to), findReason(file, survivor) ?? "not examined");
  });
  return [
    "",
    `### \`${file}\``,
    "",
    formatRow("Line", "Code", "Mutant", "Why it survives"),
    "|---:|---|---|---|",
    ...rows,
  ].join("\n");
}

const findReason = (file: string, { code, to }: Survivor) =>
  REASONS[file]?.find((entry) => code.includes(entry.code) && (entry.to === undefined || to === entry.to))?.reason;

const formatRow = (...cells: (string | number)[]) => `| ${cells.join(" | ")} |`;
const formatCode = (code: string) => `\`${code.replaceAll("|", "\\|")}\``;
const formatPercent = (part: number, all: number) => (all === 0 ? "–" : `${((100 * part) / all).toFixed(1)} %`);
