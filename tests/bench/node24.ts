import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { BenchOptions } from "./options";
import type { ThroughputFigures } from "./throughput";

/** npm's package of the Node binary. npm fetches it when the bench runs. */
const NODE_PACKAGE = "node@24";

export interface Node24Figures {
  version: string;
  throughput: ThroughputFigures[];
}

/**
 * Measures the same rows in a separate bench under Node 24.
 * @returns null, after logging the reason, when Node 24 cannot be fetched
 */
export function measureOnNode24({ isQuick }: BenchOptions, folder: string): Node24Figures | null {
  const node = installNode(join(folder, "node24"));
  if (node === null) return null;
  const args = ["--import", "tsx", "tests/bench/run.ts", "--only", "throughput", "--json"];
  if (isQuick) args.push("--quick");
  // The separate bench uses the existing build. It checks no targets, because the targets are for Node 20.
  const json = execFileSync(node, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 2 ** 24 });
  return JSON.parse(json);
}

/** Installs Node 24. @returns the path of its binary, or null when it cannot be fetched */
function installNode(folder: string): string | null {
  try {
    execFileSync("npm", ["install", "--prefix", folder, "--no-save", NODE_PACKAGE], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const node = join(folder, "node_modules/node/bin/node");
    execFileSync(node, ["--version"], { stdio: "ignore" });
    return node;
  } catch (error) {
    console.error(`${NODE_PACKAGE} could not be fetched: ${(error as Error).message}`);
    return null;
  }
}
