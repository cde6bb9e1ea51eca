import { PublicKey } from "@solana/web3.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { buildWrap } from "../../../lib/services/build-wrap";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { createSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { parseInput } from "../../support/client/contract-input";
import {
  blockhashOf,
  confirmedAt,
  type FakeDeps,
  FEE_COLLECTORS,
  fakeDeps,
  listCalls,
  listSends,
  pricesAt,
  solAccount,
} from "../../support/fakes/fake-deps";
import { signTransaction, testWallet } from "../../support/fixtures/test-wallets";
import {
  buildTransaction,
  deriveService,
  lookupTable,
  post,
  signatureOf,
  stranger,
  user,
} from "../../support/worlds/relay-rig";

/** The fee check: which signed transactions the relay takes, whatever their simulation says. */

const RENT = 650_240n;
const COLLECTOR = FEE_COLLECTORS[1]!;
/** 0.25 % of a deposit of RENT + 40,000 is 100 lamports. */
const DEPOSIT = RENT + 40_000n;

/** A world in which everything that is sent lands at once. */
async function landing(): Promise<{ deps: FakeDeps; service: string }> {
  const deps = fakeDeps();
  const service = await deriveService(deps);
  deps.chain.status = () => (listSends(deps).length > 0 ? confirmedAt(1) : null);
  return { deps, service };
}

const pay = (to: string, lamports: bigint) => createSystemTransfer(user.address, to, lamports);

async function expectRelayed(deps: FakeDeps, transaction: Uint8Array) {
  expect(await post(deps, transaction)).toMatchObject({ confirmed: true, txSignature: signatureOf(transaction) });
}

async function expectRefused(deps: FakeDeps, transaction: Uint8Array) {
  await expect(post(deps, transaction)).rejects.toMatchObject({ code: "fee_missing" });
  expect(listCalls(deps)).not.toContain("rpc.simulate");
  expect(listSends(deps)).toEqual([]);
}

describe("a deposit into a known service wallet", () => {
  test("is relayed with the fee to any of the collectors", async () => {
    for (const collector of FEE_COLLECTORS) {
      const { deps, service } = await landing();
      await expectRelayed(deps, buildTransaction([pay(service, DEPOSIT), pay(collector, 100n)]));
    }
  });

  test.each([
    ["without the collector", [100n], 0],
    ["with one lamport too little", [99n], 1],
  ])("%s is refused before simulation, and nothing is sent", async (_what, [fee], count) => {
    const { deps, service } = await landing();
    const fees = Array.from({ length: count }, () => pay(COLLECTOR, fee!));
    await expectRefused(deps, buildTransaction([pay(service, DEPOSIT), ...fees]));
  });

  test("owes no fee up to the rent minimum, but needs a transfer to a collector", async () => {
    const { deps, service } = await landing();
    await expectRefused(deps, buildTransaction([pay(service, RENT)]));
    await expectRelayed(deps, buildTransaction([pay(service, RENT), pay(COLLECTOR, 0n)]));
  });

  test("is compared with the current rent minimum, not with a constant", async () => {
    const { deps, service } = await landing();
    deps.chain.rent = () => 90_240n;
    await expectRefused(deps, buildTransaction([pay(service, DEPOSIT), pay(COLLECTOR, 100n)]));
    await expectRelayed(deps, buildTransaction([pay(service, DEPOSIT), pay(COLLECTOR, 1_500n)]));
  });
});

describe("a transaction that owes no fee", () => {
  test("is relayed if a service wallet pays others or itself", async () => {
    const { deps } = await landing();
    const owner = testWallet("a service wallet with a key of its own");
    await deps.kv.set(`service-wallet:${owner.address}`, true);
    const out = createSystemTransfer(owner.address, stranger.address, 5_000_000n);
    const circle = createSystemTransfer(owner.address, owner.address, 5_000_000n);
    await expectRelayed(deps, buildTransaction([out, circle], [owner]));
  });

  test("is answered with its outcome if that is known, even without the fee", async () => {
    const { deps, service } = await landing();
    deps.chain.status = () => confirmedAt(4);
    expect(await post(deps, buildTransaction([pay(service, DEPOSIT)]))).toMatchObject({ confirmed: true, slot: 4 });
  });
});

