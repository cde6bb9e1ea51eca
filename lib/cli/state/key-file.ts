import { readFileSync, statSync, writeFileSync } from "node:fs";
import { exportKey, type KeyPair } from "../../sdk/sign/key-pair";
import { createKeyWallet, isSecretKeyText } from "../../sdk/sign/key-wallet";
import { UsageError, withUsageErrors } from "../usage-error";

const MAX_FILE_BYTES = 64 * 1024;

/** Matches the key sources of the Solana CLI that are no files, e.g. `usb://ledger` and `prompt://`. */
const SIGNER_SOURCE_PATTERN = /^(usb|prompt|stdin):|^ASK$|^-$/;

/** Opens a key file, in UTF-8 or UTF-16. @throws {UsageError} that names the file and what it holds, never its content */
export function readWalletFile(file: string) {
  if (SIGNER_SOURCE_PATTERN.test(file))
    throw new UsageError(
      `This command reads a key from a file only, not from a device or a prompt like ${file}. Sign with a hardware wallet in the dashboard. "solana-keygen recover -o id.json prompt://" writes a seed phrase's key file.`,
    );
  refuseInlineKey(file);
  const text = readKeyText(file);
  try {
    return createKeyWallet(text);
  } catch (error) {
    throw new UsageError(`${file} ${(error as Error).message}`);
  }
}

/** @throws {UsageError} on a secret key or a seed phrase in place of a file's name, without printing it */
export function refuseInlineKey(file: string): void {
  if (isSecretKeyText(file))
    throw new UsageError(
      "--keypair names a file, but its value looks like a key. Store the key in a file that only you can read. Your shell's history may hold the key now.",
    );
}

/** Writes a key file that only the user can read. @throws {UsageError} when the file exists or cannot be written */
export const writeNewKeyFile = (file: string, keys: KeyPair): void =>
  withUsageErrors(() => writeFileSync(file, exportKey(keys).json, { mode: 0o600, flag: "wx" }));

/** Reads a text file in UTF-8 or UTF-16, with or without a byte order mark. @throws {UsageError} */
function readKeyText(file: string): string {
  const bytes = readKeyBytes(file);
  const mark = (bytes[0]! << 8) | bytes[1]!;
  return new TextDecoder(mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8").decode(bytes);
}

const readKeyBytes = (file: string) =>
  withUsageErrors(() => {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats)
      throw new UsageError(
        `There is no key file ${file}. --keypair names yours; solana-keygen new -o ${file} makes one.`,
      );
    if (stats.isDirectory()) throw new UsageError(`${file} is a folder, not a file.`);
    if (stats.size > MAX_FILE_BYTES) throw new UsageError(`${file} is too large to be a key file.`);
    return readFileSync(file);
  });
