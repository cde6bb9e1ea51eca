import { createBackground } from "../../../lib/clients/process/background";
import { createSignatureWatch } from "../../../lib/clients/solana/signature-watch";
import { buildSaleContract } from "../../../lib/contracts/build-sale";
import { buildTopupContract } from "../../../lib/contracts/build-topup";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { buildWrapBatchContract } from "../../../lib/contracts/build-wrap-batch";
import type { Contract, DataOf } from "../../../lib/contracts/define";
import { executeTransactionContract } from "../../../lib/contracts/execute-transaction";
import { AppError, toDocPath } from "../../../lib/errors";
import { bindRoute } from "../../../lib/http/route";
import type { Deps } from "../../../lib/ports/deps";
import type { KvStore } from "../../../lib/ports/kv-store";
import type { SolanaRpc } from "../../../lib/ports/solana-rpc";
import { type Calls, createCalls } from "../../../lib/sdk/calls/calls";
import { createFlow } from "../../../lib/sdk/flow/engine";
import type { FlowContext } from "../../../lib/sdk/flow/types";
import { createMemoryStorage, createProcessLock, type Fetch } from "../../../lib/sdk/platform";
import { readFirstSignature, signWithKey } from "../../../lib/sdk/sign/transactions";
import { buildSale } from "../../../lib/services/build-sale";
import { buildTopup } from "../../../lib/services/build-topup";
import { buildWrap } from "../../../lib/services/build-wrap";
import { buildWrapBatch } from "../../../lib/services/build-wrap-batch";
import { executeTransaction } from "../../../lib/services/execute-transaction";
import { recordServiceWallet } from "../../../lib/services/records/service-wallets";
import { createPool, type NodeFaults, type NodePool } from "../chain/pool";
import { buildPayment, mainWallet, type PoolChain, serviceWallet } from "../chain/pool-chain";
import { createPoolRpc } from "../chain/pool-rpc";
import { throwError } from "../chain/sandbox-rig";
import { checkBody } from "../client/contract-check";
import { parseInput } from "../client/contract-input";
import { createFakeDeps, createFreshPriceFeed } from "../fakes/fake-deps";
import type { ManualClock } from "../fakes/manual-clock";
import { createOpenPriceGuard } from "../fakes/open-price-guard";
import { createSeededRandom } from "../fakes/seeded-random";
import { createMemoryStore } from "../store/memory-store";
import { toWalletContext } from "./keys-rig";
import { toPayTerms } from "./usdc-world";

/* Runs one user's intent in two tabs or devices, with two processes and a pool of faulty nodes, in staged time. */

export interface Scenario {
  seed: number;
  nodes: NodeFaults[];
  /**
   * The service builds each intent except "own payment", whose blockhash the wallet took from the chain. A top-up is
   * for one period. "through", "usdc" and "allowance" save the change of one payment, in SOL, in USDC, and in USDC with
   * the service wallet's signature alone.
   */
  intent: "wrap" | "topup" | "through" | "usdc" | "allowance" | "sale" | "own payment";
  /** True if the tabs are on two devices that share no state. */
  hasTwoDevices: boolean;
  /** The percentage of a tab's requests that never reach the service, and of the answers that never reach the tab. */
  lostPercent: number;
  /** True if the wallet also sends each transaction that it signs. */
  isSentByWallet: boolean;
}

export type PoolWorld = Awaited<ReturnType<typeof createPoolWorld>>;

/** The longest estimate of a send's wait, ms: most of the life of a blockhash. */
const LONGEST_SEND_WAIT_MS = 50_000;
/** The longest delay of a call that the client considers lost, ms. */
const MAX_DELAY_MS = 20_000;

interface Intent {
  txValueUsd: number;
}

interface BuildResult {
  ready: true;
  reason: null;
  transaction: string;
}

