import { expect, test } from "vitest";
import { startCallerProxy } from "../support/app/caller-proxy";
import { runNode } from "../support/app/process";

test("the tour completes all steps from sign-in to withdrawal within one address's rate limit", async () => {
  const tour = runNode(["--import", "tsx", "tests/tour.mjs", await startCallerProxy()]);
  expect(await tour.exitCode, tour.lines.join("\n")).toBe(0);
  expect(tour.lines.at(-1)).toBe("The tour is complete.");
  const steps = tour.lines.filter((line) => /^ ?\d+\. /.test(line));
  expect(steps.length).toBeGreaterThan(10);
  const manualSteps = [/Savings wallet/, /Saved \$/, /Swap signed/, /BTC/, /API key: made, used, revoked, refused/];
  const clientSteps = [
    /same savings wallet/,
    /Saved by the client/,
    /Saved in USDC by the client/,
    /Invested by the client/,
    /Withdrawn by the client/,
  ];
  for (const expected of [...manualSteps, ...clientSteps]) expect(tour.lines.join("\n")).toMatch(expected);
});
