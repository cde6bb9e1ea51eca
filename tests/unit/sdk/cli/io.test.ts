import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

test("ends without an error when the reader closes the pipe", async () => {
  const child = spawn(process.execPath, ["--import", "tsx", "lib/sdk/cli/main.ts", "--help"]);
  child.stdout.destroy();
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  expect(await once(child, "close")).toEqual([0, null]);
  expect(said).toBe("");
});
