import { AppError } from "../../../lib/errors";
import type { SolanaRpc } from "../../../lib/ports/solana-rpc";
import type { Chain } from "../../../lib/sandbox/chain/types";
import type { NodePool } from "../../../lib/sandbox/rpc/pool";
import { NO_ORDERS } from "../fixtures/figures";

/** Nothing is asked of a transaction but who signed it. */
const FIGURES = {
  ...{ ...NO_ORDERS, accountKeys: [], feeLamports: 5_000n },
  ...{ preBalances: [], postBalances: [], preTokenBalances: [], postTokenBalances: [] },
};

/** Source: MAX_CACHE_ENTRIES, agave: older statuses are in the history alone. */
const STATUS_CACHE_SLOTS = 300;

/** The chain through a pool of nodes: every call meets another one, as behind a load balancer. No HTTP and no JSON between. */
export function poolRpc(pool: () => NodePool): SolanaRpc {
  const node = () => pool().next().chain;
  return {
    accounts: async (addresses) => {
      const chain = node();
      return addresses.map((address) => chain.account(address));
    },
    tokenHoldings: async () => ({ holdings: [], leftOut: [] }),
    rentExemptMinimum: async (bytes) => node().rentExemptMinimum(bytes),
    async latestBlockhash() {
      const chain = node();
      return { ...chain.latestBlockhash(), slot: chain.slot() };
    },
    recentUnitPrices: async () => [],
    isBlockhashValid: async (blockhash) => node().isBlockhashValid(blockhash),
    blockHeight: async () => node().blockHeight(),
    async head() {
      const chain = node();
      const head = { slot: chain.slot(), height: chain.blockHeight() };
      if (head.height >= head.slot) throw new AppError("upstream_invalid");
      return head;
    },
    async simulate(transaction, { verifySignatures: sigVerify, accounts: wanted }) {
      const chain = node();
      const options = { sigVerify, replaceRecentBlockhash: !sigVerify, ...(wanted && { accounts: wanted }) };
      const { err, logs, unitsConsumed, accounts } = chain.simulate(transaction, options);
      return { error: err, logs, unitsConsumed, slot: chain.slot(), ...(accounts && { accounts }) };
    },
    async send(transaction) {
      const { chain, losesAnswer } = pool().next();
      chain.send(transaction, { skipPreflight: true });
      if (losesAnswer()) throw new AppError("upstream_unavailable");
    },
    async signatureStates(signatures, searchHistory) {
      const chain = node();
      const oldest = searchHistory ? 0 : chain.slot() - STATUS_CACHE_SLOTS;
      return { slot: chain.slot(), states: signatures.map((signature) => stateOf(chain, signature, oldest)) };
    },
    signaturesOf: async () => [],
    async transaction(signature) {
      const payer = node().transaction(signature)?.accountKeys[0];
      return payer === undefined ? null : { ...FIGURES, signers: [payer] };
    },
    invalidate: () => {},
  };
}

function stateOf(chain: Chain, signature: string, oldest: number) {
  const info = chain.signatureInfo(signature);
  if (!info || info.slot < oldest) return null;
  return { slot: info.slot, error: info.err, confirmation: chain.commitmentOf(info) };
}
