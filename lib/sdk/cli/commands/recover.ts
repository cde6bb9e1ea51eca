import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Connection } from "@solana/web3.js";
import type { Contents, Token } from "../recover/contents";
import { derivationText, inspect, type RecoverOptions, recover } from "../recover/recover";
import { keyWallet } from "../sign/key-wallet";
import type { TextSigner } from "../sign/texts";

export const USAGE = `Usage: roundup recover --origin <origin> --rpc <url> (--keypair <file> | --owner <address> --signature <file>)

Shows what is in your Roundup service wallet and sends all of it home. It asks no server of Roundup's.

  --origin <origin>     what the text you signed names: https://roundup.example, or sandbox
  --rpc <url>           any Solana node
  --keypair <file>      your own wallet, as the Solana CLI keeps it
  --owner <address>     your own wallet, where its key is not at hand; without --signature this prints the text to sign
  --signature <file>    your wallet's signature over that text, base64; it is the key to the service wallet
  --index <0…255>       which of your service wallets (0)
  --to <address>        where everything goes (your own wallet)
  --dry-run             only show
  --json                answer in JSON

It exits 0 when nothing stays behind (with --dry-run: would stay), 3 when something cannot be sent, 1 when it failed, 2 when asked wrongly.`;

/** The command was asked for something it does not offer. */
export class UsageError extends Error {}

export interface Command extends RecoverOptions {
  dryRun: boolean;
  json: boolean;
}

const OPTIONS = {
  origin: { type: "string" },
  rpc: { type: "string" },
  keypair: { type: "string" },
  owner: { type: "string" },
  signature: { type: "string" },
  index: { type: "string", default: "0" },
  to: { type: "string" },
  "dry-run": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/**
 * @param argv what follows the program's name
 * @returns a text when there is only something to print
 * @throws {UsageError}
 */
export function parseCommand(argv: string[]): Command | string {
  const { values, positionals } = asked(() => parseArgs({ args: argv, options: OPTIONS, allowPositionals: true }));
  if (values.help || argv.length === 0) return USAGE;
  if (positionals.join(" ") !== "recover") throw new UsageError("The one command is recover.");
  const { origin, rpc, owner, signature, keypair } = values;
  if (!origin) throw new UsageError("--origin is missing.");
  const text = asked(() => derivationText(origin));
  if ((keypair === undefined) === (owner === undefined)) throw new UsageError("Give --keypair or --owner.");
  if (owner !== undefined && signature === undefined) return text;
  if (!rpc) throw new UsageError("--rpc is missing.");
  const index = Number(values.index);
  if (!/^\d{1,3}$/.test(values.index) || index > 255) throw new UsageError("--index is 0…255.");
  return {
    owner: asked(() => (keypair !== undefined ? walletIn(keypair) : signedBefore(owner!, signature!))),
    origin,
    index,
    chain: asked(() => new Connection(rpc, "confirmed")),
    ...(values.to !== undefined && { destination: values.to }),
    dryRun: values["dry-run"],
    json: values.json,
  };
}

function asked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

function walletIn(file: string): TextSigner {
  const bytes: unknown = JSON.parse(readFileSync(file, "utf8"));
  const isKey = Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256);
  if (!isKey) throw new UsageError(`${file} is not a key file of the Solana CLI.`);
  return keyWallet(Uint8Array.from(bytes));
}

const signedBefore = (address: string, file: string): TextSigner => ({
  address,
  signMessage: async () => Uint8Array.from(Buffer.from(readFileSync(file, "utf8").trim(), "base64")),
});

/** @returns the exit code: 0, or 3 when something stays behind */
export async function runRecover(
  { dryRun, json, ...options }: Command,
  print: (line: string) => void,
): Promise<number> {
  const say = json ? () => {} : print;
  if (dryRun) {
    const contents = await inspect(options);
    print(json ? toJson(contents) : describe(contents).join("\n"));
    return exitCode(contents);
  }
  const recovered = await recover({ ...options, onLanded: (signature) => say(`landed: ${signature}`) });
  print(json ? toJson(recovered) : describe(recovered).join("\n"));
  return exitCode(recovered);
}

const isEmpty = ({ lamports, tokens }: Contents) => lamports === 0n && tokens.length === 0;

const exitCode = (contents: Contents) =>
  isEmpty(contents) || (contents.reason === null && contents.leftBehind.length === 0) ? 0 : 3;

const toJson = (value: object) =>
  JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? part.toString() : part), 2);

const NOTHING =
  "There is nothing in it. If you expected something: is --origin what your wallet showed when you signed?";

function describe(contents: Contents & { landed?: string[] }): string[] {
  const { serviceWallet, destination, lamports, tokens, leftBehind, reason, landed } = contents;
  const head = [`Service wallet ${serviceWallet}`];
  if (isEmpty(contents)) return [...head, NOTHING];
  const held = [`  ${decimal(lamports, 9)} SOL`, ...tokens.map((token) => `  ${amountOf(token)}`)];
  const stays = leftBehind.map((token) => `Stays: ${amountOf(token)}. ${token.reason}`);
  if (reason !== null) return [...head, ...held, ...stays, reason];
  const went = landed
    ? `Sent to ${destination} in ${landed.length}`
    : `Would be sent to ${destination} in ${contents.transactions}`;
  return [
    ...head,
    ...held,
    `${went} transactions, ${decimal(contents.sentLamports, 9)} SOL of it; the network takes ${decimal(contents.networkFeeLamports, 9)} SOL.`,
    ...stays,
  ];
}

const amountOf = ({ symbol, mint, amount, decimals }: Token) => `${decimal(amount, decimals)} ${symbol} (${mint})`;

/** Base units with the point in its place. */
function decimal(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, "0");
  const cut = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`.replace(/\.?0+$/, "");
}
