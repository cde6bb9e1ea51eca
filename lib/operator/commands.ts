import type { Keypair } from "@solana/web3.js";
import type { OperatorEnv } from "../env";
import type { Clock } from "../sdk/platform";
import { readPriority } from "../sdk/recover/chain-reads";
import type { PriorityFee } from "../solana/budget";
import {
  type Chain,
  getNodeName,
  isPlainAccount,
  type Recipient,
  readBalances,
  readTransferFee,
  signTransfers,
} from "./chain";
import { deriveCollectors, deriveFunder } from "./collectors";
import { OperatorFailure } from "./failure";
import { createOperatorFile, type OperatorFile } from "./operator-file";
import { describeOutcome, formatFundPlan, formatStatus, formatSweepPlan, toStatusJson } from "./report";
import { sendAndConfirm, type TransferOutcome } from "./send";
import { formatExactSol } from "./table";
import { computeFundPlan, computeSweepPlan } from "./transfer-plans";

/** The dependencies of the commands that read or move the operator's SOL. */
export interface OperatorSession {
  chain: Chain;
  operatorFile: OperatorFile;
  clock: Clock;
  /** Priority fee settings for a sweep. No priority fee when absent. */
  priorityFee?: OperatorEnv["priorityFee"];
  /** Prints text for the operator, without a final newline. Never receives a secret. */
  print(text: string): void;
}

const DRY_RUN_TEXT = "Dry run, nothing was sent. Add --execute to send it.";

/**
 * Creates the operator file. Prints the line for the service's environment, and the address that needs SOL for `fund`.
 * @param input.seed 32 random bytes
 * @throws {OperatorFailure} when the file exists or cannot be written
 */
export async function initOperator(
  input: OperatorFile & { file: string; print: OperatorSession["print"] },
): Promise<void> {
  const { file, seed, treasury, print } = input;
  await createOperatorFile(file, { seed, treasury });
  print(`Wrote ${file} (only you can read it). Keep a backup: without it the collectors' balances are lost.`);
  print("Put this line in the service's environment:");
  print(`FEE_COLLECTORS=${deriveCollectorAddresses(seed).join(",")}`);
  print("Then send SOL to the funder and run `fund`:");
  print(`Funder: ${deriveFunder(seed).publicKey.toBase58()}`);
}

/** Returns the collectors' public keys, base58, in their fixed order. @param seed 32 bytes */
export function deriveCollectorAddresses(seed: Uint8Array): string[] {
  return deriveCollectors(seed).map(({ publicKey }) => publicKey.toBase58());
}

/** The exit codes of `status`, by how many collectors hold the rent-exempt minimum and so can take fees. */
const STATUS_EXIT_CODES = { allFunded: 0, someFunded: 3, noneFunded: 4 };

/**
 * Prints every balance.
 * @param options.isJson true prints JSON for programs, with amounts in lamports
 * @returns one of STATUS_EXIT_CODES
 * @throws {OperatorFailure} when the node does not answer
 */
export async function printStatus(
  { chain, operatorFile, print }: OperatorSession,
  { isJson }: { isJson: boolean },
): Promise<number> {
  const { accounts } = deriveAccounts(operatorFile);
  const balances = await readBalances(chain, accounts);
  const { rentMinimumLamports, collectorLamports } = balances;
  if (isJson) print(JSON.stringify(toStatusJson(getNodeName(chain), accounts, balances)));
  else {
    print(`Balances at ${getNodeName(chain)}; rent-exempt minimum ${formatExactSol(rentMinimumLamports)} SOL`);
    print(formatStatus(accounts, balances));
  }
  const isFunded = (lamports: bigint) => lamports >= rentMinimumLamports;
  if (collectorLamports.every(isFunded)) return STATUS_EXIT_CODES.allFunded;
  return collectorLamports.some(isFunded) ? STATUS_EXIT_CODES.someFunded : STATUS_EXIT_CODES.noneFunded;
}

/**
 * Tops up each collector below the rent-exempt minimum to twice that minimum, from the funder, in one transaction.
 * Idempotent: a second run sends only what is still missing.
 * @param options.shouldSend false prints the transfers without sending them
 * @throws {OperatorFailure} when the funder cannot pay, or the transaction is not confirmed
 */
export async function fundCollectors(session: OperatorSession, { shouldSend }: { shouldSend: boolean }): Promise<void> {
  const { chain, operatorFile, print } = session;
  const { accounts, funderKeypair } = deriveAccounts(operatorFile);
  const { balances, plan, priority } = await planFund(session);
  const targetText = `${formatExactSol(plan.targetLamports)} SOL (twice the rent-exempt minimum)`;
  if (plan.transfers.length === 0)
    return print("Nothing to send: every collector holds at least the rent-exempt minimum.");
  print(`Bring collectors up to ${targetText}, in one transaction at ${getNodeName(chain)}`);
  print(formatFundPlan(accounts, balances, plan));

  if (plan.shortfallLamports > 0n) {
    const fundsText = `The funder ${accounts.funder.toBase58()} holds ${formatExactSol(balances.funderLamports)} SOL`;
    throw new OperatorFailure(`${fundsText}; send it at least ${formatExactSol(plan.shortfallLamports)} SOL more.`);
  }
  if (!shouldSend) return print(DRY_RUN_TEXT);
  const recipients = plan.transfers.map(({ collectorIndex, lamports }) => ({
    to: accounts.collectors[collectorIndex]!,
    lamports,
  }));
  const outcome = await signAndSend(session, funderKeypair, recipients, priority);
  print(describeOutcome(outcome));
  if (outcome.state !== "landed") {
    throw new OperatorFailure(`The funding is not confirmed (${outcome.state}); look at status, then run it again.`);
  }
}

