import "../../../lib/sdk/verify/swap";
import "../../../lib/sdk/verify/wrap";
import { openLedger } from "../../../lib/cli/state/ledger";
import { runWatch } from "../../../lib/cli/watch/watch";
import {
  createWatchMemory,
  type WatchContext,
  type WatchEvent,
  type WatchSettings,
} from "../../../lib/cli/watch/watch-context";
import { deriveServiceWalletSeed } from "../../../lib/domain/service-wallet";
import { createRoundup } from "../../../lib/sdk";
import { createMemoryStorage, type Fetch, type Lock, type Storage } from "../../../lib/sdk/platform";
import { createKeyWallet } from "../../../lib/sdk/sign/key-wallet";
import { fromBase64 } from "../../../lib/solana/bytes";
import { stageRuntime } from "../app/staged-runtime";
import { createEmbeddedSandbox } from "../chain/embedded-sandbox";
import { answerInProcess } from "../client/in-process-routes";
import type { FakeDeps } from "../fakes/fake-deps";
import { signText } from "../fixtures/test-wallets";
import { SERVICE_WALLET_TEXT } from "../fixtures/wallet-texts";
import { deriveServiceWallet, user } from "./relay-rig";

/* Runs programs that watch a wallet through the service's routes, over the sandbox's chain in staged time. */

/**
 * What happens to one call. `null`: the call succeeds. `cut`: the call never reaches the service. `lost`: its answer is
 * lost. `killed`: the program dies during the call. `limited`: the rate limit refuses the call.
 */
type CallFault = null | "cut" | "lost" | "killed" | "limited";

/** Creates the state that outlasts the programs on one machine. @param address the IP address of its calls */
const createMachine = (address: string) => ({
  address,
  storage: createMemoryStorage(),
  /** The program that holds each lock, by the lock's name. */
  lockOwners: new Map<string, symbol>(),
});
type Machine = ReturnType<typeof createMachine>;

export type WatchRig = Awaited<ReturnType<typeof createWatchRig>>;
export type Program = ReturnType<WatchRig["start"]>;

const deriveServiceSeed = () =>
  deriveServiceWalletSeed(fromBase64(signText(user, SERVICE_WALLET_TEXT))!, user.address, 0);

/** Creates a sandbox and the programs that watch a wallet on it. */
export async function createWatchRig() {
  const sandbox = createEmbeddedSandbox();
  return Object.assign(await createWatchPrograms(sandbox.deps), { sandbox });
}

/** Creates programs that watch the user's wallet through the service's routes over these ports. */
async function createWatchPrograms(deps: FakeDeps) {
  stageRuntime(deps);
  const never = new Promise<never>(() => {});

  const callService = async (url: string, init: RequestInit, from: string): Promise<Response> => {
    const response = await answerInProcess(url, init, from);
    return new Response(rig.alterBody(await response.text()), response);
  };

  const rig = {
    clock: deps.clock,
    serviceWallet: await deriveServiceWallet(deps),
    /** The calls of all programs. `atMs` is since the epoch, and `from` the machine's IP address. */
    calls: [] as { path: string; atMs: number; from: string }[],
    /** Returns what happens to the next call. */
    fault: (): CallFault => null,
    /** Resolves at the wallet's next change, as a node's websocket does; null without an active subscription. */
    waitForChange: (() => null) as WatchContext["waitForChange"],
    /** Alters response bodies between the service and the program. */
    alterBody: (body: string) => body,
    createMachine,
    /** @param hasUserKey false for a program that has only the service wallet's key */
    start(machine: Machine, settings: WatchSettings, hasUserKey = true) {
      let [isDead, isEnding] = [false, false];
      const programId = Symbol("program");
      const unlessDead = <T>(value: T): T | Promise<never> => (isDead ? never : value);
      const program = {
        log: [] as WatchEvent[],
        failure: undefined as unknown,
        isDead: () => isDead,
        kill() {
          isDead = true;
          for (const [name, owner] of machine.lockOwners) if (owner === programId) machine.lockOwners.delete(name);
        },
        /** Ends the program after its next pause, as a signal does. */
        end() {
          isEnding = true;
        },
      };
      const fetch: Fetch = async (path, init) => {
        await unlessDead(null);
        rig.calls.push({ path: new URL(path).pathname, atMs: deps.clock.now(), from: machine.address });
        const fault = rig.fault();
        if (fault === "cut") throw new TypeError("cut");
        if (fault === "limited") {
          const refusal = { ok: false, error: "Too many requests.", code: "rate_limited", requestId: "1" };
          return Response.json(refusal, { status: 429, headers: { "retry-after": "7" } });
        }
        const response = await callService(path, init, machine.address);
        if (fault === "killed") program.kill();
        if (fault === "lost") throw new TypeError("lost");
        return unlessDead(response);
      };
      const sleep = async (ms: number) => {
        await deps.clock.sleep(ms);
        await unlessDead(null);
      };
      const clock = { now: deps.clock.now, sleep };
      const lock: Lock = async (name, task) => {
        if (machine.lockOwners.has(name)) return false;
        machine.lockOwners.set(name, programId);
        try {
          await task();
        } finally {
          if (machine.lockOwners.get(name) === programId) machine.lockOwners.delete(name);
        }
        return true;
      };
      const storage: Storage = {
        get: async (key) => unlessDead(await machine.storage.get(key)),
        set: async (key, value) => {
          await unlessDead(null);
          await machine.storage.set(key, value);
        },
      };
      const identity = hasUserKey
        ? { wallet: createKeyWallet(user.keys.secretKey) }
        : { wallet: createKeyWallet(deriveServiceSeed()), owner: user.address };
      const common = { ...identity, storage, lock, fetch, clock, retries: 0, maxWaitMs: 0 };
      const roundup = createRoundup({ baseUrl: "http://roundup.invalid", origin: "sandbox", ...common });
      const session = { roundup, wallet: user.address, storage, lock, clock };
      runWatch({
        ...session,
        settings,
        ledger: openLedger(session),
        memory: createWatchMemory(storage, user.address),
        random: () => 0.5,
        log: (event) => void program.log.push(event),
        pause: sleep,
        isEnding: () => isEnding,
        waitForChange: () => rig.waitForChange(),
      }).catch((error) => {
        program.failure = error;
      });
      return program;
    },
  };
  return rig;
}
