import { describe, expect, test } from "vitest";
import type { RelayRecord } from "../../../../lib/services/steps/relay";
import {
  blockhashOf,
  callNames,
  type FakeDeps,
  fakeDeps,
  landedAt,
  over,
  pricesAt,
  sendsOf,
  unavailable,
} from "../../../support/fake-deps";
import {
  builtWrap,
  execute,
  LONG_MS,
  landsAfterSends,
  payment,
  post,
  signatureOf,
  user,
} from "../../../support/relay-rig";

const OWN_FAILURE = { InstructionError: [0, { Custom: 1 }] };

const recordOf = (deps: FakeDeps, wrap: Uint8Array) => deps.kv.get<RelayRecord>(`relayed:${signatureOf(wrap)}`);

describe("following", () => {
  test("still unknown after 25 s: pending, with the height until which the transaction we built can land", async () => {
    const { deps, wrap } = await builtWrap();
    const started = deps.clock.now();
    const pending = execute(deps, wrap);
    const answeredAt = pending.then(() => deps.clock.now());
    expect(await over(LONG_MS, deps, pending)).toEqual({
      txSignature: signatureOf(wrap),
      confirmed: false,
      status: "pending",
      lastValidBlockHeight: 1_150,
      network: "sandbox",
    });
    const waited = (await answeredAt) - started;
    expect(waited).toBeGreaterThan(24_000);
    expect(waited).toBeLessThanOrEqual(25_000);
  });

  test("pending says no height for an app's own transaction, since nobody knows it", async () => {
    const deps = fakeDeps();
    expect(await post(deps, payment())).toMatchObject({ status: "pending", lastValidBlockHeight: null });
  });

  test("pending then landed: posted again, the same bytes are answered as confirmed and not sent again", async () => {
    const { deps, wrap } = await builtWrap();
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
    const sends = sendsOf(deps).length;
    deps.chain.status = () => landedAt(80);
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true, slot: 80 });
    expect(sendsOf(deps)).toHaveLength(sends);
  });

  test("the very same bytes go out again every 1 to 2 s until it landed, and not once more", async () => {
    const { deps, wrap } = await builtWrap();
    landsAfterSends(deps, 6);
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true, slot: 77 });
    const sends = sendsOf(deps);
    expect(sends).toHaveLength(6);
    for (const { bytes } of sends) expect(bytes).toEqual(wrap);
    const gaps = sends.slice(1).map(({ at }, i) => at - sends[i]!.at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2_000);
  });

  test("it is asked for often at first and never more than every half second later", async () => {
    const { deps, wrap } = await builtWrap();
    await post(deps, wrap);
    const polls = deps.calls.filter(({ method, args }) => method === "signatureStates" && args[1] === false);
    const gaps = polls.slice(1).map(({ at }, i) => at - polls[i]!.at);
    expect(gaps[0]).toBeLessThanOrEqual(100);
    expect(gaps.slice(5).every((gap) => gap === 500)).toBe(true);
  });

  test.each(["send", "signatureStates", "blockHeight"])(
    "%s failing after the first send leads to pending, never to an error",
    async (method) => {
      const { deps, wrap } = await builtWrap();
      deps.before = (call) => {
        if (call.method === method && sendsOf(deps).length > 0) throw unavailable();
      };
      expect(await post(deps, wrap)).toMatchObject({ status: "pending", lastValidBlockHeight: 1_150 });
    },
  );

  test("every upstream failing for ten seconds after the send: the outcome is found all the same", async () => {
    const { deps, wrap } = await builtWrap();
    const back = deps.clock.now() + 10_000;
    deps.before = ({ port, at }) => {
      if (port !== "kv" && at < back && sendsOf(deps).length > 0) throw unavailable();
    };
    deps.chain.status = () => (deps.clock.now() >= back ? landedAt(90) : null);
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true, slot: 90 });
  });

  test.each([5_000, 20_000])("upstreams that take %i ms each do not stretch the 25 s", async (slowMs) => {
    const { deps, wrap } = await builtWrap();
    deps.before = async ({ port }) => {
      if (port !== "rpc" || sendsOf(deps).length === 0) return;
      await deps.clock.sleep(slowMs);
      throw unavailable();
    };
    const started = deps.clock.now();
    const pending = execute(deps, wrap);
    const answeredAt = pending.then(() => deps.clock.now());
    expect(await over(LONG_MS, deps, pending)).toMatchObject({ status: "pending" });
    expect((await answeredAt) - started).toBeLessThanOrEqual(25_000);
  });

  test("our own bug is not swallowed as an upstream's failure", async () => {
    const { deps, wrap } = await builtWrap();
    deps.before = ({ method }) => {
      if (method === "send") throw new RangeError("ours");
    };
    await expect(post(deps, wrap)).rejects.toThrow(RangeError);
  });
});

