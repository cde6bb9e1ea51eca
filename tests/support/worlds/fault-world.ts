import "../../../lib/sdk/verify/swap";
import "../../../lib/sdk/verify/withdrawal";
import "../../../lib/sdk/verify/wrap";
import type { KvStore } from "../../../lib/ports/kv-store";
import { type Credentials, createRoundup } from "../../../lib/sdk";
import { createMemoryStorage, createProcessLock, type Fetch } from "../../../lib/sdk/platform";
import { createKeyWallet } from "../../../lib/sdk/sign/key-wallet";
import { readFirstSignature } from "../../../lib/sdk/sign/transactions";
import { encodeUtf8, toBase64 } from "../../../lib/solana/bytes";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { stageRuntime } from "../app/staged-runtime";
import type { EmbeddedSandbox } from "../chain/embedded-sandbox";
import { createCallerAddress } from "../client/client";
import { answerInProcess } from "../client/in-process-routes";
import type { FakeDeps } from "../fakes/fake-deps";
import { createFaultyPort, type Fault, type FaultPlan, never, type ProcessLife } from "../fakes/faulty-port";
import { toTestWallet } from "../fixtures/test-wallets";
import { AUTH_TEXT } from "../fixtures/wallet-texts";
import { createMemoryStore } from "../store/memory-store";
import { stranger } from "./relay-rig";

/* Creates a saver with the SDK, and a service on the sandbox's chain whose store, nodes and process fail as staged. */

export type FaultWorld = Awaited<ReturnType<typeof createFaultWorld>>;

interface Process {
  life: ProcessLife;
  /** Rejects when the process ends, because its connections are cut. */
  disconnected: Promise<never>;
}

const ORIGIN = "http://service.invalid";
let worldCount = 0;

export async function createFaultWorld(sandbox: EmbeddedSandbox, baseStore = createMemoryStore(sandbox.deps.clock)) {
  const { clock } = sandbox.deps;
  const wallet = createKeyWallet(toTestWallet(`saver ${worldCount++}`).keys.secretKey);
  /** Every key that `setIfAbsent` ever wrote. */
  const writtenKeys = new Set<string>();
  const store: KvStore = {
    ...baseStore,
    setIfAbsent(key, ...rest) {
      writtenKeys.add(key);
      return baseStore.setIfAbsent(key, ...rest);
    },
  };
  const plan: FaultPlan = { calls: [], faults: [] };
  let process: Process | null = null;
  const createSet = () => new Set<string>();
  /** The transactions that the client posted to execute, and those that the service reported as dead or landed. */
  const signatureSets = { postedSignatures: createSet(), reportedDead: createSet(), reportedLanded: createSet() };
  /** `contractViolations`: the responses that violate their contract or have status 500. */
  const records = { ...signatureSets, contractViolations: [] as string[] };

  const callService: Fetch = async (url, init) => {
    if (!process || process.life.hasEnded) process = openProcess(sandbox, store, plan);
    const { disconnected } = process;
    const pendingResponse = answerInProcess(url, init, createCallerAddress()).catch((error) => {
      records.contractViolations.push(String(error));
      throw error;
    });
    const response = await Promise.race([pendingResponse, disconnected]);
    if (response.status === 500) records.contractViolations.push(`${url}: 500`);
    return response;
  };
  const fetch: Fetch = async (url, init) => {
    const { signedTransaction } = JSON.parse(String(init.body ?? "{}"));
    if (!url.endsWith("/api/swap/execute")) return callService(url, init);
    const signature = readFirstSignature(signedTransaction);
    records.postedSignatures.add(signature);
    const response = await callService(url, init);
    const { data, code } = JSON.parse(await response.clone().text());
    if (["transaction_expired", "simulation_failed"].includes(code)) records.reportedDead.add(signature);
    if (data?.confirmed) records.reportedLanded.add(signature);
    return response;
  };

  const common = { fetch, clock, storage: createMemoryStorage(), lock: createProcessLock() };
  const signature = toBase64(await wallet.signMessage(encodeUtf8(AUTH_TEXT)));
  const credentials: Credentials = { "x-wallet": wallet.address, "x-signature": signature };
  const roundup = createRoundup({ baseUrl: ORIGIN, origin: "sandbox", wallet, ...common });
  const serviceWallet = await roundup.serviceWallet();
  /** Pays a stranger this many lamports without the service. Returns the signature. */
  const pay = async (lamports: bigint) => {
    const { blockhash } = sandbox.chain.getLatestBlockhash();
    const instructions = [buildSystemTransfer(wallet.address, stranger.address, lamports)];
    const { bytes } = composeTransaction({ payer: wallet.address, instructions, blockhash });
    return sandbox.chain.send(Buffer.from(await wallet.signTransaction(toBase64(bytes)), "base64"));
  };
  /** Starts a run with a new process whose calls meet these faults. All records start empty. */
  const startRun = (faults: Fault[]) => {
    process = null;
    plan.calls.length = 0;
    plan.faults = faults;
    for (const signatures of Object.values(signatureSets)) signatures.clear();
    records.contractViolations.length = 0;
  };
  const state = { sandbox, store, writtenKeys, plan, ...records };
  return { ...state, roundup, saver: wallet.address, credentials, serviceWallet, pay, startRun };
}

function openProcess(sandbox: EmbeddedSandbox, store: KvStore, plan: FaultPlan): Process {
  const { clock } = sandbox.deps;
  let disconnect = (_error: Error) => {};
  const disconnected = new Promise<never>((_resolve, reject) => {
    disconnect = reject;
  });
  disconnected.catch(() => {});
  const life: ProcessLife = {
    hasEnded: false,
    end() {
      life.hasEnded = true;
      disconnect(new TypeError("the connection was cut"));
    },
  };
  const faultContext = { clock, plan, life };
  const deps: FakeDeps = sandbox.openProcess({
    kv: createFaultyPort("kv", store, faultContext),
    clock: { ...clock, sleep: (ms) => clock.sleep(ms).then(() => (life.hasEnded ? never : undefined)) },
    wrapRpc: (rpc, createLaggingPort) => createFaultyPort("rpc", rpc, { ...faultContext, createLaggingPort }),
  });
  stageRuntime(deps);
  return { life, disconnected };
}
