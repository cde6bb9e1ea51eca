import { execFileSync } from "node:child_process";
import type { FullConfig, Reporter, Suite } from "@playwright/test/reporter";

/** Prints the version of each browser that runs. The gate repeats these lines at its end. */
export default class VersionReporter implements Reporter {
  onBegin(_config: FullConfig, suite: Suite): void {
    const paths = suite.suites.map((projectSuite) => projectSuite.project()?.use.launchOptions?.executablePath);
    for (const path of new Set(paths.filter((path) => path !== undefined))) {
      // Debian's script for Chromium also writes warnings to stderr.
      const version = execFileSync(path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
      console.log(`browser: ${version.trim()}`);
    }
  }
}
