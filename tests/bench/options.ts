import { parseArgs } from "node:util";
import { LOAD_NAMES, type LoadName } from "./loads";

export const PARTS = [
  "throughput",
  "node24",
  "metrics",
  "upstream",
  "addresses",
  "coalescing",
  "calls",
  "instances",
  "kept",
  "pages",
  "start",
  "browser",
] as const;
export type Part = (typeof PARTS)[number];

export interface BenchOptions {
  quick: boolean;
  /** Seconds of warm-up load for each row, before any measurement. */
  warmSeconds: number;
  /** Seconds of one measurement. Each round measures every row once, and the median of the rounds counts. */
  measureSeconds: number;
  rounds: number;
  wallets: number;
  /** Distinct client addresses sent to the server. */
  addresses: number;
  starts: number;
  /** Builds the app and the bare Next app first, even if builds exist. */
  build: boolean;
  parts: readonly Part[];
  /** Prints only the throughput figures, for another bench to read. Uses the existing builds. */
  json: boolean;
  profile: LoadName | null;
  /** The server to profile. */
  door: "server" | "next";
}

const USAGE = `npm run bench -- [options]
  --quick            seconds instead of minutes; its figures are not to be quoted
  --only <part>      ${PARTS.join(", ")}; may be repeated
  --profile <load>   ${LOAD_NAMES.join(", ")}: where the server's time goes
  --door next        profiles it behind Next alone`;

const FULL = {
  warmSeconds: 20,
  measureSeconds: 8,
  rounds: 3,
  wallets: 50,
  addresses: 1_000_000,
  starts: 3,
  build: true,
};
const QUICK = {
  warmSeconds: 3,
  measureSeconds: 3,
  rounds: 1,
  wallets: 10,
  addresses: 150_000,
  starts: 1,
  build: false,
};

/** Parses the command line. Prints the usage and exits with 0 for --help. @throws Error for an unknown value */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      profile: { type: "string" },
      door: { type: "string", default: "server" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const only = values.only.map((part) => parseChoice(PARTS, part));
  return {
    ...(values.quick ? QUICK : FULL),
    quick: values.quick,
    json: values.json,
    ...(values.json && { build: false }),
    parts: only.length > 0 ? only : PARTS,
    profile: values.profile === undefined ? null : parseChoice(LOAD_NAMES, values.profile),
    door: parseChoice(["server", "next"] as const, values.door),
  };
}

function parseChoice<T extends string>(choices: readonly T[], text: string): T {
  const found = choices.find((choice) => choice === text);
  if (!found) throw new Error(`${text} is none of ${choices.join(", ")}`);
  return found;
}
