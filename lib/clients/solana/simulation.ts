import { z } from "zod";
import { untilCaughtUp } from "../../domain/catch-up";
import { createUpstreamError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { Json } from "../../ports/json";
import type { SimulationResult, SolanaRpc } from "../../ports/solana-rpc";
import { COMMITMENT } from "../../solana/commitment";
import { Accounts, toAccountStates, U64 } from "./accounts";
import { type JsonRpc, RuntimeError, toTransactionError } from "./json-rpc";

/** The answer contains the transaction's logs and the accounts that the call asks for. */
const SIMULATION_MAX_BYTES = 1_048_576;

const SimulationAnswer = z.object({
  context: z.object({ slot: z.number().int().nonnegative() }),
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
  const params = [Buffer.from(transaction).toString("base64"), config];
  const { value, context } = await rpc.call("simulateTransaction", params, SimulationAnswer, callOptions);
  const { err, unitsConsumed, fee, accounts } = value;
  const feeLamports = fee == null ? null : BigInt(fee);
  const result = { error: err as Json, unitsConsumed: unitsConsumed ?? null, feeLamports, slot: context.slot };
  if (addresses.length === 0 || err !== null) return result;
  return { ...result, accounts: toAccountStates(accounts, addresses.length) };
}
