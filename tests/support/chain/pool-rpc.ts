import { readMarksIn } from "../../../lib/domain/marks";
import { AppError } from "../../../lib/errors";
import type { SolanaRpc } from "../../../lib/ports/solana-rpc";
import type { Chain } from "../../../lib/sandbox/chain/types";
import type { NodePool } from "../../../lib/sandbox/rpc/pool";
import { readInstructions } from "../../../lib/solana/read-transaction";
import { readSystemMovements } from "../../../lib/solana/system-instructions";
import { decodeTransaction } from "../../../lib/solana/transactions";
import { NO_INSTRUCTIONS } from "../fixtures/figures";

/** Figures without balances. These tests read only who signed a transaction, its transfers and its marks. */
const EMPTY_FIGURES = {
  ...NO_INSTRUCTIONS,
  feeLamports: 5_000n,
  preBalances: [],
  postBalances: [],
  preTokenBalances: [],
  postTokenBalances: [],
};

/**
 * Number of slots in a node's status cache. Older statuses are only in the history. Source: MAX_CACHE_ENTRIES in agave.
 */
const STATUS_CACHE_SLOTS = 300;

/**
 * Returns a port to the chain through a pool of nodes. Each call reaches a different node, as behind a load balancer.
 * There is no HTTP or JSON in between.
 * @param firstSlot start of every wallet's history, since worlds share a chain
 */
export function createPoolRpc(pool: () => NodePool, firstSlot: number): SolanaRpc {
  const node = () => pool().chooseNode().chain;
  return {
    readAccounts: async (addresses) => {
      const chain = node();
      return addresses.map((address) => chain.getAccount(address));
    },
    readTokenHoldings: async () => ({ holdings: [], leftOut: [] }),
    readRentExemptMinimum: async (bytes) => node().computeRentExemptMinimum(bytes),
    async readLatestBlockhash() {
      const chain = node();
      return { ...chain.getLatestBlockhash(), slot: chain.getSlot() };
    },
    readUnitPrices: async () => [],
    isBlockhashValid: async (blockhash) => node().isBlockhashValid(blockhash),
    readBlockHeight: async () => node().getBlockHeight(),
    async readHead() {
      const chain = node();
      const head = { slot: chain.getSlot(), height: chain.getBlockHeight() };
      if (head.height >= head.slot) throw new AppError("upstream_invalid");
      return head;
    },
    async simulate(transaction, { verifySignatures: sigVerify, accounts: wanted }) {
      const chain = node();
      const options = { sigVerify, replaceRecentBlockhash: !sigVerify, ...(wanted && { accounts: wanted }) };
      const { err, logs, unitsConsumed, accounts } = chain.simulate(transaction, options);
      return { error: err, logs, unitsConsumed, slot: chain.getSlot(), ...(accounts && { accounts }) };
    },
    async send(transaction) {
      const { chain, isAnswerLost } = pool().chooseNode();
      chain.send(transaction, { skipPreflight: true });
      if (isAnswerLost()) throw new AppError("upstream_unavailable");
    },
    async readSignatureStates(signatures, searchHistory) {
      const chain = node();
      const oldest = searchHistory ? 0 : chain.getSlot() - STATUS_CACHE_SLOTS;
      return { slot: chain.getSlot(), states: signatures.map((signature) => readState(chain, signature, oldest)) };
    },
    async readSignatures(address, { minSlot = 0, ...page }) {
      const chain = node();
      if (chain.getSlot() < minSlot) throw new AppError("upstream_unavailable");
      const listed = chain.listSignatures(address, { ...page, commitment: "confirmed" });
      return listed.filter(({ slot }) => slot >= firstSlot).map(({ err, ...entry }) => ({ ...entry, error: err }));
    },
    async readTransaction(signature) {
      const record = node().findTransaction(signature);
      if (!record) return null;
      const { raw, accountKeys } = record;
      const { decoded } = decodeTransaction(Buffer.from(raw, "base64"));
      return {
        ...EMPTY_FIGURES,
        accountKeys,
        signers: accountKeys.slice(0, decoded.message.header.numRequiredSignatures),
        movements: readSystemMovements(decoded, accountKeys),
        marks: readMarksIn(readInstructions(decoded.message, accountKeys)),
      };
    },
    invalidate: () => {},
  };
}

function readState(chain: Chain, signature: string, oldest: number) {
  const info = chain.findSignature(signature);
  if (!info || info.slot < oldest) return null;
  return { slot: info.slot, error: info.err, confirmation: chain.findCommitment(info) };
}
