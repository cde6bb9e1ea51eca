import { PublicKey } from "@solana/web3.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { buildWrap } from "../../../lib/services/build-wrap";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { parseInput } from "../../support/client/contract-input";
import {
  createBlockhash,
  createConfirmedState,
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
  createLookupTable,
  deriveService,
  post,
  readSignature,
  stranger,
  user,
} from "../../support/worlds/relay-rig";

/* The relay checks the fee of each signed transaction before it simulates the transaction. */

const RENT = 650_240n;
const COLLECTOR = FEE_COLLECTORS[1]!;
/** 0.25 % of a deposit of RENT + 40,000 is 100 lamports. */
const DEPOSIT = RENT + 40_000n;

/** Stages a chain on which every sent transaction lands at once. */
async function stageLanding(): Promise<{ deps: FakeDeps; service: string }> {
  const deps = fakeDeps();
  const service = await deriveService(deps);
  deps.chain.status = () => (listSends(deps).length > 0 ? createConfirmedState(1) : null);
  return { deps, service };
}

const pay = (to: string, lamports: bigint) => buildSystemTransfer(user.address, to, lamports);

async function expectRelayed(deps: FakeDeps, transaction: Uint8Array) {
  expect(await post(deps, transaction)).toMatchObject({ confirmed: true, txSignature: readSignature(transaction) });
}

async function expectRefused(deps: FakeDeps, transaction: Uint8Array) {
  await expect(post(deps, transaction)).rejects.toMatchObject({ code: "fee_missing" });
  expect(listCalls(deps)).not.toContain("rpc.simulate");
  expect(listSends(deps)).toEqual([]);
}

describe("a deposit into a registered service wallet", () => {
  test("with its fee to any of the collectors is relayed", async () => {
    for (const collector of FEE_COLLECTORS) {
      const { deps, service } = await stageLanding();
      await expectRelayed(deps, buildTransaction([pay(service, DEPOSIT), pay(collector, 100n)]));
    }
  });

  test.each([
    ["without the collector", [100n], 0],
    ["with one lamport too little", [99n], 1],
  ])("%s is refused before simulation, and nothing is sent", async (_what, [fee], count) => {
    const { deps, service } = await stageLanding();
    const fees = Array.from({ length: count }, () => pay(COLLECTOR, fee!));
    await expectRefused(deps, buildTransaction([pay(service, DEPOSIT), ...fees]));
  });

  test("up to the rent minimum needs a transfer to a collector, of 0 lamports or more", async () => {
    const { deps, service } = await stageLanding();
    await expectRefused(deps, buildTransaction([pay(service, RENT)]));
    await expectRelayed(deps, buildTransaction([pay(service, RENT), pay(COLLECTOR, 0n)]));
  });

  test("is checked against the chain's current rent minimum", async () => {
    const { deps, service } = await stageLanding();
    deps.chain.rent = () => 90_240n;
    await expectRefused(deps, buildTransaction([pay(service, DEPOSIT), pay(COLLECTOR, 100n)]));
    await expectRelayed(deps, buildTransaction([pay(service, DEPOSIT), pay(COLLECTOR, 1_500n)]));
  });
});

describe("the fee check", () => {
  test("relays a payment from a service wallet, to others or to itself, without a fee", async () => {
    const { deps } = await stageLanding();
    const owner = testWallet("a registered service wallet");
    await deps.kv.set(`service-wallet:${owner.address}`, true);
    const out = buildSystemTransfer(owner.address, stranger.address, 5_000_000n);
    const circle = buildSystemTransfer(owner.address, owner.address, 5_000_000n);
    await expectRelayed(deps, buildTransaction([out, circle], [owner]));
  });

  test("returns a known outcome even if the fee is missing", async () => {
    const { deps, service } = await stageLanding();
    deps.chain.status = () => createConfirmedState(4);
    expect(await post(deps, buildTransaction([pay(service, DEPOSIT)]))).toMatchObject({ confirmed: true, slot: 4 });
  });
});

