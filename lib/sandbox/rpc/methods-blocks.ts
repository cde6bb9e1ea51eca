import { GENESIS_SLOT, PAST_SLOTS } from "../chain/slot-clock";
import {
  AGE_SLOTS,
  type Block,
  type Chain,
  hasReachedCommitment,
  type Json,
  RPC_CODES,
  RpcError,
  refuseParams,
} from "../chain/types";
import type { RpcMethod } from "./context";
import { type Config, parseConfig, parseHistoryCommitment, parseWholeNumber } from "./params";
import { encodeTransaction, parseTransactionEncoding, parseVersionLimit } from "./transaction-json";

/** Slots before this one have no blocks. */
const FIRST_SLOT = GENESIS_SLOT - PAST_SLOTS;
/** Maximum number of slots that getBlocks covers. Source: MAX_GET_CONFIRMED_BLOCKS_RANGE, agave. */
const MAX_RANGE_SLOTS = 500_000;

const parseSlot = (value: unknown, name = "slot") => parseWholeNumber(value, name, 0, Number.MAX_SAFE_INTEGER);

/**
 * Returns the block of a slot that has reached the commitment. The chain produces a block in every slot.
 * @throws RpcError -32001 for a slot before the first block, -32004 for a slot whose block is not available yet
 */
function findBlock(chain: Chain, slot: number, config: Config): Block {
  const commitment = parseHistoryCommitment(config);
  if (slot < FIRST_SLOT) {
    const message = `Block ${slot} cleaned up, does not exist on node. First available block: ${FIRST_SLOT}`;
    throw new RpcError(RPC_CODES.blockCleanedUp, message);
  }
  if (slot > chain.getSlot() || !hasReachedCommitment(chain.findCommitment({ slot }), commitment))
    throw new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${slot}`);
  return chain.readBlock(slot);
}

/** Encodes the part of a block that `transactionDetails` names. @throws RpcError -32602, -32015 */
function encodeDetails({ transactions }: Block, config: Config): { [key: string]: Json } {
  const details = config.transactionDetails ?? "full";
  if (details === "none") return {};
  if (details === "signatures") return { signatures: transactions.map(({ signature }) => signature) };
  if (details !== "full") refuseParams("Invalid params: transactionDetails must be full, signatures or none");
  const encoding = parseTransactionEncoding(config);
  const versionLimit = parseVersionLimit(config);
  return {
    transactions: transactions.map((record) => {
      const { transaction, meta, version } = encodeTransaction(record, encoding, versionLimit);
      return { transaction: transaction!, meta: meta!, ...(version === undefined ? {} : { version }) };
    }),
  };
}

/** RPC methods that read blocks. */
export const blockMethods: Record<string, RpcMethod> = {
  getBlock({ chain }, params) {
    // Older clients pass only the encoding instead of the config.
    const config = typeof params[1] === "string" ? { encoding: params[1] } : parseConfig(params, 1);
    const slot = parseSlot(params[0]);
    const block = findBlock(chain, slot, config);
    const { blockhash, previousBlockhash, blockHeight, blockTime } = block;
    const rewards: { [key: string]: Json } = config.rewards === false ? {} : { rewards: [] };
    const head = { blockhash, previousBlockhash, parentSlot: slot - 1, blockHeight, blockTime };
    return { ...head, ...encodeDetails(block, config), ...rewards };
  },
  getBlockTime: ({ chain }, params) => findBlock(chain, parseSlot(params[0]), { commitment: "confirmed" }).blockTime,
  getBlocks({ chain }, params) {
    const [first, second] = params;
    const hasEnd = typeof second === "number";
    const commitment = parseHistoryCommitment(parseConfig(params, hasEnd || second === null ? 2 : 1));
    const firstSlot = parseSlot(first, "start slot");
    const newestSlot = chain.getSlot() - AGE_SLOTS[commitment];
    const lastSlot = hasEnd ? Math.min(parseSlot(second, "end slot"), newestSlot) : newestSlot;
    const oldestSlot = Math.max(firstSlot, FIRST_SLOT);
    if (lastSlot - oldestSlot > MAX_RANGE_SLOTS) refuseParams(`Slot range too large; max ${MAX_RANGE_SLOTS}`);
    return Array.from({ length: Math.max(0, lastSlot - oldestSlot + 1) }, (_, index) => oldestSlot + index);
  },
};
