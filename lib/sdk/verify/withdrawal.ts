import type { buildWithdrawContract } from "../../contracts/build-withdraw";
import type { DataOf } from "../../contracts/define";
import { ASSETS, type AssetSymbol, assetOfMint, tokenSymbol } from "../../domain/assets";
import { must } from "../../domain/not-as-shown";
import {
  besidesBudget,
  inMessage,
  mustBeSignedByAlone,
  mustCloseTo,
  mustOpenFor,
  readBuilt,
} from "../../domain/transaction-check";
import type { ReadInstruction } from "../../solana/instructions";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../../solana/programs";
import type { ReadTransaction } from "../../solana/read-transaction";
import { readSystemTransfer } from "../../solana/system-instructions";
import { associatedTokenAddress, readTransferChecked } from "../../solana/token-instructions";

type WithdrawBuild = DataOf<typeof buildWithdrawContract>;
type WithdrawnAsset = WithdrawBuild["transactions"][number]["assets"][number];

/** What the person asked for. */
export interface WithdrawalAsked {
  /** Derived here. */
  wallet: string;
  destination: string;
  /** Null: everything. */
  asset: AssetSymbol | null;
  /** Base units at most; null: all of it. */
  amount: string | null;
  /** Only supported assets leave then. */
  keepsRentMinimum?: boolean;
}

/** One transaction as its bytes say it. */
export interface VerifiedWithdrawal {
  /** Base units that are sent, by mint; SOL stands under "SOL". */
  sent: ReadonlyMap<string, bigint>;
  networkFeeLamports: bigint;
}

const PROGRAMS = new Set([SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM]);

/**
 * Whether the transactions of a build send what was asked for and shown, to that destination and nowhere else. Nothing in
 * them is hidden from here: no other program takes part. @returns what their bytes say, to be shown for review
 * @throws {NotAsShown}
 */
export function verifyWithdrawal(build: WithdrawBuild, asked: WithdrawalAsked): VerifiedWithdrawal[] {
  must(build.destination === asked.destination, "not_asked_for");
  const verified = build.transactions.map(({ transaction, unsigned, assets }): VerifiedWithdrawal => {
    must(unsigned.base64 === transaction, "two_transactions");
    const built = readBuilt(transaction);
    const moved = movedBy(built, asked);
    const shown = new Map(assets.map((one) => [one.symbol === "SOL" ? "SOL" : one.mint, one]));
    must(moved.size === shown.size && shown.size === assets.length, "other_amount");
    const sent = new Map(
      [...moved].map(([key, { amount, decimals }]) => [key, mustShow(key, shown, amount, decimals)]),
    );
    return { sent, networkFeeLamports: built.networkFeeLamports };
  });
  mustBeAskedFor(verified, asked);
  const fee = verified.reduce((sum, { networkFeeLamports }) => sum + networkFeeLamports, 0n);
  must(fee <= BigInt(build.costs.networkFeeLamports), "network_fee");
  must(
    totals(verified).get("SOL") === (build.receivedLamports ? BigInt(build.receivedLamports) : undefined),
    "other_amount",
  );
  return verified;
}

/** By its right name, and in as many digits as the chain counts. @returns the amount */
function mustShow(key: string, shown: Map<string, WithdrawnAsset>, amount: bigint, decimals: number): bigint {
  const one = shown.get(key);
  must(one !== undefined && BigInt(one.amount) === amount, "other_amount");
  const symbol = key === "SOL" ? "SOL" : tokenSymbol(one.mint);
  must(one.symbol === symbol && one.asset === assetOfMint(one.mint) && one.decimals === decimals, "other_token");
  return amount;
}

/** Of one asset nothing else leaves, and no more of it than was asked for. */
function mustBeAskedFor(verified: VerifiedWithdrawal[], { asset, amount, keepsRentMinimum }: WithdrawalAsked): void {
  if (keepsRentMinimum) {
    for (const mint of totals(verified).keys()) must(mint === "SOL" || assetOfMint(mint) !== null, "not_asked_for");
  }
  if (asset === null) return;
  let sum = 0n;
  for (const [mint, sent] of totals(verified)) {
    must(mint === "SOL" ? asset === "SOL" : assetOfMint(mint) === asset, "not_asked_for");
    sum += sent;
  }
  must(amount === null || sum <= BigInt(amount), "other_amount");
}

function totals(verified: VerifiedWithdrawal[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { sent } of verified) {
    for (const [key, amount] of sent) sums.set(key, (sums.get(key) ?? 0n) + amount);
  }
  return sums;
}

interface MovedAssets {
  amount: bigint;
  decimals: number;
}

/** Base units by mint, and by "SOL" for lamports. */
function movedBy(built: ReadTransaction, { wallet, destination }: WithdrawalAsked): Map<string, MovedAssets> {
  mustBeSignedByAlone(built, wallet);
  const instructions = besidesBudget(built);
  const sums = new Map<string, MovedAssets>();
  // Only accounts that something is sent to are opened.
  const receiving = instructions.flatMap((one) => readTransferChecked(one)?.destination ?? []);
  for (const one of instructions) {
    must(PROGRAMS.has(one.program), "unknown_program");
    if (one.program === ASSOCIATED_TOKEN_PROGRAM) mustOpenFor(one, wallet, destination, receiving);
    else {
      const moved =
        one.program === SYSTEM_PROGRAM ? solSent(one, wallet, destination) : tokensSent(one, wallet, destination);
      if (!moved) continue;
      const { key, amount, decimals } = moved;
      // An account would be opened for nothing.
      must(amount > 0n, "unknown_instruction");
      sums.set(key, { amount: (sums.get(key)?.amount ?? 0n) + amount, decimals });
    }
  }
  return sums;
}

function solSent(one: ReadInstruction, wallet: string, destination: string) {
  const transfer = readSystemTransfer(one);
  must(transfer !== null && inMessage(transfer.from) === wallet, "unknown_instruction");
  must(inMessage(transfer.to) === destination, "sol_elsewhere");
  return { key: "SOL", amount: transfer.lamports, decimals: ASSETS.SOL.decimals };
}

/** Null for an account that is closed. Wrapped SOL is unwrapped by closing, never transferred. */
function tokensSent(one: ReadInstruction, wallet: string, destination: string) {
  const transfer = readTransferChecked(one);
  if (!transfer) {
    mustCloseTo(one, wallet);
    return null;
  }
  const { mint, program, amount, decimals } = transfer;
  must(mint !== NATIVE_MINT && inMessage(transfer.authority) === wallet, "unknown_instruction");
  must(inMessage(transfer.destination) === associatedTokenAddress(destination, mint, program), "tokens_elsewhere");
  return { key: mint, amount, decimals };
}
