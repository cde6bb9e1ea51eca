import { decodeTransaction } from "../../../lib/sandbox/chain/decode-transaction";
import { AGE_SLOTS, type Chain } from "../../../lib/sandbox/chain/types";
import { answerRpc } from "../../../lib/sandbox/rpc/answer-rpc";
import type { RpcContext } from "../../../lib/sandbox/rpc/context";
import { createSeededRandom } from "../fakes/seeded-random";
import { throwError } from "./sandbox-rig";

/** Faults of one node in a pool. A node with all members zero or false is healthy. */
export interface NodeFaults {
  /** Slots by which all answers of the node lag behind the chain. */
  lagSlots: number;
  /** Reports the slot as the block height, in getBlockHeight and getEpochInfo. */
  heightIsSlot: boolean;
  /** Answers false to isBlockhashValid for blockhashes younger than this many slots. */
  freshUnknownSlots: number;
  /** Does not know a transaction's status until the transaction is finalized. */
  forgetsRecent: boolean;
  /** Percentage of sent transactions that are lost. */
  dropPercent: number;
  /** Slots until a sent transaction reaches the chain. */
  delaySlots: number;
  /** Percentage of sent transactions whose answer is lost, whether or not the transaction lands. */
  loseAnswerPercent: number;
}

/** Several nodes behind one address, as behind a load balancer. One of them answers each request. */
export interface NodePool {
  /** Picks the node for the next request. */
  chooseNode(): PoolNode;
}

interface PoolNode {
  chain: Chain;
  /** Decides at random whether the answer to the transaction just sent is lost. */
  drawAnswerLoss(): boolean;
}

const HEALTHY: NodeFaults = {
  lagSlots: 0,
  heightIsSlot: false,
  freshUnknownSlots: 0,
  forgetsRecent: false,
  dropPercent: 0,
  delaySlots: 0,
  loseAnswerPercent: 0,
};

/** Answers a JSON-RPC call as one node of the pool. @returns null when the caller never gets the answer */
export async function answerFromPool(context: RpcContext, pool: NodePool, call: { method: string }) {
  const node = pool.chooseNode();
  const answer = await answerRpc({ ...context, chain: node.chain }, call, throwError);
  return call.method === "sendTransaction" && node.drawAnswerLoss() ? null : answer;
}

/** Creates a pool. The same seed and sequence of requests give the same nodes and losses. */
export function createPool(tip: Chain, seed: number, nodes: Partial<NodeFaults>[]): NodePool {
  // A test may draw its own numbers with the seed, and they should not be the same.
  const drawNumber = createSeededRandom(~seed);
  const delayedSends: { slot: number; wireBytes: Uint8Array }[] = [];
  const deliverDelayed = () => {
    const currentSlot = tip.getSlot();
    const dueSends = delayedSends.filter(({ slot }) => slot <= currentSlot);
    for (const dueSend of dueSends) delayedSends.splice(delayedSends.indexOf(dueSend), 1);
    for (const { wireBytes } of dueSends) tip.send(wireBytes, { skipPreflight: true });
  };
  const poolNodes = nodes.map((nodeFaults): PoolNode => {
    const faults = { ...HEALTHY, ...nodeFaults };
    const view = tip.createLaggingView(faults.lagSlots);
    const send: Chain["send"] = (wireBytes, options) => {
      const { signature } = decodeTransaction(wireBytes);
      if (drawNumber() * 100 < faults.dropPercent) return signature;
      if (faults.delaySlots === 0) return view.send(wireBytes, options);
      delayedSends.push({ slot: tip.getSlot() + faults.delaySlots, wireBytes });
      return signature;
    };
    return {
      chain: { ...view, ...createFaultyMethods(tip, view, faults), send },
      drawAnswerLoss: () => drawNumber() * 100 < faults.loseAnswerPercent,
    };
  });
  return {
    chooseNode() {
      deliverDelayed();
      return poolNodes[Math.floor(drawNumber() * poolNodes.length)]!;
    },
  };
}

/** Returns the methods that answer wrongly because of the faults. */
function createFaultyMethods(tip: Chain, view: Chain, faults: NodeFaults): Partial<Chain> {
  const { lagSlots, heightIsSlot, freshUnknownSlots, forgetsRecent } = faults;
  const olderView = tip.createLaggingView(lagSlots + freshUnknownSlots);
  return {
    ...(heightIsSlot && { getBlockHeight: view.getSlot }),
    ...(freshUnknownSlots > 0 && {
      isBlockhashValid: (blockhash: string) =>
        view.isBlockhashValid(blockhash) && olderView.isBlockhashValid(blockhash),
    }),
    ...(forgetsRecent && {
      findSignature(signature: string) {
        const info = view.findSignature(signature);
        return info && view.getSlot() - info.slot >= AGE_SLOTS.finalized ? info : null;
      },
    }),
  };
}
