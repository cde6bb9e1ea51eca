import { readFileSync } from "node:fs";
import { Connection } from "@solana/web3.js";
import type { Command } from "commander";
import { ASSETS, KNOWN_TOKEN_SYMBOLS } from "../../domain/assets";
import { formatDecimal } from "../../domain/money";
import type { Contents, Token } from "../../sdk/recover/contents";
import { createDerivationText, inspect, type RecoverOptions, recover } from "../../sdk/recover/recover";
import { inspectAllowance, type RevokeOptions, revokeAllowance } from "../../sdk/recover/revoke-allowance";
import type { TextSigner } from "../../sdk/sign/texts";
import { COMMITMENT } from "../../solana/commitment";
import type { CommandContext } from "../io";
import { createPathParser, createStorableOption, createWholeNumberParser, parseKnownToken } from "../options";
import { formatSol, toJson } from "../output/text";
import { EXIT_CODES } from "../run-payment";
import { readWalletFile } from "../state/key-file";
import type { GlobalOptions } from "../state/session";
import { UsageError, withUsageErrors } from "../usage-error";

const EXIT_CODES_HELP = `
Exit codes of recover:
  0  everything was sent (with --dry-run: can be sent)
  1  failed
  2  the command is invalid
  3  the wallet is empty, or something cannot be sent; with --revoke-allowance: nobody may take USDC`;

export function addRecoverCommand({ program, io, setAction }: CommandContext): void {
  const command = program
    .command("recover")
    .description("empty your savings wallet into your own wallet, without any Roundup server")
    .addOption(createStorableOption("--rpc <url>", "address of any Solana node"))
    .option(
      "--owner <address>",
      "your own wallet instead of --keypair; without --signature this prints the text to sign",
    )
    .option(
      "--signature <file>",
      "the signature over that text, or over an off-chain message that says it, base64; it is the key to the savings wallet",
      createPathParser(io.home),
    )
    .option("--index <n>", "number of your savings wallet", createWholeNumberParser(0, 255), 0)
    .option("--destination <address>", "the address to send to (your own wallet)")
    .option("--asset <asset>", `only one of ${KNOWN_TOKEN_SYMBOLS.join(", ")}`, parseKnownToken)
    .option(
      "--partial",
      "send each asset in its own transaction; without it, this is done only if all at once is refused",
    )
    .option(
      "--revoke-allowance",
      "instead: remove whoever may take USDC from the account of --keypair, so that no allowance is left",
    )
    .option("--dry-run", "show the contents and sign nothing")
    .addHelpText("after", EXIT_CODES_HELP);
  setAction(command, async () => {
    const options = readArguments(command);
    if (options.revokeAllowance) return runRevocation(parseRevocation(options), io.print);
    const recoveryOrText = parseRecovery(options);
    if (typeof recoveryOrText !== "string") return runRecovery(recoveryOrText, io.print);
    io.print(recoveryOrText);
    return EXIT_CODES.done;
  });
}

/** Returns the options. `--owner` drops a key file from the environment or a profile. */
function readArguments(command: Command): RecoverArguments {
  const options = command.optsWithGlobals<RecoverArguments>();
  const isKeypairTyped = command.getOptionValueSourceWithGlobals("keypair") === "cli";
  return options.owner === undefined || isKeypairTyped ? options : { ...options, keypair: undefined };
}

interface OutputOptions {
  isDryRun: boolean;
  isJson: boolean;
}

export type RecoveryRun = RecoverOptions & OutputOptions;

interface RecoverArguments extends GlobalOptions, Pick<RecoverOptions, "index" | "destination" | "asset" | "partial"> {
  owner?: string;
  signature?: string;
  revokeAllowance?: boolean;
  dryRun?: boolean;
}

/** @throws {UsageError} when an option is missing or does not belong to `--revoke-allowance` */
function parseRevocation({ rpc, keypair, ...options }: RecoverArguments): RevokeOptions & OutputOptions {
  const { owner, signature, destination, asset, partial } = options;
  if ([owner, signature, destination, asset, partial].some((option) => option !== undefined))
    throw new UsageError("--revoke-allowance goes with --keypair and --rpc only.");
  if (keypair === undefined) throw new UsageError("--keypair is missing: your own wallet ends its allowance.");
  if (!rpc) throw new UsageError("--rpc is missing.");
  return {
    owner: readWalletFile(keypair),
    chain: withUsageErrors(() => new Connection(rpc, COMMITMENT)),
    isDryRun: options.dryRun === true,
    isJson: options.json === true,
  };
}