describe("addresses in a lookup table", () => {
  const TABLE = testWallet("lookup table").address;

  /** Builds a transaction that names `tableAddresses` by their index in the lookup table only. */
  function buildThroughTable(tableAddresses: string[], instructions: InstructionLike[]): Uint8Array {
    const parts = {
      payer: user.address,
      instructions,
      blockhash: createBlockhash(9),
      lookupTables: { [TABLE]: tableAddresses },
    };
    const { bytes } = composeTransaction(parts);
    for (const address of tableAddresses)
      expect(Buffer.from(bytes).includes(new PublicKey(address).toBuffer())).toBe(false);
    return signTransaction(bytes, user);
  }

  test("a service wallet in a lookup table still owes the fee", async () => {
    const { deps, service } = await stageLanding();
    deps.chain.accounts.set(TABLE, createLookupTable([stranger.address, service]));
    await expectRefused(
      deps,
      buildThroughTable([stranger.address, service], [pay(service, DEPOSIT), pay(stranger.address, 1n)]),
    );
  });

  test("a collector in a lookup table can receive the fee", async () => {
    const { deps, service } = await stageLanding();
    deps.chain.accounts.set(TABLE, createLookupTable([service, COLLECTOR]));
    await expectRelayed(deps, buildThroughTable([service, COLLECTOR], [pay(service, DEPOSIT), pay(COLLECTOR, 100n)]));
  });

  test.each([
    ["that does not exist", null],
    ["that is too short", createLookupTable([stranger.address])],
    ["that is not a lookup table", solAccount(1n)],
  ])("a table %s refuses the transaction, even if a simulation would pass", async (_what, table) => {
    const { deps, service } = await stageLanding();
    if (table) deps.chain.accounts.set(TABLE, table);
    const transaction = buildThroughTable(
      [stranger.address, service],
      [pay(service, DEPOSIT), pay(stranger.address, 1n)],
    );
    await expect(post(deps, transaction)).rejects.toMatchObject({
      code: "simulation_failed",
      message: expect.stringContaining("lookup table"),
    });
    expect(listSends(deps)).toEqual([]);
  });

  test("a sent message is not refused when a node lacks its lookup table, because it may land", async () => {
    const { deps, service } = await stageLanding();
    deps.chain.status = () => null;
    deps.chain.accounts.set(TABLE, createLookupTable([service, COLLECTOR]));
    const transaction = buildThroughTable([service, COLLECTOR], [pay(service, DEPOSIT), pay(COLLECTOR, 100n)]);
    expect(await post(deps, transaction)).toMatchObject({ confirmed: false });
    deps.chain.accounts.delete(TABLE);
    await expect(post(deps, transaction)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

test("a transaction that was sent before is not refused for its fee after a change of collectors", async () => {
  const { deps, service } = await stageLanding();
  deps.chain.status = () => null;
  const transaction = buildTransaction([pay(service, DEPOSIT), pay(COLLECTOR, 100n)]);
  await post(deps, transaction);
  deps.feeCollectors = [FEE_COLLECTORS[0]!];
  expect(await post(deps, transaction)).toMatchObject({ confirmed: false });
});

test("the relay accepts every transaction that build-wrap returns", async () => {
  const purchase = fc.record({
    txValueUsd: fc.integer({ min: 1, max: 100_000_000 }).map((cents) => cents / 100),
    roundToUsd: fc.constantFrom(undefined, 0.01, 0.37, 5, 100),
    ceiling: fc.constantFrom(undefined, 0.05, 100),
    solPrice: fc.integer({ min: 1, max: 100_000 }).map((cents) => cents / 100),
    serviceHolds: fc.constantFrom(null, 700_000n),
  });
  const property = fc.asyncProperty(purchase, async ({ solPrice, serviceHolds, ...purchaseFields }) => {
    const { deps, service } = await stageLanding();
    deps.priceBounds = { ...deps.priceBounds, SOL: { min: 0.01, max: 1_000 } };
    deps.quoted.current = pricesAt(deps.clock.now(), { usd: { ...deps.quoted.current!.usd, SOL: solPrice } });
    if (serviceHolds !== null) deps.chain.accounts.set(service, solAccount(serviceHolds));
    const wallets = { userPubkey: user.address, serviceWalletPubkey: service };
    const wrap = await buildWrap(
      deps,
      parseInput(buildWrapContract, JSON.parse(JSON.stringify({ ...purchaseFields, ...wallets }))),
    );
    if (wrap.transaction === null) return;
    const [deposit] = wrap.instructions;
    await expectRefused(deps, buildTransaction([deposit!]));
    await expectRelayed(deps, signTransaction(Buffer.from(wrap.transaction.base64, "base64"), user));
  });
  await fc.assert(property, { numRuns: 60 });
});
