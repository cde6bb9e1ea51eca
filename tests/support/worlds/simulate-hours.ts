import { meterPorts } from "../../../lib/clients/quota/meter-ports";
import { bindQuotaUser, SERVICE_ITSELF } from "../../../lib/clients/quota/quota-port";
import { createSolanaRpc } from "../../../lib/clients/solana/solana-rpc";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { executeTransactionContract } from "../../../lib/contracts/execute-transaction";
import { getAccumulatorContract } from "../../../lib/contracts/get-accumulator";
import { getPortfolioContract } from "../../../lib/contracts/get-portfolio";
import { ASSETS } from "../../../lib/domain/assets";
import { AppError } from "../../../lib/errors";
import type { Deps } from "../../../lib/ports/deps";
import { type LocalChain, openChain } from "../../../lib/sandbox/chain/chain";
import { encodeMint } from "../../../lib/sandbox/chain/token-accounts";
import type { Chain } from "../../../lib/sandbox/chain/types";
import { answerRpc } from "../../../lib/sandbox/rpc/answer-rpc";
import { readFirstSignature, signWithKey } from "../../../lib/sdk/sign/transactions";
import { buildWrap } from "../../../lib/services/build-wrap";
import { executeTransaction } from "../../../lib/services/execute-transaction";
import { getAccumulator } from "../../../lib/services/get-accumulator";
import { getPortfolio } from "../../../lib/services/get-portfolio";
import { recordServiceWallet } from "../../../lib/services/records/service-wallets";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { putAccount, putTokens, throwError, UNUSED_METHODS } from "../chain/sandbox-rig";
import { parseInput } from "../client/contract-input";
import { FEE_COLLECTORS } from "../fakes/fake-deps";
import { createManualClock, type ManualClock } from "../fakes/manual-clock";
import { createSeededRandom } from "../fakes/seeded-random";
import { createReply, createStagedNodes, type StagedNode } from "../fakes/staged-nodes";
import { type TestWallet, toTestWallet } from "../fixtures/test-wallets";
import { createMemoryStore } from "../store/memory-store";
import { createProcess } from "./pool-world";

/* Simulates users of the service while each of three nodes over one chain lags, is busy or is down in turn. */

const NODE_NAMES = ["a", "b", "c"] as const;
/** Time between two changes of the nodes' faults, ms. */
const FAULT_PHASE_MS = 30_000;
/** Time between two actions of users, ms. */
const ACTION_PAUSE_MS = 3_000;
const USER_COUNT = 5;
/** After this time, ms, every answer includes a landed transaction: 25 slots and a margin. */
const VISIBLE_AFTER_MS = 12_000;
/** Time after which no request is open, ms: longer than a blockhash's lifetime and the relay's retries together. */
const DRAIN_MS = 90_000;

/** The balances of each user at the start, in SOL and in base units of USDC. */
const OPENING_SOL = 1_000n;
const OPENING_USDC_UNITS = 5_000_000n;

/** The numbers of the service's answers by kind. */
interface Tally {
  answered: number;
  pending: number;
  /** Number of failures by code. */
  failed: Record<string, number>;
  expired: number;
  landed: number;
  /** Violations of the guarantees, as text. */
  violations: string[];
}

/**
 * Runs five users for virtual hours while the nodes fail.
 * @param seed selects the random choices of users and nodes
 * @returns what the service answered, and every guarantee that it broke
 */
export async function simulateHours(hours: number, seed: number): Promise<Tally> {
  const clock = createManualClock();
  const chain = openChain({ now: clock.now });
  const users = Array.from({ length: USER_COUNT }, (_, i) => createUser(chain, i));
  for (const address of FEE_COLLECTORS) chain.airdrop(address, 1_000_000_000n);
  // Advance 200 slots, so that every lagging node knows the starting balances.
  chain.advanceSlots(200);
  const random = createSeededRandom(seed);
  const faultyNodes = { a: createFaultyNode(chain), b: createFaultyNode(chain), c: createFaultyNode(chain) };
  const { deps, openRequest } = await createService(clock, chain, faultyNodes, random, users);
  const tally: Tally = { answered: 0, pending: 0, failed: {}, expired: 0, landed: 0, violations: [] };

  const requests: Promise<void>[] = [];
  for (let elapsedMs = 0; elapsedMs < hours * 3_600_000; elapsedMs += ACTION_PAUSE_MS) {
    if (elapsedMs % FAULT_PHASE_MS === 0) for (const name of NODE_NAMES) faultyNodes[name].changeFault(random);
    const user = users[Math.floor(random() * users.length)]!;
    if (!user.isBusy) requests.push(makeRequest(chain, deps, openRequest, user, random, tally));
    await clock.advance(ACTION_PAUSE_MS);
  }
  for (const name of NODE_NAMES) faultyNodes[name].removeFault();
  await clock.advance(DRAIN_MS);
  await Promise.all(requests);
  await deps.background.close();
  compareWithChain(chain, users, tally);
  return tally;
}

