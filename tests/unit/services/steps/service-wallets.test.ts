import { expect, test } from "vitest";
import { DAY_MS } from "../../../../lib/domain/prices/price-history";
import { advancePending } from "../../../../lib/services/steps/relay/advance";
import { findServiceWallets } from "../../../../lib/services/steps/service-wallets";
import { buildSystemTransfer } from "../../../../lib/solana/system-instructions";
import { type FakeDeps, listArguments, setPrices, stageOutage } from "../../../support/fakes/fake-deps";
import {
  buildTransaction,
  deriveService,
  landAfterSends,
  post,
  signWrap,
  stageWrap,
  stranger,
  user,
} from "../../../support/worlds/relay-rig";

async function advanceDays(deps: FakeDeps, days: number): Promise<void> {
  await deps.clock.advance(days * DAY_MS);
  setPrices(deps);
}

const isKnown = async (deps: FakeDeps, address: string) => (await findServiceWallets(deps, [address])).has(address);

test("a service wallet without a saving is forgotten after 30 days", async () => {
  const { deps, service } = await stageWrap();
  await advanceDays(deps, 30);
  expect(await isKnown(deps, service)).toBe(false);
});

test.each([
  ["built into", (deps: FakeDeps, service: string) => signWrap(deps, service)],
  ["derived", (deps: FakeDeps) => deriveService(deps)],
])("a service wallet is kept for another 30 days each time it is %s", async (_, renew) => {
  const { deps, service } = await stageWrap();
  for (let i = 0; i < 3; i++) {
    await advanceDays(deps, 29);
    await renew(deps, service);
    expect(await isKnown(deps, service)).toBe(true);
  }
  await advanceDays(deps, 30);
  expect(await isKnown(deps, service)).toBe(false);
});

test("a build registers neither an unknown nor a forgotten address as a service wallet", async () => {
  const { deps, service } = await stageWrap();
  await advanceDays(deps, 30);
  for (const address of [service, stranger.address]) {
    await signWrap(deps, address);
    expect(await isKnown(deps, address)).toBe(false);
  }
});

test("builds refresh the record of a service wallet once a day at most", async () => {
  const { deps, service } = await stageWrap();
  for (let i = 0; i < 5; i++) await signWrap(deps, service);
  await advanceDays(deps, 2);
  for (let i = 0; i < 5; i++) await signWrap(deps, service);
  const writes = listArguments(deps, "replace").filter(([key]) => key === `service-wallet:${service}`);
  expect(writes).toHaveLength(1);
});

test("a service wallet with a landed saving is kept permanently", async () => {
  const { deps, wrap, service } = await stageWrap();
  landAfterSends(deps, 1);
  expect(await post(deps, wrap)).toMatchObject({ confirmed: true });
  await deriveService(deps);
  await advanceDays(deps, 400);
  expect(await isKnown(deps, service)).toBe(true);
});

test("it is kept for good although the store failed when the saving landed", async () => {
  const { deps, wrap, service } = await stageWrap();
  landAfterSends(deps, 1);
  const isRecordWrite = ({ method, args: [key] }: FakeDeps["calls"][number]) =>
    method === "replace" && key === `service-wallet:${service}`;
  const endOutage = stageOutage(deps, isRecordWrite);
  expect(await post(deps, wrap)).toMatchObject({ confirmed: true });
  endOutage();
  await advancePending(deps);
  await advanceDays(deps, 400);
  expect(await isKnown(deps, service)).toBe(true);
});

test.each([
  ["a transfer of 0 lamports", 0n, null],
  ["a transfer that failed on the chain", 1_000_000n, { InstructionError: [0, { Custom: 1 }] }],
])("%s does not make a service wallet permanent", async (_, lamports, error) => {
  const { deps, service } = await stageWrap();
  const state = { slot: 77, error, confirmation: "confirmed" } as const;
  deps.chain.status = () => state;
  await post(deps, buildTransaction([buildSystemTransfer(user.address, service, lamports)])).catch(() => {});
  await advanceDays(deps, 30);
  expect(await isKnown(deps, service)).toBe(false);
});
