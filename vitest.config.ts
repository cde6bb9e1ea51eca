import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const alias = { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") };

/** A test that takes longer hangs: on two cores with ten others at work some take a minute. */
const HANGS_MS = 180_000;

/**
 * What services and contracts decide, whoever asks: through server.ts alone. That Next answers every operation alike is held
 * by tests/api/doors.test.ts, and a whole life through it by tour.test.ts; every other file runs through both doors.
 */
const ONE_DOOR = [
  "bad-fields",
  "build-swap",
  "build-withdraw",
  "build-wrap",
  "build-wrap-batch",
  "execute-fee",
  "execute-refusals",
  "execute-swap",
  "get-accumulator",
  "get-activity",
  "get-portfolio",
  "get-spending",
];

/** The same API tests through one of the two doors. They share one chain, whose faults some of them stage: one file at a time. */
const door = (name: "server" | "next", groupOrder: number) => ({
  extends: true as const,
  test: {
    name: `api-${name}`,
    include: ["tests/api/**/*.test.ts"],
    exclude: (name === "next" ? ONE_DOOR : ["doors"]).map((file) => `tests/api/${file}.test.ts`),
    provide: { door: name },
    setupFiles: ["tests/support/app/ready-door.ts"],
    fileParallelism: false,
    // As for the unit tests: no file changes what another imports.
    isolate: false,
    sequence: { groupOrder },
  },
});

export default defineConfig({
  resolve: { alias },
  test: {
    environment: "node",
    pool: "forks",
    globalSetup: ["tests/support/app/global-setup.ts"],
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["tests/unit/**/*.test.ts", "tests/faults/**/*.test.ts", "tests/*.test.ts"],
          // No test replaces a module, so all files of a worker share what they import: half the processor time.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      door("server", 1),
      door("next", 2),
      {
        extends: true,
        test: {
          name: "process",
          include: ["tests/process/**/*.test.ts"],
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      // Last: it looks at everything the others made the service say.
      {
        extends: true,
        test: {
          name: "canary",
          include: ["tests/canary/**/*.test.ts"],
          provide: { door: "server" },
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