/** The signatures of the transactions that a user signed for one purchase, and what the service reported of them. */
interface Purchase {
  signatures: string[];
  reportedExpired: Set<string>;
  reportedLanded: Set<string>;
}

interface SimulatedUser {
  wallet: TestWallet;
  serviceWallet: string;
  isBusy: boolean;
  /** The purchases, newest last. */
  purchases: Purchase[];
  /** A signed transaction whose outcome is unknown. */
  pendingTransaction: string | null;
  /** Time at which the service last reported a landed transaction, ms. 0 before the first. */
  landedAt: number;
}

/** Creates a funded user. @param index distinguishes the users */
function createUser(chain: LocalChain, index: number): SimulatedUser {
  const wallet = toTestWallet(`user ${index} of the hour`);
  const serviceWallet = toTestWallet(`service wallet ${index} of the hour`).address;
  chain.airdrop(wallet.address, OPENING_SOL * 1_000_000_000n);
  chain.airdrop(serviceWallet, 1_000_000_000n);
  const { mint, decimals } = ASSETS.USDC;
  putAccount(chain, mint, TOKEN_PROGRAM, encodeMint(wallet.address, decimals));
  putTokens(chain, wallet.address, mint, OPENING_USDC_UNITS);
  return { wallet, serviceWallet, isBusy: false, purchases: [], pendingTransaction: null, landedAt: 0 };
}

/** Creates a node of the chain, without a fault. `changeFault` chooses its next fault at random. */
function createFaultyNode(chain: LocalChain) {
  let view: Chain = chain;
  let fault: ((answer: StagedNode, clock: ManualClock) => StagedNode) | null = null;
  return {
    view: () => view,
    fault: () => fault,
    removeFault() {
      view = chain;
      fault = null;
    },
    changeFault(random: () => number) {
      // Keeps the fault in two of five phases. Otherwise 2 of 14 kinds lag, 6 are FAULTS, and 6 are without a fault.
      if (random() < 0.4) return;
      const kind = Math.floor(random() * 14);
      // A lag of up to 25 slots is allowed, and must do no harm.
      view = kind < 2 ? chain.createLaggingView(1 + Math.floor(random() * 140)) : chain;
      fault = kind >= 2 && kind < 8 ? FAULTS[(kind - 2) % FAULTS.length]! : null;
    },
  };
}

/** The faults of a node. Some of them accept a transaction before they fail, so the transaction may land. */
const FAULTS: ((answer: StagedNode, clock: ManualClock) => StagedNode)[] = [
  (answer) => (call, timeoutMs) => (call.method === "sendTransaction" ? { result: "lost" } : answer(call, timeoutMs)),
  () => () => createReply(429, { "retry-after": "3" }),
  () => () => ({ error: { code: -32005, message: "Node is behind by 42 slots" } }),
  (answer) => async (call, timeoutMs) => {
    if (call.method === "sendTransaction") await answer(call, timeoutMs);
    throw new AppError("upstream_unavailable");
  },
  (answer, clock) => async (call, timeoutMs) => {
    if (call.method === "sendTransaction") await answer(call, timeoutMs);
    await clock.sleep(timeoutMs);
    throw new AppError("upstream_timeout");
  },
];

type FaultyNodes = Record<(typeof NODE_NAMES)[number], ReturnType<typeof createFaultyNode>>;

async function createService(
  clock: ManualClock,
  chain: LocalChain,
  faultyNodes: FaultyNodes,
  random: () => number,
  users: SimulatedUser[],
) {
  const stagedNodes = NODE_NAMES.map((name): [string, StagedNode] => [
    name,
    async (call, timeoutMs) => {
      await clock.sleep(5 + Math.floor(random() * 60));
      const answer: StagedNode = async () => {
        const context = { chain: faultyNodes[name].view(), ...UNUSED_METHODS };
        return (await answerRpc(context, { jsonrpc: "2.0", ...call }, throwError)) as never;
      };
      return (faultyNodes[name].fault()?.(answer, clock) ?? answer)(call, timeoutMs);
    },
  ]);
  const { nodes } = createStagedNodes(Object.fromEntries(stagedNodes), { genesisHash: chain.getGenesisHash(), clock });
  const check = nodes.check();
  await clock.advance(1_000);
  await check;
  const rpc = bindQuotaUser(SERVICE_ITSELF, createSolanaRpc({ nodes, clock }));
  const deps = createProcess(clock, createMemoryStore(clock), rpc);
  for (const { wallet, serviceWallet } of users) await recordServiceWallet(deps, serviceWallet, wallet.address);
  return { deps, openRequest: meterPorts(deps, ["prices", "rpc", "signatureWatch"]) };
}

