import type { buildWrapContract } from "../../contracts/build-wrap";
import type { DataOf } from "../../contracts/define";
import { formatMark } from "../../domain/marks";
import { applyBps, fromMicroUsd, microUsdToLamports, toMicroUsd } from "../../domain/money";
import { assertAsShown } from "../../domain/not-as-shown";
import { computeMaxLamports, DEFAULT_PRICE_BOUNDS } from "../../domain/prices/price-bounds";
import { createReferenceMark } from "../../domain/reference";
import { roundUp, sumRoundUps, toRoundUpTerms, toTopupTerms } from "../../domain/round-up";
import {
  checkBudget,
  decodeBuiltTransaction,
  requireInMessage,
  requireModestUnitLimit,
  requireOnlySigner,
  requireShownNetworkFee,
} from "../../domain/transaction-check";
import { fromBase64 } from "../../solana/bytes";
import type { DecodedInstruction } from "../../solana/instructions";
import { readMemo } from "../../solana/memo";
import { MEMO_PROGRAM } from "../../solana/programs";
import { computeHighestRent } from "../../solana/rent";
import { readSystemTransfer } from "../../solana/system-instructions";
import type { SavingTerms } from "../requests";

/*
 * This folder compares what the service built, or a wallet signed, with the user's request. It makes no network requests
 * and signs nothing.
 */

type Wrap = Pick<DataOf<typeof buildWrapContract>, "transaction" | "unsigned" | "instructions" | "breakdown">;

/** The round-up that the user requested. Use the user's own inputs; never copy them from the response. */
export interface RequestedWrap extends SavingTerms {
  /** The user's wallet, which pays and signs. */
  wallet: string;
  /** The service wallet, derived locally. */
  serviceWallet: string;
  /** The purchases in US dollars, each of which is rounded separately. */
  purchasesUsd: readonly number[];
  /** The exact memo that the transaction must contain. Without it and without `reference`, no memo is allowed. */
  memo?: string;
  /** The order's reference. The transaction must contain exactly its memo and its key. */
  reference?: string;
}

export interface RequestedTopup extends Pick<RequestedWrap, "wallet" | "serviceWallet" | "memo" | "reference"> {
  amountUsd: number;
}

/** The amount and fee that a round-up or a top-up must have. */
interface ExpectedWrap extends Omit<RequestedTopup, "amountUsd"> {
  microUsd: bigint;
  feeBps: bigint;
}

/** A wrap as read from its bytes; amounts in lamports. */
export interface WrapFigures {
  /** The saved amount plus the service fee, without the activation deposit. */
  roundUpLamports: bigint;
  serviceFeeLamports: bigint;
  userInvestmentLamports: bigint;
  /** Rent-exempt deposit for a new service wallet; it belongs to the user. */
  activationLamports: bigint;
  /** The network fee that the service read from a node. The bytes bound it. */
  networkFeeLamports: bigint;
  totalLamports: bigint;
  /** US dollars, computed locally from the request. */
  roundUpUsd: number;
}

/**
 * Verifies that a wrap's transaction saves the round-up of these purchases and does nothing else. The round-up is
 * computed locally.
 * @returns the figures read from the transaction's bytes, for review
 * @throws {NotAsShown}
 */
export function verifyWrap(wrap: Omit<Wrap, "instructions">, request: RequestedWrap): WrapFigures {
  return checkTransaction(wrap, computeExpectedWrap(request));
}

/** Verifies a top-up as `verifyWrap` verifies a round-up. @throws {NotAsShown} */
export function verifyTopup(wrap: Omit<Wrap, "instructions">, { amountUsd, ...request }: RequestedTopup): WrapFigures {
  const microUsd = toMicroUsd(amountUsd);
  return checkTransaction(wrap, { ...request, microUsd, feeBps: toTopupTerms(microUsd).feeBps });
}

function computeExpectedWrap(request: RequestedWrap): ExpectedWrap {
  const { wallet, serviceWallet, memo, reference, ceilingUsd, ...saving } = request;
  const terms = toRoundUpTerms({ ...saving, ceiling: ceilingUsd });
  const { microUsd } = sumRoundUps(saving.purchasesUsd.map((usd) => roundUp(toMicroUsd(usd), terms)));
  return { wallet, serviceWallet, memo, reference, microUsd, feeBps: terms.feeBps };
}

function checkTransaction(wrap: Omit<Wrap, "instructions">, expectedWrap: ExpectedWrap): WrapFigures {
  const { transaction, unsigned, breakdown } = wrap;
  assertAsShown(transaction !== null, "nothing_to_sign");
  assertAsShown(unsigned?.base64 === transaction.base64, "two_transactions");
  const readTransaction = decodeBuiltTransaction(transaction.base64);
  requireOnlySigner(readTransaction, expectedWrap.wallet);
  requireModestUnitLimit(readTransaction);
  requireShownNetworkFee([readTransaction], breakdown.networkFeeLamports);
  return checkTransfers(checkBudget(readTransaction), breakdown, expectedWrap);
}

/**
 * Verifies a wrap's instructions before an app appends them to its own transaction.
 * @returns the figures read from the instructions
 * @throws {NotAsShown}
 */
