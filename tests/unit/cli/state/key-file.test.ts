import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import bs58 from "bs58";
import { describe, expect, test } from "vitest";
import { readWalletFile } from "../../../../lib/cli/state/key-file";
import { runCommand } from "../../../support/client/cli-user";
import { toTestWallet } from "../../../support/fixtures/test-wallets";
import { createFolderForTest } from "../../../support/store/temp-folder";

const { address, keys } = toTestWallet("owner");
const LIST = JSON.stringify([...keys.secretKey]);
const BASE58 = bs58.encode(keys.secretKey);
const PHRASE = "piano lamp river stone cloud mango tiger violin orbit candle forest anchor";
const UTF_16BE_LIST = Buffer.from(`\ufeff${LIST}`, "utf16le").swap16();

function writeKeyFile(content: string | Uint8Array): string {
  const file = join(createFolderForTest(), "key");
  writeFileSync(file, content);
  return file;
}

test.each<[string, string | Uint8Array]>([
  ["the Solana CLI's list of numbers", LIST],
  ["a list with a byte order mark and a final newline", `\ufeff${LIST}\r\n`],
  ["a list in UTF-16, as PowerShell writes it", Buffer.from(`\ufeff${LIST}\r\n`, "utf16le")],
  ["a list in big-endian UTF-16", UTF_16BE_LIST],
  ["a wallet app's export in base58", `${BASE58}\n`],
  ["a quoted export in base58", `"${BASE58}"`],
])("a key file may hold %s", (_name, content) => {
  expect(readWalletFile(writeKeyFile(content)).address).toBe(address);
});

describe("an error names the file and what it holds, and prints no byte of it", () => {
  const otherKeys = toTestWallet("other").keys;
  test.each<[string, string | Uint8Array, string]>([
    ["a seed phrase", PHRASE, 'holds a seed phrase. "solana-keygen recover'],
    ["an address", address, "holds an address or half of a key"],
    ["a list of 63 numbers", JSON.stringify([...keys.secretKey].slice(1)), "is not a list of 64 numbers"],
    ["a list that is cut off", LIST.slice(0, 100), "is not a list of 64 numbers"],
    ["a list with a number over 255", LIST.replace("[", "[999"), "is not a list of 64 numbers"],
    ["base58 with a character too many", `${BASE58}x`, "is not a key file"],
    ["a JSON object", `{"secretKey":${LIST}}`, "holds a JSON object"],
    ["hexadecimal digits", Buffer.from(keys.secretKey).toString("hex"), "is not a key file"],
    ["the raw bytes", keys.secretKey, "is not a key file"],
    ["another public key", JSON.stringify([...keys.secretKey.slice(0, 32), ...otherKeys.publicKey]), "is damaged"],
    ["nothing", " \n", "is empty"],
    ["a long film", "a".repeat(70_000), "is too large"],
  ])("%s", async (_name, content, expectedWords) => {
    const file = writeKeyFile(content);
    const { exitCode, errorLines, outputLines } = await runCommand(["status", "--keypair", file]);
    const message = errorLines.join("\n");
    expect([exitCode, outputLines, message]).toEqual([2, [], expect.stringContaining(`${file} ${expectedWords}`)]);
    const text = Buffer.from(content).toString();
    const secretPieces = text.split(/[\s,"[\]{}]+/).filter((piece) => piece.length > 3 && piece !== "secretKey");
    for (const piece of secretPieces) expect(message.replaceAll(file, "")).not.toContain(piece.slice(0, 8));
  });

  test.each([LIST, LIST.slice(1), BASE58, PHRASE, PHRASE.toUpperCase(), Buffer.from(keys.secretKey).toString("hex")])(
    "a key in place of the file's name",
    async (key) => {
      for (const argv of [
        ["status", "--keypair", key],
        ["config", "set", "keypair", key],
      ]) {
        const { exitCode, errorLines } = await runCommand(argv);
        const message = errorLines.join("\n");
        expect([exitCode, message]).toEqual([2, expect.stringContaining("--keypair names a file")]);
        expect(message).not.toContain(key.slice(0, 6));
      }
    },
  );

  test("a folder", async () => {
    const folder = join(createFolderForTest(), "folder");
    mkdirSync(folder);
    expect((await runCommand(["status", "--keypair", folder])).errorLines.join()).toContain(`${folder} is a folder`);
  });

  test.each(["usb://ledger", "prompt://", "ASK"])("a device or a prompt: %s", async (source) => {
    const { exitCode, errorLines } = await runCommand(["status", "--keypair", source]);
    expect([exitCode, errorLines.join()]).toEqual([
      2,
      expect.stringContaining(`not from a device or a prompt like ${source}`),
    ]);
  });
});
