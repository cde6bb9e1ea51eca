import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Builds the app. @param shouldRebuild true builds it even if a build exists */
export function buildApp(shouldRebuild: boolean): void {
  if (!shouldRebuild && existsSync(".next/BUILD_ID")) return;
  console.error("Building the app");
  const env = { ...process.env, NODE_ENV: "production" as const, NEXT_TELEMETRY_DISABLED: "1" };
  execFileSync("npm", ["run", "build"], { stdio: ["ignore", "ignore", "inherit"], env });
}
