import { MAINNET_GENESIS } from "../../../lib/clients/solana/nodes/nodes";
import { ASSETS } from "../../../lib/domain/assets";
import type { AccountState } from "../../../lib/domain/chain-accounts";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import { encodeMint } from "../../../lib/sandbox/chain/token-accounts";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { createSolAccount, createUsdcAccount, type FakeDeps } from "../fakes/fake-deps";
import { encodeAccount, parseCall } from "../fakes/staged-rpc";
import { answerJson, type Stage, startStagedServer } from "../fakes/staged-server";
import { computeFlatFee } from "../fixtures/flat-fee";
import recording from "../fixtures/get-transaction-jupiter-swap.json";
import {
  createRecordedMarket,
  INPUT_LAMPORTS,
  RECORDED_ANSWER,
  SLIPPAGE_BPS,
  SOLD_MINT,
  TAKER,
} from "../fixtures/recorded-swap";
import { toTestWallet } from "../fixtures/test-wallets";

/* Serves mainnet's upstreams over HTTP: the recorded answers, and the chain that createRecordedMarket stages. */

/** The wallet that made the recorded transaction. */
export const SWAP_WALLET = recording.wallet;
/** The node's recorded answer for that transaction. */
export const SWAP_ANSWER = recording.answer;

const COLLECTORS = Array.from({ length: 8 }, (_, i) => toTestWallet(`mainnet collector ${i}`).address);

/**
 * Starts the upstreams, and returns them with the environment variables of a deployment that uses them.
 * @param walletOrigin the origin that the deployment pins in its texts
 */
export async function stageMainnet(walletOrigin: string) {
  const deps = createRecordedMarket();
  for (const collector of COLLECTORS) {
    deps.chain.accounts.set(collector, createSolAccount(1_000_000n));
    deps.chain.accounts.set(deriveUsdcAccount(collector), createUsdcAccount(collector));
  }
  for (const { mint, decimals } of Object.values(ASSETS)) deps.chain.accounts.set(mint, createMintAccount(decimals));
  const node = await startStagedServer(createNodeStage(deps));
  const market = await startStagedServer(createMarketStage(deps));
  const env = {
    NETWORK: "mainnet-beta",
    WALLET_ORIGIN: walletOrigin,
    SOLANA_RPC_URL: node.url,
    JUPITER_URL: market.url,
    FEE_COLLECTORS: COLLECTORS.join(","),
  };
  return { node, market, env, close: async () => void (await Promise.all([node.close(), market.close()])) };
}

/** Returns the account state of a mint with this number of decimals. */
export function createMintAccount(decimals: number): AccountState {
  return { lamports: 1n, owner: TOKEN_PROGRAM, data: encodeMint(null, decimals) };
}

/** Answers as Jupiter: the recorded build for exactly the recorded request, and matching prices. */
function createMarketStage(deps: FakeDeps): Stage {
  const expectedQuery = {
    inputMint: SOLD_MINT,
    outputMint: RECORDED_ANSWER.outputMint,
    amount: String(INPUT_LAMPORTS),
    taker: TAKER,
    slippageBps: String(SLIPPAGE_BPS),
  };
  return (request, response) => {
    const isExpected = Object.entries(expectedQuery).every(([name, value]) => request.query.get(name) === value);
    const prices = Object.entries(deps.currentPrices!.usd).map(([asset, usdPrice]) => {
      const { mint, decimals } = ASSETS[asset as keyof typeof ASSETS];
      return [mint, { usdPrice, decimals, blockId: 1, priceChange24h: 0, liquidity: 1e9 }];
    });
    if (request.path === "/price/v3") answerJson(Object.fromEntries(prices))(request, response);
    else if (request.path === "/swap/v2/build" && isExpected) answerJson(RECORDED_ANSWER)(request, response);
    else answerJson({ error: "No routes found" }, 400)(request, response);
  };
}

type Answers = Record<string, (params: unknown[]) => unknown>;

/** Answers as a node, with the staged chain and the recorded transaction. */
function createNodeStage(deps: FakeDeps): Stage {
  const answers = { ...createChainAnswers(deps), ...createHistoryAnswers() };
  return (request, response) => {
    const { method, params = [], id } = parseCall(request);
    const answer = answers[method];
    const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: "Method not found" } };
    answerJson({ jsonrpc: "2.0", id, ...outcome })(request, response);
  };
}

function createChainAnswers({ chain }: FakeDeps): Answers {
  const withContext = (value: unknown) => ({ context: { slot: chain.slot() }, value });
  const readAccount = (address: string) => encodeAccount(chain.accounts.get(address) ?? null);
  return {
    getGenesisHash: () => MAINNET_GENESIS,
    getEpochInfo: () => ({ absoluteSlot: chain.slot(), blockHeight: chain.getBlockHeight() }),
    getBlockHeight: () => chain.getBlockHeight(),
    getFeeForMessage: ([message]) => withContext(Number(computeFlatFee(Buffer.from(message as string, "base64")))),
    getLatestBlockhash: () => withContext(chain.getLatestBlockhash()),
    getMinimumBalanceForRentExemption: ([bytes]) => Number(chain.computeRent(bytes as number)),
    getMultipleAccounts: ([addresses]) => withContext((addresses as string[]).map(readAccount)),
    simulateTransaction: ([base64, config]) => {
      const { addresses } = (config as { accounts: { addresses: string[] } }).accounts;
      const bytes = Buffer.from(base64 as string, "base64");
      const { error, unitsConsumed, accounts } = chain.simulate(bytes, addresses);
      return withContext({ err: error, unitsConsumed, accounts: accounts?.map(encodeAccount) });
    },
  };
}

function createHistoryAnswers(): Answers {
  const { slot, blockTime, transaction } = SWAP_ANSWER;
  const signature = transaction.signatures[0];
  return {
    getSignaturesForAddress: ([address]) =>
      address === SWAP_WALLET ? [{ signature, slot, blockTime, err: null }] : [],
    getTransaction: ([requestedSignature]) => (requestedSignature === signature ? SWAP_ANSWER : null),
  };
}
