import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const NEXT_PROGRAM = "node_modules/next/dist/bin/next";

/** Builds the app and the bare Next app. @param shouldRebuild true builds them even if builds exist */
export function buildApps(shouldRebuild: boolean): void {
  if (shouldRebuild || !existsSync(".next/BUILD_ID")) runBuild("the app", "npm", ["run", "build"]);
  if (shouldRebuild || !existsSync("tests/bench/bare-next/.next/BUILD_ID"))
    runBuild("the bare Next app", process.execPath, [NEXT_PROGRAM, "build", "tests/bench/bare-next"]);
}

function runBuild(name: string, command: string, args: string[]): void {
  console.error(`Building ${name}`);
  const env = { ...process.env, NODE_ENV: "production" as const, NEXT_TELEMETRY_DISABLED: "1" };
  execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"], env });
}
