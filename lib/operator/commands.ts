import type { Keypair, PublicKey } from "@solana/web3.js";
import type { OperatorEnv } from "../env";
import { readPriority } from "../sdk/recover/contents";
import type { Clock } from "../sdk/world";
import type { Priority } from "../solana/priority";
import { type Chain, getNodeName, isPlainAccount, readLedger, readTransferFee, signTransfers } from "./chain";
import { deriveCollectors, deriveFunder } from "./collectors";
import { OperatorFailure } from "./failure";
import { createOperatorFile, type OperatorBook } from "./operator-file";
import { computeFundPlan, computeSweepPlan } from "./plans";
import { describeOutcome, formatFundPlan, formatStatus, formatSweepPlan, toStatusJson } from "./report";
import { type Outcome, sendAndConfirm } from "./send";
import { formatSol } from "./table";

/** The dependencies of a command that moves SOL. */
export interface Session {
  chain: Chain;
  book: OperatorBook;
  timer: Clock;
  /** Priority fee settings for a sweep. No priority fee when absent. */
  priorityFee?: OperatorEnv["priorityFee"];
  /** Prints text for the operator, without a final newline. Never receives a secret. */
  print(text: string): void;
}

const DRY_RUN = "Dry run, nothing was sent. Add --execute to send it.";

/**
 * Creates the operator file. Prints the line for the service's environment, and the address that needs SOL for `fund`.
 * @param input.seed 32 random bytes
 * @throws {OperatorFailure} when the file exists or cannot be written
 */
