import bs58 from "bs58";
import nacl from "tweetnacl";
import { expect, test } from "vitest";
import { createCalls } from "@/lib/sdk/calls/calls";
import { createFlow, type Flow } from "@/lib/sdk/flow/engine";
import { getRecordKey } from "@/lib/sdk/flow/record";
import type { FlowSpec, World } from "@/lib/sdk/flow/types";
import { signWithKey } from "@/lib/sdk/sign/transactions";
import { toBase64 } from "@/lib/solana/bytes";
import { createSystemTransfer } from "@/lib/solana/system-instructions";
import { composeTransaction } from "@/lib/solana/transactions";
import { createOpenPriceGuard } from "../../../support/fakes/price-guard";
import { seedRandom } from "../../../support/fakes/seeded-random";

/** Runs of several transactions, in two tabs that are reloaded between any two of their steps. In `npm run fuzz` more of them. */

const RUNS = Math.max(6, Math.ceil(Number(process.env.FUZZ_RUNS ?? 0) / 20));
const STEPS = 400;

const keys = nacl.sign.keyPair();
const wallet = bs58.encode(keys.publicKey);
const MEMORY = getRecordKey("test", wallet);

interface Request {
  id: number;
  names: string[];
}
type Build = Request & { ready: boolean; reason: null };
type Name = `${number}:${string}`;

/** What became of signed bytes at the service, which is honest: what it calls refused or expired never lands. */
interface Sent {
  name: Name;
  state: "new" | "sent" | "landed" | "expired";
}

interface Tab {
  flow: Flow<Request, Build, Name>;
  isGone: boolean;
}

function createBrowser(chance: () => number) {
  const storage = new Map<string, string>();
  const locks = new Map<string, Tab>();
  const signed = new Map<string, Sent>();
  const landed: Name[] = [];
  let waiting: { tab: Tab; go(): void }[] = [];
  let [now, made] = [0, 0];
  const is = (percent: number) => chance() * 100 < percent;

  /** Runs the step in its turn, or never if its tab has been closed by then. */
  const later = <T>(tab: Tab, happen: () => T) =>
    new Promise<T>((resolve, reject) => {
      const go = () => {
        try {
          resolve(happen());
        } catch (error) {
          reject(error);
        }
      };
      waiting.push({ tab, go });
    });

  const land = (one: Sent) => {
    if (one.state !== "sent") return;
    one.state = "landed";
    landed.push(one.name);
  };
  const no = (status: number, code: string) => Response.json({ ok: false, error: code, code }, { status });
  const ok = (data: object) => Response.json({ ok: true, data: { network: "sandbox", txSignature: "sig", ...data } });
  const lost = () => {
    throw new TypeError("lost");
  };

  function execute(one: Sent): Response {
    if (is(10)) return lost();
    if (is(5)) return no(429, "rate_limited");
    if (is(5)) return new Response("<html>", { status: is(50) ? 403 : 502 });
    if (is(3)) return no(401, "credentials_invalid");
    if (one.state === "new" && is(10)) return no(422, "simulation_failed");
    if (one.state === "new") one.state = "sent";
    if (one.state === "sent" && is(40)) land(one);
    else if (one.state === "sent" && is(30)) one.state = "expired";
    if (is(15)) return lost();
    if (one.state === "landed") return ok({ confirmed: true, status: "confirmed", slot: 1 });
    if (one.state === "expired") return no(422, "transaction_expired");
    return is(20) ? no(500, "internal") : ok({ confirmed: false, status: "pending", lastValidBlockHeight: 1 });
  }

  const specOf = (tab: Tab): FlowSpec<Request, Build, Name> => ({
    name: "test",
    wallet,
    build: (_calls, request) => later(tab, () => (is(10) ? lost() : { ...request, ready: true, reason: null })),
    listSteps: ({ id, names }) =>
      names.map((name) => {
        const instructions = [createSystemTransfer(wallet, wallet, BigInt(made++))];
        const { bytes } = composeTransaction({ payer: wallet, instructions, blockhash: wallet });
        return { label: name, transaction: toBase64(bytes), about: `${id}:${name}` };
      }),
    verify: async (build) => build,
    findRest({ id, names }, done) {
      const left = names.filter((name) => !done.some(({ about }) => about === `${id}:${name}`));
      return left.length > 0 ? { id, names: left } : null;
    },
  });

  function worldOf(tab: Tab): World<Name> {
    const pass = (ms: number) => {
      now += ms;
    };
    const clock = { now: () => now, sleep: (ms: number) => later(tab, () => pass(ms)) };
    const sign = (transaction: string) =>
      later(tab, () => {
        if (is(10)) throw new Error("declined");
        const bytes = signWithKey(transaction, keys);
        const { about } = tab.flow.getState().waiting.find((step) => step.transaction === transaction)!;
        signed.set(bytes, { name: about, state: "new" });
        return bytes;
      });
    return {
      clock,
      storage: {
        get: (key) => later(tab, () => storage.get(key) ?? null),
        set: (key, value) => later(tab, () => void (value === null ? storage.delete(key) : storage.set(key, value))),
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
          later(tab, () => execute(signed.get(JSON.parse(String(body)).signedTransaction as string)!)),
      }),
      prices: createOpenPriceGuard(),
      openSigner: () => later(tab, () => sign),
      onLanded: () => {},
    };
  }

  return {
    storage,
    landed,
    open(): Tab {
      const tab = { isGone: false } as Tab;
      const world = worldOf(tab);
      return Object.assign(tab, { flow: createFlow(specOf(tab), () => world) });
    },
    close(tab: Tab) {
      tab.isGone = true;
      for (const [name, holder] of locks) if (holder === tab) locks.delete(name);
    },
    /** One of the things that wait happens. */
    async turn() {
      waiting = waiting.filter(({ tab }) => !tab.isGone);
      const [next] = waiting.splice(Math.floor(chance() * waiting.length), 1);
      next?.go();
      await new Promise<void>((then) => setImmediate(then));
    },
    isSending: () => locks.size > 0,
    /** Transactions that were sent and may still land, without a stored record. */
    forgotten() {
      const kept = JSON.parse(storage.get(MEMORY) ?? "null")?.inFlight?.signed;
      return [...signed].filter(([bytes, { state }]) => state === "sent" && bytes !== kept);
    },
    landLater: () => [...signed.values()].filter(() => is(30)).forEach(land),
  };
}

