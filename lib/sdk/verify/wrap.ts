import type { buildWrapContract } from "../../contracts/build-wrap";
import type { DataOf } from "../../contracts/define";
import { fromMicroUsd, microUsdToLamports, share, toMicroUsd } from "../../domain/money";
import { must } from "../../domain/not-as-shown";
import { type RoundUpRequest, roundUp, roundUpTerms, sumRoundUps, topupTerms } from "../../domain/round-up";
import { besidesBudget, inMessage, mustBeSignedByAlone, readBuilt } from "../../domain/transaction-check";
import { fromBase64 } from "../../solana/bytes";
import { MAX_PRIORITY_FEE_LAMPORTS } from "../../solana/compute-budget";
import { BASE_FEE_LAMPORTS, mostRent } from "../../solana/fees";
import type { ReadInstruction } from "../../solana/instructions";
import { readMemo } from "../../solana/memo";
import { MEMO_PROGRAM } from "../../solana/programs";
import { readSystemTransfer } from "../../solana/system-instructions";
import { mostLamportsOf } from "./plausible";

type Wrap = Pick<DataOf<typeof buildWrapContract>, "transaction" | "unsigned" | "instructions" | "breakdown">;

/** What the person asked for: their own words, never the answer's. */
export interface WrapAsked extends RoundUpRequest {
  /** Pays, and signs. */
  wallet: string;
  /** Derived here. */
  serviceWallet: string;
  /** USD; each is rounded by itself. */
  purchases: readonly number[];
  /** The exact note that was asked for beside the transfers. */
  memo?: string;
}

export interface TopupAsked extends Pick<WrapAsked, "wallet" | "serviceWallet" | "memo"> {
  amountUsd: number;
}

/** What either comes to. */
interface ExpectedWrap extends Pick<WrapAsked, "wallet" | "serviceWallet" | "memo"> {
  microUsd: bigint;
  feeBps: bigint;
}

/** A wrap as its bytes say it, lamports. */
export interface WrapFigures {
  /** What is saved and its fee, without the activation. */
  roundUpLamports: bigint;
  serviceFeeLamports: bigint;
  userInvestmentLamports: bigint;
  /** The person's own money in their own new wallet. */
  activationLamports: bigint;
  /** At most. */
  networkFeeLamports: bigint;
  totalLamports: bigint;
  /** Computed here from what was asked for, US dollars. */
  roundUpUsd: number;
}

/**
 * Whether the transaction of a wrap saves the round-up of these purchases, computed here, and does nothing else.
 * @returns what its bytes say, to be shown for review
 * @throws {NotAsShown}
 */
export function verifyWrap(wrap: Omit<Wrap, "instructions">, asked: WrapAsked): WrapFigures {
  return checkTransaction(wrap, expectedWrap(asked));
}

/** The same of a top-up. @throws {NotAsShown} */
export function verifyTopup(wrap: Omit<Wrap, "instructions">, { amountUsd, ...asked }: TopupAsked): WrapFigures {
  const microUsd = toMicroUsd(amountUsd);
  return checkTransaction(wrap, { ...asked, microUsd, feeBps: topupTerms(microUsd).feeBps });
}

function expectedWrap(asked: WrapAsked): ExpectedWrap {
  const { wallet, serviceWallet, memo, purchases } = asked;
  const terms = roundUpTerms(asked);
  const { microUsd } = sumRoundUps(purchases.map((usd) => roundUp(toMicroUsd(usd), terms)));
  return { wallet, serviceWallet, memo, microUsd, feeBps: terms.feeBps };
}

function checkTransaction(wrap: Omit<Wrap, "instructions">, wanted: ExpectedWrap): WrapFigures {
  const { transaction, unsigned, breakdown } = wrap;
  must(transaction !== null, "nothing_to_sign");
  must(unsigned?.base64 === transaction.base64, "two_transactions");
  const built = readBuilt(transaction.base64);
  mustBeSignedByAlone(built, wanted.wallet);
  must(built.networkFeeLamports <= BigInt(breakdown.networkFeeLamports), "network_fee");
  return checkTransfers(besidesBudget(built), breakdown, wanted);
}

/**
 * The same of the bare instructions, before an app appends them to a transaction of its own.
 * @throws {NotAsShown}
 */
