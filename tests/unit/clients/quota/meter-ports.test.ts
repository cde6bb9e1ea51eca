import { describe, expect, onTestFinished, test } from "vitest";
import { meterPorts, REQUEST_TIMEOUT_MS } from "../../../../lib/clients/quota/meter-ports";
import { createFakeDeps, listCalls } from "../../../support/fakes/fake-deps";

/** Creates deps whose block height resolves when the test calls `answerCalls`. */
function createMeterRig() {
  const deps = createFakeDeps();
  const pendingCalls: ((height: number) => void)[] = [];
  deps.rpc.readBlockHeight = () => new Promise((resolve) => pendingCalls.push(resolve));
  const meter = meterPorts(deps, ["rpc"]);
  const answerCalls = () => {
    for (const resolve of pendingCalls.splice(0)) resolve(1);
  };
  return { deps, meter, answerCalls };
}

describe("the time limit of a request", () => {
  test("is 5 s for all its calls, counted from its own start", async () => {
    const { deps, meter } = createMeterRig();
    const [firstRequest, secondRequest] = [meter(), meter()];
    const waitFor = async ({ clock }: typeof deps, ms: number) => clock.sleep(ms).then(() => "done");
    const inTime = firstRequest.limitTime(waitFor(deps, 4_900));
    const lateWork = secondRequest.limitTime(waitFor(deps, 3_000).then(() => waitFor(deps, 3_000)));
    lateWork.catch(() => {});
    await deps.clock.advance(2_000);
    const laterWork = meter().limitTime(waitFor(deps, 4_500));
    await deps.clock.advance(REQUEST_TIMEOUT_MS - 2_000);
    expect(await inTime).toBe("done");
    await deps.clock.advance(100);
    await expect(lateWork).rejects.toMatchObject({ code: "upstream_timeout" });
    await deps.clock.advance(2_000);
    expect(await laterWork).toBe("done");
  });

  test("stops further calls of a request after a timeout", async () => {
    const { deps, meter } = createMeterRig();
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
  ])("stops calls of work left in the background once the request has %s", async (_caseName, end) => {
    const { deps, meter, answerCalls } = createMeterRig();
    const request = meter();
    const backgroundPart = request.deps.rpc.readBlockHeight().then(() => request.deps.rpc.readHead());
    await request.limitTime(end()).catch(() => {});
    answerCalls();
    await expect(backgroundPart).rejects.toMatchObject({ code: "upstream_timeout" });
    expect(listCalls(deps)).not.toContain("rpc.readHead");
  });

  test("leaves no unhandled rejection, which would end the process", async () => {
    const { deps, meter, answerCalls } = createMeterRig();
    const unhandledErrors: unknown[] = [];
    const recordError = (error: unknown) => void unhandledErrors.push(error);
    process.on("unhandledRejection", recordError);
    onTestFinished(() => void process.off("unhandledRejection", recordError));
    const request = meter();
    const readHeadLater = async () => request.deps.rpc.readHead();
    const work = request.deps.rpc
      .readBlockHeight()
      .then(() => Promise.all([readHeadLater(), request.deps.rpc.readHead()]));
    request.limitTime(work).catch(() => {});
    await deps.clock.advance(REQUEST_TIMEOUT_MS + 100);
    answerCalls();
    await work.catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandledErrors).toEqual([]);
  });
});
