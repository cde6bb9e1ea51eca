import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");
const alias = {
  "@solana-mobile/wallet-adapter-mobile": `${root}/app/_client/wallet/no-mobile-wallet-adapter.ts`,
  "@": root,
};

/** Test timeout. Some tests take a minute on two cores with ten other processes; longer ones hang. */
const HANGS_MS = 180_000;

/**
 * Tests that also run through Next. They cover what differs between the two servers: routing, methods, headers, body
 * limits, streamed bodies, the caller's address, pages, and one whole session. both-servers.test.ts sends every operation
 * through both servers and compares the answers.
 */
const THROUGH_NEXT = ["bad-input", "pages", "rate-limit", "tour"];

/** Tests of `npm run test:slow`, which CI runs after `npm test`. */
const SLOW_FILES = [
  "tests/faults/**/*.test.ts",
  "tests/process/{examples,networks,operator,redis-refusals,sdk-package,shared-store,traced-functions}.test.ts",
  "tests/foreign/*.test.ts",
  "tests/unit/operator/{backup,pause}.test.ts",
  "tests/unit/sandbox/supervise.test.ts",
  "tests/unit/solana/unit-limits.test.ts",
];

const apiTests = (names: string[]) => names.map((name) => `tests/api/${name}.test.ts`);

/** Runs API tests through one server, one file at a time: both servers share one chain, and some tests stage faults. */
const apiProject = (name: "server" | "next", groupOrder: number) => ({
  extends: true as const,
  test: {
    name: `api-${name}`,
    include: apiTests(name === "next" ? THROUGH_NEXT : ["**/*"]),
    // The session is the same through both.
    exclude: name === "server" ? apiTests(["tour"]) : [],
    provide: { serverKind: name },
    setupFiles: ["tests/support/app/wait-until-ready.ts"],
    fileParallelism: false,
    // As for the unit tests: no file changes a module that another file imports.
    isolate: false,
    sequence: { groupOrder },
  },
});

export default defineConfig({
  resolve: { alias },
  test: {
    environment: "node",
    // So that its import of the mobile adapter takes the same alias as in next.config.mjs. The package is not installed.
    server: { deps: { inline: ["@solana/wallet-adapter-react"] } },
    pool: "forks",
    setupFiles: ["tests/support/fixtures/quick-tweetnacl.ts"],
    globalSetup: ["tests/support/app/global-setup.ts"],
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["tests/unit/**/*.test.ts", "tests/*.test.ts"],
          exclude: SLOW_FILES,
          // No test replaces a module, so the files of a worker share their imports. This halves the CPU time.
          isolate: false,
          // Vitest leaves one core idle. `npm test` has nothing else to run on it once the other jobs have ended.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          sequence: { groupOrder: 0 },
        },
      },
      apiProject("server", 1),
      apiProject("next", 2),
      ...[
        // A third worker, because one of the files waits for half a minute.
        { name: "process", include: ["tests/process/**/*.test.ts"], exclude: SLOW_FILES, maxWorkers: 3, groupOrder: 3 },
        { name: "slow", include: SLOW_FILES, maxWorkers: 2, groupOrder: 4 },
      ].map(({ groupOrder, ...files }) => ({
        extends: true as const,
        test: {
          ...files,
          // As for the unit tests: no file changes a module that another file imports.
          isolate: false,
          sequence: { groupOrder },
        },
      })),
      // Runs last, because it checks everything that the service returned to the other tests.
      {
        extends: true,
        test: {
          name: "canary",
          include: ["tests/canary/**/*.test.ts"],
          provide: { serverKind: "server" },
          sequence: { groupOrder: 5 },
        },
      },
    ],
  },
});
