import { expect, onTestFinished, test, vi } from "vitest";
import { createFolder } from "../../../../support/chain/sandbox-rig";
import { createPerson } from "../../../../support/client/cli-person";
import { runCommand } from "../../../../support/client/cli-rig";

test("config stores options that a command line or the environment can override", async () => {
  const { run } = await createPerson();
  const readPlan = async (...argv: string[]) => {
    const { printed } = await run(["save", "4.02", "--yes", "--dry-run", "--json", ...argv]);
    return JSON.parse(printed.join("\n")).build.breakdown.plan;
  };
  expect(await run(["config", "set", "plan", "forest"])).toEqual({ code: 0, printed: [], said: [] });
  expect((await run(["config"])).printed).toEqual(["plan  forest"]);
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
  const home = await createFolder();
  const refusedValues = { plan: "oak", "every-usd": "0", yes: "true", "accept-price": "true" };
  for (const [name, value] of Object.entries(refusedValues)) {
    const { code, said } = await runCommand(["config", "set", name, value], { home });
    expect([code, said.join("")]).toEqual([2, expect.stringMatching(/\w/)]);
  }
  expect((await runCommand(["config"], { home })).printed).toEqual([]);
});
