import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { callerProxy } from "../support/app/caller-proxy";

test("SKILL.md's worked example runs unchanged and ends with BTC in the portfolio", async () => {
  const program = "app/docs/_samples/worked-example.mjs";
  const { stdout } = await promisify(execFile)(process.execPath, [program, await callerProxy()]);
  expect(stdout).toMatch(/^saved, USD: 7\.47\nBTC 0\.000\d+ USD: \d+/);
});
