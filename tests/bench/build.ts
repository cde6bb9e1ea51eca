import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const NEXT = "node_modules/next/dist/bin/next";

/** Builds the app and the bare one, or takes the builds there are. */
export function buildBoth(evenIfBuilt: boolean): void {
  if (evenIfBuilt || !existsSync(".next/BUILD_ID")) build(".");
  if (evenIfBuilt || !existsSync("tests/bench/bare-next/.next/BUILD_ID")) build("tests/bench/bare-next");
}

function build(folder: string): void {
  console.error(`Building ${folder}`);
  const env = { ...process.env, NODE_ENV: "production" as const, NEXT_TELEMETRY_DISABLED: "1" };
  execFileSync(process.execPath, [NEXT, "build", folder], { stdio: ["ignore", "ignore", "inherit"], env });
}