test.each(Array.from({ length: RUNS }, (_, i) => i + 1))(
  "two tabs, reloads at every await, lost answers and wallets that decline (%i): each transaction lands once, and none is forgotten while it may land",
  async (seed) => {
    const chance = seedRandom(seed);
    const browser = createBrowser(chance);
    const tabs = [browser.open(), browser.open()];
    let id = 0;

    /** Actions of the user, who does not repeat what shows as done. */
    function act({ flow }: Tab): Promise<void> | void {
      const drawn = chance();
      const { phase } = flow.getState();
      if (phase === "review") return drawn < 0.8 ? flow.confirm() : drawn < 0.9 ? flow.renew(null, true) : flow.close();
      if (phase === "unknown") return drawn < 0.5 ? flow.checkAgain() : drawn < 0.7 ? flow.discard() : flow.close();
      if (phase === "failed") return drawn < 0.5 ? flow.renew(null) : flow.close();
      if (phase !== "idle" && phase !== "done") return;
      const isQuiet = tabs.every((tab) => ["idle", "done"].includes(tab.flow.getState().phase));
      const kept = browser.storage.get(MEMORY);
      // A tab that repeats the request continues it, unless another tab is discarding it.
      if (kept && isQuiet && !browser.isSending() && drawn < 0.4) return flow.start(JSON.parse(kept).request);
      if (kept) return drawn < 0.8 ? flow.resume() : flow.discard();
      if (isQuiet) return flow.start({ id: ++id, names: drawn < 0.5 ? ["a"] : ["a", "b", "c"] });
    }

    for (let step = 0; step < STEPS; step++) {
      const drawn = chance();
      const which = chance() < 0.5 ? 0 : 1;
      if (drawn < 0.03) {
        browser.close(tabs[which]!);
        tabs[which] = browser.open();
      } else if (drawn < 0.05) browser.landLater();
      else if (drawn < 0.3) void Promise.resolve(act(tabs[which]!)).catch(() => {});
      await browser.turn();
      expect(new Set(browser.landed).size).toBe(browser.landed.length);
      if (!browser.isSending()) expect(browser.forgotten()).toEqual([]);
      for (const { flow } of tabs)
        for (const { about } of flow.getState().record?.done ?? []) expect(browser.landed).toContain(about);
    }
    expect(browser.landed.length).toBeGreaterThan(0);
  },
);
