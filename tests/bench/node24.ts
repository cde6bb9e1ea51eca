import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { BenchOptions } from "./options";
import type { ThroughputFigures } from "./throughput";

/** npm's package of the Node binary, fetched when the bench runs. */
const NODE = "node@24";

export interface Node24Figures {
  version: string;
  throughput: ThroughputFigures[];
}

/**
 * Measures the same rows in a separate bench under Node 24.
 * @returns null, after logging the reason, when Node 24 cannot be fetched
 */
export function measureOnNode24({ quick }: BenchOptions, folder: string): Node24Figures | null {
  const node = installNode(join(folder, "node24"));
  if (node === null) return null;
  const args = [
    "--import",
    "tsx",
    "tests/bench/run.ts",
    "--only",
    "throughput",
    "--json",
    ...(quick ? ["--quick"] : []),
  ];
  // Uses the existing build. It has no targets, because those are for Node 20.
  const text = execFileSync(node, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 2 ** 24 });
  return JSON.parse(text);
}

function installNode(folder: string): string | null {
  try {
    execFileSync("npm", ["install", "--prefix", folder, "--no-save", NODE], { stdio: ["ignore", "ignore", "inherit"] });
    const node = join(folder, "node_modules/node/bin/node");
    execFileSync(node, ["--version"], { stdio: "ignore" });
    return node;
  } catch (error) {
    console.error(`${NODE} could not be fetched: ${(error as Error).message}`);
    return null;
  }
}
