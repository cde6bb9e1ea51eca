import { describe, expect, test } from "vitest";
import { meterPorts } from "../../../lib/clients/upstream-time";
import { fakeDeps } from "../../support/fake-deps";

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

  test("what is no promise, and what is no upstream, comes through as it is", () => {
    const deps = fakeDeps();
    const request = meterPorts(deps, ["rpc"])();
    expect(request.deps.rpc.invalidate([])).toBeUndefined();
    expect(request.deps.kv).toBe(deps.kv);
    expect(request.deps.network).toBe(deps.network);
  });
});
