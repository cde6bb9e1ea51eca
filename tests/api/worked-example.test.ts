import { execFile, execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startCallerProxy } from "../support/app/caller-proxy";
import { createWallet, fund, get, readData } from "../support/client/client";
import { readFence } from "../support/fences";
import { createFolderForTest } from "../support/store/temp-folder";

/** Runs the text of a program with the service's address and more arguments. @returns its output */
async function runProgram([command = "", ...options]: string[], text: string, ...args: string[]): Promise<string> {
  const run = promisify(execFile)(command, [...options, "-", await startCallerProxy(), ...args]);
  run.child.stdin!.end(text);
  return (await run).stdout;
}

test("SKILL.md's worked example runs unchanged and ends with BTC in the portfolio", async () => {
  const stdout = await runProgram([process.execPath, "--input-type=module"], readFence("docs/skill.md", "js"));
  expect(stdout).toMatch(/^saved, USD: 7\.47\nBTC 0\.000\d+ USD: \d+/);
});

const hasPython = (() => {
  try {
    execFileSync("python3", ["-c", "import requests, nacl.signing"], { stdio: "ignore" });
    return true;
  } catch {
    console.warn("skipped: the Python program of the documentation needs python3 with requests and pynacl");
    return false;
  }
})();

test.skipIf(!hasPython)("the Python program of the documentation lands a round-up", async () => {
  const { address, keys } = await createWallet();
  await fund(address, 1);
  const keyFile = join(createFolderForTest(), "id.json");
  await writeFile(keyFile, JSON.stringify([...keys.secretKey]));
  const stdout = await runProgram(["python3"], readFence("docs/guides/any-language.md", "python"), keyFile, "27.63");
  const [, signature] = /^saved: (\w+)$/m.exec(stdout)!;
  const { items } = await readData(get(`/api/activity/${address}`));
  expect(items).toContainEqual(expect.objectContaining({ txSignature: signature, type: "round_up" }));
});
