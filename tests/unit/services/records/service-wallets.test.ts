import { beforeEach, expect, test } from "vitest";
import { DAY_MS } from "../../../../lib/domain/time";
import { findServiceWallets } from "../../../../lib/services/records/service-wallets";
import { advancePending } from "../../../../lib/services/steps/relay/advance-pending";
import { buildSystemTransfer } from "../../../../lib/solana/system-instructions";
import { type FakeDeps, setPrices, stageOutage } from "../../../support/fakes/fake-deps";
import {
  buildTransaction,
  deriveServiceWallet,
  landAfterSends,
  postSigned,
  signWrap,
  stageWrap,
  stranger,
  user,
} from "../../../support/worlds/relay-rig";

let deps: FakeDeps;
/** A signed wrap into `serviceWallet` that this service built. */
let wrap: Uint8Array;
let serviceWallet: string;
beforeEach(async () => {
  ({ deps, wrap, serviceWallet } = await stageWrap());
});

async function advanceDays(days: number): Promise<void> {
  await deps.clock.advance(days * DAY_MS);
  setPrices(deps);
}

const isKnown = async (address = serviceWallet) => (await findServiceWallets(deps, [address])).has(address);

test("a service wallet without a saving is forgotten after 30 days", async () => {
  await advanceDays(30);
  expect(await isKnown()).toBe(false);
});

test.each([
  ["built into", () => signWrap(deps, serviceWallet)],
  ["derived", () => deriveServiceWallet(deps)],
])("a service wallet is kept for another 30 days each time it is %s", async (_, renew) => {
  for (let i = 0; i < 3; i++) {
    await advanceDays(29);
    await renew();
    expect(await isKnown()).toBe(true);
  }
  await advanceDays(30);
  expect(await isKnown()).toBe(false);
});

test("a build registers neither an unknown nor a forgotten address as a service wallet", async () => {
  await advanceDays(30);
  for (const address of [serviceWallet, stranger.address]) {
    await signWrap(deps, address);
    expect(await isKnown(address)).toBe(false);
  }
});

test("a service wallet with a landed saving is kept permanently", async () => {
  landAfterSends(deps, 1);
  expect(await postSigned(deps, wrap)).toMatchObject({ confirmed: true });
  await deriveServiceWallet(deps);
  await advanceDays(400);
  expect(await isKnown()).toBe(true);
});

test("a service wallet with a landed saving is kept although the store failed when the saving landed", async () => {
  landAfterSends(deps, 1);
  const isRecordWrite = ({ method, args: [key] }: FakeDeps["calls"][number]) =>
    method === "replace" && key === `service-wallet:${serviceWallet}`;
  const endOutage = stageOutage(deps, isRecordWrite);
  expect(await postSigned(deps, wrap)).toMatchObject({ confirmed: true });
  endOutage();
  await Promise.all(await advancePending(deps, 0, 0));
  await advanceDays(400);
  expect(await isKnown()).toBe(true);
});

test.each([
  ["a transfer of 0 lamports", 0n, null],
  ["a transfer that failed on the chain", 1_000_000n, { InstructionError: [0, { Custom: 1 }] }],
])("%s does not make a service wallet permanent", async (_, lamports, error) => {
  const state = { slot: 77, error, confirmation: "confirmed" } as const;
  deps.chain.getStatus = () => state;
  await postSigned(deps, buildTransaction([buildSystemTransfer(user.address, serviceWallet, lamports)])).catch(
    () => {},
  );
  await advanceDays(30);
  expect(await isKnown()).toBe(false);
});
