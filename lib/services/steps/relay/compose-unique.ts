import { AppError, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { BlockhashInfo } from "../../../ports/solana-rpc";
import type { InstructionLike } from "../../../solana/instructions";
import { composeTransaction } from "../../../solana/transactions";
import { buildState, rememberHeight } from "./build-records";

/** Waiting for the next blockhash takes a slot (400 ms); this many looks are several slots. */
const LOOKS = 30;
const LOOK_MS = 100;

export interface UniqueTransactions extends BlockhashInfo {
  /** Unsigned v0 transactions, one for each list of instructions. */
  transactions: Uint8Array[];
}

/**
 * The instructions as transactions that have not been relayed yet: the same transfer on the same blockhash has the same
 * signature, and the chain would take it for the one it already has. Asked again before that, the bytes are the same,
 * so a client that repeats a lost call cannot pay twice.
 * @param first a blockhash just read
 * @throws AppError upstream_unavailable when no other blockhash comes
 */
export async function composeUnique(
  deps: Deps,
  payer: string,
  lists: InstructionLike[][],
  first: BlockhashInfo,
): Promise<UniqueTransactions> {
  let latest = first;
  for (let look = 0; look < LOOKS; look++) {
    const { blockhash, lastValidBlockHeight } = latest;
    const composed = lists.map((instructions) => composeTransaction({ payer, instructions, blockhash }));
    const messages = composed.map(({ message }) => message);
    const { heightKnown, anyRelayed } = await buildState(deps, blockhash, messages);
    if (!anyRelayed) {
      if (!heightKnown) await rememberHeight(deps, latest);
      return { blockhash, lastValidBlockHeight, transactions: composed.map(({ bytes }) => bytes) };
    }
    await deps.clock.sleep(LOOK_MS);
    latest = await deps.rpc.latestBlockhash();
  }
  throw new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "has no newer blockhash") });
}
