import { expect, onTestFinished, test, vi } from "vitest";
import { runCommand } from "../../../support/client/cli-rig";
import { createCliUser } from "../../../support/client/cli-user";
import { createFolderForTest } from "../../../support/store/temp-folder";

test("config stores options that a command line or the environment can override", async () => {
  const { run } = createCliUser();
  const readPlan = async (...argv: string[]) => {
    const { outputLines } = await run(["save", "4.02", "--yes", "--dry-run", "--json", ...argv]);
    return JSON.parse(outputLines.join("\n")).build.breakdown.plan;
  };
  expect(await run(["config", "set", "plan", "forest"])).toEqual({ exitCode: 0, outputLines: [], errorLines: [] });
  expect((await run(["config"])).outputLines).toEqual(["plan  forest"]);
  expect(await readPlan()).toBe("forest");
  expect(await readPlan("--plan", "seed")).toBe("seed");
  vi.stubEnv("ROUNDUP_PLAN", "tree");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await readPlan()).toBe("tree");
  vi.unstubAllEnvs();
  await run(["config", "set", "plan", "seed", "--profile", "other"]);
  expect([await readPlan(), await readPlan("--profile", "other")]).toEqual(["forest", "seed"]);
  await run(["config", "unset", "plan"]);
  expect(await readPlan()).toBe("sprout");
});

test("config refuses invalid values, and options that give consent", async () => {
  const home = createFolderForTest();
  const refusedValues = { plan: "oak", "every-usd": "0", yes: "true", "accept-price": "true" };
  for (const [name, value] of Object.entries(refusedValues)) {
    const { exitCode, errorLines } = await runCommand(["config", "set", name, value], { home });
    expect([exitCode, errorLines.join("")]).toEqual([2, expect.stringMatching(/\w/)]);
  }
  expect((await runCommand(["config"], { home })).outputLines).toEqual([]);
});
