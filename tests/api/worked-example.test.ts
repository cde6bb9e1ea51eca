import { execFile, execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startCallerProxy } from "../support/app/caller-proxy";
import { allow } from "../support/chain/allowances";
import { createSaver } from "../support/chain/chain";
import { fund, get, readData } from "../support/client/client";
import { readFence } from "../support/fences";
import { createFolderForTest } from "../support/store/temp-folder";

async function runProgram([command = "", ...options]: string[], text: string, ...args: string[]): Promise<string> {
  const run = promisify(execFile)(command, [...options, "-", await startCallerProxy(), ...args]);
  run.child.stdin!.end(text);
  return (await run).stdout;
}

test("SKILL.md's worked example runs unchanged and ends with BTC in the portfolio", async () => {
  const stdout = await runProgram([process.execPath, "--input-type=module"], readFence("docs/skill.md", "js"));
  expect(stdout).toMatch(/^saved, USD: 7\.47\nBTC 0\.000\d+ USD: \d+/);
});

/** Debian's Python has the packages where CI installed them. */
const python = ["python3", "/usr/bin/python3"].find((command) => {
  try {
    execFileSync(command, ["-c", "import requests, nacl.signing"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});
if (!python) console.warn("skipped: the Python program of the documentation needs python3 with requests and pynacl");

test.skipIf(!python).each([
  ["SOL", "SOL"],
  ["USDC", "USDC"],
  ["allowance", "USDC"],
])("the Python program of the documentation lands a round-up with %s", async (way, symbol) => {
  const saver = await createSaver({ userSol: 0 });
  const { address, keys } = saver.user;
  await fund(address, 1, 5);
  if (way === "allowance") await allow(saver, 1);
  const keyFile = join(createFolderForTest(), "id.json");
  await writeFile(keyFile, JSON.stringify([...keys.secretKey]));
  const program = readFence("docs/guides/any-language.md", "python");
  const stdout = await runProgram([python!], program, keyFile, "27.63", way);
  const [, signature] = /^saved: (\w+)$/m.exec(stdout)!;
  const { items } = await readData(get(`/api/activity/${saver.serviceWallet.address}`));
  const amounts = [expect.objectContaining({ symbol })];
  expect(items).toContainEqual(expect.objectContaining({ txSignature: signature, type: "round_up", amounts }));
});