/** Runs a revocation and prints the result. @returns 3 when nobody may take USDC, and otherwise 0 */
export async function runRevocation(
  { isDryRun, isJson, ...options }: RevokeOptions & OutputOptions,
  print: (line: string) => void,
): Promise<number> {
  const found = isDryRun ? { ...(await inspectAllowance(options)), signature: null } : await revokeAllowance(options);
  const { account, delegate, amount, signature } = found;
  if (isJson) print(toJson({ account, delegate, amount, signature }));
  else if (delegate === null) print("Nobody may take USDC from your account.");
  else {
    print(`${delegate} may take ${formatDecimal(amount, ASSETS.USDC.decimals)} USDC from your account ${account}.`);
    print(signature === null ? "This would end it." : `Ended: ${signature}`);
  }
  return delegate === null ? EXIT_CODES.refused : EXIT_CODES.done;
}

/**
 * @returns the recovery to run, or the derivation text to print when the owner's signature is still missing
 * @throws {UsageError} when an option is missing, contradicts another or is invalid
 */
export function parseRecovery(options: RecoverArguments): RecoveryRun | string {
  const { origin, rpc, owner, signature, keypair, index, destination, asset, partial } = options;
  if (!origin) throw new UsageError("--origin is missing. Give the origin that the signed text names, or sandbox.");
  const text = withUsageErrors(() => createDerivationText(origin));
  if ((keypair === undefined) === (owner === undefined)) throw new UsageError("Give --keypair or --owner.");
  if (owner !== undefined && signature === undefined) return text;
  if (!rpc) throw new UsageError("--rpc is missing.");
  return {
    owner: keypair !== undefined ? readWalletFile(keypair) : createStoredSigner(owner!, signature!),
    origin,
    index,
    chain: withUsageErrors(() => new Connection(rpc, COMMITMENT)),
    destination,
    asset,
    partial,
    isDryRun: options.dryRun === true,
    isJson: options.json === true,
  };
}

/** Creates a signer that always returns the signature in a file, base64. @throws {UsageError} */
function createStoredSigner(address: string, signatureFile: string): TextSigner {
  const base64 = withUsageErrors(() => readFileSync(signatureFile, "utf8").trim());
  return { address, signMessage: async () => Uint8Array.from(Buffer.from(base64, "base64")) };
}

/** Runs a recovery and prints the result. @returns 3 when the wallet is empty or assets stay in it, and otherwise 0 */
export async function runRecovery(
  { isDryRun, isJson, ...options }: RecoveryRun,
  print: (line: string) => void,
): Promise<number> {
  const onLanded = (signature: string) => isJson || print(`landed: ${signature}`);
  const contents = isDryRun ? await inspect(options) : await recover({ ...options, onLanded });
  print(isJson ? toJson(contents) : describeContents(contents).join("\n"));
  return toExitCode(contents);
}

const isEmpty = ({ lamports, tokens }: Contents) => lamports === 0n && tokens.length === 0;

const toExitCode = (contents: Contents) =>
  !isEmpty(contents) && contents.reason === null && contents.leftBehind.length === 0 && !contents.keepsRentMinimum
    ? EXIT_CODES.done
    : EXIT_CODES.refused;

const EMPTY_WALLET_NOTE =
  "This wallet is empty. If you expected money here, check that --origin is the origin that your wallet showed when you signed.";

/** @param contents `landed` lists the signatures of the transactions that were sent; absent in a dry run */
function describeContents(contents: Contents & { landed?: string[] }): string[] {
  const { serviceWallet, destination, lamports, tokens, leftBehind, leftOut, reason, stopReason, landed } = contents;
  const headLine = `Savings wallet ${serviceWallet}`;
  if (isEmpty(contents)) return [headLine, EMPTY_WALLET_NOTE];
  const balanceLines = [headLine, `  ${formatSol(lamports)}`, ...tokens.map((token) => `  ${formatAmount(token)}`)];
  const remainderLines = [
    ...(stopReason === undefined
      ? []
      : [`Everything at once could not be sent, so this went on asset by asset: ${stopReason}`]),
    ...leftBehind.map((token) => `Stays: ${formatAmount(token)}. ${token.reason}`),
    ...leftOut.map(({ reason }) => `Not read: ${reason}`),
    ...(contents.keepsRentMinimum ? [formatRemainder(contents)] : []),
  ];
  if (reason !== null) return [...balanceLines, ...remainderLines, reason];
  const transactionCount = landed ? landed.length : contents.transactions;
  const sentText = `${landed ? "Sent" : "Would be sent"} to ${destination} in ${transactionCount} transaction${transactionCount === 1 ? "" : "s"}`;
  const amountsText = `${formatSol(contents.sentLamports)} of it; the network takes ${formatSol(contents.networkFeeLamports)}.`;
  return [...balanceLines, `${sentText}, ${amountsText}`, ...remainderLines];
}

const formatRemainder = ({ remainingLamports }: Contents) =>
  `Stays: ${formatSol(remainingLamports)} and the token accounts. The wallet changed while this was sent, so it left them to be sure. Run it again for the rest.`;

const formatAmount = ({ symbol, mint, amount, decimals }: Token) =>
  `${formatDecimal(amount, decimals)} ${symbol} (${mint})`;
