import { PublicKey } from "@solana/web3.js";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { AccountState } from "../../../lib/domain/chain-accounts";
import { LOOKUP_TABLE_PROGRAM } from "../../../lib/sandbox/chain/decode-transaction";
import { buildWrap } from "../../../lib/services/build-wrap";
import { wasRefused } from "../../../lib/services/records/message-records";
import { recordServiceWallet } from "../../../lib/services/records/service-wallets";
import { readMarks } from "../../../lib/services/steps/relay/posting";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { buildMemo } from "../../../lib/solana/memo";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction, decodeTransaction } from "../../../lib/solana/transactions";
import {
  createBlockhash,
  createConfirmedState,
  createFakeDeps,
  createSolAccount,
  type FakeDeps,
  FEE_COLLECTORS,
  listCalls,
  listSends,
  PRICES_USD,
  setPrices,
} from "../../support/fakes/fake-deps";
import { encodeLookupTable } from "../../support/fixtures/lookup-table";
import { EMPTY_RENT_LAMPORTS } from "../../support/fixtures/rent";
import { signTransaction, toTestWallet } from "../../support/fixtures/test-wallets";
import {
  buildTransaction,
  deriveServiceWallet,
  landAfterSends,
  postSigned,
  readSignature,
  signBuild,
  stranger,
  user,
} from "../../support/worlds/relay-rig";

/* The relay checks the fee of each signed transaction before it simulates the transaction. */

const COLLECTOR = FEE_COLLECTORS[1]!;
/** A deposit whose fee is 100 lamports: 0.25 % of what exceeds the rent minimum. */
const DEPOSIT_LAMPORTS = EMPTY_RENT_LAMPORTS + 40_000n;

let deps: FakeDeps;
let serviceWallet: string;

/** Stages a chain on which every sent transaction lands at once. */
async function stageLanding(): Promise<void> {
  deps = createFakeDeps();
  serviceWallet = await deriveServiceWallet(deps);
  landAfterSends(deps, 1);
}
beforeEach(stageLanding);

const createTransfer = (to: string, lamports: bigint) => buildSystemTransfer(user.address, to, lamports);

/** Builds a signed deposit of DEPOSIT_LAMPORTS and transfers of these fees, in lamports, to a collector. */
const buildDeposit = (...feesLamports: bigint[]) =>
  buildTransaction([
    createTransfer(serviceWallet, DEPOSIT_LAMPORTS),
    ...feesLamports.map((lamports) => createTransfer(COLLECTOR, lamports)),
  ]);

async function expectRelayed(transaction: Uint8Array) {
  expect(await postSigned(deps, transaction)).toMatchObject({
    confirmed: true,
    txSignature: readSignature(transaction),
  });
}

async function expectRefused(transaction: Uint8Array) {
  await expect(postSigned(deps, transaction)).rejects.toMatchObject({ code: "fee_missing" });
  expect(listCalls(deps)).not.toContain("rpc.simulate");
  expect(listSends(deps)).toEqual([]);
}

describe("a deposit into a registered service wallet", () => {
  test.each(FEE_COLLECTORS)("with its fee to the collector %s is relayed", async (collector) => {
    await expectRelayed(
      buildTransaction([createTransfer(serviceWallet, DEPOSIT_LAMPORTS), createTransfer(collector, 100n)]),
    );
  });

  test.each([
    ["without its fee", []],
    ["with one lamport too little", [99n]],
  ])("%s is refused before simulation, and nothing is sent", async (_caseName, feesLamports) => {
    await expectRefused(buildDeposit(...feesLamports));
  });

  test("up to the rent minimum needs a transfer to a collector, of 0 lamports or more", async () => {
    await expectRefused(buildTransaction([createTransfer(serviceWallet, EMPTY_RENT_LAMPORTS)]));
    await expectRelayed(
      buildTransaction([createTransfer(serviceWallet, EMPTY_RENT_LAMPORTS), createTransfer(COLLECTOR, 0n)]),
    );
  });

  test("is checked against the chain's current rent minimum", async () => {
    // The deposit then exceeds the rent minimum by 600,000 lamports, so its fee is 1,500.
    deps.chain.computeRent = () => 90_240n;
    await expectRefused(buildDeposit(100n));
    await expectRelayed(buildDeposit(1_500n));
  });
});