/** Creates the world. @param base the chain that every node of the pool shows */
export async function createPoolWorld(base: PoolChain, clock: ManualClock, scenario: Scenario) {
  const { chain } = base;
  const faultyPool = createPool(chain, scenario.seed, scenario.nodes);
  const healthyPool = createPool(chain, 0, [{}]);
  let hasFaults = true;
  const pool: NodePool = {
    chooseNode() {
      const node = faultyPool.chooseNode();
      return hasFaults ? node : healthyPool.chooseNode();
    },
  };
  const random = createSeededRandom(scenario.seed);
  const store = createMemoryStore(clock);
  const estimateSendMs = () => (hasFaults && !scenario.isSentByWallet ? random() * LONGEST_SEND_WAIT_MS : 0);
  const processes = [0, 1].map(() =>
    createProcess(
      clock,
      store,
      createPoolRpc(() => pool, chain.getSlot(), estimateSendMs),
    ),
  );
  await recordServiceWallet(processes[0]!, serviceWallet.address, mainWallet.address);
  const createSet = () => new Set<string>();
  const outcomes = {
    /** The transactions that the user's key signed. */
    signedSignatures: createSet(),
    /** Reported as dead: not landed, and unable to land. */
    reportedDead: createSet(),
    reportedLanded: createSet(),
    /** Not sent, because a different transaction saves the same payments. */
    reportedSaved: createSet(),
  };

  const answerRequest = async (path: string, body: unknown): Promise<Response> => {
    const deps = processes[Math.floor(random() * processes.length)]!;
    const { contract, service } = OPERATIONS.find((operation) => operation.contract.path === path)!;
    try {
      const data = await service(
        deps,
        parseInput(contract, body as Record<string, unknown>),
        toWalletContext(mainWallet),
      );
      const { confirmed, txSignature } = data as Partial<DataOf<typeof executeTransactionContract>>;
      if (confirmed) outcomes.reportedLanded.add(txSignature!);
      return respond(contract, contract.statuses?.chooseStatus(data) ?? 200, { ok: true, data });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { txSignature } = error.details;
      const { signedTransaction } = body as { signedTransaction?: string };
      if (signedTransaction && ["transaction_expired", "simulation_failed"].includes(error.code))
        outcomes.reportedDead.add(readFirstSignature(signedTransaction));
      if (signedTransaction && error.code === "already_saved")
        outcomes.reportedSaved.add(readFirstSignature(signedTransaction));
      const { message, code, status } = error;
      const failure = { ok: false, error: message, code, docUrl: toDocPath(code), requestId: "staged", txSignature };
      return respond(contract, status, failure);
    }
  };
  const delayedCalls: Promise<unknown>[] = [];
  const fetch: Fetch = async (path, { body }) => {
    const request = JSON.parse(String(body));
    if (hasFaults && random() * 100 < scenario.lostPercent) {
      // Some requests are only delayed, and arrive after the client has stopped waiting.
      if (request.signedTransaction && random() < 0.5) {
        outcomes.signedSignatures.add(readFirstSignature(request.signedTransaction));
        delayedCalls.push(clock.sleep(random() * MAX_DELAY_MS).then(() => answerRequest(path, request)));
      }
      throw new TypeError("lost");
    }
    if (request.signedTransaction) {
      outcomes.signedSignatures.add(readFirstSignature(request.signedTransaction));
      if (scenario.isSentByWallet)
        pool.chooseNode().chain.send(Buffer.from(request.signedTransaction, "base64"), { skipPreflight: true });
    }
    const response = await answerRequest(path, request);
    if (hasFaults && random() * 100 < scenario.lostPercent) throw new TypeError("lost");
    return response;
  };
  const signer = ["sale", "allowance"].includes(scenario.intent) ? serviceWallet : mainWallet;
  const createDevice = (): FlowContext<string> => ({
    calls: createCalls({ baseUrl: "", fetch, clock }),
    clock,
    storage: createMemoryStorage(),
    lock: createProcessLock(),
    prices: createOpenPriceGuard(),
    openSigner: async () => async (transaction) => signWithKey(transaction, signer.keys),
  });
  const firstDevice = createDevice();
  const devices = [firstDevice, scenario.hasTwoDevices ? createDevice() : firstDevice];
  return {
    ...outcomes,
    tabs: devices.map((device) =>
      openTab(signer.address, (calls, usd) => buildIntent(calls, scenario, base, usd), device),
    ),
    random,
    /** Replaces the pool with one healthy node. Calls that faulty nodes have delayed still arrive on time. */
    removeFaults() {
      hasFaults = false;
    },
    close: () => Promise.all([...delayedCalls, ...processes.map(({ background }) => background.close())]),
  };
}

const OPERATIONS = [
  bindRoute(buildWrap, buildWrapContract),
  bindRoute(buildTopup, buildTopupContract),
  bindRoute(buildSale, buildSaleContract),
  bindRoute(buildWrapBatch, buildWrapBatchContract),
  bindRoute(executeTransaction, executeTransactionContract),
];

/** Checks the body against the contract, and creates the response. */
function respond(contract: Contract, status: number, body: unknown): Response {
  checkBody(contract, status, body);
  return Response.json(body, { status });
}

/** Creates the ports of a service process. They do not record their calls. */
export function createProcess(clock: ManualClock, store: KvStore, rpc: SolanaRpc): Deps {
  return {
    ...createFakeDeps(() => store, clock),
    kv: store,
    prices: createFreshPriceFeed(clock),
    rpc,
    signatureWatch: createSignatureWatch({ rpc, clock }),
    background: createBackground(throwError),
  };
}

/** Requests the intent's build from the service. Returns the unsigned transaction. */
async function buildIntent(
  calls: Calls,
  { intent }: Scenario,
  { chain, paymentSignature }: PoolChain,
  usd: number,
): Promise<string> {
  const wallets = { userPubkey: mainWallet.address, serviceWalletPubkey: serviceWallet.address };
  if (intent === "own payment") return buildPayment(chain);
  if (intent === "sale") {
    const sale = { asset: "BTC", into: "USDC", amount: "1000", serviceWalletPubkey: serviceWallet.address } as const;
    const { transactions } = await calls.post("/api/swap/sell", sale);
    return transactions[0]!.transaction;
  }
  const { transaction } =
    intent === "wrap"
      ? await calls.post("/api/wrap", { ...wallets, txValueUsd: usd })
      : intent === "topup"
        ? await calls.post("/api/topup", { ...wallets, amountUsd: usd, period: "2099-W47" })
        : await calls.post("/api/wrap/batch", {
            ...wallets,
            through: paymentSignature,
            after: "none",
            txValuesUsd: [usd],
            ...(intent === "through" ? {} : toPayTerms(intent === "usdc" ? "signature" : "allowance")),
          });
  return transaction!.base64;
}

/** Opens a tab with the dashboard's engine. Only its build step is replaced. */
function openTab(wallet: string, build: (calls: Calls, usd: number) => Promise<string>, device: FlowContext<string>) {
  return createFlow<Intent, BuildResult, string>(
    {
      name: "intent",
      wallet,
      build: async (calls, { txValueUsd }) => {
        return { ready: true, reason: null, transaction: await build(calls, txValueUsd) };
      },
      listSteps: ({ transaction }) => [{ label: "Pay", transaction, validForMs: 30_000, about: "all" }],
      verify: async (build) => build,
      getRemainingRequest: (request, landedSteps) => (landedSteps.length > 0 ? null : request),
    },
    () => device,
  );
}
