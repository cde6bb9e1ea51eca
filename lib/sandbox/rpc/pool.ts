import { decodeTransaction } from "../chain/guard";
import { BLOCKHASH_SLOTS, MAX_LAG_SLOTS } from "../chain/slot-clock";
import { AGE_SLOTS, type Chain } from "../chain/types";
import { type Config, flag, invalid, isObject, wholeNumber } from "./params";

/** How one node of a pool behaves badly; all zero and false: it does not. */
export interface NodeFaults {
  /** Slots it is behind the chain, in everything it answers. */
  lagSlots: number;
  /** It answers getBlockHeight, and getEpochInfo's blockHeight, with the slot. */
  heightIsSlot: boolean;
  /** It answers false to isBlockhashValid for blockhashes younger than this many slots. */
  freshUnknownSlots: number;
  /** Statuses are unknown to it until their transactions are rooted. */
  forgetsRecent: boolean;
  /** Of 100 transactions sent to it, so many are lost. */
  dropPercent: number;
  /** Slots until what is sent to it reaches the chain. */
  delaySlots: number;
  /** Of 100 transactions sent to it, so many answers are lost, whatever becomes of the transaction. */
  loseAnswerPercent: number;
}

/** Nodes behind one address, as a load balancer has them: each request is answered by one of them. */
export interface NodePool {
  /** The node that answers the next request. */
  next(): PoolNode;
}

interface PoolNode {
  chain: Chain;
  /** Whether the answer to what was just sent is lost. */
  losesAnswer(): boolean;
}

const MAX_NODES = 16;

/** Parameters of sandbox_setPool. @returns null to have one good node again */
export function poolOf(tip: Chain, wanted: unknown): NodePool | null {
  if (wanted === null || wanted === undefined) return null;
  if (!isObject(wanted) || !Array.isArray(wanted.nodes)) return invalid("Invalid params: { seed, nodes } is expected");
  const { nodes } = wanted;
  if (nodes.length === 0 || nodes.length > MAX_NODES) invalid(`Invalid params: 1 to ${MAX_NODES} nodes are expected`);
  return createPool(tip, wholeNumber(wanted.seed, "seed", 0, 0xffffffff, 0), nodes.map(faultsOf));
}

function faultsOf(wanted: unknown): NodeFaults {
  if (!isObject(wanted)) return invalid("Invalid params: a node is an object");
  const config: Config = wanted;
  const upTo = (name: string, max: number) => wholeNumber(config[name], name, 0, max, 0);
  return {
    lagSlots: upTo("lagSlots", MAX_LAG_SLOTS),
    heightIsSlot: flag(config, "heightIsSlot"),
    freshUnknownSlots: upTo("freshUnknownSlots", MAX_LAG_SLOTS),
    forgetsRecent: flag(config, "forgetsRecent"),
    dropPercent: upTo("dropPercent", 100),
    delaySlots: upTo("delaySlots", 2 * MAX_LAG_SLOTS),
    loseAnswerPercent: upTo("loseAnswerPercent", 100),
  };
}

/** The same seed and the same requests in the same order meet the same nodes and the same losses. */
function createPool(tip: Chain, seed: number, nodes: NodeFaults[]): NodePool {
  const chance = numbersFrom(seed);
  const delayed: { slot: number; raw: Uint8Array }[] = [];
  const deliver = () => {
    const now = tip.slot();
    const due = delayed.filter(({ slot }) => slot <= now);
    for (const one of due) delayed.splice(delayed.indexOf(one), 1);
    for (const { raw } of due) tip.send(raw, { skipPreflight: true });
  };
  const views = nodes.map((faults): PoolNode => {
    const view = tip.behind(faults.lagSlots);
    const send: Chain["send"] = (raw, options) => {
      const { signature } = decodeTransaction(raw);
      if (chance() * 100 < faults.dropPercent) return signature;
      if (faults.delaySlots === 0) return view.send(raw, options);
      delayed.push({ slot: tip.slot() + faults.delaySlots, raw });
      return signature;
    };
    return {
      chain: { ...view, ...lies(view, faults), send },
      losesAnswer: () => chance() * 100 < faults.loseAnswerPercent,
    };
  });
  return {
    next() {
      deliver();
      return views[Math.floor(chance() * views.length)]!;
    },
  };
}

function lies(view: Chain, faults: NodeFaults): Partial<Chain> {
  const { heightIsSlot, freshUnknownSlots, forgetsRecent } = faults;
  const ageOf = (blockhash: string) => {
    const lastValid = view.lastValidBlockHeight(blockhash);
    return lastValid === null ? null : view.blockHeight() - (lastValid - BLOCKHASH_SLOTS);
  };
  return {
    ...(heightIsSlot && { blockHeight: view.slot }),
    ...(freshUnknownSlots > 0 && {
      isBlockhashValid: (blockhash: string) => (ageOf(blockhash) ?? -1) >= freshUnknownSlots,
    }),
    ...(forgetsRecent && {
      signatureInfo(signature: string) {
        const info = view.signatureInfo(signature);
        return info && view.slot() - info.slot >= AGE_SLOTS.finalized ? info : null;
      },
    }),
  };
}

/** Numbers from 0 to below 1. Mulberry32, public domain: short, and even enough for faults. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
