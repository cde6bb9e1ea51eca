import { randomBytes } from "node:crypto";
import { link, mkdir, open, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import { z } from "zod";
import * as assets from "../domain/assets";
import { isSmallOrder } from "../solana/ed25519";
import * as programs from "../solana/programs";
import { createCommandLineFailure, OperatorFailure } from "./failure";

export interface OperatorFile {
  /** 32 bytes. Anyone who has them can spend the balances of the collectors and the funder. */
  seed: Uint8Array;
  treasury: PublicKey;
}

/** JSON content of the file. The seed is in hex, and addresses are in base58. */
const FileShape = z.strictObject({
  version: z.literal(1),
  seed: z.string().regex(/^[0-9a-f]{64}$/),
  treasury: z.string(),
  treasurySecret: z.string().optional(),
});

/** Known programs and mints. SOL that a sweep sends to one of them would be lost. */
const REFUSED_TREASURIES: ReadonlySet<string> = new Set([
  programs.SYSTEM_PROGRAM,
  programs.TOKEN_PROGRAM,
  programs.TOKEN_2022_PROGRAM,
  programs.ASSOCIATED_TOKEN_PROGRAM,
  programs.COMPUTE_BUDGET_PROGRAM,
  ...Object.values(assets.ASSETS).map(({ mint }) => mint),
  ...Object.keys(assets.LEGACY_MINTS),
]);

/**
 * Parses the treasury's address. Accepts any 32 bytes, including off-curve addresses such as a multisig's vault.
 * @throws {OperatorFailure} exit code 2, on text that is not base58 of exactly 32 bytes, or on a program, a mint or a
 * point of small order
 */
export function parseTreasury(text: string): PublicKey {
  // 32 bytes are at most 44 base58 characters. Decoding is quadratic, so reject longer text first.
  const bytes = text.length > 44 ? undefined : bs58.decodeUnsafe(text);
  if (bytes?.length !== 32)
    throw createCommandLineFailure("The treasury is not a Solana address (base58 of 32 bytes).");
  if (REFUSED_TREASURIES.has(text) || isSmallOrder(bytes)) {
    throw createCommandLineFailure("The treasury is an address nobody can spend from; SOL sent there would be lost.");
  }
  return new PublicKey(bytes);
}

/**
 * Writes a new operator file with mode 0600. The write is atomic and never replaces an existing file, even when two
 * commands run at once.
 * @param treasurySecret base58 of the treasury's 64-byte secret key; only in the sandbox
 * @throws {OperatorFailure} when the path exists or cannot be written
 */
export async function createOperatorFile(
  path: string,
  { seed, treasury, treasurySecret }: OperatorFile & { treasurySecret?: string },
): Promise<void> {
  const file: z.infer<typeof FileShape> = {
    version: 1,
    seed: Buffer.from(seed).toString("hex"),
    treasury: treasury.toBase58(),
    treasurySecret,
  };
  const isWritten = await writeNewFile(resolve(path), `${JSON.stringify(file, null, 2)}\n`).catch((error: unknown) => {
    throw new OperatorFailure(`${path} could not be written (${getErrorCode(error)}).`);
  });
  if (!isWritten) {
    throw new OperatorFailure(
      `${path} exists already and is never overwritten: its seed may hold fees. Name another with --file.`,
    );
  }
}

/**
 * Reads the operator file.
 * @returns null when there is no file at `path`
 * @throws {OperatorFailure} when the file is unreadable, damaged, or readable by other users of this machine
 */
export async function readOperatorFile(path: string): Promise<OperatorFile | null> {
  const text = await readPrivateFile(path);
  if (text === null) return null;
  let parsedJson: unknown;
  try {
    parsedJson = JSON.parse(text);
  } catch {
    // Drop the parser's own message: it quotes the text, which contains the seed.
    throw new OperatorFailure(`${path} is not valid JSON; restore it from your backup.`);
  }
  const parsed = FileShape.safeParse(parsedJson);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join(".") || "its fields";
    throw new OperatorFailure(`${path} is not an operator file: ${field} is not as expected.`);
  }
  try {
    const seed = new Uint8Array(Buffer.from(parsed.data.seed, "hex"));
    return { seed, treasury: parseTreasury(parsed.data.treasury) };
  } catch (error) {
    if (error instanceof OperatorFailure) throw new OperatorFailure(`${path} cannot be used. ${error.message}`);
    throw error;
  }
}

async function readPrivateFile(path: string): Promise<string | null> {
  try {
    const handle = await open(path, "r");
    try {
      const { mode } = await handle.stat();
      if (process.platform !== "win32" && (mode & 0o077) !== 0) {
        throw new OperatorFailure(`${path} can be read by others on this machine; run chmod 600 on it first.`);
      }
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return null;
    if (error instanceof OperatorFailure) throw error;
    throw new OperatorFailure(`${path} could not be read (${getErrorCode(error)}).`);
  }
}

/** Writes a file unless the name is taken. @returns false when the name is taken */
async function writeNewFile(path: string, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporaryPath = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(temporaryPath, text, { flag: "wx", mode: 0o600, flush: true });
    // Unlike a rename, a link fails when the name is taken.
    await link(temporaryPath, path);
  } catch (error) {
    if (getErrorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(temporaryPath, { force: true });
  }
  const directory = await open(dirname(path), "r");
  await directory.sync().finally(() => directory.close());
  return true;
}

function getErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