export function verifyWrapInstructions(
  { instructions, breakdown }: Pick<Wrap, "instructions" | "breakdown">,
  asked: WrapAsked,
) {
  const read = instructions.map(({ programId, accounts, data }): ReadInstruction => {
    for (const { pubkey, isSigner } of accounts) must(!isSigner || pubkey === asked.wallet, "other_signer");
    const bytes = fromBase64(data);
    must(bytes !== null, "unreadable");
    return { program: programId, accounts: accounts.map(({ pubkey }) => pubkey), data: bytes };
  });
  return checkTransfers(read, breakdown, expectedWrap(asked));
}

/** One transfer into the service wallet, then one to a fee collector, and the note that was asked for. */
function checkTransfers(
  instructions: readonly ReadInstruction[],
  breakdown: Wrap["breakdown"],
  wanted: ExpectedWrap,
): WrapFigures {
  const { microUsd } = wanted;
  mustCarryMemo(instructions, wanted);
  const [saving, fee, ...more] = instructions
    .filter(({ program }) => program !== MEMO_PROGRAM)
    .map((one) => {
      const transfer = readSystemTransfer(one);
      must(transfer !== null && inMessage(transfer.from) === wanted.wallet, "unknown_instruction");
      return { to: inMessage(transfer.to), lamports: transfer.lamports };
    });
  must(saving !== undefined && fee !== undefined && more.length === 0, "unknown_instruction");
  must(saving.to === wanted.serviceWallet, "other_wallet");
  must(fee.to === breakdown.feeCollector && fee.to !== wanted.serviceWallet, "sol_elsewhere");

  const activation = BigInt(breakdown.activationLamports);
  const figures = {
    roundUpLamports: saving.lamports + fee.lamports - activation,
    serviceFeeLamports: fee.lamports,
    userInvestmentLamports: saving.lamports - activation,
    activationLamports: activation,
    networkFeeLamports: BigInt(breakdown.networkFeeLamports),
    totalLamports: saving.lamports + fee.lamports + BigInt(breakdown.networkFeeLamports),
  };
  mustBeAskedFor(figures, wanted);
  for (const [name, lamports] of Object.entries(figures)) {
    must(
      lamports === BigInt(breakdown[name as keyof typeof figures]),
      name === "totalLamports" ? "total" : "other_amount",
    );
  }
  must(breakdown.roundUpUsd === fromMicroUsd(microUsd), "not_asked_for");
  const price = toMicroUsd(breakdown.solPriceUsd ?? 0);
  must(price > 0n && figures.roundUpLamports <= microUsdToLamports(microUsd, price), "other_amount");
  mustShowFee(figures, breakdown, microUsd);
  return { ...figures, roundUpUsd: breakdown.roundUpUsd };
}

function mustCarryMemo(instructions: readonly ReadInstruction[], { memo, wallet }: ExpectedWrap): void {
  const notes = instructions.filter(({ program }) => program === MEMO_PROGRAM);
  must(notes.length === (memo === undefined ? 0 : 1), "memo");
  must(
    notes.every((one) => readMemo(one, wallet) === memo),
    "memo",
  );
}

/** In percent and in dollars it is shown as no less than it is. */
function mustShowFee(
  { roundUpLamports, serviceFeeLamports }: Omit<WrapFigures, "roundUpUsd">,
  { serviceFeePercent, serviceFeeUsd }: Wrap["breakdown"],
  microUsd: bigint,
): void {
  const shownBps = BigInt(Math.round(serviceFeePercent * 100));
  must(serviceFeeLamports <= share(roundUpLamports, shownBps), "fee_too_high");
  must(toMicroUsd(serviceFeeUsd) >= share(microUsd, shownBps), "fee_too_high");
}

/** Holds the lamports against the person's own inputs. */
function mustBeAskedFor(figures: Omit<WrapFigures, "roundUpUsd">, { microUsd, feeBps }: ExpectedWrap): void {
  const { roundUpLamports, serviceFeeLamports, userInvestmentLamports, activationLamports } = figures;
  must(userInvestmentLamports >= 0n && activationLamports <= mostRent(0), "not_asked_for");
  must(roundUpLamports <= mostLamportsOf(microUsd), "implausible");
  must(serviceFeeLamports <= share(roundUpLamports, feeBps), "fee_too_high");
  must(figures.networkFeeLamports <= BASE_FEE_LAMPORTS + MAX_PRIORITY_FEE_LAMPORTS, "network_fee");
}
