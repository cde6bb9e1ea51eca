import { expect, test } from "vitest";
import { createCalls } from "@/lib/sdk/calls/calls";
import { createFlow, type Flow } from "@/lib/sdk/flow/engine";
import { getRecordKey } from "@/lib/sdk/flow/record";
import type { FlowContext, FlowSpec } from "@/lib/sdk/flow/types";
import { signWithKey } from "@/lib/sdk/sign/transactions";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import { createOpenPriceGuard } from "../../../support/fakes/open-price-guard";
import { createSeededRandom } from "../../../support/fakes/seeded-random";
import { composeBase64 } from "../../../support/fixtures/test-transactions";
import { toTestWallet } from "../../../support/fixtures/test-wallets";

/* Random runs of several transactions in two tabs that reload between any two steps. `npm run fuzz` does more runs. */

/** The number of random runs. `npm run fuzz` sets more. */
const RUNS = Math.max(6, Math.ceil(Number(process.env.FUZZ_RUNS ?? 0) / 20));
/** The number of steps in one run. */
const STEPS = 400;

const { address: wallet, keys } = toTestWallet("payer");
const RECORD_KEY = getRecordKey("test", wallet);

interface Request {
  id: number;
  names: string[];
}
type Build = Request & { ready: boolean; reason: null };
type Name = `${number}:${string}`;

/** Signed bytes at the service. The service is honest: a transaction that it calls refused or expired never lands. */
interface SignedTransaction {
  name: Name;
  state: "new" | "sent" | "landed" | "expired";
}

interface Tab {
  flow: Flow<Request, Build, Name>;
  isGone: boolean;
}

function createBrowser(drawFraction: () => number) {
  const storage = new Map<string, string>();
  const locks = new Map<string, Tab>();
  const signed = new Map<string, SignedTransaction>();
  const landed: Name[] = [];
  let queue: { tab: Tab; run(): void }[] = [];
  let [now, buildCount] = [0, 0];
  const isDrawn = (percent: number) => drawFraction() * 100 < percent;

  /** Queues a task. `runNext` runs it, unless its tab has been closed by then. */
  const scheduleTask = <T>(tab: Tab, task: () => T) =>
    new Promise<T>((resolve, reject) => {
      const run = () => {
        try {
          resolve(task());
        } catch (error) {
          reject(error);
        }
      };
      queue.push({ tab, run });
    });

  const landTransaction = (transaction: SignedTransaction) => {
    if (transaction.state !== "sent") return;
    transaction.state = "landed";
    landed.push(transaction.name);
  };
  const createRefusal = (status: number, code: string) => Response.json({ ok: false, error: code, code }, { status });
  const createSuccess = (data: object) =>
    Response.json({ ok: true, data: { network: "sandbox", txSignature: "sig", ...data } });
  const loseConnection = () => {
    throw new TypeError("lost");
  };

  function executeTransaction(transaction: SignedTransaction): Response {
    if (isDrawn(10)) return loseConnection();
    if (isDrawn(5)) return createRefusal(429, "rate_limited");
    if (isDrawn(5)) return new Response("<html>", { status: isDrawn(50) ? 403 : 502 });
    if (isDrawn(3)) return createRefusal(401, "credentials_invalid");
    if (transaction.state === "new" && isDrawn(10)) return createRefusal(422, "simulation_failed");
    if (transaction.state === "new") transaction.state = "sent";
    if (transaction.state === "sent" && isDrawn(40)) landTransaction(transaction);
    else if (transaction.state === "sent" && isDrawn(30)) transaction.state = "expired";
    if (isDrawn(15)) return loseConnection();
    if (transaction.state === "landed") return createSuccess({ confirmed: true, status: "confirmed", slot: 1 });
    if (transaction.state === "expired") return createRefusal(422, "transaction_expired");
    return isDrawn(20)
      ? createRefusal(500, "internal")
      : createSuccess({ confirmed: false, status: "pending", lastValidBlockHeight: 1 });
  }

  const createSpec = (tab: Tab): FlowSpec<Request, Build, Name> => ({
    name: "test",
    wallet,
    build: (_calls, request) =>
      scheduleTask(tab, () => (isDrawn(10) ? loseConnection() : { ...request, ready: true, reason: null })),
    listSteps: ({ id, names }) =>
      names.map((name) => {
        const transaction = composeBase64(wallet, [buildSystemTransfer(wallet, wallet, BigInt(buildCount++))]);
        return { label: name, transaction, validForMs: 30_000, about: `${id}:${name}` };
      }),
    verify: async (build) => build,
    getRemainingRequest({ id, names }, done) {
      const remainingNames = names.filter((name) => !done.some(({ about }) => about === `${id}:${name}`));
      return remainingNames.length > 0 ? { id, names: remainingNames } : null;
    },
  });

  function createContext(tab: Tab): FlowContext<Name> {
    const passTime = (ms: number) => {
      now += ms;
    };
    const clock = { now: () => now, sleep: (ms: number) => scheduleTask(tab, () => passTime(ms)) };
    const signTransaction = (transaction: string) =>
      scheduleTask(tab, () => {
        if (isDrawn(10)) throw new Error("declined");
        const bytes = signWithKey(transaction, keys);
        const { about } = tab.flow.getState().unsignedSteps.find((step) => step.transaction === transaction)!;
        signed.set(bytes, { name: about, state: "new" });
        return bytes;
      });
    return {
      clock,
      storage: {
        get: (key) => scheduleTask(tab, () => storage.get(key) ?? null),
        set: (key, value) =>
          scheduleTask(tab, () => void (value === null ? storage.delete(key) : storage.set(key, value))),
      },
      async lock(name, task) {
        if (locks.has(name)) return false;
        locks.set(name, tab);
        await task().finally(() => locks.get(name) === tab && locks.delete(name));
        return true;
      },
      calls: createCalls({
        baseUrl: "",
        clock,
        fetch: (_path, { body }) =>
          scheduleTask(tab, () =>
            executeTransaction(signed.get(JSON.parse(String(body)).signedTransaction as string)!),
          ),
      }),
      prices: createOpenPriceGuard(),
      openSigner: () => scheduleTask(tab, () => signTransaction),
    };
  }

  return {
    storage,
    landed,
    open(): Tab {
      const tab = { isGone: false } as Tab;
      const context = createContext(tab);
      return Object.assign(tab, { flow: createFlow(createSpec(tab), () => context) });
    },
    close(tab: Tab) {
      tab.isGone = true;
      for (const [name, holder] of locks) if (holder === tab) locks.delete(name);
    },
    /** Runs one queued task, chosen at random. */
    async runNext() {
      queue = queue.filter(({ tab }) => !tab.isGone);
      const [task] = queue.splice(Math.floor(drawFraction() * queue.length), 1);
      task?.run();
      await new Promise<void>((resolve) => setImmediate(resolve));
    },
    isSending: () => locks.size > 0,
    /** Lists the transactions that were sent and may still land, without a stored record. */
    listUnstored() {
      const storedBytes = JSON.parse(storage.get(RECORD_KEY) ?? "null")?.inFlight?.signed;
      return [...signed].filter(([bytes, { state }]) => state === "sent" && bytes !== storedBytes);
    },
    landSome: () => [...signed.values()].filter(() => isDrawn(30)).forEach(landTransaction),
  };
}

