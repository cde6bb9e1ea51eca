import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

test("the command exits with 0 when the reader closes the pipe", async () => {
  const child = spawn(process.execPath, ["--import", "tsx", "lib/cli/main.ts", "--help"]);
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  expect(await once(child, "close")).toEqual([0, null]);
  expect(stderr).toBe("");
});
