import { toTokenMovements } from "../../../lib/domain/movements";
import { readInstructionMarks } from "../../../lib/domain/read-marks";
import { AppError } from "../../../lib/errors";
import type { SolanaRpc } from "../../../lib/ports/solana-rpc";
import type { Chain } from "../../../lib/sandbox/chain/types";
import { readInstructions } from "../../../lib/solana/read-transaction";
import { readSystemMovements } from "../../../lib/solana/system-instructions";
import { readTokenMint, readTokenOwner } from "../../../lib/solana/token-accounts";
import { readTokenMovements } from "../../../lib/solana/token-instructions";
import { decodeTransaction } from "../../../lib/solana/transactions";
import { computeFlatFee } from "../fixtures/flat-fee";
import { NO_TOKENS } from "../fixtures/no-instructions";
import type { NodePool } from "./pool";

/** Slots in a node's status cache. Older statuses are only in the history. Source: MAX_CACHE_ENTRIES in agave. */
const STATUS_CACHE_SLOTS = 300;

/**
 * Creates a port to the chain through a pool of nodes. Each call reaches a different node, as behind a load balancer.
 * The port uses neither HTTP nor JSON.
 * @param getPool returns the pool that answers the next call
 * @param firstSlot start of every wallet's history, because the worlds share a chain
 * @param estimateSendMs returns how long a send would wait for its turn
 */
export function createPoolRpc(getPool: () => NodePool, firstSlot: number, estimateSendMs = () => 0): SolanaRpc {
  const chooseChain = () => getPool().chooseNode().chain;
  return {
    readAccounts: async (addresses) => {
      const chain = chooseChain();
      return addresses.map((address) => chain.getAccount(address));
    },
    async readAccountsAt(addresses, minSlot) {
      const chain = chooseChain();
      if (chain.getSlot() < minSlot) throw new AppError("upstream_unavailable");
      return { slot: chain.getSlot(), accounts: addresses.map((address) => chain.getAccount(address)) };
    },
    readTokenHoldings: async () => ({ holdings: [], leftOut: [] }),
    readRentExemptMinimum: async (bytes) => chooseChain().computeRentExemptMinimum(bytes),
    async readLatestBlockhash() {
      const chain = chooseChain();
      return { ...chain.getLatestBlockhash(), slot: chain.getSlot() };
    },
    readUnitPrices: async () => [],
    readFee: async (message) => computeFlatFee(message),
    isBlockhashValid: async (blockhash) => chooseChain().isBlockhashValid(blockhash),
    readBlockHeight: async () => chooseChain().getBlockHeight(),
    async readHead() {
      const chain = chooseChain();
      const head = { slot: chain.getSlot(), height: chain.getBlockHeight() };
      if (head.height >= head.slot) throw new AppError("upstream_invalid");
      return head;
    },
    async simulate(transaction, { verifySignatures: sigVerify, accounts: requestedAddresses }) {
      const chain = chooseChain();
      const options = {
        sigVerify,
        replaceRecentBlockhash: !sigVerify,
        ...(requestedAddresses && { accounts: requestedAddresses }),
      };
      const { err, unitsConsumed, accounts } = chain.simulate(transaction, options);
      return { error: err, unitsConsumed, feeLamports: null, slot: chain.getSlot(), ...(accounts && { accounts }) };
    },
    async send(transaction) {
      const { chain, drawAnswerLoss } = getPool().chooseNode();
      chain.send(transaction, { skipPreflight: true });
      if (drawAnswerLoss()) throw new AppError("upstream_unavailable");
    },
    estimateSendMs,
    getSlotTime: () => ({ newestSlot: 0, slotMs: 200 }),
    async readSignatureStates(signatures, searchHistory) {
      const chain = chooseChain();
      const oldestSlot = searchHistory ? 0 : chain.getSlot() - STATUS_CACHE_SLOTS;
      return { slot: chain.getSlot(), states: signatures.map((signature) => readState(chain, signature, oldestSlot)) };
    },
    async readSignatures(address, { minSlot = 0, ...page }) {
      const chain = chooseChain();
      if (chain.getSlot() < minSlot) throw new AppError("upstream_unavailable");
      const entries = chain.listSignatures(address, { ...page, commitment: "confirmed" });
      return entries.filter(({ slot }) => slot >= firstSlot).map(({ err, ...entry }) => ({ ...entry, error: err }));
    },
    async readTransaction(signature) {
      const record = chooseChain().findTransaction(signature);
      if (!record) return null;
      const { raw, accountKeys } = record;
      const { decoded } = decodeTransaction(Buffer.from(raw, "base64"));
      const instructions = readInstructions(decoded.message, accountKeys);
      // No account of this chain changes its owner.
      const findAccount = (address: string) => {
        const account = chooseChain().getAccount(address);
        return account && { owner: readTokenOwner(account.data)!, mint: readTokenMint(account.data)! };
      };
      return {
        ...NO_TOKENS,
        // Readers of these figures use only the signers, the transfers and the marks.
        preBalances: [],
        postBalances: [],
        accountKeys,
        signers: accountKeys.slice(0, decoded.message.header.numRequiredSignatures),
        movements: [
          ...readSystemMovements(decoded, accountKeys),
          ...toTokenMovements(instructions.flatMap(readTokenMovements), findAccount),
        ],
        marks: readInstructionMarks(instructions),
      };
    },
    invalidate: () => {},
  };
}

/** Reads a signature's state. Returns null when it is unknown, or older than `oldestSlot`. */
function readState(chain: Chain, signature: string, oldestSlot: number) {
  const info = chain.findSignature(signature);
  if (!info || info.slot < oldestSlot) return null;
  return { slot: info.slot, error: info.err, confirmation: chain.findCommitment(info) };
}
