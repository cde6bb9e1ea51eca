import { describe, expect, test } from "vitest";
import { createSignatureWatch } from "../../../../lib/clients/solana/signature-watch";
import { DAY_MS } from "../../../../lib/domain/time";
import type { SignatureState, SolanaRpc } from "../../../../lib/ports/solana-rpc";
import { createManualClock } from "../../../support/fakes/manual-clock";

const HISTORY_POLL = { searchHistory: true, withinMs: 2_500 };

/** Creates a watch whose system clock is a day ahead until the test sets it. Its node knows the signatures in `states`. */
function createTestWatch() {
  const clock = createManualClock();
  const systemClock = { skewMs: DAY_MS };
  const polls: string[][] = [];
  const states: Record<string, SignatureState> = {};
  const rpc = {
    async readSignatureStates(signatures: string[]) {
      polls.push(signatures);
      return { slot: 7, states: signatures.map((signature) => states[signature] ?? null) };
    },
    readHead: async () => null,
    getSlotTime: () => ({ newestSlot: 7, slotMs: 400 }),
  } as unknown as SolanaRpc;
  const watch = createSignatureWatch({ rpc, clock: { ...clock, now: () => clock.now() + systemClock.skewMs } });
  return { watch, systemClock, polls, states, advance: clock.advance };
}

test("after the clock is set back by a day, a poll of the history is made within two times `withinMs`", async () => {
  const { watch, systemClock, polls, advance } = createTestWatch();
  const pendingPoll = watch.poll("a", HISTORY_POLL);
  systemClock.skewMs = 0;
  await advance(HISTORY_POLL.withinMs - 1);
  expect(polls).toEqual([]);
  await advance(HISTORY_POLL.withinMs + 1);
  expect(polls).toEqual([["a"]]);
  await pendingPoll;
});

describe("a poll of another caller that comes before a waiter is due", () => {
  const SHORT_POLL = { searchHistory: false, withinMs: 100 };
  const LONG_POLL = { searchHistory: false, withinMs: 500 };
  const createState = (confirmation: SignatureState["confirmation"]): SignatureState => ({
    slot: 7,
    error: null,
    confirmation,
  });

  test("answers the waiter if its transaction has landed", async () => {
    const { watch, states, polls, advance } = createTestWatch();
    states.b = createState("confirmed");
    const readings = Promise.all([watch.poll("a", SHORT_POLL), watch.poll("b", LONG_POLL)]);
    await advance(100);
    expect(await readings).toMatchObject([{ state: null }, { state: { slot: 7 } }]);
    expect(polls).toEqual([["a", "b"]]);
  });

  test.each([undefined, "processed"] as const)("leaves it waiting while the state is %s", async (confirmation) => {
    const { watch, states, polls, advance } = createTestWatch();
    if (confirmation) states.b = createState(confirmation);
    const readings = Promise.all([watch.poll("a", SHORT_POLL), watch.poll("b", LONG_POLL)]);
    await advance(499);
    expect(polls).toEqual([["a", "b"]]);
    states.b = createState("confirmed");
    await advance(1);
    expect(await readings).toMatchObject([{ state: null }, { state: { confirmation: "confirmed" } }]);
  });
});
