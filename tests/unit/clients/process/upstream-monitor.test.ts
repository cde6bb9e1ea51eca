import { expect, test } from "vitest";
import { createUpstreamMonitor } from "../../../../lib/clients/process/upstream-monitor";
import { AppError, type ErrorCode, KeyRefused, UpstreamFault } from "../../../../lib/errors";
import { createManualClock } from "../../../support/fakes/manual-clock";

function rig() {
  const clock = createManualClock();
  const notices: string[] = [];
  const monitor = createUpstreamMonitor({ clock, notice: (text) => notices.push(text) });
  let outcome: Error | null = null;
  const port = monitor.watch("jupiter", {
    ask: async (word: string) => {
      if (outcome) throw outcome;
      return `${word}!`;
    },
  });
  const ask = async (next: Error | null) => {
    outcome = next;
    return port.ask("so").catch((error) => error);
  };
  return { clock, notices, ask, report: () => monitor.report()[0]! };
}

const fault = (code: ErrorCode, cause?: Error) => new AppError(code, { cause });

test("reports an upstream as unchecked before its first call", async () => {
  const { ask, report } = rig();
  expect(report()).toEqual({
    name: "jupiter",
    state: "unchecked",
    lagSlots: null,
    answeredAt: null,
    lastFault: null,
  });
  expect(await ask(null)).toBe("so!");
  const error = fault("upstream_timeout");
  expect(await ask(error)).toBe(error);
});

test.each([
  ["timeout", fault("upstream_timeout")],
  ["invalid", fault("upstream_invalid")],
  ["busy", fault("upstream_unavailable", new UpstreamFault("jupiter", 429))],
  ["unavailable", fault("upstream_unavailable", new UpstreamFault("jupiter", 500))],
  ["key_refused", fault("upstream_unavailable", new KeyRefused("jupiter", 401))],
] as const)("reports %s as the kind of the last failure, also after the next answer", async (kind, error) => {
  const { ask, report, clock } = rig();
  await ask(error);
  expect(report()).toMatchObject({ state: "failing", answeredAt: null, lastFault: kind });
  await ask(null);
  expect(report()).toMatchObject({ state: "up", answeredAt: clock.now(), lastFault: kind });
});

test("counts no_route and a bug as answers", async () => {
  const { ask, report } = rig();
  for (const error of [fault("no_route"), new TypeError()]) {
    await ask(error);
    expect(report()).toMatchObject({ state: "up", lastFault: null });
  }
});

test("reports a refused key only once until the key is accepted again", async () => {
  const { ask, notices } = rig();
  const keyRefused = fault("upstream_unavailable", new KeyRefused("jupiter", 403));
  await ask(keyRefused);
  await ask(keyRefused);
  expect(notices).toEqual(["jupiter refuses the key that is configured."]);
  await ask(null);
  await ask(keyRefused);
  expect(notices).toHaveLength(2);
});
