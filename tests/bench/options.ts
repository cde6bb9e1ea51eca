import { parseArgs } from "node:util";

export const BENCH_PARTS = ["metrics", "turns", "calls", "instances", "kept"] as const;
export type BenchPart = (typeof BENCH_PARTS)[number];

export interface BenchOptions {
  isQuick: boolean;
  /** Seconds of warm-up load for each row, before any measurement. */
  warmSeconds: number;
  /** Seconds of one measurement. Each round measures every row once, and the median of the rounds counts. */
  measureSeconds: number;
  roundCount: number;
  walletCount: number;
  /** True builds the app first, even if a build exists. */
  shouldBuild: boolean;
  parts: readonly BenchPart[];
}

const USAGE = `npm run bench -- [options]
  --quick            seconds instead of minutes; its figures are not to be quoted
  --only <part>      ${BENCH_PARTS.join(", ")}; may be repeated`;

const FULL_OPTIONS = {
  warmSeconds: 20,
  measureSeconds: 8,
  roundCount: 3,
  walletCount: 50,
  shouldBuild: true,
};
const QUICK_OPTIONS = {
  warmSeconds: 3,
  measureSeconds: 3,
  roundCount: 1,
  walletCount: 10,
  shouldBuild: false,
};

/** Parses the command line. Prints the usage and exits with 0 for --help. @throws Error for an unknown value */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const selectedParts = values.only.map((part) => parseChoice(BENCH_PARTS, part));
  return {
    ...(values.quick ? QUICK_OPTIONS : FULL_OPTIONS),
    isQuick: values.quick,
    parts: selectedParts.length > 0 ? selectedParts : BENCH_PARTS,
  };
}

/** @throws Error when the text is not one of the choices */
function parseChoice<Choice extends string>(choices: readonly Choice[], text: string): Choice {
  const selected = choices.find((choice) => choice === text);
  if (!selected) throw new Error(`${text} is none of ${choices.join(", ")}`);
  return selected;
}
