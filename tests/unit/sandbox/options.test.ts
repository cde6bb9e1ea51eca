import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readOptions } from "../../../lib/sandbox/options";

test.each([
  [["--port", "many"], "--port must be a number from 0 to 65534"],
  [["--port", "65535"], "--port must be a number from 0 to 65534"],
  [["--prices", "up"], "--prices must be fixed or walk"],
  [["--fees", "free"], "--fees must be one of flat, resource-10, resource-4, resource-2"],
  [["--slot-ms", "49"], "--slot-ms must be a number from 50 to 2000"],
  [["--slot-ms", "fast"], "--slot-ms must be a number from 50 to 2000"],
  [["--nonsense", "1"], /^Unknown option '--nonsense'/],
])("the sandbox refuses the options %j", (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});

test("the options have defaults, and are null for --help", () => {
  const args = [
    "--data-dir",
    "/data",
    "--port",
    "0",
    "--exact-port",
    "--prices",
    "fixed",
    "--fees",
    "resource-4",
    "--slot-ms",
    "400",
  ];
  const fields = {
    dataDir: "/data",
    port: 0,
    requiresExactPort: true,
    prices: "fixed",
    fees: "resource-4",
    slotMs: 400,
  };
  expect(readOptions(args)).toEqual(fields);
  expect(readOptions(["--data-dir=~/chain"])).toMatchObject({ dataDir: join(homedir(), "chain") });
  expect(readOptions([])).toMatchObject({
    port: 8899,
    requiresExactPort: false,
    prices: "walk",
    fees: "flat",
    slotMs: 200,
  });
  expect(readOptions(["--help"])).toBeNull();
});
