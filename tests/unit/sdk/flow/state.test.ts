import { expect, test } from "vitest";
import type { UnreadyBuild, VerifiedBuild } from "@/lib/sdk/flow/phases";
import { createFlowMemory, type InFlightRecord, type KnownRecord } from "@/lib/sdk/flow/record";
import { type FlowEvent, type FlowState, IDLE, transition } from "@/lib/sdk/flow/state";
import type { BuildResult, Step } from "@/lib/sdk/flow/types";
import { memoryStorage } from "@/lib/sdk/world";
import { seedRandom } from "../../../support/fakes/seeded-random";

type State = FlowState<string, BuildResult, string>;
type Event = FlowEvent<string, BuildResult, string>;
type Type = Event["type"];

const WALKS = Math.max(150, Number(process.env.FUZZ_RUNS ?? 0));
const STEPS = 200;
const STEP: Step<string> = { label: "a", transaction: "unsigned", about: "a" };
const RECORD: KnownRecord<string, string> = { request: "r", done: [], inFlight: null };

/** Creates a source of random events, with the verified builds and the stored records of those events. */
async function createEvents(chance: () => number) {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)]!;
  const memory = createFlowMemory<string, string>(memoryStorage, "test", "wallet");
  const storedRecords: InFlightRecord<string, string>[] = [];
  for (const request of ["r", "r", "other"])
    storedRecords.push(await memory.storeSigned({ ...RECORD, request }, { label: "a", about: "a", signed: "bytes" }));
  const verifiedBuilds = new Set<unknown>();
  const createVerifiedBuild = (): VerifiedBuild<BuildResult> => {
    const build = { ready: true, reason: null, blocked: pick([null, null, "Empty."]) } as VerifiedBuild<BuildResult>;
    verifiedBuilds.add(build);
    return build;
  };
  const createOutcome = () => ({ ...RECORD, done: [{ label: "a", about: "a", txSignature: "s" }] });
  const error = new Error("No.");
  const createOffer = () => ({
    build: createVerifiedBuild(),
    waiting: [STEP, STEP].slice(Math.floor(chance() * 3)),
    doubts: [],
    previous: null,
    expiresAt: 1,
    note: null,
    stamp: "1",
  });
  const factories: { [T in Type]: () => Omit<Extract<Event, { type: T }>, "type"> } = {
    started: () => ({ request: "r" }),
    resumed: () => ({ record: pick([null, createOutcome(), ...storedRecords]) }),
    closed: () => ({}),
    buildStarted: () => ({ note: null, renewals: Math.floor(chance() * 3) }),
    buildRefused: () => ({ build: { ready: false, reason: "No." } as UnreadyBuild<BuildResult>, stamp: "1" }),
    buildOffered: () => ({ offer: createOffer() }),
    confirmed: () => ({}),
    doubtsFound: () => ({ doubts: [] }),
    signatureMissing: () => ({ error }),
    lockHeld: () => ({ note: "Wait." }),
    signed: () => ({}),
    signedStored: () => ({ record: pick(storedRecords) }),
    stageChanged: () => ({ stage: pick(["sending", "confirming"]) }),
    outcomeStored: () => ({ record: createOutcome(), landed: chance() < 0.7 }),
    outcomeUnknown: () => ({ error, note: null }),
    stampChanged: () => ({ stamp: "2" }),
    progressRead: () => ({ record: createOutcome() }),
    recordAdopted: () => ({ record: pick([createOutcome(), ...storedRecords]) }),
    endedElsewhere: () => ({}),
    checkStarted: () => ({}),
    discardStarted: () => ({ record: pick(storedRecords) }),
    savedElsewhere: () => ({ error }),
    failed: () => ({ error }),
    finished: () => ({}),
  };
  const types = Object.keys(factories) as Type[];
  const next = (): Event => {
    const type = pick(types);
    return { type, ...factories[type]() } as Event;
  };
  return { next, verifiedBuilds, storedRecords: new Set<unknown>(storedRecords) };
}

const asksWallet = ({ phase, stage }: State) => phase === "asking" || stage === "signing";
const isFollowing = ({ phase, stage }: State) => phase === "unknown" || stage === "sending" || stage === "confirming";

/** Events by which the user, or the outcome itself, ends the following of bytes in flight. */
const LEAVES_BYTES: Type[] = ["outcomeStored", "recordAdopted", "started", "resumed", "closed", "discardStarted"];

test("no sequence of events signs an unverified build, sends unstored bytes or drops bytes in flight", async () => {
  const reached = new Set<string>();
  for (let seed = 1; seed <= WALKS; seed++) {
    const { next, verifiedBuilds, storedRecords } = await createEvents(seedRandom(seed));
    let state: State = IDLE;
    for (let i = 0; i < STEPS; i++) {
      const event = next();
      const before: State = Object.freeze(state);
      state = transition(before, event);
      expect(transition(before, event)).toEqual(state);
      reached.add(state.stage ?? state.phase);
      if (state.build?.ready) expect(verifiedBuilds).toContain(state.build);
      if (asksWallet(state)) expect([state.build?.ready, state.record?.inFlight]).toEqual([true, null]);
      if (before.phase !== "asking" && state.phase === "asking") expect(state.build.blocked).toBeNull();
      if (isFollowing(state)) expect(storedRecords).toContain(state.record);
      else expect(state.record?.inFlight ?? null).toBeNull();
      if (before.record?.inFlight && !state.record?.inFlight) expect(LEAVES_BYTES).toContain(event.type);
    }
  }
  const phases = ["idle", "building", "refused", "review", "asking", "unknown", "elsewhere", "failed", "done"];
  expect([...reached].sort()).toEqual([...phases, "signing", "sending", "confirming", "recorded"].sort());
});

test("a failure while bytes are in flight leaves their outcome unknown", () => {
  const record = { ...RECORD, inFlight: { label: "a", about: "a", signed: "bytes" } } as InFlightRecord<string, string>;
  const following = transition<string, BuildResult, string>(IDLE, { type: "resumed", record });
  const failed = transition(following, { type: "failed", error: new Error("No.") });
  expect(failed).toMatchObject({ phase: "unknown", record });
});

test("a state that signs without a verified build or sends without a stored record does not type-check", () => {
  const build: BuildResult = { ready: true, reason: null };
  const inFlight = { label: "a", about: "a", signed: "bytes" };
  // @ts-expect-error: the build was not verified
  const asking: State = { ...IDLE, phase: "asking", record: RECORD, build };
  // @ts-expect-error: the record was not stored
  const unknown: State = { ...IDLE, phase: "unknown", record: { ...RECORD, inFlight } };
  // @ts-expect-error: nothing is in flight
  const sending: State = { ...IDLE, phase: "running", stage: "sending", record: RECORD };
  // @ts-expect-error: a review needs a record
  const review: State = { ...IDLE, phase: "review", build: build as VerifiedBuild<BuildResult> };
  expect([asking, unknown, sending, review].map(({ phase }) => phase)).toHaveLength(4);
});
