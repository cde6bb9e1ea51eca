import { createPrivateKey, sign } from "node:crypto";
import bs58 from "bs58";
import { createBackground } from "../../../lib/clients/process/background";
import { SERVICE } from "../../../lib/clients/quota/budget";
import { scopeToCaller } from "../../../lib/clients/quota/caller-scoped";
import { meterPorts } from "../../../lib/clients/quota/upstream-time";
import { createSignatureWatch } from "../../../lib/clients/solana/signature-watch";
import { createSolanaRpc } from "../../../lib/clients/solana/solana-rpc";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { executeSwapContract } from "../../../lib/contracts/execute-swap";
import { getAccumulatorContract } from "../../../lib/contracts/get-accumulator";
import { getPortfolioContract } from "../../../lib/contracts/get-portfolio";
import { ASSETS } from "../../../lib/domain/assets";
import { AppError } from "../../../lib/errors";
import type { Deps } from "../../../lib/ports/deps";
import { type LocalChain, openChain } from "../../../lib/sandbox/chain/chain";
import { encodeMint } from "../../../lib/sandbox/chain/token-accounts";
import type { Chain } from "../../../lib/sandbox/chain/types";
import { createFaults } from "../../../lib/sandbox/rpc/faults";
import { answerRpc } from "../../../lib/sandbox/rpc/rpc";
import { buildWrap } from "../../../lib/services/build-wrap";
import { executeSwap } from "../../../lib/services/execute-swap";
import { getAccumulator } from "../../../lib/services/get-accumulator";
import { getPortfolio } from "../../../lib/services/get-portfolio";
import { recordServiceWallet } from "../../../lib/services/steps/service-wallets";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { newTokenAccount } from "../../../lib/solana/token-accounts";
import { NO_PRICES } from "../chain/sandbox-rig";
import { inputOf } from "../client/contract-input";
import { chances } from "../fakes/chances";
import { FEE_COLLECTORS, fakeDeps, pricesAt } from "../fakes/fake-deps";
import { type ManualClock, manualClock } from "../fakes/manual-clock";
import { http, type StagedNode, stagedNodes } from "../fakes/staged-nodes";
import { type TestWallet, testWallet } from "../fixtures/test-wallets";
import { memoryStore } from "../store/memory-store";

/** Users of the service while three nodes over one chain take turns to lag, to be busy and to be down. */

const NODES = ["a", "b", "c"] as const;
/** Time between changes of the nodes' faults. */
const PHASE_MS = 30_000;
/** Time between two actions of users. */
const PAUSE_MS = 3_000;
const PEOPLE = 5;
/** After this time every answer includes a landed transaction: 25 slots and a margin. */
const SEEN_MS = 12_000;
/** Longer than a blockhash's lifetime and the relay's retries together. */
const AFTERWARDS_MS = 90_000;

const OPENING_SOL = 1_000n;
const TOKENS = 5_000_000n;

export interface Tally {
  answered: number;
  pending: number;
  /** Number of failures by code. */
  failed: Record<string, number>;
  expired: number;
  landed: number;
  /** Violations of the guarantees, as text. */
  wrong: string[];
}

export async function liveThrough(hours: number, seed: number): Promise<Tally> {
  const clock = manualClock();
  const chain = openChain({ now: clock.now });
  const people = Array.from({ length: PEOPLE }, (_, i) => createPerson(chain, i));
  for (const address of FEE_COLLECTORS) chain.airdrop(address, 1_000_000_000n);
  // Advances 200 slots, so that every staged lag already sees the starting balances.
  chain.advanceSlots(200);
  const chance = chances(seed);
  const faultyNodes = { a: createFaultyNode(chain), b: createFaultyNode(chain), c: createFaultyNode(chain) };
  const { deps, service } = await createService(clock, chain, faultyNodes, chance, people);
  const tally: Tally = { answered: 0, pending: 0, failed: {}, expired: 0, landed: 0, wrong: [] };

  const requests: Promise<void>[] = [];
  for (let at = 0; at < hours * 3_600_000; at += PAUSE_MS) {
    if (at % PHASE_MS === 0) for (const name of NODES) faultyNodes[name].change(chance);
    const person = people[Math.floor(chance() * people.length)]!;
    if (!person.busy) requests.push(makeRequest(chain, deps, service, person, chance, tally));
    await clock.advance(PAUSE_MS);
  }
  for (const name of NODES) faultyNodes[name].heal();
  await clock.advance(AFTERWARDS_MS);
  await Promise.all(requests);
  await deps.background.close();
  compareWithChain(chain, people, tally);
  return tally;
}

