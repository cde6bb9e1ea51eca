import { createPrivateKey, sign } from "node:crypto";
import bs58 from "bs58";
import { createBackground } from "../../lib/clients/background";
import { createSignatureWatch } from "../../lib/clients/signature-watch";
import { buildTopupContract } from "../../lib/contracts/build-topup";
import { buildWrapContract } from "../../lib/contracts/build-wrap";
import { executeSwapContract } from "../../lib/contracts/execute-swap";
import { AppError } from "../../lib/errors";
import type { Deps, KvStore } from "../../lib/ports";
import type { LocalChain } from "../../lib/sandbox/chain/chain";
import { type NodeFaults, type NodePool, poolOf } from "../../lib/sandbox/rpc/pool";
import { createCalls } from "../../lib/sdk/calls/calls";
import { createFlow } from "../../lib/sdk/flow/engine";
import type { World } from "../../lib/sdk/flow/types";
import { type Fetch, memoryStorage, processLock } from "../../lib/sdk/world";
import { buildTopup } from "../../lib/services/build-topup";
import { buildWrap } from "../../lib/services/build-wrap";
import { executeSwap } from "../../lib/services/execute-swap";
import { rememberServiceWallet } from "../../lib/services/steps/service-wallets";
import { toBase64 } from "../../lib/solana/bytes";
import { systemTransfer } from "../../lib/solana/system-instructions";
import { composeTransaction } from "../../lib/solana/transactions";
import { inputOf } from "./contract-input";
import { fakeDeps, pricesAt } from "./fake-deps";
import type { ManualClock } from "./manual-clock";
import { memoryStore } from "./memory-store";
import { poolRpc } from "./pool-rpc";
import { type TestWallet, testWallet } from "./test-wallets";

/** One person's intent, two tabs, two processes of the service, and a pool of bad nodes, all in one virtual time. */

export interface Scenario {
  seed: number;
  nodes: NodeFaults[];
  /** Wrap or top-up of a period built here, or a payment whose blockhash the wallet took from the chain itself. */
  intent: "wrap" | "topup" | "own payment";
  /** Of 100 requests of a tab, so many never reach the service, and so many answers never come back. */
  lostPercent: number;
  /** The wallet broadcasts what it signs, besides the service. */
  walletSends: boolean;
}

export interface PoolWorld {
  tabs: ReturnType<typeof openTab>[];
  /** Everything the person's key signed, by signature. */
  signed: Set<string>;
  /** Of which the service said that it did not and will not happen. */
  saidDead: Set<string>;
  saidLanded: Set<string>;
  /** From now on there is one good node; what the bad ones still hold back arrives as it would have. */
  heal(): void;
  close(): Promise<unknown>;
  chance: () => number;
}

export const person = testWallet("person of the pool");
/** Its secret key in DER: the header of an Ed25519 key in PKCS #8 (RFC 8410), then the seed. */
const der = Buffer.concat([
  Buffer.from("302e020100300506032b657004220420", "hex"),
  person.keys.secretKey.subarray(0, 32),
]);
const personKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
const payee = testWallet("payee of the pool").address;
export const service = testWallet("service wallet of the pool").address;

interface Intent {
  txValueUsd: number;
}

interface Built {
  ready: true;
  reason: null;
  transaction: string;
}

const signatureIn = (signedBase64: string) => bs58.encode(Buffer.from(signedBase64, "base64").subarray(1, 65));

