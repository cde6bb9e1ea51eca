import type { buildWrapContract } from "../../contracts/build-wrap";
import type { DataOf } from "../../contracts/define";
import { formatMark } from "../../domain/marks";
import { toMicroUsd } from "../../domain/money";
import { assertAsShown } from "../../domain/not-as-shown";
import { createReferenceMark } from "../../domain/reference";
import { roundUp, sumRoundUps, toRoundUpTerms, toTopupTerms } from "../../domain/round-up";
import {
  checkBudget,
  decodeBuiltTransaction,
  requireModestUnitLimit,
  requireOnlySigner,
  requireShownNetworkFee,
} from "../../domain/transaction-check";
import { fromBase64 } from "../../solana/bytes";
import type { DecodedInstruction } from "../../solana/instructions";
import { readMemo } from "../../solana/memo";
import { MEMO_PROGRAM } from "../../solana/programs";
import { findSigner, type PayTerms, type SavingTerms } from "../requests";
import { checkSolTransfers, checkUsdcTransfers, type ExpectedWrap, type WrapFigures } from "./transfers";

/*
 * This folder compares what the service built, or a wallet signed, with the user's request. It makes no network requests
 * and signs nothing. Each function returns the figures that the bytes contain.
 */

type Wrap = Pick<DataOf<typeof buildWrapContract>, "transaction" | "unsigned" | "instructions" | "breakdown">;

/** The saving that the user requested. Use the user's own inputs; never copy them from the response. */
export interface RequestedWrap extends SavingTerms, PayTerms {
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

export interface RequestedTopup
  extends PayTerms,
    Pick<RequestedWrap, "wallet" | "serviceWallet" | "memo" | "reference"> {
  amountUsd: number;
}

/** Verifies that a transaction saves the change of these purchases, and does nothing else. @throws {NotAsShown} */
export function verifyWrap(wrap: Omit<Wrap, "instructions">, request: RequestedWrap): WrapFigures {
  return checkTransaction(wrap, computeExpectedWrap(request));
}

/** Verifies a top-up as `verifyWrap` verifies a saving. @throws {NotAsShown} */
export function verifyTopup(wrap: Omit<Wrap, "instructions">, { amountUsd, ...request }: RequestedTopup): WrapFigures {
  const microUsd = toMicroUsd(amountUsd);
  return checkTransaction(wrap, { ...request, microUsd, feeBps: toTopupTerms(microUsd).feeBps });
}

function computeExpectedWrap(request: RequestedWrap): ExpectedWrap {
  const { wallet, serviceWallet, memo, reference, payWith, by, ceilingUsd, ...saving } = request;
  const terms = toRoundUpTerms({ ...saving, ceiling: ceilingUsd });
  const { microUsd } = sumRoundUps(saving.purchasesUsd.map((usd) => roundUp(toMicroUsd(usd), terms)));
  return { wallet, serviceWallet, memo, reference, payWith, by, microUsd, feeBps: terms.feeBps };
}

const checkTransaction = (wrap: Omit<Wrap, "instructions">, expectedWrap: ExpectedWrap): WrapFigures =>
  checkTransfers(readOnlyTransaction(wrap, findSigner(expectedWrap)), wrap.breakdown, expectedWrap);

/** Checks what all builds of one transaction have in common. @returns the instructions besides the compute budget */
export function readOnlyTransaction(
  build: Pick<Wrap, "transaction" | "unsigned"> & { breakdown: { networkFeeLamports: number } },
  signer: string,
): DecodedInstruction[] {
  const { transaction, unsigned, breakdown } = build;
  assertAsShown(transaction !== null, "nothing_to_sign");
  assertAsShown(unsigned?.base64 === transaction.base64, "two_transactions");
  const contents = decodeBuiltTransaction(transaction.base64);
  requireOnlySigner(contents, signer);
  requireModestUnitLimit(contents);
  requireShownNetworkFee([contents], breakdown.networkFeeLamports);
  return checkBudget(contents);
}

/** Verifies a wrap's instructions before an app appends them to its own transaction. @throws {NotAsShown} */
export function verifyWrapInstructions(
  { instructions, breakdown }: Pick<Wrap, "instructions" | "breakdown">,
  request: RequestedWrap,
) {
  const readInstructions = instructions.map(({ programId, accounts, data }): DecodedInstruction => {
    const signer = findSigner(request);
    for (const { pubkey, isSigner } of accounts) assertAsShown(!isSigner || pubkey === signer, "other_signer");
    const bytes = fromBase64(data);
    assertAsShown(bytes !== null, "unreadable");
    return { program: programId, accounts: accounts.map(({ pubkey }) => pubkey), data: bytes };
  });
  return checkTransfers(readInstructions, breakdown, computeExpectedWrap(request));
}

function checkTransfers(
  instructions: readonly DecodedInstruction[],
  breakdown: Wrap["breakdown"],
  expectedWrap: ExpectedWrap,
): WrapFigures {
  const { wallet, memo, reference, payWith, by } = expectedWrap;
  assertAsShown(by === undefined || payWith === "USDC", "not_asked_for");
  const mark = reference === undefined ? null : createReferenceMark(wallet, reference);
  requireMemo(instructions, findSigner(expectedWrap), mark ? formatMark(mark) : memo);
  const transfers = instructions.filter(({ program }) => program !== MEMO_PROGRAM);
  const check = payWith === "USDC" ? checkUsdcTransfers : checkSolTransfers;
  const figures = check(transfers, breakdown, expectedWrap, mark?.key);
  return { ...figures, roundUpUsd: breakdown.roundUpUsd };
}

/** Requires that the instructions have exactly this memo, signed by the wallet. Undefined allows no memo. */
function requireMemo(instructions: readonly DecodedInstruction[], wallet: string, memo: string | undefined): void {
  const memos = instructions.filter(({ program }) => program === MEMO_PROGRAM);
  assertAsShown(memos.length === (memo === undefined ? 0 : 1), "memo");
  for (const instruction of memos) assertAsShown(readMemo(instruction, wallet) === memo, "memo");
}
