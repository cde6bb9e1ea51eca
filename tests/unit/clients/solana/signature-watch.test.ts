import { describe, expect, test } from "vitest";
import { createSignatureWatch } from "../../../../lib/clients/solana/signature-watch";
import type { SolanaRpc } from "../../../../lib/ports/solana-rpc";
import { createManualClock } from "../../../support/fakes/manual-clock";

const DAY_MS = 86_400_000;
const HISTORY = { searchHistory: true, withinMs: 2_500 };

/** Creates a watch whose system clock a test can set. Its node knows no signature. */
function stagedWatch(skewMs = 0) {
  const clock = createManualClock();
  const server = { skewMs };
  const polls: string[][] = [];
  const rpc = {
    async readSignatureStates(signatures: string[]) {
      polls.push(signatures);
      return { slot: 7, states: signatures.map(() => null) };
    },
    readHead: async () => null,
  } as unknown as SolanaRpc;
  const watch = createSignatureWatch({ rpc, clock: { ...clock, now: () => clock.now() + server.skewMs } });
  return { watch, server, polls, advance: clock.advance };
}

describe("when the system clock is set back by a day", () => {
  test("a poll of the history waits at least its time, and at most twice its time", async () => {
    const { watch, server, polls, advance } = stagedWatch(DAY_MS);
    const polled = watch.poll("a", HISTORY);
    server.skewMs = 0;
    await advance(HISTORY.withinMs - 1);
    expect(polls).toEqual([]);
    await advance(HISTORY.withinMs + 1);
    expect(polls).toEqual([["a"]]);
    await polled;
  });

  test("an earlier shared poll does not delay the next poll", async () => {
    const { watch, server, polls, advance } = stagedWatch(DAY_MS);
    const earlierPolls = Promise.all([watch.poll("a", HISTORY), watch.poll("b", HISTORY)]);
    await advance(HISTORY.withinMs);
    await earlierPolls;
    server.skewMs = 0;
    const laterPoll = watch.poll("c", HISTORY);
    await advance(HISTORY.withinMs);
    expect(polls).toEqual([["a", "b"], ["c"]]);
    await laterPoll;
  });

  test("a second poll keeps its own time", async () => {
    const { watch, server, polls, advance } = stagedWatch(DAY_MS);
    const firstPoll = watch.poll("a", HISTORY);
    await advance(1_000);
    server.skewMs = 0;
    const secondPoll = watch.poll("b", { searchHistory: false, withinMs: 500 });
    await advance(500);
    expect(polls).toEqual([["b"]]);
    await secondPoll;
    await advance(HISTORY.withinMs);
    expect(polls).toEqual([["b"], ["a"]]);
    await firstPoll;
  });
});