export async function poolWorld(chain: LocalChain, clock: ManualClock, scenario: Scenario): Promise<PoolWorld> {
  const bad = poolOf(chain, { seed: scenario.seed, nodes: scenario.nodes })!;
  const good = poolOf(chain, { nodes: [{}] })!;
  let healed = false;
  const pool: NodePool = {
    next() {
      const node = bad.next();
      return healed ? good.next() : node;
    },
  };
  const chance = chances(scenario.seed);
  const store = memoryStore(clock);
  const processes = [0, 1].map(() => processOf(clock, store, pool));
  await rememberServiceWallet(processes[0]!, service);
  const world = { signed: new Set<string>(), saidDead: new Set<string>(), saidLanded: new Set<string>() };

  const answer = async (path: string, body: unknown): Promise<Response> => {
    const deps = processes[Math.floor(chance() * processes.length)]!;
    try {
      if (path === "/api/wrap") return ok(await buildWrap(deps, inputOf(buildWrapContract, body as never)));
      if (path === "/api/topup") return ok(await buildTopup(deps, inputOf(buildTopupContract, body as never)));
      const data = await executeSwap(deps, inputOf(executeSwapContract, body as never));
      if (data.confirmed) world.saidLanded.add(data.txSignature);
      return ok(data);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { txSignature } = error.details;
      if (error.code === "transaction_expired" || error.code === "simulation_failed") {
        world.saidDead.add(signatureIn((body as { signedTransaction: string }).signedTransaction));
      }
      const { message, code, status } = error;
      return Response.json({ ok: false, error: message, code, txSignature }, { status });
    }
  };
  const fetch: Fetch = async (path, { body }) => {
    if (!healed && chance() * 100 < scenario.lostPercent) throw new TypeError("lost");
    const sent = JSON.parse(String(body));
    if (sent.signedTransaction) {
      world.signed.add(signatureIn(sent.signedTransaction));
      if (scenario.walletSends)
        pool.next().chain.send(Buffer.from(sent.signedTransaction, "base64"), { skipPreflight: true });
    }
    const answered = await answer(path, sent);
    if (!healed && chance() * 100 < scenario.lostPercent) throw new TypeError("lost");
    return answered;
  };
  const browser: World<string> = {
    calls: createCalls({ baseUrl: "", fetch, clock }),
    clock,
    storage: memoryStorage(),
    lock: processLock(),
    openSigner: async () => async (transaction) => signQuickly(transaction),
    landed: () => {},
  };
  return {
    ...world,
    tabs: [0, 1].map(() => openTab(chain, scenario, browser)),
    chance,
    heal() {
      healed = true;
    },
    close: () => Promise.all(processes.map(({ background }) => background.close())),
  };
}

const ok = (data: unknown) => Response.json({ ok: true, data });

function processOf(clock: ManualClock, store: KvStore, pool: NodePool): Deps {
  const rpc = poolRpc(() => pool);
  return {
    ...fakeDeps(() => store, clock),
    kv: store,
    prices: { current: async () => pricesAt(clock.now()), ofMints: async () => ({}) },
    rpc,
    watch: createSignatureWatch({ rpc, clock }),
    background: createBackground((error) => {
      throw error;
    }),
  };
}

/** Thousands of signatures: node:crypto takes a fiftieth of the time that the page's own way takes. */
function signQuickly(transaction: string): string {
  const bytes = Buffer.from(transaction, "base64");
  sign(null, bytes.subarray(65), personKey).copy(bytes, 1);
  return bytes.toString("base64");
}

/** The page's own engine; only its build is ours. */
function openTab(chain: LocalChain, { intent }: Scenario, world: World<string>) {
  return createFlow<Intent, Built, string>(
    {
      name: "intent",
      wallet: person.address,
      async build(calls, { txValueUsd }) {
        if (intent === "own payment") return { ready: true, reason: null, transaction: ownPayment(chain, person) };
        const wallets = { userPubkey: person.address, serviceWalletPubkey: service };
        const { transaction } =
          intent === "wrap"
            ? await calls.post<typeof buildWrapContract>("/api/wrap", { ...wallets, txValueUsd })
            : await calls.post<typeof buildTopupContract>("/api/topup", {
                ...{ ...wallets, amountUsd: txValueUsd },
                period: "2026-W47",
              });
        return { ready: true, reason: null, transaction: transaction!.base64 };
      },
      stepsOf: ({ transaction }) => [{ label: "Pay", transaction, about: "all" }],
      verify: async (build) => build,
      restOf: (request, done) => (done.length > 0 ? null : request),
    },
    () => world,
  );
}

function ownPayment(chain: LocalChain, { address }: TestWallet): string {
  const { blockhash } = chain.latestBlockhash();
  const instructions = [systemTransfer(address, payee, 1_000_000n)];
  return toBase64(composeTransaction({ payer: address, instructions, blockhash }).bytes);
}

/** Numbers from 0 to below 1, the same for the same seed. */
function chances(seed: number): () => number {
  let state = seed ^ 0x5bd1e995;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
}