export function verifyWrapInstructions(
  { instructions, breakdown }: Pick<Wrap, "instructions" | "breakdown">,
  request: RequestedWrap,
) {
  const readInstructions = instructions.map(({ programId, accounts, data }): DecodedInstruction => {
    for (const { pubkey, isSigner } of accounts) assertAsShown(!isSigner || pubkey === request.wallet, "other_signer");
    const bytes = fromBase64(data);
    assertAsShown(bytes !== null, "unreadable");
    return { program: programId, accounts: accounts.map(({ pubkey }) => pubkey), data: bytes };
  });
  return checkTransfers(readInstructions, breakdown, computeExpectedWrap(request));
}

/**
 * Allows one transfer to a fee collector, then one to the service wallet, and the requested memo. Only the second
 * transfer may carry a further account: the key of the requested reference.
 */
function checkTransfers(
  instructions: readonly DecodedInstruction[],
  breakdown: Wrap["breakdown"],
  expectedWrap: ExpectedWrap,
): WrapFigures {
  const { wallet, serviceWallet, memo, reference, microUsd } = expectedWrap;
  const mark = reference === undefined ? null : createReferenceMark(wallet, reference);
  requireMemo(instructions, wallet, mark ? formatMark(mark) : memo);
  const [fee, saving, ...otherTransfers] = instructions
    .filter(({ program }) => program !== MEMO_PROGRAM)
    .map((instruction, i) => {
      const keys = instruction.accounts.slice(2);
      assertAsShown(keys.join() === (mark && i === 1 ? mark.key : ""), "unknown_instruction");
      const transfer = readSystemTransfer({ ...instruction, accounts: instruction.accounts.slice(0, 2) });
      assertAsShown(transfer !== null && requireInMessage(transfer.from) === wallet, "unknown_instruction");
      return { to: requireInMessage(transfer.to), lamports: transfer.lamports };
    });
  assertAsShown(saving !== undefined && fee !== undefined && otherTransfers.length === 0, "unknown_instruction");
  assertAsShown(saving.to === serviceWallet, "other_wallet");
  assertAsShown(fee.to === breakdown.feeCollector && fee.to !== serviceWallet, "sol_elsewhere");

  const activationLamports = BigInt(breakdown.activationLamports);
  const figures = {
    roundUpLamports: saving.lamports + fee.lamports - activationLamports,
    serviceFeeLamports: fee.lamports,
    userInvestmentLamports: saving.lamports - activationLamports,
    activationLamports,
    networkFeeLamports: BigInt(breakdown.networkFeeLamports),
    totalLamports: saving.lamports + fee.lamports + BigInt(breakdown.networkFeeLamports),
  };
  requireRequestedFigures(figures, expectedWrap);
  for (const [name, lamports] of Object.entries(figures)) {
    const shownLamports = BigInt(breakdown[name as keyof typeof figures]);
    assertAsShown(lamports === shownLamports, name === "totalLamports" ? "total" : "other_amount");
  }
  assertAsShown(breakdown.roundUpUsd === fromMicroUsd(microUsd), "not_asked_for");
  const solPriceMicroUsd = toMicroUsd(breakdown.solPriceUsd ?? 0);
  assertAsShown(
    solPriceMicroUsd > 0n && figures.roundUpLamports <= microUsdToLamports(microUsd, solPriceMicroUsd),
    "other_amount",
  );
  requireShownFee(figures, breakdown, microUsd);
  return { ...figures, roundUpUsd: breakdown.roundUpUsd };
}

/** Requires that the instructions have exactly this memo, signed by the wallet. Undefined allows no memo. */
function requireMemo(instructions: readonly DecodedInstruction[], wallet: string, memo: string | undefined): void {
  const memos = instructions.filter(({ program }) => program === MEMO_PROGRAM);
  const allowedCount = memo === undefined ? 0 : 1;
  assertAsShown(
    memos.length === allowedCount && memos.every((instruction) => readMemo(instruction, wallet) === memo),
    "memo",
  );
}

/** Requires that the shown fee, in percent and in dollars, is not lower than the actual fee. */
function requireShownFee(
  { roundUpLamports, serviceFeeLamports }: Omit<WrapFigures, "roundUpUsd">,
  { serviceFeePercent, serviceFeeUsd }: Wrap["breakdown"],
  microUsd: bigint,
): void {
  const shownBps = BigInt(Math.round(serviceFeePercent * 100));
  assertAsShown(serviceFeeLamports <= applyBps(roundUpLamports, shownBps), "fee_too_high");
  assertAsShown(toMicroUsd(serviceFeeUsd) >= applyBps(microUsd, shownBps), "fee_too_high");
}

function requireRequestedFigures(figures: Omit<WrapFigures, "roundUpUsd">, { microUsd, feeBps }: ExpectedWrap): void {
  const { roundUpLamports, serviceFeeLamports, userInvestmentLamports, activationLamports } = figures;
  assertAsShown(userInvestmentLamports >= 0n && activationLamports <= computeHighestRent(0n), "not_asked_for");
  // The most that these dollars can buy within the package's own price bounds, whatever price the service names.
  assertAsShown(roundUpLamports <= computeMaxLamports(microUsd, DEFAULT_PRICE_BOUNDS), "implausible");
  assertAsShown(serviceFeeLamports <= applyBps(roundUpLamports, feeBps), "fee_too_high");
}
