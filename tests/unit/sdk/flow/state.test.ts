import { expect, test } from "vitest";
import {
  type AnyAbout,
  createRecordStore,
  type InFlightRecord,
  type KnownRecord,
  parseRecord,
} from "@/lib/sdk/flow/record";
import {
  type FlowEvent,
  type FlowState,
  getNextState,
  IDLE_STATE,
  type UnreadyBuild,
  type VerifiedBuild,
} from "@/lib/sdk/flow/state";
import { createMemoryStorage } from "@/lib/sdk/platform";
import { createSeededRandom } from "../../../support/fakes/seeded-random";

type Type = FlowEvent["type"];

/** The number of random walks from state to state, and of events in each. `npm run fuzz` sets more walks. */
const WALKS = Math.max(50, Number(process.env.FUZZ_RUNS ?? 0));
const STEPS = 200;
const [REQUEST, OTHER_REQUEST] = ["r", "other"] as unknown as KnownRecord["request"][];
const about = "a" as unknown as AnyAbout;
const STEP = { label: "a", transaction: "unsigned", validForMs: 30_000, about };
const IN_FLIGHT = { label: "a", about, signed: "bytes" };
const RECORD: KnownRecord = { request: REQUEST!, done: [], inFlight: null };

/** Creates a source of random events, with the verified builds and the stored records of those events. */
async function createEventSource(chance: () => number) {
  const pickRandom = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)]!;
  const recordStore = createRecordStore<KnownRecord["request"], AnyAbout>(createMemoryStorage, "test", "wallet");
  const storedRecords: InFlightRecord[] = [];
  for (const request of [REQUEST!, REQUEST!, OTHER_REQUEST!])
    storedRecords.push(await recordStore.storeInFlight({ ...RECORD, request }, IN_FLIGHT));
  const verifiedBuilds = new Set<unknown>();
  const createVerifiedBuild = (): VerifiedBuild => {
    const build = { ready: true, reason: null, blocked: pickRandom([null, null, "Empty."]) } as VerifiedBuild;
    verifiedBuilds.add(build);
    return build;
  };
  const createOutcome = () => ({ ...RECORD, done: [{ label: "a", about, txSignature: "s" }] });
  const error = new Error("No.");
  const createOffer = () => ({
    build: createVerifiedBuild(),
    unsignedSteps: [STEP, STEP].slice(Math.floor(chance() * 3)),
    doubts: [],
    previousBuild: null,
    expiresAt: 1,
    signBy: 2,
    note: null,
    isContinuing: true,
    sendCounter: "1",
  });
  const factories: { [Name in Type]: () => Omit<Extract<FlowEvent, { type: Name }>, "type"> } = {
    started: () => ({ request: REQUEST! }),
    resumed: () => ({ record: pickRandom([null, createOutcome(), ...storedRecords]) }),
    closed: () => ({}),
    buildStarted: () => ({ note: null, renewalCount: Math.floor(chance() * 3), isContinuing: true }),
    buildRefused: () => ({ build: { ready: false, reason: "No." } as UnreadyBuild, sendCounter: "1" }),
    buildOffered: () => ({ offer: createOffer() }),
    confirmed: () => ({}),
    doubtsFound: () => ({ doubts: [] }),
    signatureMissing: () => ({ error }),
    lockHeld: () => ({ note: "Wait." }),
    signed: () => ({}),
    signedStored: () => ({ record: pickRandom(storedRecords) }),
    stageChanged: () => ({ stage: pickRandom(["sending", "confirming"]) }),
    outcomeStored: () => ({ record: createOutcome(), hasLanded: chance() < 0.7 }),
    outcomeUnknown: () => ({ error, note: null }),
    sendCounterChanged: () => ({ sendCounter: "2" }),
    progressRead: () => ({ record: createOutcome() }),
    recordAdopted: () => ({ record: pickRandom([createOutcome(), ...storedRecords]) }),
    endedElsewhere: () => ({}),
    checkStarted: () => ({}),
    savedElsewhere: () => ({ error }),
    failed: () => ({ error }),
    finished: () => ({}),
  };
  const types = Object.keys(factories) as Type[];
  const createEvent = () => {
    const type = pickRandom(types);
    return { type, ...factories[type]() } as FlowEvent;
  };
  return { createEvent, verifiedBuilds, storedRecords: new Set<unknown>(storedRecords) };
}

