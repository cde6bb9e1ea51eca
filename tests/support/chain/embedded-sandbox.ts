import type { sendRequest } from "../../../lib/clients/http/send-request";
import { createJupiter } from "../../../lib/clients/jupiter/jupiter";
import { createPriceFeed } from "../../../lib/clients/prices/price-feed";
import { NO_LIMIT, withBucket } from "../../../lib/clients/quota/bucket";
import { bindQuotaUser, SERVICE_ITSELF } from "../../../lib/clients/quota/quota-port";
import { createNodes } from "../../../lib/clients/solana/nodes/nodes";
import { createSignatureWatch } from "../../../lib/clients/solana/signature-watch";
import { createSolanaRpc } from "../../../lib/clients/solana/solana-rpc";
import { ASSETS } from "../../../lib/domain/assets";
import type { KvStore } from "../../../lib/ports/kv-store";
import type { SolanaRpc } from "../../../lib/ports/solana-rpc";
import { type LocalChain, openChain } from "../../../lib/sandbox/chain/chain";
import { decodeTransaction } from "../../../lib/sandbox/chain/decode-transaction";
import { createMarket, type Market } from "../../../lib/sandbox/market/market";
import { createPriceBook } from "../../../lib/sandbox/market/price-book";
import { LISTINGS } from "../../../lib/sandbox/market/quote";
import { answerRpc } from "../../../lib/sandbox/rpc/answer-rpc";
import type { RpcContext } from "../../../lib/sandbox/rpc/context";
import { buildSetComputeUnitLimit } from "../../../lib/solana/compute-budget";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { SYSTEM_PROGRAM } from "../../../lib/solana/programs";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import {
  buildApproveChecked,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../../lib/solana/token-instructions";
import { createFakeDeps, type FakeDeps, FEE_COLLECTORS, PRICES_USD } from "../fakes/fake-deps";
import type { ManualClock } from "../fakes/manual-clock";
import type { TestWallet } from "../fixtures/test-wallets";
import { buildTransaction, stranger, user } from "../worlds/relay-rig";
import { ONE_SOL, putTokens, throwError, UNUSED_METHODS } from "./sandbox-rig";

export type EmbeddedSandbox = ReturnType<typeof createEmbeddedSandbox>;

interface ProcessOptions {
  kv: KvStore;
  clock: ManualClock;
  /** Wraps the port to the nodes. @param createLaggingPort creates a port to a node that lags by this many slots */
  wrapRpc(rpc: SolanaRpc, createLaggingPort: (slots: number) => SolanaRpc): SolanaRpc;
}

const USDC = ASSETS.USDC;

/**
 * Creates the sandbox inside this process, in staged time. The service's own clients call it without a network. It has
 * prices that do not change, funded fee collectors, and a user and a stranger with USDC.
 */
export function createEmbeddedSandbox() {
  const deps = createFakeDeps();
  const { clock } = deps;
  const chain = openChain({ now: clock.now });
  const seed = new Uint8Array(32).fill(3);
  const prices = createPriceBook({ mode: "fixed", seed, now: clock.now });
  const market = createMarket({ chain, seed, prices, now: clock.now, reportError: throwError });
  stockMaker(chain, market.makerAddress);
  market.createAccounts();
  let signedCount = 0;

  /** Signs a transaction, which its first signer pays. */
  const sign = (instructions: InstructionLike[], ...signers: TestWallet[]) => {
    // Two identical transactions in one slot would be one, so each gets a different unit limit.
    const limit = buildSetComputeUnitLimit(200_000 + signedCount++);
    return buildTransaction([limit, ...instructions], signers, chain.getLatestBlockhash().blockhash);
  };
  const sandbox = {
    deps,
    chain,
    market,
    /** Returns whether a sent transaction reaches the chain. */
    isDelivered: () => true,
    sign,
    /** Sets the lamports of an address without adding a transaction to its history. */
    setLamports: (address: string, lamports: bigint) =>
      chain.setAccount(address, { lamports, owner: SYSTEM_PROGRAM, data: new Uint8Array() }),
    /** Holds the price of SOL. The service reads it within a minute. */
    setSolPrice: (usd: number) => prices.setPrice("SOL", usd),
    /** Sends a payment of this many dollars from the user to a stranger. @returns the signature */
    sendPayment: (usd: number, symbol: "SOL" | "USDC" = "USDC"): string =>
      chain.send(sign([buildPayment(usd, symbol)], user)),
    /** Lets a delegate take this many dollars of the user's USDC, in place of an earlier delegate. */
    approve(delegate: string, usd: number): void {
      const account = deriveAssociatedTokenAddress(user.address, USDC.mint);
      const amount = BigInt(Math.round(usd * 1e6));
      chain.send(sign([buildApproveChecked({ ...USDC, account, delegate, owner: user.address, amount })], user));
    },
  };
  for (const address of [...FEE_COLLECTORS, stranger.address]) sandbox.setLamports(address, ONE_SOL);
  for (const address of FEE_COLLECTORS) putTokens(chain, address, USDC.mint, 0n);
  for (const { address } of [user, stranger]) putTokens(chain, address, USDC.mint, 10n ** 12n);

  const send: LocalChain["send"] = (wireBytes, options) =>
    sandbox.isDelivered() ? chain.send(wireBytes, options) : decodeTransaction(wireBytes).signature;
  const context: RpcContext = { chain: { ...chain, send }, ...UNUSED_METHODS };
  const transport = createTransport(context, market);
  /** Opens another process of the service. It shares the chain and the market, and starts with an empty memory. */
  const openProcess = ({ kv, clock, wrapRpc }: ProcessOptions) => {
    // All processes share one random source. With the same random bytes, they would make the same API keys.
    const processDeps = { ...createFakeDeps(() => kv, clock), random: deps.random };
    const createLaggingClient = (slots: number) =>
      createNodesClient(processDeps, createTransport({ ...context, chain: chain.createLaggingView(slots) }, market));
    return withClients(processDeps, transport, (rpc) => wrapRpc(rpc, createLaggingClient));
  };
  return Object.assign(sandbox, { deps: withClients(deps, transport), openProcess });
}

/** Gives the maker its lamports and coins without the transactions in which it would issue them. */
function stockMaker(chain: LocalChain, owner: string): void {
  chain.setAccount(owner, { lamports: 1_000n * ONE_SOL, owner: SYSTEM_PROGRAM, data: new Uint8Array() });
  for (const { mint, inventory, program } of LISTINGS.values())
    putTokens(chain, owner, mint, inventory, { program, address: deriveAssociatedTokenAddress(owner, mint, program) });
}

/** Routes POST requests to the node and GET requests to the market. */
function createTransport(context: RpcContext, market: Market): typeof sendRequest {
  return async (url, { body: rpcRequest }) => {
    const { status, body } = rpcRequest
      ? { status: 200, body: await answerRpc(context, JSON.parse(rpcRequest), throwError) }
      : await market.handle(url);
    return { status, headers: {}, text: JSON.stringify(body) };
  };
}

const commonOptions = ({ clock }: FakeDeps, transport: typeof sendRequest) => {
  return { clock, transport, timeoutMs: 5_000, notify: () => {} };
};

/** Returns the service's own client of the nodes behind `transport`. */
function createNodesClient(deps: FakeDeps, transport: typeof sendRequest): SolanaRpc {
  const { clock, random } = deps;
  const singleNode = { readUrls: ["http://node.invalid"], sendUrls: [], sendsPerSecond: null, genesisHash: null };
  const nodes = createNodes({ ...commonOptions(deps, transport), random, ...singleNode });
  return bindQuotaUser(SERVICE_ITSELF, createSolanaRpc({ nodes, clock, shared: { kv: deps.kv, random } }));
}

function withClients(deps: FakeDeps, transport: typeof sendRequest, wrapRpc = (rpc: SolanaRpc) => rpc): FakeDeps {
  const { clock, kv, priceBounds: bounds } = deps;
  const common = commonOptions(deps, transport);
  const rpc = wrapRpc(createNodesClient(deps, transport));
  const jupiter = createJupiter({ ...common, baseUrl: "http://market.invalid" });
  const feed = createPriceFeed({ ...common, jupiter: withBucket(NO_LIMIT, jupiter), kv, bounds, source: "sandbox" });
  return {
    ...deps,
    rpc,
    prices: bindQuotaUser(SERVICE_ITSELF, feed),
    swaps: jupiter,
    signatureWatch: createSignatureWatch({ rpc, clock }),
  };
}

function buildPayment(usd: number, symbol: "SOL" | "USDC") {
  if (symbol === "SOL")
    return buildSystemTransfer(user.address, stranger.address, BigInt(Math.round((usd / PRICES_USD.SOL) * 1e9)));
  const [source, destination] = [user, stranger].map(({ address }) => deriveAssociatedTokenAddress(address, USDC.mint));
  const { mint, decimals } = USDC;
  const amount = BigInt(Math.round(usd * 10 ** decimals));
  const accounts = { source: source!, destination: destination!, authority: user.address };
  return buildTransferChecked({ ...accounts, mint, amount, decimals });
}
