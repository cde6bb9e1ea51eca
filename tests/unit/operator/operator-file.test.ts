import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Keypair, PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import { beforeEach, describe, expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import { deriveCollectors, deriveFunder } from "../../../lib/operator/collectors";
import { initOperator, printStatus } from "../../../lib/operator/commands";
import { fundCollectors } from "../../../lib/operator/fund";
import { createOperatorFile, parseTreasury, readOperatorFile } from "../../../lib/operator/operator-file";
import { sweepCollectors } from "../../../lib/operator/sweep";
import { SYSTEM_PROGRAM } from "../../../lib/solana/programs";
import { createOperatorRig } from "../../support/chain/operator-rig";
import { ONE_SOL, putTokens } from "../../support/chain/sandbox-rig";
import { createFolderForTest } from "../../support/store/temp-folder";

const seed = Uint8Array.from({ length: 32 }, (_, index) => index * 7 + 1);
const treasury = Keypair.generate().publicKey;
let folder: string;
let file: string;

beforeEach(() => {
  folder = join(createFolderForTest(), "deep");
  file = join(folder, "operator.json");
});

test("the command writes a file that only its owner can read, and leaves no temporary file", async () => {
  await createOperatorFile(file, { seed, treasury });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["operator.json"]);
  expect(await readOperatorFile(file)).toEqual({ seed, treasury });
});

test("the command never overwrites an existing file, even when ten commands run at once", async () => {
  const attempts = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      createOperatorFile(file, { seed: new Uint8Array(32).fill(index), treasury }),
    ),
  );
  const writtenIndex = attempts.findIndex(({ status }) => status === "fulfilled");
  expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect((await readOperatorFile(file))?.seed[0]).toBe(writtenIndex);
  await expect(createOperatorFile(file, { seed, treasury })).rejects.toThrow("exists already and is never overwritten");
  expect(await readdir(folder)).toEqual(["operator.json"]);
});

test("the command refuses a file that other users can read", async () => {
  await createOperatorFile(file, { seed, treasury });
  await chmod(file, 0o640);
  await expect(readOperatorFile(file)).rejects.toThrow("run chmod 600 on it first");
});

test("the command refuses a damaged file without quoting it", async () => {
  expect(await readOperatorFile(file)).toBeNull();
  await createOperatorFile(file, { seed, treasury });
  const text = await readFile(file, "utf8");
  const secret = Buffer.from(seed).toString("hex");
  const fields = JSON.parse(text);
  const wrongFields = [
    { seed: secret.slice(2) },
    { seed: secret.toUpperCase() },
    { version: 2 },
    { treasury: SYSTEM_PROGRAM },
    { extra: 1 },
  ].map((changes) => JSON.stringify({ ...fields, ...changes }));
  for (const damagedText of [text.slice(0, -10), "", "[]", ...wrongFields]) {
    await writeFile(file, damagedText);
    const error = await readOperatorFile(file).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: "OperatorFailure", exitCode: 1 });
    expect(String(error)).not.toContain(secret.slice(2, 20));
  }
});

describe("parseTreasury", () => {
  test("accepts any 32 bytes, including a multisig's off-curve vault", () => {
    const [vault] = PublicKey.findProgramAddressSync([Buffer.from("vault")], new PublicKey(ASSETS.BTC.mint));
    expect(parseTreasury(vault.toBase58()).equals(vault)).toBe(true);
    expect(parseTreasury(treasury.toBase58()).equals(treasury)).toBe(true);
  });

  const address = "34KJepQi8tdmY626EtwWUk6dsgsyHCFQPrnzNR6pXac4";
  test.each([
    ["nothing", ""],
    ["too few characters", "abc"],
    ["characters that base58 lacks", address.replace("3", "0")],
    ["a space before", ` ${address}`],
    ["a character too many", `1${address}`],
    ["a lot of characters", "1".repeat(5000)],
    ["33 bytes", bs58.encode(new Uint8Array(33))],
    ["31 bytes", bs58.encode(new Uint8Array(31).fill(255))],
    ["a mint", ASSETS.USDC.mint],
    ["a program", SYSTEM_PROGRAM],
    ["a point of small order", bs58.encode(Uint8Array.from([1, ...new Uint8Array(31)]))],
  ])("refuses %s as a wrong argument", (_, text) => {
    expect(() => parseTreasury(text)).toThrow(expect.objectContaining({ name: "OperatorFailure", exitCode: 2 }));
  });
});

// Computed independently with HMAC-SHA256 and tweetnacl.
test("the command always derives the same keys from a seed", () => {
  const collectors = deriveCollectors(seed).map(({ publicKey }) => publicKey.toBase58());
  expect(new Set([...collectors, deriveFunder(seed).publicKey.toBase58()]).size).toBe(9);
  expect(collectors[0]).toBe("34KJepQi8tdmY626EtwWUk6dsgsyHCFQPrnzNR6pXac4");
  expect(collectors[7]).toBe("BPn9xZxJWEHR1k1jABq8kTiAEULsNU5UdbNLq59gxYxG");
  expect(deriveFunder(seed).publicKey.toBase58()).toBe("B8nfv8MpYs5p67HbuWhjMiPmC52jMS6qqPkVKR5P6sKd");
  expect(() => deriveCollectors(seed.slice(1))).toThrow(RangeError);
});

test("no operator command prints a secret", async () => {
  let output = "";
  const print = (text: string) => {
    output += `${text}\n`;
  };
  await initOperator({ file, seed, treasury, print });
  const operatorFile = (await readOperatorFile(file))!;
  const rig = createOperatorRig(operatorFile.seed, operatorFile.treasury);
  rig.setLamports(rig.funder, ONE_SOL);
  const session = { ...rig.session, print };
  for (const shouldSend of [false, true]) await fundCollectors(session, { shouldSend });
  await printStatus(session, { isJson: false });
  putTokens(rig.chain, rig.collectors[0]!, ASSETS.USDC.mint, 1_000_000n);
  for (const shouldSend of [false, true]) await sweepCollectors(session, { shouldSend });

  expect(output).toContain("FEE_COLLECTORS=");
  const secretKeys = [...deriveCollectors(seed), deriveFunder(seed)].map(({ secretKey }) => secretKey);
  for (const secret of [seed, ...secretKeys, ...secretKeys.map((secretKey) => secretKey.slice(0, 32))]) {
    const bytes = Buffer.from(secret);
    for (const text of [bs58.encode(bytes), bytes.toString("hex"), bytes.toString("base64")])
      expect(output).not.toContain(text);
  }
});