const isAskingWallet = ({ phase, stage }: FlowState) => phase === "asking" || stage === "signing";
const isFollowing = ({ phase, stage }: FlowState) =>
  phase === "unknown" || stage === "sending" || stage === "confirming";

/** Events after which the flow no longer follows bytes in flight. */
const EVENTS_THAT_LEAVE_BYTES: Type[] = ["outcomeStored", "recordAdopted", "started", "resumed", "closed"];

test("no sequence of events signs an unverified build, sends unstored bytes or drops bytes in flight", async () => {
  const reachedNames = new Set<string>();
  for (let seed = 1; seed <= WALKS; seed++) {
    const { createEvent, verifiedBuilds, storedRecords } = await createEventSource(createSeededRandom(seed));
    let state: FlowState = IDLE_STATE;
    for (let i = 0; i < STEPS; i++) {
      const event = createEvent();
      const previousState: FlowState = Object.freeze(state);
      state = getNextState(previousState, event);
      expect(getNextState(previousState, event)).toEqual(state);
      reachedNames.add(state.stage ?? state.phase);
      if (state.build?.ready) expect(verifiedBuilds).toContain(state.build);
      if (isAskingWallet(state)) expect([state.build?.ready, state.record?.inFlight]).toEqual([true, null]);
      if (previousState.phase !== "asking" && state.phase === "asking") expect(state.build.blocked).toBeNull();
      if (isFollowing(state)) expect(storedRecords).toContain(state.record);
      else expect(state.record?.inFlight ?? null).toBeNull();
      if (previousState.record?.inFlight && !state.record?.inFlight)
        expect(EVENTS_THAT_LEAVE_BYTES).toContain(event.type);
    }
  }
  const phases = ["idle", "building", "refused", "review", "asking", "unknown", "elsewhere", "failed", "done"];
  expect([...reachedNames].sort()).toEqual([...phases, "signing", "sending", "confirming", "recorded"].sort());
});

test("a failure while bytes are in flight leaves their outcome unknown", () => {
  const record = { ...RECORD, inFlight: IN_FLIGHT } as InFlightRecord;
  const following = getNextState(IDLE_STATE, { type: "resumed", record });
  const failed = getNextState(following, { type: "failed", error: new Error("No.") });
  expect(failed).toMatchObject({ phase: "unknown", record });
});

test("a state that signs without a verified build or sends without a stored record does not type-check", () => {
  const build = { ready: true as const, reason: null };
  // @ts-expect-error: the build was not verified
  const asking: FlowState = { ...IDLE_STATE, phase: "asking", record: RECORD, build };
  // @ts-expect-error: the record was not stored
  const unknown: FlowState = { ...IDLE_STATE, phase: "unknown", record: { ...RECORD, inFlight: IN_FLIGHT } };
  // @ts-expect-error: nothing is in flight
  const sending: FlowState = { ...IDLE_STATE, phase: "running", stage: "sending", record: RECORD };
  // @ts-expect-error: a review needs a record
  const review: FlowState = { ...IDLE_STATE, phase: "review", build: build as VerifiedBuild };
  expect([asking, unknown, sending, review].map(({ phase }) => phase)).toHaveLength(4);
});

test.each([null, "", "{", "null", "[]", "{}", '{"done":[]}', '{"request":{}}', '{"done":[],"request":null}'])(
  "the stored text %j is no record",
  (text) => {
    expect(parseRecord(text)).toBeNull();
  },
);
