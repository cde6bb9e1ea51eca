import { expect, test } from "vitest";
import { createUpstreamMonitor } from "../../../../lib/clients/process/upstream-monitor";
import { AppError, type ErrorCode, KeyRefusedFault } from "../../../../lib/errors";
import { createManualClock } from "../../../support/fakes/manual-clock";

function createTestMonitor() {
  const clock = createManualClock();
  const notices: string[] = [];
  const monitor = createUpstreamMonitor({ clock, notify: (text) => notices.push(text) });
  const port = monitor.watch("jupiter", {
    answer: async (failure: Error | null) => {
      if (failure) throw failure;
      return "hello";
    },
  });
  const callUpstream = (failure: Error | null) => port.answer(failure).catch((error) => error);
  return { clock, notices, call: callUpstream, readReport: () => monitor.report()[0]! };
}

const createFailure = (code: ErrorCode, cause?: Error) => new AppError(code, { cause });

test("the monitor reports a refused key only once until the key is accepted again", async () => {
  const { call, notices } = createTestMonitor();
  const keyRefused = createFailure("upstream_unavailable", new KeyRefusedFault("jupiter", 403));
  await call(keyRefused);
  await call(keyRefused);
  expect(notices).toEqual(["jupiter refuses the key that is configured."]);
  await call(null);
  await call(keyRefused);
  expect(notices).toHaveLength(2);
});
