import { computeValidForMs } from "../../../domain/expiry";
import { AppError, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { BlockhashInfo } from "../../../ports/solana-rpc";
import type { InstructionLike } from "../../../solana/instructions";
import { composeTransaction } from "../../../solana/transactions";
import { readBuildState, recordHeight } from "../../records/message-records";

/*
 * Composes transactions that differ from everything this service has sent or refused. The same transfer built twice on
 * one blockhash gives the same bytes, which the chain executes once: a second, intended transfer would be lost. An app
 * that lost the first answer before sending gets the same bytes again, so it cannot pay twice.
 */

/** A new blockhash arrives with each slot, so 30 tries of 100 ms wait for several slots. */
const MAX_TRIES = 30;
const RETRY_MS = 100;

/** Returns how long transactions on a blockhash remain valid, as a build answers it. */
export function toValidity({ rpc }: Deps, blockhashInfo: BlockhashInfo) {
  const { blockhash, lastValidBlockHeight } = blockhashInfo;
  return { blockhash, lastValidBlockHeight, validForMs: computeValidForMs(blockhashInfo, rpc.getSlotTime()) };
}

/**
 * Composes transactions whose messages this service has neither sent nor refused.
 * @param firstBlockhash a blockhash that was just read
 * @returns `transactions`: unsigned v0 transactions, one for each list of instructions
 * @throws AppError upstream_unavailable when no new blockhash arrives within 3 s
 */
export async function composeUnique(
  deps: Deps,
  payer: string,
  instructionLists: InstructionLike[][],
  firstBlockhash: BlockhashInfo,
) {
  let latestBlockhash = firstBlockhash;
  for (let tryCount = 0; tryCount < MAX_TRIES; tryCount++) {
    const { blockhash } = latestBlockhash;
    const composed = instructionLists.map((instructions) => composeTransaction({ payer, instructions, blockhash }));
    const messages = composed.map(({ message }) => message);
    const { isHeightKnown, hasDecision } = await readBuildState(deps, blockhash, messages);
    if (!hasDecision) {
      if (!isHeightKnown) await recordHeight(deps, latestBlockhash);
      // Not a leading spread, see COMMON_HEADERS in lib/http/respond.ts.
      return { transactions: composed.map(({ bytes }) => bytes), ...toValidity(deps, latestBlockhash) };
    }
    await deps.clock.sleep(RETRY_MS);
    latestBlockhash = await deps.rpc.readLatestBlockhash();
  }
  throw new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "has no newer blockhash") });
}
