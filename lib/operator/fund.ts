import { ASSETS } from "../domain/assets";
import { readPriority } from "../sdk/recover/chain-reads";
import type { InstructionLike } from "../solana/instructions";
import { buildSystemTransfer } from "../solana/system-instructions";
import { buildCreateAssociatedTokenAccount } from "../solana/token-instructions";
import { getNodeName, type OperatorAccounts, readBalances, readNetworkFee } from "./chain";
import { deriveAccounts } from "./collectors";
import { OperatorFailure } from "./failure";
import { DRY_RUN_TEXT, describeOutcome, describeShortfall, formatBlockedUsdc, formatFundPlan } from "./report";
import { type OperatorSession, signAndSend } from "./send";
import { formatExactSol } from "./table";
import { computeFundPlan, computeShortfall, type FundPlan } from "./transfer-plans";

/**
 * Tops up each collector below the rent-exempt minimum to twice that minimum, and opens each missing USDC account, in
 * one transaction. The funder pays. Idempotent: a second run sends only what is still missing.
 * @param options.shouldSend false prints the transfers without sending them
 * @throws {OperatorFailure} when the funder cannot pay, or the transaction is not confirmed
 */
export async function fundCollectors(session: OperatorSession, { shouldSend }: { shouldSend: boolean }): Promise<void> {
  const { chain, operatorFile, print } = session;
  const { accounts, funderKeypair } = deriveAccounts(operatorFile);
  const { balances, plan, instructions, feeLamports, shortfallLamports, priority } = await planFund(session);
  const blockedText = formatBlockedUsdc(balances);
  if (blockedText) print(blockedText);
  if (instructions.length === 0)
    return print("Nothing to send: every collector holds at least the rent-exempt minimum and has a USDC account.");
  const targetText = `${formatExactSol(plan.targetLamports)} SOL (twice the rent-exempt minimum)`;
  const steps = [
    ...(plan.transfers.length > 0 ? [`bring collectors up to ${targetText}`] : []),
    ...(plan.openings.length > 0 ? ["open missing USDC accounts"] : []),
  ];
  print(`In one transaction at ${getNodeName(chain)}: ${steps.join(", ")}`);
  print(formatFundPlan(accounts, balances, plan, feeLamports));
  if (shortfallLamports > 0n) throw new OperatorFailure(`${describeShortfall(accounts, balances, shortfallLamports)}.`);
  if (!shouldSend) return print(DRY_RUN_TEXT);
  const outcome = await signAndSend(session, [funderKeypair], instructions, priority);
  print(describeOutcome(outcome));
  if (outcome.state !== "landed") {
    throw new OperatorFailure(`The funding is not confirmed (${outcome.state}); look at status, then run it again.`);
  }
}

/**
 * Plans the transaction that `fund` would send now. It has no instructions when nothing is missing.
 * @throws {OperatorFailure} when the node does not answer
 */
export async function planFund({
  chain,
  operatorFile,
  priorityFee,
}: Pick<OperatorSession, "chain" | "operatorFile" | "priorityFee">) {
  const { accounts } = deriveAccounts(operatorFile);
  const [priority, balances] = await Promise.all([
    priorityFee && readPriority(chain, [...accounts.collectors], priorityFee),
    readBalances(chain, accounts),
  ]);
  const plan = computeFundPlan(balances);
  const instructions = buildFundInstructions(accounts, plan);
  const isComplete = instructions.length === 0;
  const feeLamports = isComplete ? 0n : await readNetworkFee(chain, accounts.funder, instructions, priority);
  const shortfallLamports = isComplete ? 0n : computeShortfall(balances, plan.totalLamports + feeLamports);
  return { balances, plan, instructions, feeLamports, shortfallLamports, priority };
}

function buildFundInstructions(accounts: OperatorAccounts, { transfers, openings }: FundPlan): InstructionLike[] {
  const payer = accounts.funder.toBase58();
  const collectors = accounts.collectors.map((key) => key.toBase58());
  const { mint } = ASSETS.USDC;
  return [
    ...transfers.map(({ collectorIndex, lamports }) =>
      buildSystemTransfer(payer, collectors[collectorIndex]!, lamports),
    ),
    ...openings.map(({ collectorIndex }) =>
      buildCreateAssociatedTokenAccount({ payer, owner: collectors[collectorIndex]!, mint }),
    ),
  ];
}