/** Makes one request as a client does, which builds again only after its transaction is reported as dead. */
async function makeRequest(
  chain: LocalChain,
  deps: Deps,
  openRequest: ReturnType<typeof meterPorts>,
  user: SimulatedUser,
  random: () => number,
  tally: Tally,
): Promise<void> {
  user.isBusy = true;
  const address = user.wallet.address;
  const request = openRequest();
  const deadlineDeps = request.deps;
  const startedAt = deps.clock.now();
  /** Returns whether a balance is right. Soon after a landing, an older balance is right too. */
  const isCurrent = (lamports: number) =>
    startedAt - user.landedAt < VISIBLE_AFTER_MS
      ? lamports > 900e9
      : BigInt(lamports) === chain.getAccount(address)!.lamports;
  try {
    const choice = random();
    if (user.pendingTransaction) await postPending(deadlineDeps, user, tally);
    else if (choice < 0.3) {
      const { balances, pendingLamports } = await request.limitTime(
        getPortfolio(deadlineDeps, parseInput(getPortfolioContract, { address })),
      );
      const tokens = balances.find(({ asset }) => asset === "USDC")?.amount;
      if (!isCurrent(pendingLamports) || tokens !== String(OPENING_USDC_UNITS))
        tally.violations.push(`a portfolio of ${pendingLamports}, ${tokens}`);
    } else if (choice < 0.5) {
      const accumulator = await request.limitTime(
        getAccumulator(deadlineDeps, parseInput(getAccumulatorContract, { address })),
      );
      if (!isCurrent(accumulator.balanceLamports)) tally.violations.push(`a balance of ${accumulator.balanceLamports}`);
    } else {
      const purchase = { txValueUsd: 27.63, userPubkey: address, serviceWalletPubkey: user.serviceWallet };
      const { transaction, affordable } = await request.limitTime(
        buildWrap(deadlineDeps, parseInput(buildWrapContract, purchase)),
      );
      if (!affordable) tally.violations.push("not affordable");
      user.pendingTransaction = signWithKey(transaction!.base64, user.wallet.keys);
      user.purchases.push({ signatures: [], reportedExpired: new Set(), reportedLanded: new Set() });
      await postPending(openRequest().deps, user, tally);
    }
    tally.answered++;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    tally.failed[error.code] = (tally.failed[error.code] ?? 0) + 1;
    if (error.status < 500) tally.violations.push(`${error.code}: ${error.message}`);
    if (!user.pendingTransaction && deps.clock.now() - startedAt > 5_200)
      tally.violations.push(`${deps.clock.now() - startedAt} ms`);
  } finally {
    user.isBusy = false;
  }
}

/** Posts the user's pending transaction, and records the outcome. */
async function postPending(deps: Deps, user: SimulatedUser, tally: Tally): Promise<void> {
  const signedTransaction = user.pendingTransaction!;
  const signature = readFirstSignature(signedTransaction);
  const purchase = user.purchases.at(-1)!;
  if (!purchase.signatures.includes(signature)) purchase.signatures.push(signature);
  try {
    const caller = { kind: "static-key", wallet: null, keyId: "0" } as const;
    const { confirmed } = await executeTransaction(
      deps,
      parseInput(executeTransactionContract, { signedTransaction }),
      { caller },
    );
    if (!confirmed) return void tally.pending++;
    purchase.reportedLanded.add(signature);
    user.landedAt = deps.clock.now();
    tally.landed++;
    user.pendingTransaction = null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "transaction_expired") throw error;
    purchase.reportedExpired.add(signature);
    tally.expired++;
    user.pendingTransaction = null;
  }
}

/** Compares the service's answers with the chain. */
function compareWithChain(chain: LocalChain, users: SimulatedUser[], tally: Tally): void {
  for (const { purchases } of users) {
    for (const { signatures, reportedExpired, reportedLanded } of purchases) {
      const landedOnChain = signatures.filter((signature) => chain.findSignature(signature)?.err === null);
      if (landedOnChain.length > 1) tally.violations.push("paid twice");
      if (landedOnChain.some((signature) => reportedExpired.has(signature)))
        tally.violations.push("reported as expired, but landed");
      if ([...reportedLanded].some((signature) => !landedOnChain.includes(signature)))
        tally.violations.push("reported as landed, but did not land");
    }
  }
}