test.each(Array.from({ length: RUNS }, (_, i) => i + 1))(
  "two tabs with random reloads and failures (seed %i) land each transaction once, and store each that may land",
  async (seed) => {
    const drawFraction = createSeededRandom(seed);
    const browser = createBrowser(drawFraction);
    const tabs = [browser.open(), browser.open()];
    let lastRequestId = 0;

    /** Acts as the user, who does not repeat a payment that the page shows as done. */
    function actAsUser({ flow }: Tab): Promise<void> | void {
      const draw = drawFraction();
      const { phase } = flow.getState();
      if (phase === "review") return draw < 0.8 ? flow.confirm() : draw < 0.9 ? flow.renew(null, true) : flow.close();
      if (phase === "unknown") return draw < 0.5 ? flow.checkAgain() : draw < 0.7 ? flow.discard() : flow.close();
      if (phase === "failed") return draw < 0.5 ? flow.renew(null) : flow.close();
      if (phase !== "idle" && phase !== "done") return;
      const isQuiet = tabs.every((tab) => ["idle", "done"].includes(tab.flow.getState().phase));
      const storedText = browser.storage.get(RECORD_KEY);
      // A tab that repeats the request continues it, unless another tab is discarding it.
      if (storedText && isQuiet && !browser.isSending() && draw < 0.4)
        return flow.start(JSON.parse(storedText).request);
      if (storedText) return draw < 0.8 ? flow.resume() : flow.discard();
      if (isQuiet) return flow.start({ id: ++lastRequestId, names: draw < 0.5 ? ["a"] : ["a", "b", "c"] });
    }

    for (let step = 0; step < STEPS; step++) {
      const draw = drawFraction();
      const index = drawFraction() < 0.5 ? 0 : 1;
      if (draw < 0.03) {
        browser.close(tabs[index]!);
        tabs[index] = browser.open();
      } else if (draw < 0.05) browser.landSome();
      else if (draw < 0.3) void Promise.resolve(actAsUser(tabs[index]!)).catch(() => {});
      await browser.runNext();
      expect(new Set(browser.landed).size).toBe(browser.landed.length);
      if (!browser.isSending()) expect(browser.listUnstored()).toEqual([]);
      for (const { flow } of tabs)
        for (const { about } of flow.getState().record?.done ?? []) expect(browser.landed).toContain(about);
    }
    expect(browser.landed.length).toBeGreaterThan(0);
  },
);