describe("the fee check", () => {
  test("relays a payment from a service wallet, to others or to itself, without a fee", async () => {
    const registeredWallet = toTestWallet("a registered service wallet");
    await recordServiceWallet(deps, registeredWallet.address, null);
    const outgoingPayment = buildSystemTransfer(registeredWallet.address, stranger.address, 5_000_000n);
    const selfPayment = buildSystemTransfer(registeredWallet.address, registeredWallet.address, 5_000_000n);
    await expectRelayed(buildTransaction([outgoingPayment, selfPayment], [registeredWallet]));
  });

  test("does not refuse while every node lags, because the wallet may have sent the transaction", async () => {
    deps.chain.getStatus = () => null;
    deps.signatureWatch.getHighestSlot = () => deps.chain.slot() + 1;
    const transaction = buildTransaction([createTransfer(serviceWallet, DEPOSIT_LAMPORTS)]);
    await expect(postSigned(deps, transaction)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("returns a known outcome even if the fee is missing", async () => {
    deps.chain.getStatus = () => createConfirmedState(4);
    expect(await postSigned(deps, buildDeposit())).toMatchObject({ confirmed: true, slot: 4 });
  });
});

describe("addresses in a lookup table", () => {
  const TABLE = toTestWallet("lookup table").address;
  const createTableAccount = (addresses: string[]): AccountState => ({
    lamports: 1n,
    owner: LOOKUP_TABLE_PROGRAM,
    data: encodeLookupTable(addresses),
  });

  /** Builds a transaction that names `tableAddresses` by their index in the lookup table only. */
  function buildThroughTable(tableAddresses: string[], instructions: InstructionLike[]): Uint8Array {
    const parts = { payer: user.address, instructions, blockhash: createBlockhash(9) };
    const { bytes } = composeTransaction({ ...parts, lookupTables: { [TABLE]: tableAddresses } });
    for (const address of tableAddresses)
      expect(Buffer.from(bytes).includes(new PublicKey(address).toBuffer())).toBe(false);
    return signTransaction(bytes, user);
  }

  const buildPaidDeposit = () =>
    buildThroughTable(
      [serviceWallet, COLLECTOR],
      [createTransfer(serviceWallet, DEPOSIT_LAMPORTS), createTransfer(COLLECTOR, 100n)],
    );

  /** Builds a deposit without its fee. */
  const buildUnpaidDeposit = () =>
    buildThroughTable(
      [stranger.address, serviceWallet],
      [createTransfer(serviceWallet, DEPOSIT_LAMPORTS), createTransfer(stranger.address, 1n)],
    );

  test("a service wallet in a lookup table still owes the fee", async () => {
    deps.chain.accounts.set(TABLE, createTableAccount([stranger.address, serviceWallet]));
    await expectRefused(buildUnpaidDeposit());
  });

  test("a collector in a lookup table can receive the fee", async () => {
    deps.chain.accounts.set(TABLE, createTableAccount([serviceWallet, COLLECTOR]));
    await expectRelayed(buildPaidDeposit());
  });

  test.each([
    ["that does not exist", null],
    ["that is too short", createTableAccount([stranger.address])],
    ["that is not a lookup table", createSolAccount(1n)],
  ])("a transaction with a table %s is refused, even if a simulation would pass", async (_caseName, table) => {
    if (table) deps.chain.accounts.set(TABLE, table);
    await expect(postSigned(deps, buildUnpaidDeposit())).rejects.toMatchObject({
      code: "simulation_failed",
      message: expect.stringContaining("lookup table"),
    });
    expect(listSends(deps)).toEqual([]);
  });

  test("a landed transaction is confirmed even if its lookup table no longer exists", async () => {
    deps.chain.getStatus = () => createConfirmedState(4);
    expect(await postSigned(deps, buildUnpaidDeposit())).toMatchObject({ confirmed: true, slot: 4 });
  });

  test.each([
    ["while every node lags", () => null, 1],
    ["that a node has processed", () => ({ slot: 4, error: null, confirmation: "processed" as const }), 0],
  ])("a transaction %s is not refused for a missing lookup table", async (_caseName, getStatus, lagSlots) => {
    deps.chain.getStatus = getStatus;
    deps.signatureWatch.getHighestSlot = () => deps.chain.slot() + lagSlots;
    const transaction = buildUnpaidDeposit();
    await expect(postSigned(deps, transaction)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(await wasRefused(deps, decodeTransaction(transaction).message)).toBe(false);
  });

  test("a sent message is not refused when a node lacks its lookup table, because it may land", async () => {
    deps.chain.getStatus = () => null;
    deps.chain.accounts.set(TABLE, createTableAccount([serviceWallet, COLLECTOR]));
    const transaction = buildPaidDeposit();
    expect(await postSigned(deps, transaction)).toMatchObject({ confirmed: false });
    deps.chain.accounts.delete(TABLE);
    await expect(postSigned(deps, transaction)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

test("a transaction that was sent is not refused for its fee after a change of collectors", async () => {
  deps.chain.getStatus = () => null;
  const transaction = buildDeposit(100n);
  await postSigned(deps, transaction);
  deps.feeCollectors = [FEE_COLLECTORS[0]!];
  expect(await postSigned(deps, transaction)).toMatchObject({ confirmed: false });
});

test("the relay accepts every transaction that build-wrap returns", async () => {
  const anyPurchase = fc.record({
    txValueUsd: fc.integer({ min: 1, max: 100_000_000 }).map((cents) => cents / 100),
    roundToUsd: fc.constantFrom(undefined, 0.01, 0.37, 5, 100),
    ceiling: fc.constantFrom(undefined, 0.05, 100),
    solPrice: fc.integer({ min: 1, max: 100_000 }).map((cents) => cents / 100),
    serviceLamports: fc.constantFrom(null, 700_000n),
  });
  const property = fc.asyncProperty(anyPurchase, async ({ solPrice, serviceLamports, ...purchaseFields }) => {
    await stageLanding();
    deps.priceBounds = { ...deps.priceBounds, SOL: { min: 0.01, max: 1_000 } };
    setPrices(deps, { usd: { ...PRICES_USD, SOL: solPrice } });
    if (serviceLamports !== null) deps.chain.accounts.set(serviceWallet, createSolAccount(serviceLamports));
    const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet };
    const wrap = await buildWrap(deps, { ...purchaseFields, ...wallets });
    if (wrap.transaction === null) return;
    const [, deposit] = wrap.instructions;
    await expectRefused(buildTransaction([deposit!]));
    await expectRelayed(signBuild(wrap));
  });
  await fc.assert(property, { numRuns: 60 });
});

test("a transaction with a program in a lookup table sets no mark, because the network refuses it", () => {
  const transaction = decodeTransaction(buildTransaction([buildMemo("roundup:1:topup:w1", user.address)]));
  const { compiledInstructions, staticAccountKeys } = transaction.decoded.message;
  expect(readMarks(transaction)).toEqual([{ wallet: user.address, mark: { kind: "topup", value: "w1" } }]);
  const [firstInstruction] = compiledInstructions;
  compiledInstructions.push({ ...firstInstruction!, programIdIndex: staticAccountKeys.length });
  expect(readMarks(transaction)).toEqual([]);
});
