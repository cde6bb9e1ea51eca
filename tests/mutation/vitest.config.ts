import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Runs the unit tests that a mutation run selects. All of them share one worker, which keeps count of the mutants. */
export default defineConfig({
  resolve: { alias: { "@": inProject("").replace(/\/$/, "") } },
  test: {
    environment: "node",
    root: inProject(""),
    include: process.env.MUTATION_TESTS?.split(",") ?? [],
    runner: inProject("tests/mutation/runner.ts"),
    setupFiles: ["tests/mutation/setup.ts"],
    isolate: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    // A mutant may leave a rejected promise behind.
    dangerouslyIgnoreUnhandledErrors: true,
  },
});
