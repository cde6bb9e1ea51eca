import { z } from "zod";
import { AppError, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { Json } from "../../ports/json";
import type { SimulationResult, SolanaRpc } from "../../ports/solana-rpc";
import { Accounts, toState } from "./accounts";
import { type JsonRpc, transactionFailure } from "./json-rpc";
import type { Nodes } from "./nodes/nodes";

const SIMULATION_MAX_BYTES = 1_048_576;

const SimulationAnswer = z.object({
  context: z.object({ slot: z.number().int().nonnegative() }),
  value: z.object({
    // Listed rather than z.unknown(), so that an answer without it is not taken for success.
    err: z.union([z.null(), z.string(), z.record(z.string(), z.unknown())]),
    logs: z.array(z.string()).nullish(),
    unitsConsumed: z.number().int().nonnegative().nullish(),
    accounts: Accounts.nullish(),
  }),
});

interface SimulationOptions {
  nodes: Pick<Nodes, "rpc" | "newestSlot">;
  clock: Clock;
  /** Before each call of a node. */
  turn: () => Promise<void> | undefined;
}

/** A node that is behind is asked so often at most; meanwhile it catches up, or another one answers. */
const SIMULATIONS = 3;
const CATCH_UP_MS = 400;

/**
 * An unsigned draft fails for certain only where a node says so that has seen as much as we have: one that is behind knows
 * nothing of the deposit it rests on. Of signed bytes the relay judges that.
 * @throws AppError upstream_unavailable when no such node is to be had
 */
export async function simulateCaughtUp(
  { nodes, clock, turn }: SimulationOptions,
  transaction: Uint8Array,
  options: Parameters<SolanaRpc["simulate"]>[1],
): Promise<SimulationResult> {
  const seenSlot = nodes.newestSlot();
  for (let ask = 1; ; ask++) {
    await turn();
    const result = await simulate(nodes.rpc, transaction, options);
    if (result.error === null || options.verifySignatures || result.slot >= seenSlot) return result;
    if (ask === SIMULATIONS) throw new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "lags") });
    await clock.sleep(CATCH_UP_MS);
  }
}

async function simulate(
  rpc: JsonRpc,
  transaction: Uint8Array,
  { verifySignatures: sigVerify, accounts: addresses = [] }: Parameters<SolanaRpc["simulate"]>[1],
): Promise<SimulationResult> {
  const config = {
    encoding: "base64",
    commitment: "confirmed",
    sigVerify,
    // Not beside sigVerify, which it excludes. A fresh blockhash is unknown to the next node of a pool.
    ...(!sigVerify && { replaceRecentBlockhash: true }),
    ...(addresses.length > 0 && { accounts: { addresses, encoding: "base64" } }),
  };
  const bounds = { maxBytes: SIMULATION_MAX_BYTES, onError: transactionFailure };
  const params = [Buffer.from(transaction).toString("base64"), config];
  const { value, context } = await rpc.call("simulateTransaction", params, SimulationAnswer, bounds);
  const { err, logs, unitsConsumed, accounts } = value;
  const result = { error: err as Json, logs: logs ?? [], unitsConsumed: unitsConsumed ?? null, slot: context.slot };
  if (addresses.length === 0 || err !== null) return result;
  if (accounts?.length !== addresses.length) {
    throw new AppError("upstream_invalid", {
      cause: new UpstreamFault("rpc", "another number of accounts than asked for"),
    });
  }
  return { ...result, accounts: accounts.map(toState) };
}
