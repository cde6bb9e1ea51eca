import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const NEXT = "node_modules/next/dist/bin/next";

/** Builds the app and the bare Next app, unless builds exist. @param evenIfBuilt rebuilds them in any case */
export function buildApps(evenIfBuilt: boolean): void {
  if (evenIfBuilt || !existsSync(".next/BUILD_ID")) build("the app", "npm", ["run", "build"]);
  if (evenIfBuilt || !existsSync("tests/bench/bare-next/.next/BUILD_ID"))
    build("the bare one", process.execPath, [NEXT, "build", "tests/bench/bare-next"]);
}

function build(what: string, command: string, args: string[]): void {
  console.error(`Building ${what}`);
  const env = { ...process.env, NODE_ENV: "production" as const, NEXT_TELEMETRY_DISABLED: "1" };
  execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"], env });
}
