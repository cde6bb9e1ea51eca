import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Runs the unit tests that a mutation run selects. Stryker starts it in a copy of the project. */
export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "") } },
  test: {
    environment: "node",
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: process.env.MUTATION_TESTS?.split(",") ?? [],
    setupFiles: ["tests/mutation/setup.ts"],
    // As in the unit project, no test mocks a module. Without isolation a mutant takes half the CPU time.
    isolate: false,
    testTimeout: 60_000,
  },
});
