import { describe, expect, test } from "vitest";
import type { QuotaUser } from "../../../../lib/clients/quota/budget";
import type { QuotaPort } from "../../../../lib/clients/quota/quota-port";
import { meterPorts, REQUEST_TIMEOUT_MS } from "../../../../lib/clients/quota/upstream-time";
import { createFakeDeps, listCalls } from "../../../support/fakes/fake-deps";

/** Creates deps whose block height resolves when the test calls `answer`. */
function setup() {
  const deps = createFakeDeps();
  const pendingCalls: ((height: number) => void)[] = [];
  deps.rpc.readBlockHeight = () => new Promise((resolve) => pendingCalls.push(resolve));
  const meter = meterPorts(deps, ["rpc"]);
  const answer = () => {
    for (const resolve of pendingCalls.splice(0)) resolve(1);
  };
  return { deps, meter, answer };
}

describe("the time a request waits for its ports", () => {
  test("includes parallel calls only once", async () => {
    const { deps, meter, answer } = setup();
    const request = meter();
    const parallelCalls = Promise.all([request.deps.rpc.readBlockHeight(), request.deps.rpc.readBlockHeight()]);
    await deps.clock.advance(70);
    expect(request.getUpstreamMs()).toBe(70);
    answer();
    expect(await parallelCalls).toEqual([1, 1]);
    await deps.clock.advance(1000);
    expect(request.getUpstreamMs()).toBe(70);
  });

  test("is counted for each request that waits for the same call", async () => {
    const { deps, meter, answer } = setup();
    const [first, second] = [meter(), meter()];
    const earlyCall = first.deps.rpc.readBlockHeight();
    await deps.clock.advance(20);
    const lateCall = second.deps.rpc.readBlockHeight();
    await deps.clock.advance(10);
    answer();
    await Promise.all([earlyCall, lateCall]);
    expect([first.getUpstreamMs(), second.getUpstreamMs()]).toEqual([30, 10]);
  });

  test("ends with a failed call", async () => {
    const deps = createFakeDeps();
    const failure = new Error("down");
    deps.rpc.readBlockHeight = () => Promise.reject(failure);
    const request = meterPorts(deps, ["rpc"])();
    await expect(request.deps.rpc.readBlockHeight()).rejects.toBe(failure);
    await deps.clock.advance(50);
    expect(request.getUpstreamMs()).toBe(0);
  });

  test("passes the request as the quota user of each call", async () => {
    const deps = createFakeDeps();
    const requests: QuotaUser[] = [];
    const readHead = async ({ share, address }: QuotaUser) => requests.push({ share, address });
    const rpc = { ...deps.rpc, readHead } as unknown as QuotaPort<typeof deps.rpc>;
    const meter = meterPorts(deps, [], { rpc });
    const [first, second] = [meter(), meter()];
    Object.assign(second.quotaUser, { share: "money", address: "1.1.1.1" });
    await Promise.all([first.deps.rpc.readHead(), second.deps.rpc.readHead()]);
    expect(requests).toEqual([
      { share: "public", address: "" },
      { share: "money", address: "1.1.1.1" },
    ]);
  });

  test("does not include values that are not promises, or ports that are not upstreams", () => {
    const deps = createFakeDeps();
    const request = meterPorts(deps, ["rpc"])();
    expect(request.deps.rpc.invalidate([])).toBeUndefined();
    expect(request.deps.kv).toBe(deps.kv);
    expect(request.deps.network).toBe(deps.network);
  });
});

describe("the time limit of a request", () => {
  test("is 5 s for all its calls, counted from its own start", async () => {
    const { deps, meter } = setup();
    const [first, second] = [meter(), meter()];
    const slow = async ({ clock }: typeof deps, ms: number) => clock.sleep(ms).then(() => "done");
    const inTime = first.limitTime(slow(deps, 4_900));
    const lateWork = second.limitTime(slow(deps, 3_000).then(() => slow(deps, 3_000)));
    lateWork.catch(() => {});
    await deps.clock.advance(2_000);
    const laterWork = meter().limitTime(slow(deps, 4_500));
    await deps.clock.advance(REQUEST_TIMEOUT_MS - 2_000);
    expect(await inTime).toBe("done");
    await deps.clock.advance(100);
    await expect(lateWork).rejects.toMatchObject({ code: "upstream_timeout" });
    await deps.clock.advance(2_000);
    expect(await laterWork).toBe("done");
  });

  test("stops further calls of a request after a timeout", async () => {
    const { deps, meter } = setup();
    const request = meter();
    const work = request.deps.rpc.readBlockHeight().then(() => expect.unreachable("it never came"));
    const limitedWork = request.limitTime(work);
    limitedWork.catch(() => {});
    await deps.clock.advance(REQUEST_TIMEOUT_MS + 100);
    await expect(limitedWork).rejects.toMatchObject({ code: "upstream_timeout" });
    await expect(request.deps.rpc.readHead()).rejects.toMatchObject({ code: "upstream_timeout" });
    expect(listCalls(deps)).not.toContain("rpc.readHead");
  });

  test.each([
    ["answered", () => Promise.resolve("in part")],
    ["failed", () => Promise.reject(new Error("another part"))],
  ])("stops calls of work left in the background once the request has %s", async (_name, end) => {
    const { deps, meter, answer } = setup();
    const request = meter();
    const part = request.deps.rpc.readBlockHeight().then(() => request.deps.rpc.readHead());
    await request.limitTime(end()).catch(() => {});
    answer();
    await expect(part).rejects.toMatchObject({ code: "upstream_timeout" });
    expect(listCalls(deps)).not.toContain("rpc.readHead");
  });

  test("leaves no unhandled rejection, which would end the process", async () => {
    const { deps, meter, answer } = setup();
    const unhandledErrors: unknown[] = [];
    const recordError = (error: unknown) => void unhandledErrors.push(error);
    process.on("unhandledRejection", recordError);
    try {
      const request = meter();
      const helper = async () => request.deps.rpc.readHead();
      const work = request.deps.rpc.readBlockHeight().then(() => Promise.all([helper(), request.deps.rpc.readHead()]));
      request.limitTime(work).catch(() => {});
      await deps.clock.advance(REQUEST_TIMEOUT_MS + 100);
      answer();
      await work.catch(() => {});
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandledErrors).toEqual([]);
    } finally {
      process.off("unhandledRejection", recordError);
    }
  });

  test("starts with the request, also when a later request has begun its work first", async () => {
    const { deps, meter } = setup();
    const endlessWork = new Promise<never>(() => {});
    const earlierRequest = meter();
    await deps.clock.advance(4_000);
    for (const request of [meter(), earlierRequest]) request.limitTime(endlessWork).catch(() => {});
    await deps.clock.advance(REQUEST_TIMEOUT_MS - 4_000 + 100);
    await expect(earlierRequest.deps.rpc.readHead()).rejects.toMatchObject({ code: "upstream_timeout" });
    expect(listCalls(deps)).not.toContain("rpc.readHead");
  });

  test("passes on the work's own failure and keeps no timer", async () => {
    const { deps, meter } = setup();
    const failure = new Error("down");
    const timers = new Set<number>();
    const { startTimer } = deps.clock;
    deps.clock.startTimer = (ms, run) => {
      timers.add(ms);
      const cancel = startTimer(ms, run);
      return () => {
        timers.delete(ms);
        cancel();
      };
    };
    await expect(meter().limitTime(Promise.reject(failure))).rejects.toBe(failure);
    expect(timers.size).toBe(0);
  });
});
