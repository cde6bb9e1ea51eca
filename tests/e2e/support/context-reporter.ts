import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { FullConfig, Reporter, Suite, TestCase, TestResult } from "@playwright/test/reporter";

/**
 * Prints the version of each browser that runs, which the gate repeats at its end, and what the page of a failed journey
 * showed.
 */
export default class ContextReporter implements Reporter {
  onBegin(_config: FullConfig, suite: Suite): void {
    const paths = suite.suites.map((projectSuite) => projectSuite.project()?.use.launchOptions?.executablePath);
    for (const path of new Set(paths.filter((path) => path !== undefined))) {
      // Debian's script for Chromium also writes warnings to stderr.
      const version = execFileSync(path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
      console.log(`browser: ${version.trim()}`);
    }
  }

  onTestEnd(_test: TestCase, { attachments }: TestResult): void {
    const contextPath = attachments.find(({ name }) => name === "error-context")?.path;
    if (contextPath) console.log(/# Page snapshot[\s\S]*?(?=\n# |$)/.exec(readFileSync(contextPath, "utf8"))?.[0]);
  }
}