describe("addresses that come through a lookup table", () => {
  const TABLE = testWallet("lookup table").address;

  /** A transaction in which none of `held` is named in the clear. */
  function through(held: string[], instructions: InstructionLike[]): Uint8Array {
    const parts = { payer: user.address, instructions, blockhash: blockhashOf(9), lookupTables: { [TABLE]: held } };
    const { bytes } = composeTransaction(parts);
    for (const address of held) expect(Buffer.from(bytes).includes(new PublicKey(address).toBuffer())).toBe(false);
    return signTransaction(bytes, user);
  }

  test("a service wallet hidden in a table still owes the fee", async () => {
    const { deps, service } = await landing();
    deps.chain.accounts.set(TABLE, lookupTable([stranger.address, service]));
    await expectRefused(deps, through([stranger.address, service], [pay(service, DEPOSIT), pay(stranger.address, 1n)]));
  });

  test("a fee to a collector in a table counts", async () => {
    const { deps, service } = await landing();
    deps.chain.accounts.set(TABLE, lookupTable([service, COLLECTOR]));
    await expectRelayed(deps, through([service, COLLECTOR], [pay(service, DEPOSIT), pay(COLLECTOR, 100n)]));
  });

  test.each([
    ["that does not exist", null],
    ["that is too short", lookupTable([stranger.address])],
    ["that is no table", solAccount(1n)],
  ])("a table %s is refused here, even if a later simulation would pass", async (_what, table) => {
    const { deps, service } = await landing();
    if (table) deps.chain.accounts.set(TABLE, table);
    const transaction = through([stranger.address, service], [pay(service, DEPOSIT), pay(stranger.address, 1n)]);
    await expect(post(deps, transaction)).rejects.toMatchObject({
      code: "simulation_failed",
      message: expect.stringContaining("lookup table"),
    });
    expect(listSends(deps)).toEqual([]);
  });

  test("a node without the lookup table refuses no message that was sent before, because it may land", async () => {
    const { deps, service } = await landing();
    deps.chain.status = () => null;
    deps.chain.accounts.set(TABLE, lookupTable([service, COLLECTOR]));
    const transaction = through([service, COLLECTOR], [pay(service, DEPOSIT), pay(COLLECTOR, 100n)]);
    expect(await post(deps, transaction)).toMatchObject({ confirmed: false });
    deps.chain.accounts.delete(TABLE);
    await expect(post(deps, transaction)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

test("a transaction that was sent before is not refused for its fee after a change of collectors", async () => {
  const { deps, service } = await landing();
  deps.chain.status = () => null;
  const transaction = buildTransaction([pay(service, DEPOSIT), pay(COLLECTOR, 100n)]);
  await post(deps, transaction);
  deps.feeCollectors = [FEE_COLLECTORS[0]!];
  expect(await post(deps, transaction)).toMatchObject({ confirmed: false });
});

test("the relay accepts every transaction that build-wrap returns, and refuses its deposit alone", async () => {
  const purchase = fc.record({
    txValueUsd: fc.integer({ min: 1, max: 100_000_000 }).map((cents) => cents / 100),
    roundToUsd: fc.constantFrom(undefined, 0.01, 0.37, 5, 100),
    ceiling: fc.constantFrom(undefined, 0.05, 100),
    solPrice: fc.integer({ min: 1, max: 100_000 }).map((cents) => cents / 100),
    serviceHolds: fc.constantFrom(null, 700_000n),
  });
  const property = fc.asyncProperty(purchase, async ({ solPrice, serviceHolds, ...asked }) => {
    const { deps, service } = await landing();
    deps.priceBounds = { ...deps.priceBounds, SOL: { min: 0.01, max: 1_000 } };
    deps.quoted.current = pricesAt(deps.clock.now(), { usd: { ...deps.quoted.current!.usd, SOL: solPrice } });
    if (serviceHolds !== null) deps.chain.accounts.set(service, solAccount(serviceHolds));
    const wallets = { userPubkey: user.address, serviceWalletPubkey: service };
    const wrap = await buildWrap(
      deps,
      parseInput(buildWrapContract, JSON.parse(JSON.stringify({ ...asked, ...wallets }))),
    );
    if (wrap.transaction === null) return;
    const [deposit] = wrap.instructions;
    await expectRefused(deps, buildTransaction([deposit!]));
    await expectRelayed(deps, signTransaction(Buffer.from(wrap.transaction.base64, "base64"), user));
  });
  await fc.assert(property, { numRuns: 60 });
});
