import bs58 from "bs58";
import { z } from "zod";
import { untilCaughtUp } from "../../domain/catch-up";
import type { ChainHead } from "../../domain/expiry";
import { createUpstreamError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { Json } from "../../ports/json";
import type { BlockhashInfo, SignatureStates, SimulationResult, SolanaRpc } from "../../ports/solana-rpc";
import { toBase64 } from "../../solana/bytes";
import { COMMITMENT } from "../../solana/commitment";
import { isPlausibleFee } from "../../solana/read-transaction";
import { Accounts, toAccountStates, U64 } from "./accounts";
import {
  createInvalidError,
  createResultReader,
  type JsonRpc,
  RuntimeError,
  SMALL_ANSWER_BYTES,
  toTransactionError,
} from "./json-rpc";

/* Reads the state of the cluster, and simulates. A read makes one call, at COMMITMENT, and throws AppError upstream_*. */

const STATUSES_MAX_BYTES = 1_048_576;

const CONFIRMED = { commitment: COMMITMENT };

const SlotOrHeight = z.number().int().nonnegative();
const Context = z.object({ slot: SlotOrHeight });

const BlockhashAnswer = z.object({
  context: Context,
  value: z.object({
    blockhash: z.string().refine((text) => bs58.decodeUnsafe(text)?.length === 32),
    lastValidBlockHeight: SlotOrHeight,
  }),
});
const ValidityAnswer = z.object({ value: z.boolean() });
const FeeAnswer = z.object({ value: U64.nullable() });
const HeadAnswer = z.object({ absoluteSlot: SlotOrHeight, blockHeight: SlotOrHeight });
// A node keeps the fees of the last 150 blocks.
const UnitPricesAnswer = z.array(z.object({ prioritizationFee: U64 })).max(1_000);
const StatusesAnswer = z.object({
  context: Context,
  value: z.array(
    z
      .object({
        slot: SlotOrHeight,
        confirmations: z.number().nullable(),
        err: RuntimeError,
        confirmationStatus: z.enum(["processed", "confirmed", "finalized"]).nullish(),
      })
      .nullable(),
  ),
});

export async function readLatestBlockhash(rpc: JsonRpc): Promise<BlockhashInfo> {
  const { value, context } = await rpc.call("getLatestBlockhash", [CONFIRMED], BlockhashAnswer);
  // Not a leading spread, see COMMON_HEADERS in lib/http/respond.ts.
  return { slot: context.slot, ...value };
}

export async function isBlockhashValid(rpc: JsonRpc, blockhash: string): Promise<boolean> {
  return (await rpc.call("isBlockhashValid", [blockhash, CONFIRMED], ValidityAnswer)).value;
}

/** Reads a message's fee, lamports. Null when no node knows the blockhash and names a fee that a network can charge. */
export function readFee(rpc: JsonRpc, message: Uint8Array): Promise<bigint | null> {
  const readResult = createResultReader("getFeeForMessage", FeeAnswer);
  return rpc.ask<bigint | null>("getFeeForMessage", [toBase64(message), CONFIRMED], {
    maxBytes: SMALL_ANSWER_BYTES,
    read(answer) {
      const { value } = readResult(answer);
      const fee = value === null ? null : BigInt(value);
      return fee !== null && isPlausibleFee(fee, message) ? fee : null;
    },
    isConclusive: (fee) => fee !== null,
  });
}

export const readBlockHeight = (rpc: JsonRpc): Promise<number> => rpc.call("getBlockHeight", [CONFIRMED], SlotOrHeight);

/** @throws AppError upstream_invalid also when the node returns the slot as the height, as some nodes do */
export async function readHead(rpc: JsonRpc): Promise<ChainHead> {
  const { absoluteSlot, blockHeight } = await rpc.call("getEpochInfo", [CONFIRMED], HeadAnswer);
  // Every network served here has skipped slots, so its block height is always below its slot.
  if (blockHeight >= absoluteSlot) throw createInvalidError("returned the slot as the block height");
  return { slot: absoluteSlot, height: blockHeight };
}

/** Reads the prices of a compute unit, in micro-lamports, in recent blocks with writes to these accounts. */
export async function readUnitPrices(rpc: JsonRpc, accounts: string[]): Promise<bigint[]> {
  const unitPrices = await rpc.call("getRecentPrioritizationFees", [accounts], UnitPricesAnswer);
  return unitPrices.map(({ prioritizationFee }) => BigInt(prioritizationFee));
}

/** Reads the states of signatures, in order. @param searchHistory also searches beyond the node's recent cache */
export async function readSignatureStates(
  rpc: JsonRpc,
  signatures: string[],
  searchHistory: boolean,
): Promise<SignatureStates> {
  const params = [signatures, { searchTransactionHistory: searchHistory }];
  const options = { maxBytes: STATUSES_MAX_BYTES };
  const { value, context } = await rpc.call("getSignatureStatuses", params, StatusesAnswer, options);
  if (value.length !== signatures.length) throw createInvalidError("returned the wrong number of statuses");
  const states = value.map((status) => {
    if (!status) return null;
    // Nodes older than confirmationStatus report finalized as `confirmations: null`.
    const confirmation = status.confirmationStatus ?? (status.confirmations === null ? "finalized" : "processed");
    return { slot: status.slot, error: status.err as Json, confirmation };
  });
  return { slot: context.slot, states };
}

/** The answer contains the transaction's logs and the accounts that the call asks for. */
const SIMULATION_MAX_BYTES = 1_048_576;

const SimulationAnswer = z.object({
  context: Context,
  value: z.object({
    err: RuntimeError,
    unitsConsumed: z.number().int().nonnegative().nullish(),
    fee: U64.nullish(),
    accounts: Accounts.nullish(),
  }),
});

/**
 * Simulates a transaction. The failure of an unsigned draft counts only on a node that has reached the newest known
 * slot: a stale one may not know the deposit that pays for the draft. The relay decides what the failure of signed
 * bytes means.
 * @throws AppError upstream_*; upstream_unavailable also when every answer is stale; simulation_failed when the node
 * refuses to simulate the bytes
 */
export async function simulateOnCaughtUpNode(
  { rpc, clock, newestSlot }: { rpc: JsonRpc; clock: Clock; newestSlot: number },
  transaction: Uint8Array,
  options: Parameters<SolanaRpc["simulate"]>[1],
): Promise<SimulationResult> {
  const result = await untilCaughtUp(
    clock,
    () => requestSimulation(rpc, transaction, options),
    ({ error, slot }) => error === null || options.verifySignatures || slot >= newestSlot,
  );
  if (!result) throw createUpstreamError("upstream_unavailable", "rpc", "lags");
  return result;
}

async function requestSimulation(
  rpc: JsonRpc,
  transaction: Uint8Array,
  { verifySignatures: sigVerify, accounts: addresses = [] }: Parameters<SolanaRpc["simulate"]>[1],
): Promise<SimulationResult> {
  const config = {
    encoding: "base64",
    commitment: COMMITMENT,
    sigVerify,
    // Another node of a pool may not know the blockhash of a draft yet. The option and sigVerify exclude each other.
    ...(!sigVerify && { replaceRecentBlockhash: true }),
    ...(addresses.length > 0 && { accounts: { addresses, encoding: "base64" } }),
  };
  const callOptions = { maxBytes: SIMULATION_MAX_BYTES, toAppError: toTransactionError };
  const params = [toBase64(transaction), config];
  const { value, context } = await rpc.call("simulateTransaction", params, SimulationAnswer, callOptions);
  const { err, unitsConsumed, fee, accounts } = value;
  const feeLamports = fee == null ? null : BigInt(fee);
  const result = { error: err as Json, unitsConsumed: unitsConsumed ?? null, feeLamports, slot: context.slot };
  if (addresses.length === 0 || err !== null) return result;
  return { ...result, accounts: toAccountStates(accounts, addresses.length) };
}
