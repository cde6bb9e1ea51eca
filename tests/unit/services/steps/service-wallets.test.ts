import { expect, test } from "vitest";
import { findServiceWallets } from "../../../../lib/services/steps/service-wallets";
import { createSystemTransfer } from "../../../../lib/solana/system-instructions";
import { type FakeDeps, pricesAt } from "../../../support/fakes/fake-deps";
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

const DAY_MS = 86_400_000;

async function pass(deps: FakeDeps, days: number): Promise<void> {
  await deps.clock.advance(days * DAY_MS);
  deps.quoted.current = pricesAt(deps.clock.now());
}

const isKnown = async (deps: FakeDeps, address: string) => (await findServiceWallets(deps, [address])).has(address);

test("a service wallet without payments expires after 30 days", async () => {
  const { deps, service } = await stageWrap();
  await pass(deps, 30);
  expect(await isKnown(deps, service)).toBe(false);
});

test.each([
  ["built into", (deps: FakeDeps, service: string) => signWrap(deps, service)],
  ["derived", (deps: FakeDeps) => deriveService(deps)],
])("a service wallet is kept for another 30 days each time it is %s", async (_, renew) => {
  const { deps, service } = await stageWrap();
  for (let i = 0; i < 3; i++) {
    await pass(deps, 29);
    await renew(deps, service);
    expect(await isKnown(deps, service)).toBe(true);
  }
  await pass(deps, 30);
  expect(await isKnown(deps, service)).toBe(false);
});

test("a build neither records a new service wallet nor restores an expired one", async () => {
  const { deps, service } = await stageWrap();
  await pass(deps, 30);
  for (const address of [service, stranger.address]) {
    await signWrap(deps, address);
    expect(await isKnown(deps, address)).toBe(false);
  }
});

test("builds renew a service wallet's record at most once a day", async () => {
  const { deps, service } = await stageWrap();
  const writes = () =>
    deps.calls.filter(({ method, args }) => method === "replace" && args[0] === `service-wallet:${service}`).length;
  for (let i = 0; i < 5; i++) await signWrap(deps, service);
  await pass(deps, 2);
  for (let i = 0; i < 5; i++) await signWrap(deps, service);
  expect(writes()).toBe(1);
});

test("a service wallet never expires after a saving has landed in it", async () => {
  const { deps, wrap, service } = await stageWrap();
  landAfterSends(deps, 1);
  expect(await post(deps, wrap)).toMatchObject({ confirmed: true });
  await deriveService(deps);
  await pass(deps, 400);
  expect(await isKnown(deps, service)).toBe(true);
});

test.each([
  ["a transfer of nothing into it", 0n, null],
  ["a transfer into it that failed on the chain", 1_000_000n, { InstructionError: [0, { Custom: 1 }] }],
])("%s does not keep a service wallet", async (_, lamports, error) => {
  const { deps, service } = await stageWrap();
  const state = { slot: 77, error, confirmation: "confirmed" } as const;
  deps.chain.status = () => state;
  await post(deps, buildTransaction([createSystemTransfer(user.address, service, lamports)])).catch(() => {});
  await pass(deps, 30);
  expect(await isKnown(deps, service)).toBe(false);
});
