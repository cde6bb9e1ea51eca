import { expect, test } from "vitest";
import { createUpstreamMonitor } from "../../../../lib/clients/process/upstream-monitor";
import { AppError, KeyRefusedFault } from "../../../../lib/errors";
import { createManualClock } from "../../../support/fakes/manual-clock";

test("the monitor reports a refused key only once until the key is accepted again", async () => {
  const notices: string[] = [];
  const monitor = createUpstreamMonitor({ clock: createManualClock(), notify: (text) => notices.push(text) });
  let isRefused = true;
  const port = monitor.watch("jupiter", {
    async answer() {
      if (isRefused) throw new AppError("upstream_unavailable", { cause: new KeyRefusedFault("jupiter", 403) });
    },
  });
  const call = () => port.answer().catch(() => {});
  await call();
  await call();
  expect(notices).toEqual(["jupiter refuses the key that is configured."]);
  isRefused = false;
  await call();
  isRefused = true;
  await call();
  expect(notices).toHaveLength(2);
});
