import { describe, expect, test } from "vitest";
import { createSignatureWatch } from "../../../../lib/clients/solana/signature-watch";
import type { SolanaRpc } from "../../../../lib/ports/solana-rpc";
import { manualClock } from "../../../support/fakes/manual-clock";

const DAY_MS = 86_400_000;
const HISTORY = { searchHistory: true, withinMs: 2_500 };

/** A watch on a server whose wall clock a test can set, over a node that knows no signature. */
function stagedWatch(skewMs = 0) {
  const clock = manualClock();
  const server = { skewMs };
  const looks: string[][] = [];
  const rpc = {
    async signatureStates(signatures: string[]) {
      looks.push(signatures);
      return { slot: 7, states: signatures.map(() => null) };
    },
    head: async () => null,
  } as unknown as SolanaRpc;
  const watch = createSignatureWatch({ rpc, clock: { ...clock, now: () => clock.now() + server.skewMs } });
  return { watch, server, looks, advance: clock.advance };
}

describe("when the system clock is set back by a day", () => {
  test("a poll of the history waits at most once more, and never less than asked", async () => {
    const { watch, server, looks, advance } = stagedWatch(DAY_MS);
    const polled = watch.poll("a", HISTORY);
    server.skewMs = 0;
    await advance(HISTORY.withinMs - 1);
    expect(looks).toEqual([]);
    await advance(HISTORY.withinMs + 1);
    expect(looks).toEqual([["a"]]);
    await polled;
  });

  test("a look that was shared before does not delay the next look", async () => {
    const { watch, server, looks, advance } = stagedWatch(DAY_MS);
    const before = Promise.all([watch.poll("a", HISTORY), watch.poll("b", HISTORY)]);
    await advance(HISTORY.withinMs);
    await before;
    server.skewMs = 0;
    const after = watch.poll("c", HISTORY);
    await advance(HISTORY.withinMs);
    expect(looks).toEqual([["a", "b"], ["c"]]);
    await after;
  });

  test("another poll keeps the time that it asked for", async () => {
    const { watch, server, looks, advance } = stagedWatch(DAY_MS);
    const first = watch.poll("a", HISTORY);
    await advance(1_000);
    server.skewMs = 0;
    const second = watch.poll("b", { searchHistory: false, withinMs: 500 });
    await advance(500);
    expect(looks).toEqual([["b"]]);
    await second;
    await advance(HISTORY.withinMs);
    expect(looks).toEqual([["b"], ["a"]]);
    await first;
  });
});
