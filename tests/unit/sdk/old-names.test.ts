import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createFileStorage } from "../../../lib/sdk/cli/state/file-storage";
import { applyNewNames } from "../../../lib/sdk/old-names";
import { runCommand } from "../../support/client/cli-rig";
import { createCliUser } from "../../support/client/cli-user";
import { createFolderForTest } from "../../support/store/temp-folder";
import { createSdkService, OWNER } from "../../support/worlds/sdk-service";

const BTC = [{ asset: "BTC" as const, pct: 100 }];
const approve = () => true;

test("an old name works with one warning", () => {
  const warnings: string[] = [];
  const rename = (options: object) => applyNewNames(options, { length: "lengthCm" }, (line) => warnings.push(line));
  expect([rename({ length: null }), rename({ length: 2 }), rename({ lengthCm: 3, length: undefined })]).toEqual([
    { lengthCm: null },
    { lengthCm: 2 },
    { lengthCm: 3 },
  ]);
  expect(warnings).toEqual(["length is now called lengthCm. The old name ends with the next release."]);
});

describe("the SDK", () => {
  test("accepts old names, but not an old name together with its new one", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => void warn.mockRestore());
    const service = createSdkService();
    const roundup = service.start();
    const results = [
      await roundup.save({ purchases: [27.63], plan: "tree", ceiling: 0.2 }, ({ breakdown }) => {
        expect(breakdown.roundUpUsd).toBe(0.2);
        return true;
      }),
      await roundup.invest({ legs: BTC, slippageBps: 100, thresholdUsd: 5 }, approve),
      await roundup.sell({ asset: "BTC", into: "USDC", amount: "15000", slippageBps: 100 }, approve),
      await roundup.withdraw({ destination: OWNER, asset: null, amount: null }, approve),
    ];
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill("done"));
    const requestWithBoth = { purchases: [4.02], purchasesUsd: [27.63] };
    await expect(roundup.save(requestWithBoth, approve)).rejects.toThrow("purchases is the old name of purchasesUsd");
    expect(service.listSentTransactions()).toHaveLength(4);
  });

  test("reports an earlier request with the new names", async () => {
    const service = createSdkService("lost", "lost", "lost", "lost", "lost", "lost");
    const roundup = service.start();
    expect(await roundup.save({ purchasesUsd: [27.63], ceilingUsd: 0.2 }, approve)).toMatchObject({
      status: "unknown",
    });
    const result = await roundup.save({ purchasesUsd: [4.02] }, approve);
    expect(result).toMatchObject({ status: "earlier", request: { purchasesUsd: [27.63], ceilingUsd: 0.2 } });
  });
});

describe("the command", () => {
  const INVEST = ["invest", "--yes", "--dry-run"];

  test("accepts an old option with a warning, but not together with its new name", async () => {
    const { run } = createCliUser();
    const { exitCode, errorLines } = await run([...INVEST, "--allocation=BTC:100", "--threshold", "4"]);
    expect(exitCode).toBe(0);
    expect(errorLines.join("\n")).toContain("--threshold is now called --threshold-usd.");
    const both = await run([...INVEST, "--allocation", "BTC", "--allocations", "ETH"]);
    expect([both.exitCode, both.errorLines.join("")]).toEqual([2, expect.stringContaining("give --allocations only")]);
  });

  test("accepts old names in the environment and in a profile", async () => {
    const { run } = createCliUser();
    expect((await run(INVEST, { env: { ROUNDUP_ALLOCATION: "DOGE" } })).errorLines.join("")).toContain("DOGE");
    const home = createFolderForTest();
    createFileStorage(`${home}/.config/roundup`).set("default", '{"max-per-day":"7"}');
    await runCommand(["config", "set", "keep", "0.1"], { home });
    expect((await runCommand(["config"], { home })).outputLines).toEqual([
      "max-per-day-usd  7",
      "keep-sol         0.1",
    ]);
  });
});