interface Person {
  wallet: TestWallet;
  key: ReturnType<typeof createPrivateKey>;
  serviceWallet: string;
  busy: boolean;
  /** The signed transactions of each purchase, newest last. */
  purchases: { signatures: string[]; dead: Set<string>; landed: Set<string> }[];
  /** A signed transaction whose outcome is unknown. */
  open: string | null;
  /** Time on the clock at which the service last reported a landed transaction. */
  landedAt: number;
}

function createPerson(chain: LocalChain, i: number): Person {
  const wallet = testWallet(`person ${i} of the hour`);
  const serviceWallet = testWallet(`service wallet ${i} of the hour`).address;
  chain.airdrop(wallet.address, OPENING_SOL * 1_000_000_000n);
  chain.airdrop(serviceWallet, 1_000_000_000n);
  const { mint, decimals } = ASSETS.USDC;
  chain.setAccount(mint, {
    lamports: 1_461_600n,
    owner: TOKEN_PROGRAM,
    data: encodeMint(wallet.address, decimals),
  });
  const data = newTokenAccount(mint, wallet.address);
  new DataView(data.buffer).setBigUint64(64, TOKENS, true);
  chain.setAccount(testWallet(`tokens ${i} of the hour`).address, { lamports: 2_039_280n, owner: TOKEN_PROGRAM, data });
  // DER: the header of an Ed25519 key in PKCS #8 (RFC 8410), then the seed.
  const der = Buffer.concat([
    Buffer.from("302e020100300506032b657004220420", "hex"),
    wallet.keys.secretKey.subarray(0, 32),
  ]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return { wallet, key, serviceWallet, busy: false, purchases: [], open: null, landedAt: 0 };
}

/** The current fault of a node. */
function createFaultyNode(chain: LocalChain) {
  let view: Chain = chain;
  let stage: ((answer: StagedNode, clock: ManualClock) => StagedNode) | null = null;
  return {
    view: () => view,
    stage: () => stage,
    heal() {
      view = chain;
      stage = null;
    },
    change(chance: () => number) {
      if (chance() < 0.4) return;
      const kind = Math.floor(chance() * 14);
      // A lag of up to 25 slots is allowed, and must do no harm.
      view = kind < 2 ? chain.behind(1 + Math.floor(chance() * 140)) : chain;
      stage = kind >= 2 && kind < 8 ? FAULTS[(kind - 2) % FAULTS.length]! : null;
    },
  };
}

/** Faults of a node. Each sometimes accepts a call before it fails, so a sent transaction may land. */
const FAULTS: ((answer: StagedNode, clock: ManualClock) => StagedNode)[] = [
  (answer) => (call, timeoutMs) => (call.method === "sendTransaction" ? { result: "lost" } : answer(call, timeoutMs)),
  () => () => http(429, { "retry-after": "3" }),
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

type FaultyNodes = Record<(typeof NODES)[number], ReturnType<typeof createFaultyNode>>;

async function createService(
  clock: ManualClock,
  chain: LocalChain,
  troubles: FaultyNodes,
  chance: () => number,
  people: Person[],
) {
  const report = (error: unknown) => {
    throw error;
  };
  const staged = NODES.map((name): [string, StagedNode] => [
    name,
    async (call, timeoutMs) => {
      await clock.sleep(5 + Math.floor(chance() * 60));
      const answer: StagedNode = async () => {
        const context = { chain: troubles[name].view(), faults: createFaults(), info: () => null, ...NO_PRICES };
        return (await answerRpc(context, { jsonrpc: "2.0", ...call }, report)) as never;
      };
      return (troubles[name].stage()?.(answer, clock) ?? answer)(call, timeoutMs);
    },
  ]);
  const { nodes } = stagedNodes(Object.fromEntries(staged), { genesisHash: chain.genesisHash(), clock });
  const checked = nodes.check();
  await clock.advance(1_000);
  await checked;
  const rpc = scopeToCaller(SERVICE, createSolanaRpc({ nodes, clock }));
  const store = memoryStore(clock);
  const deps: Deps = {
    ...fakeDeps(() => store, clock),
    kv: store,
    prices: { current: async () => pricesAt(clock.now()), ofMints: async () => ({}) },
    rpc,
    watch: createSignatureWatch({ rpc, clock }),
    background: createBackground(report),
  };
  for (const { serviceWallet } of people) await recordServiceWallet(deps, serviceWallet);
  return { deps, service: meterPorts(deps, ["prices", "rpc", "watch"]) };
}

/**
 * Makes one request as a client does. It builds again only after the service reports the signed transaction as dead.
 */
async function makeRequest(
  chain: LocalChain,
  deps: Deps,
  view: ReturnType<typeof meterPorts>,
  person: Person,
  chance: () => number,
  tally: Tally,
): Promise<void> {
  person.busy = true;
  const address = person.wallet.address;
  const request = view();
  const deadlineDeps = request.deps;
  const startedAt = deps.clock.now();
  const isCurrent = (lamports: number) =>
    startedAt - person.landedAt < SEEN_MS ? lamports > 900e9 : BigInt(lamports) === chain.account(address)!.lamports;
  try {
    const choice = chance();
    if (person.open) await relay(deadlineDeps, person, tally);
    else if (choice < 0.3) {
      const { balances, pendingLamports } = await request.within(
        getPortfolio(deadlineDeps, inputOf(getPortfolioContract, { address })),
      );
      const tokens = balances.find(({ asset }) => asset === "USDC")?.amount;
      if (!isCurrent(pendingLamports) || tokens !== String(TOKENS))
        tally.wrong.push(`a portfolio of ${pendingLamports}, ${tokens}`);
    } else if (choice < 0.5) {
      const found = await request.within(getAccumulator(deadlineDeps, inputOf(getAccumulatorContract, { address })));
      if (!isCurrent(found.balanceLamports)) tally.wrong.push(`a balance of ${found.balanceLamports}`);
    } else {
      const purchase = { txValueUsd: 27.63, userPubkey: address, serviceWalletPubkey: person.serviceWallet };
      const { transaction, affordable } = await request.within(
        buildWrap(deadlineDeps, inputOf(buildWrapContract, purchase)),
      );
      if (!affordable) tally.wrong.push("not affordable");
      person.open = signWith(person, transaction!.base64);
      person.purchases.push({ signatures: [], dead: new Set(), landed: new Set() });
      await relay(view().deps, person, tally);
    }
    tally.answered++;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    tally.failed[error.code] = (tally.failed[error.code] ?? 0) + 1;
    if (error.status < 500) tally.wrong.push(`${error.code}: ${error.message}`);
    if (!person.open && deps.clock.now() - startedAt > 5_200) tally.wrong.push(`${deps.clock.now() - startedAt} ms`);
  } finally {
    person.busy = false;
  }
}

async function relay(deps: Deps, person: Person, tally: Tally): Promise<void> {
  const signedTransaction = person.open!;
  const signature = bs58.encode(Buffer.from(signedTransaction, "base64").subarray(1, 65));
  const purchase = person.purchases.at(-1)!;
  if (!purchase.signatures.includes(signature)) purchase.signatures.push(signature);
  try {
    const caller = { kind: "static-key", wallet: null, keyId: "0" } as const;
    const { confirmed } = await executeSwap(deps, inputOf(executeSwapContract, { signedTransaction }), { caller });
    if (!confirmed) return void tally.pending++;
    purchase.landed.add(signature);
    person.landedAt = deps.clock.now();
    tally.landed++;
    person.open = null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "transaction_expired") throw error;
    purchase.dead.add(signature);
    tally.expired++;
    person.open = null;
  }
}

function signWith({ key }: Person, transaction: string): string {
  const bytes = Buffer.from(transaction, "base64");
  sign(null, bytes.subarray(65), key).copy(bytes, 1);
  return bytes.toString("base64");
}

/** Compares the service's answers with the chain. */
function compareWithChain(chain: LocalChain, people: Person[], tally: Tally): void {
  for (const { purchases } of people) {
    for (const { signatures, dead, landed } of purchases) {
      const onChain = signatures.filter((one) => chain.signatureInfo(one)?.err === null);
      if (onChain.length > 1) tally.wrong.push("paid twice");
      if (onChain.some((one) => dead.has(one))) tally.wrong.push("said to have expired, and landed");
      if ([...landed].some((one) => !onChain.includes(one))) tally.wrong.push("said to have landed, and did not");
    }
  }
}