export async function init(input: {
  file: string;
  seed: Uint8Array;
  treasury: PublicKey;
  print: Session["print"];
}): Promise<void> {
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

/**
 * Prints every balance.
 * @param json prints JSON for programs, with amounts in lamports
 * @returns exit code: 0 when every collector can take fees, 3 when some cannot, 4 when none can
 * @throws {OperatorFailure} when the node does not answer
 */
export async function status({ chain, book, print }: Session, json: boolean): Promise<0 | 3 | 4> {
  const { accounts } = deriveAccounts(book);
  const ledger = await readLedger(chain, accounts);
  const fundedCount = ledger.collectors.filter((balance) => balance >= ledger.rentMinimum).length;
  const code = fundedCount === ledger.collectors.length ? 0 : fundedCount > 0 ? 3 : 4;
  if (json) {
    print(JSON.stringify(toStatusJson(getNodeName(chain), accounts, ledger)));
    return code;
  }
  print(`Balances at ${getNodeName(chain)}; rent-exempt minimum ${formatSol(ledger.rentMinimum)} SOL`);
  print(formatStatus(accounts, ledger));
  return code;
}

/**
 * Tops up each collector below the rent-exempt minimum to twice that minimum, from the funder, in one transaction.
 * Idempotent: a second run sends only what is still missing.
 * @param execute false prints the transfers without sending them
 * @throws {OperatorFailure} when the funder cannot pay, or the transaction is not confirmed
 */
export async function fund(session: Session, execute: boolean): Promise<void> {
  const { chain, book, print } = session;
  const { accounts, funder } = deriveAccounts(book);
  const { ledger, plan, priority } = await planFund(session);
  const target = `${formatSol(plan.target)} SOL (twice the rent-exempt minimum)`;
  if (plan.transfers.length === 0)
    return print("Nothing to send: every collector holds at least the rent-exempt minimum.");
  print(`Bring collectors up to ${target}, in one transaction at ${getNodeName(chain)}`);
  print(formatFundPlan(accounts, ledger, plan));

  if (plan.shortfall > 0n) {
    const holds = `The funder ${accounts.funder.toBase58()} holds ${formatSol(ledger.funder)} SOL`;
    throw new OperatorFailure(`${holds}; send it at least ${formatSol(plan.shortfall)} SOL more.`);
  }
  if (!execute) return print(DRY_RUN);
  const recipients = plan.transfers.map(({ collector, lamports }) => ({
    to: accounts.collectors[collector]!,
    lamports,
  }));
  const outcome = await pay(session, funder, recipients, priority);
  print(describeOutcome(outcome));
  if (outcome.state !== "landed") {
    throw new OperatorFailure(`The funding is not confirmed (${outcome.state}); look at status, then run it again.`);
  }
}

/**
 * Computes what `fund` would send now.
 * @throws {OperatorFailure} when the node does not answer
 */
export async function planFund({ chain, book, priorityFee }: Pick<Session, "chain" | "book" | "priorityFee">) {
  const { accounts } = deriveAccounts(book);
  const priority = priorityFee && (await readPriority(chain, accounts.collectors, priorityFee));
  const [ledger, fee] = await Promise.all([
    readLedger(chain, accounts),
    // Upper bound: the fee of a transfer to every collector.
    readTransferFee(chain, accounts.funder, accounts.collectors, priority),
  ]);
  return { ledger, plan: computeFundPlan({ ...ledger, fee }), priority };
}

/**
 * Sends each collector's surplus over the rent-exempt minimum, minus the fee, to the treasury. Each collector sends its
 * own transaction, one after another. Idempotent: a second run sends only new surplus and what did not land.
 * @param execute false prints the transfers without sending them
 * @throws {OperatorFailure} when the treasury is not a plain account, or a transaction is not confirmed
 */
export async function sweep(session: Session, execute: boolean): Promise<void> {
  const { chain, book, priorityFee, print } = session;
  const { accounts, collectors } = deriveAccounts(book);
  const writtenAccounts = [accounts.treasury, ...accounts.collectors];
  const priority = priorityFee && (await readPriority(chain, writtenAccounts, priorityFee));
  const [ledger, fee] = await Promise.all([
    readLedger(chain, accounts),
    readTransferFee(chain, accounts.collectors[0]!, [accounts.treasury], priority),
  ]);
  if (!isPlainAccount(ledger.treasuryOwner)) {
    const owner = `The treasury account belongs to the program ${ledger.treasuryOwner}`;
    throw new OperatorFailure(`${owner}; SOL sent there may be lost, so nothing is swept.`);
  }
  const plan = computeSweepPlan({ ...ledger, fee });
  print(`Sweep to the treasury ${accounts.treasury.toBase58()} at ${getNodeName(chain)}`);
  print(formatSweepPlan(accounts, ledger, plan, fee));
  if (plan.transfers.length === 0) return print("Nothing to send.");
  if (!execute) return print(DRY_RUN);

  let sweptLamports = 0n;
  let missedTransfers = 0;
  for (const { collector, lamports } of plan.transfers) {
    const outcome = await pay(session, collectors[collector]!, [{ to: accounts.treasury, lamports }], priority);
    print(`collector ${collector}: ${describeOutcome(outcome)}`);
    if (outcome.state === "landed") sweptLamports += lamports;
    else missedTransfers += 1;
  }
  print(`Swept ${formatSol(sweptLamports)} SOL.`);
  if (missedTransfers > 0) {
    throw new OperatorFailure(
      `${missedTransfers} of ${plan.transfers.length} transfers are not confirmed; run it again.`,
    );
  }
}

/** Signs and sends one transaction. Returns a failure to sign as an outcome. */
async function pay(
  session: Session,
  payer: Keypair,
  recipients: { to: PublicKey; lamports: bigint }[],
  priority?: Priority,
): Promise<Outcome> {
  try {
    const signed = await signTransfers(session.chain, payer, recipients, priority);
    return await sendAndConfirm(session.chain, signed, session.timer);
  } catch (error) {
    // A transfer that could not be sent must not hide the outcome of the transfers before it.
    if (error instanceof OperatorFailure) return { state: "refused", error: error.message };
    throw error;
  }
}

/** Derives the key pairs of the operator, and the public keys of all its accounts. */
function deriveAccounts(book: OperatorBook) {
  const collectors = deriveCollectors(book.seed);
  const funder = deriveFunder(book.seed);
  const accounts = {
    collectors: collectors.map(({ publicKey }) => publicKey),
    funder: funder.publicKey,
    treasury: book.treasury,
  };
  return { collectors, funder, accounts };
}
