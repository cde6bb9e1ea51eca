import { describe, expect, test } from "vitest";
import { buildWrap } from "../../../../../lib/services/build-wrap";
import {
  buildState,
  rememberHeight,
  rememberRelayed,
  validUntil,
} from "../../../../../lib/services/steps/relay/build-records";
import { callNames, type FakeDeps, fakeDeps } from "../../../../support/fakes/fake-deps";
import { testWallet } from "../../../../support/fixtures/test-wallets";
import { user } from "../../../../support/worlds/relay-rig";

const message = (fill: number) => new Uint8Array(200).fill(fill);

/** A wrap of its own for each amount. */
const wrap = (deps: FakeDeps, txValueUsd: number) =>
  buildWrap(deps, { txValueUsd, userPubkey: user.address, serviceWalletPubkey: testWallet("service wallet").address });

const writes = (deps: FakeDeps) => callNames(deps).filter((name) => name === "kv.set" || name === "kv.setIfAbsent");

describe("the last valid block height", () => {
  test("is known only for a blockhash that this service handed out", async () => {
    const deps = fakeDeps();
    await rememberHeight(deps, { blockhash: "first", lastValidBlockHeight: 1_150, slot: 7 });
    expect(await validUntil(deps, "first")).toEqual({ height: 1_150, slot: 7 });
    expect(await validUntil(deps, "second")).toBeNull();
  });

  test("keeps the first height recorded for a blockhash", async () => {
    const deps = fakeDeps();
    await rememberHeight(deps, { blockhash: "first", lastValidBlockHeight: 1_150 });
    await rememberHeight(deps, { blockhash: "first", lastValidBlockHeight: 9 });
    expect(await validUntil(deps, "first")).toEqual({ height: 1_150, slot: null });
  });

  test("is written once per blockhash, however many wraps use it", async () => {
    const deps = fakeDeps();
    const first = await wrap(deps, 27.63);
    expect(await validUntil(deps, first.transaction!.blockhash)).toMatchObject({
      height: first.transaction!.lastValidBlockHeight,
    });
    expect(writes(deps)).toHaveLength(1);
    for (const txValueUsd of [27.63, 3.01, 12.34]) await wrap(deps, txValueUsd);
    expect(writes(deps)).toHaveLength(1);
  });
});

describe("records of relayed messages", () => {
  test("distinguishes messages that share a blockhash", async () => {
    const deps = fakeDeps();
    await rememberRelayed(deps, message(1));
    expect(await buildState(deps, "first", [message(1)])).toEqual({ heightKnown: false, anyRelayed: true });
    expect(await buildState(deps, "first", [message(2)])).toEqual({ heightKnown: false, anyRelayed: false });
    expect(await buildState(deps, "first", [message(2), message(1)])).toMatchObject({ anyRelayed: true });
  });

  test("reads any number of messages in one store call", async () => {
    const deps = fakeDeps();
    await buildState(deps, "first", [message(1), message(2), message(3)]);
    expect(callNames(deps)).toEqual(["kv.getMany"]);
  });
});
