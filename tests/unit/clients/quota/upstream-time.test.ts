import { describe, expect, test } from "vitest";
import type { Asker } from "../../../../lib/clients/quota/budget";
import type { CallerScoped } from "../../../../lib/clients/quota/caller-scoped";
import { meterPorts, REQUEST_MS } from "../../../../lib/clients/quota/upstream-time";
import { callNames, fakeDeps } from "../../../support/fakes/fake-deps";

/** Deps whose block height comes when the test says so. */
function staged() {
  const deps = fakeDeps();
  const waiting: ((height: number) => void)[] = [];
  deps.rpc.blockHeight = () => new Promise((resolve) => waiting.push(resolve));
  const meter = meterPorts(deps, ["rpc"]);
  const answer = () => {
    for (const resolve of waiting.splice(0)) resolve(1);
  };
  return { deps, meter, answer };
}

describe("the time a request waits for its ports", () => {
  test("counts calls made in parallel once, and nothing after them", async () => {
    const { deps, meter, answer } = staged();
    const request = meter();
    const both = Promise.all([request.deps.rpc.blockHeight(), request.deps.rpc.blockHeight()]);
    await deps.clock.advance(70);
    expect(request.upstreamMs()).toBe(70);
    answer();
    expect(await both).toEqual([1, 1]);
    await deps.clock.advance(1000);
    expect(request.upstreamMs()).toBe(70);
  });

  test("is each request's own, also where both wait for the same", async () => {
    const { deps, meter, answer } = staged();
    const [first, second] = [meter(), meter()];
    const early = first.deps.rpc.blockHeight();
    await deps.clock.advance(20);
    const late = second.deps.rpc.blockHeight();
    await deps.clock.advance(10);
    answer();
    await Promise.all([early, late]);
    expect([first.upstreamMs(), second.upstreamMs()]).toEqual([30, 10]);
  });

  test("ends with a call that fails, whose failure is the caller's", async () => {
    const deps = fakeDeps();
    const failure = new Error("down");
    deps.rpc.blockHeight = () => Promise.reject(failure);
    const request = meterPorts(deps, ["rpc"])();
    await expect(request.deps.rpc.blockHeight()).rejects.toBe(failure);
    await deps.clock.advance(50);
    expect(request.upstreamMs()).toBe(0);
  });

  test("each call of a port that wants to know says for whom it is", async () => {
    const deps = fakeDeps();
    const asked: Asker[] = [];
    const note = (asker: Asker) => asked.push({ share: asker.share, address: asker.address });
    const rpc = { ...deps.rpc, head: async (asker: Asker) => note(asker) } as unknown as CallerScoped<typeof deps.rpc>;
    const meter = meterPorts(deps, [], { rpc });
    const [first, second] = [meter(), meter()];
    Object.assign(second.asker, { share: "money", address: "1.1.1.1" });
    await Promise.all([first.deps.rpc.head(), second.deps.rpc.head()]);
    expect(asked).toEqual([
      { share: "public", address: "" },
      { share: "money", address: "1.1.1.1" },
    ]);
  });

  test("what is no promise, and what is no upstream, comes through as it is", () => {
    const deps = fakeDeps();
    const request = meterPorts(deps, ["rpc"])();
    expect(request.deps.rpc.invalidate([])).toBeUndefined();
    expect(request.deps.kv).toBe(deps.kv);
    expect(request.deps.network).toBe(deps.network);
  });
});

describe("the time a request has", () => {
  test("is 5 s in all, however many calls it makes of them; those who came later have theirs", async () => {
    const { deps, meter } = staged();
    const [first, second] = [meter(), meter()];
    const slow = async ({ clock }: typeof deps, ms: number) => clock.sleep(ms).then(() => "done");
    const inTime = first.within(slow(deps, 4_900));
    const late = second.within(slow(deps, 3_000).then(() => slow(deps, 3_000)));
    late.catch(() => {});
    await deps.clock.advance(2_000);
    const later = meter().within(slow(deps, 4_500));
    await deps.clock.advance(REQUEST_MS - 2_000);
    expect(await inTime).toBe("done");
    await deps.clock.advance(100);
    await expect(late).rejects.toMatchObject({ code: "upstream_timeout" });
    await deps.clock.advance(2_000);
    expect(await later).toBe("done");
  });

  test("once it is over, what the request would still ask is not asked", async () => {
    const { deps, meter } = staged();
    const request = meter();
    const work = request.deps.rpc.blockHeight().then(() => expect.unreachable("it never came"));
    const late = request.within(work);
    late.catch(() => {});
    await deps.clock.advance(REQUEST_MS + 100);
    await expect(late).rejects.toMatchObject({ code: "upstream_timeout" });
    await expect(request.deps.rpc.head()).rejects.toMatchObject({ code: "upstream_timeout" });
    expect(callNames(deps)).not.toContain("rpc.head");
  });

  test.each([
    ["answered", () => Promise.resolve("in part")],
    ["failed", () => Promise.reject(new Error("another part"))],
  ])("nor what a part of it would ask that was not waited for, once it has %s", async (_what, end) => {
    const { deps, meter, answer } = staged();
    const request = meter();
    const part = request.deps.rpc.blockHeight().then(() => request.deps.rpc.head());
    await request.within(end()).catch(() => {});
    answer();
    await expect(part).rejects.toMatchObject({ code: "upstream_timeout" });
    expect(callNames(deps)).not.toContain("rpc.head");
  });

  test("nor does it leave behind a failure that nobody takes, which would end the process", async () => {
    const { deps, meter, answer } = staged();
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", note);
    try {
      const request = meter();
      const helper = async () => request.deps.rpc.head();
      const work = request.deps.rpc.blockHeight().then(() => Promise.all([helper(), request.deps.rpc.head()]));
      request.within(work).catch(() => {});
      await deps.clock.advance(REQUEST_MS + 100);
      answer();
      await work.catch(() => {});
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });

  test("is no longer for who was slow to send the request, whoever has begun meanwhile", async () => {
    const { deps, meter } = staged();
    const never = () => new Promise<never>(() => {});
    const slow = meter();
    await deps.clock.advance(4_000);
    const quick = meter();
    quick.within(never()).catch(() => {});
    const late = slow.within(never());
    late.catch(() => {});
    await deps.clock.advance(REQUEST_MS - 4_000 + 100);
    await expect(slow.deps.rpc.head()).rejects.toMatchObject({ code: "upstream_timeout" });
    expect(callNames(deps)).not.toContain("rpc.head");
  });

  test("a failure is the work's own, and nothing sleeps on when all are done", async () => {
    const { deps, meter } = staged();
    const failure = new Error("down");
    await expect(meter().within(Promise.reject(failure))).rejects.toBe(failure);
    let slept = 0;
    const { sleep } = deps.clock;
    deps.clock.sleep = (ms) => {
      slept++;
      return sleep(ms);
    };
    await deps.clock.advance(10_000);
    expect(slept).toBe(0);
  });
});