describe("expiry of a transaction we built", () => {
  test("past its recorded height and nothing in the history: expired", async () => {
    const { deps, wrap } = await builtWrap();
    deps.chain.height = () => (sendsOf(deps).length > 2 ? 1_151 : 1_000);
    await expect(post(deps, wrap)).rejects.toMatchObject({
      code: "transaction_expired",
      details: { txSignature: signatureOf(wrap) },
    });
    const last = deps.calls.at(-1)!;
    expect([last.method, last.args[1]]).toEqual(["signatureStates", true]);
  });

  test("at its last valid height it may still land", async () => {
    const { deps, wrap } = await builtWrap();
    deps.chain.height = () => 1_150;
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
  });

  test("past its height but found in the history: confirmed", async () => {
    const { deps, wrap } = await builtWrap();
    deps.chain.height = () => 1_151;
    deps.chain.status = (_, searchHistory) => (searchHistory && sendsOf(deps).length > 0 ? landedAt(60) : null);
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true, slot: 60 });
    expect(await recordOf(deps, wrap)).toMatchObject({ slot: 60 });
  });

  test("past its height but failed in the history: failed, not expired", async () => {
    const { deps, wrap } = await builtWrap();
    deps.chain.height = () => 1_151;
    deps.chain.status = (_, history) => (history && sendsOf(deps).length > 0 ? landedAt(60, OWN_FAILURE) : null);
    await expect(post(deps, wrap)).rejects.toMatchObject({ code: "transaction_failed" });
  });

  test("past its height while the history cannot be read, or knows it as processed: pending", async () => {
    for (const history of ["down", "processed"]) {
      const { deps, wrap } = await builtWrap();
      deps.chain.height = () => 1_151;
      deps.before = ({ method, args }) => {
        const lookup = method === "signatureStates" && args[1] === true && sendsOf(deps).length > 0;
        if (lookup && history === "down") throw unavailable();
      };
      deps.chain.status = (_, search) =>
        search && sendsOf(deps).length > 0 ? { slot: 1, error: null, confirmation: "processed" } : null;
      expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
    }
  });

  test("judged by its recorded height alone: its blockhash and fresh ones are not asked about", async () => {
    const { deps, wrap } = await builtWrap();
    deps.chain.blockhashValid = () => false;
    deps.chain.latest = () => ({ blockhash: blockhashOf(3), lastValidBlockHeight: 9_000 });
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
    expect(callNames(deps)).not.toContain("rpc.isBlockhashValid");
    expect(callNames(deps)).not.toContain("rpc.latestBlockhash");
  });
});

describe("expiry of an app's own transaction", () => {
  test("its own blockhash is no longer valid and the history is empty: expired", async () => {
    const deps = fakeDeps();
    deps.chain.blockhashValid = (blockhash) => blockhash !== blockhashOf(9);
    await expect(post(deps, payment())).rejects.toMatchObject({ code: "transaction_expired" });
    expect(callNames(deps)).not.toContain("rpc.blockHeight");
    expect(callNames(deps)).not.toContain("rpc.latestBlockhash");
  });

  test("its own blockhash is still valid: pending, whatever the height", async () => {
    const deps = fakeDeps();
    deps.chain.blockhashValid = (blockhash) => blockhash === blockhashOf(9);
    deps.chain.height = () => 1_000_000;
    expect(await post(deps, payment())).toMatchObject({ status: "pending" });
  });

  test("its blockhash is no longer valid but it is in the history: confirmed", async () => {
    const deps = fakeDeps();
    deps.chain.blockhashValid = () => false;
    deps.chain.status = (_, searchHistory) => (searchHistory && sendsOf(deps).length > 0 ? landedAt(61) : null);
    expect(await post(deps, payment())).toMatchObject({ confirmed: true, slot: 61 });
  });
});

describe("what is kept", () => {
  test("once landed, what was read of its accounts is forgotten; not before", async () => {
    const { deps, wrap, service } = await builtWrap();
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
    expect(callNames(deps)).not.toContain("rpc.invalidate");
    landsAfterSends(deps, 1);
    await post(deps, wrap);
    const forgotten = deps.calls.find(({ method }) => method === "invalidate")!.args[0];
    expect(forgotten).toEqual(expect.arrayContaining([user.address, service]));
  });

  test("the price is that of the confirmation; posting again at another price leaves it", async () => {
    const { deps, wrap } = await builtWrap();
    landsAfterSends(deps, 1);
    await post(deps, wrap);
    expect(await recordOf(deps, wrap)).toEqual({ slot: 77, error: null, usd: deps.quoted.current!.usd });
    deps.quoted.current = pricesAt(deps.clock.now(), { usd: { ...deps.quoted.current!.usd, SOL: 999 } });
    await post(deps, wrap);
    expect(await recordOf(deps, wrap)).toMatchObject({ usd: { SOL: 150 } });
  });

  test("the same bytes posted twice at once: both confirmed, the record written by one", async () => {
    const { deps, wrap } = await builtWrap();
    landsAfterSends(deps, 4);
    let price = 100;
    deps.before = ({ method }) => {
      if (method === "current")
        deps.quoted.current = pricesAt(deps.clock.now(), { usd: { BTC: 1, ETH: 1, SOL: ++price, USDC: 1, USDT: 1 } });
    };
    const [first, second] = await Promise.all([post(deps, wrap), post(deps, wrap)]);
    expect(first).toEqual(second);
    expect(await recordOf(deps, wrap)).toMatchObject({ usd: { SOL: 101 } });
  });

  test("landed with no price to be had: confirmed, and the price stays unknown for good", async () => {
    const { deps, wrap } = await builtWrap();
    landsAfterSends(deps, 1);
    deps.quoted.current = null;
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true });
    deps.quoted.current = pricesAt(deps.clock.now());
    await post(deps, wrap);
    expect(await recordOf(deps, wrap)).toMatchObject({ usd: null });
  });

  test("a transaction that had landed before it was first posted here: confirmed, and today's price is not its price", async () => {
    const { deps, wrap } = await builtWrap();
    landsAfterSends(deps, 0);
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true });
    expect(await recordOf(deps, wrap)).toEqual({ slot: 77, error: null, usd: null });
  });

  test("a store that fails after the send turns a landed transaction into no error", async () => {
    const { deps, wrap } = await builtWrap();
    landsAfterSends(deps, 1);
    deps.before = ({ method }) => {
      if (method === "setIfAbsent") throw unavailable();
    };
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true, slot: 77 });
  });
});