/**
 * Plans the transfers that `fund` would send now.
 * @throws {OperatorFailure} when the node does not answer
 */
export async function planFund(session: Pick<OperatorSession, "chain" | "operatorFile" | "priorityFee">) {
  const { chain, operatorFile, priorityFee } = session;
  const { accounts } = deriveAccounts(operatorFile);
  const priority = priorityFee && (await readPriority(chain, accounts.collectors, priorityFee));
  const [balances, feeLamports] = await Promise.all([
    readBalances(chain, accounts),
    // Upper bound: the fee of a transfer to every collector.
    readTransferFee(chain, accounts.funder, accounts.collectors, priority),
  ]);
  return { balances, plan: computeFundPlan({ ...balances, feeLamports }), priority };
}

/**
 * Sends each collector's surplus over the rent-exempt minimum, minus the fee, to the treasury. Each collector sends its
 * own transaction, one after another. Idempotent: a second run sends only new surplus and what did not land.
 * @param options.shouldSend false prints the transfers without sending them
 * @throws {OperatorFailure} when the treasury is not a plain account, or a transaction is not confirmed
 */
export async function sweepCollectors(
  session: OperatorSession,
  { shouldSend }: { shouldSend: boolean },
): Promise<void> {
  const { chain, operatorFile, priorityFee, print } = session;
  const { accounts, collectorKeypairs } = deriveAccounts(operatorFile);
  const writtenAccounts = [accounts.treasury, ...accounts.collectors];
  const priority = priorityFee && (await readPriority(chain, writtenAccounts, priorityFee));
  const [balances, feeLamports] = await Promise.all([
    readBalances(chain, accounts),
    readTransferFee(chain, accounts.collectors[0]!, [accounts.treasury], priority),
  ]);
  if (!isPlainAccount(balances.treasuryOwner)) {
    const ownerText = `The treasury account belongs to the program ${balances.treasuryOwner}`;
    throw new OperatorFailure(`${ownerText}; SOL sent there may be lost, so nothing is swept.`);
  }
  const plan = computeSweepPlan({ ...balances, feeLamports });
  print(`Sweep to the treasury ${accounts.treasury.toBase58()} at ${getNodeName(chain)}`);
  print(formatSweepPlan(accounts, balances, plan, feeLamports));
  if (plan.transfers.length === 0) return print("Nothing to send.");
  if (!shouldSend) return print(DRY_RUN_TEXT);

  let sweptLamports = 0n;
  let unconfirmedCount = 0;
  for (const { collectorIndex, lamports } of plan.transfers) {
    const recipients = [{ to: accounts.treasury, lamports }];
    const outcome = await signAndSend(session, collectorKeypairs[collectorIndex]!, recipients, priority);
    print(`collector ${collectorIndex}: ${describeOutcome(outcome)}`);
    if (outcome.state === "landed") sweptLamports += lamports;
    else unconfirmedCount += 1;
  }
  print(`Swept ${formatExactSol(sweptLamports)} SOL.`);
  if (unconfirmedCount > 0)
    throw new OperatorFailure(
      `${unconfirmedCount} of ${plan.transfers.length} transfers are not confirmed; run it again.`,
    );
}

/** Signs, sends and follows one transaction. Returns an OperatorFailure as the outcome `refused`. */
async function signAndSend(
  session: OperatorSession,
  payer: Keypair,
  recipients: Recipient[],
  priority?: PriorityFee,
): Promise<TransferOutcome> {
  try {
    const signedTransfers = await signTransfers(session.chain, payer, recipients, priority);
    return await sendAndConfirm(session.chain, signedTransfers, session.clock);
  } catch (error) {
    // A transfer that could not be sent must not hide the outcome of the transfers before it.
    if (error instanceof OperatorFailure) return { state: "refused", error: error.message };
    throw error;
  }
}

/** Derives the key pairs of the operator, and the public keys of all its accounts. */
function deriveAccounts(operatorFile: OperatorFile) {
  const collectorKeypairs = deriveCollectors(operatorFile.seed);
  const funderKeypair = deriveFunder(operatorFile.seed);
  const accounts = {
    collectors: collectorKeypairs.map(({ publicKey }) => publicKey),
    funder: funderKeypair.publicKey,
    treasury: operatorFile.treasury,
  };
  return { collectorKeypairs, funderKeypair, accounts };
}
