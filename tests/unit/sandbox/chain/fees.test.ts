import { ComputeBudgetProgram, Keypair, TransactionInstruction } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { FEE_MODELS, type FeeModel } from "../../../../lib/sandbox/chain/types";
import { answerRpc } from "../../../../lib/sandbox/rpc/answer-rpc";
import { SYSTEM_PROGRAM } from "../../../../lib/solana/programs";
import {
  buildMemo,
  buildPayment,
  buildSigned,
  connectInProcess,
  createAddress,
  fundKeypair,
  ONE_SOL,
  openStoppedChain,
  readLamports,
  throwError,
  toAddress,
  UNUSED_METHODS,
} from "../../../support/chain/sandbox-rig";

const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 12_345 });
const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 54_321 });
/** Limits the loaded account data to 64 KiB. web3.js 1.x has no builder for it. */
const loadedLimit = new TransactionInstruction({
  programId: ComputeBudgetProgram.programId,
  keys: [],
  data: Buffer.from([4, 0, 0, 1, 0]),
});

const { chain: sharedChain } = openStoppedChain();

/** Lets the chain charge by a model, for a new payer who has 10 SOL. */
function openChargingChain(model: FeeModel, chain = sharedChain) {
  const from = fundKeypair(chain);
  chain.setFeeModel(model);
  const buildTransaction = (instructions: TransactionInstruction[], signers = [from]) =>
    buildSigned(chain.getLatestBlockhash().blockhash, signers, instructions);
  /** Creates a payer with exactly this balance. */
  const createPayer = (lamports: bigint) => {
    const payer = Keypair.generate();
    chain.setAccount(toAddress(payer), { lamports, owner: SYSTEM_PROGRAM, data: new Uint8Array() });
    return payer;
  };
  return { chain, from, buildTransaction, createPayer };
}

/** The fees of a transfer with a limit of 1,000 units and 64 KiB of loaded data, and of one without limits. */
const TRANSFER_FEES: Record<FeeModel, [limited: bigint, unlimited: bigint]> = {
  flat: [5_000n, 5_000n],
  // 720 for the signature, 600 for two write locks, 5 for 22 bytes, 1,000, and 16 for two pages: 2,341 cost units.
  // Without limits: 720 + 600 + 3 + 3,000 + 16,384 = 20,707.
  "resource-10": [2_500n + 235n, 2_500n + 2_071n],
  "resource-4": [2_500n + 586n, 2_500n + 5_177n],
  "resource-2": [2_500n + 1_171n, 2_500n + 10_354n],
};

describe.each(FEE_MODELS)("with %s fees", (model) => {
  test("a transfer pays what its limits cost", () => {
    const { chain, from, buildTransaction } = openChargingChain(model);
    const payment = buildPayment(from, createAddress(), ONE_SOL);
    const unitLimit = ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000 });
    const variants = [[unitLimit, loadedLimit, payment], [payment]];
    const records = variants.map((instructions) =>
      chain.findTransaction(chain.send(buildTransaction(instructions).serialize())),
    );
    expect(records.map((record) => BigInt(record!.fee))).toEqual(TRANSFER_FEES[model]);
  });

  test("the fee told, the fee recorded and the lamports taken are the same, with any programs and signers", () => {
    const { chain, from, buildTransaction } = openChargingChain(model);
    const other = fundKeypair(chain);
    const instruction = buildPayment(from, createAddress(), ONE_SOL);
    const variants = [
      [instruction],
      [price, instruction],
      [price, limit, instruction],
      [price, buildMemo("a")],
      [loadedLimit, limit, buildPayment(other, createAddress(), ONE_SOL)],
      [limit, price, instruction, buildMemo("b"), instruction],
    ];
    for (const instructions of variants) {
      const signers = instructions.some(({ keys }) => keys[0]?.pubkey.equals(other.publicKey)) ? [from, other] : [from];
      const transaction = buildTransaction(instructions, signers);
      const fee = chain.computeFee(transaction.message);
      const sentLamports = BigInt(instructions.filter((candidate) => candidate === instruction).length) * ONE_SOL;
      const lamportsBefore = readLamports(chain, toAddress(from));
      expect(chain.simulate(transaction.serialize())).toMatchObject({ err: null, fee });
      const record = chain.findTransaction(chain.send(transaction.serialize()))!;
      expect(record).toMatchObject({ err: null, fee: Number(fee) });
      expect(readLamports(chain, toAddress(from))).toBe(lamportsBefore - sentLamports - fee);
      expect(record.preBalances[0]).toBe(Number(lamportsBefore));
    }
  });

  test("a payer without the whole fee is refused before the run, and an exact one ends at 0", () => {
    const { chain, buildTransaction, createPayer } = openChargingChain(model);
    const buildMemoOf = (payer: Keypair) => buildTransaction([price, limit, buildMemo("a")], [payer]);
    const fee = chain.computeFee(buildMemoOf(Keypair.generate()).message);
    const poorPayer = createPayer(fee - 1n);
    const poorBytes = buildMemoOf(poorPayer).serialize();
    expect(chain.simulate(poorBytes)).toMatchObject({ err: "InsufficientFundsForFee", fee: null, logs: [] });
    expect(chain.findSignature(chain.send(poorBytes, { skipPreflight: true }))).toBeNull();
    expect(readLamports(chain, toAddress(poorPayer))).toBe(fee - 1n);

    const exactPayer = createPayer(fee);
    const exactBytes = buildMemoOf(exactPayer).serialize();
    expect(chain.simulate(exactBytes, { accounts: [toAddress(exactPayer)] })).toMatchObject({
      err: null,
      accounts: [null],
    });
    expect(readLamports(chain, toAddress(exactPayer))).toBe(fee);
    chain.send(exactBytes);
    expect(readLamports(chain, toAddress(exactPayer))).toBe(0n);
  });

  test("a payer who would keep less than the rent-exempt minimum is refused before the run", () => {
    const { chain, buildTransaction, createPayer } = openChargingChain(model);
    const minimum = chain.computeRentExemptMinimum(0);
    const fee = chain.computeFee(buildTransaction([buildMemo("a")]).message);
    for (const [lamports, err] of [
      [minimum + fee - 1n, { InsufficientFundsForRent: { account_index: 0 } }],
      [minimum + fee, null],
    ] as const) {
      const payer = createPayer(lamports);
      const bytes = buildTransaction([buildMemo("a")], [payer]).serialize();
      expect(chain.simulate(bytes)).toMatchObject({ err });
      const isIncluded = chain.findSignature(chain.send(bytes, { skipPreflight: true })) !== null;
      expect(isIncluded).toBe(err === null);
      expect(readLamports(chain, toAddress(payer))).toBe(isIncluded ? minimum : lamports);
    }
  });

  test("a transaction that fails pays its whole fee and nothing else", () => {
    const { chain, from, buildTransaction } = openChargingChain(model);
    const to = createAddress();
    const payments = [ONE_SOL, 100n * ONE_SOL].map((lamports) => buildPayment(from, to, lamports));
    const transaction = buildTransaction(payments);
    const fee = chain.computeFee(transaction.message);
    const record = chain.findTransaction(chain.send(transaction.serialize(), { skipPreflight: true }));
    expect(record).toMatchObject({ err: { InstructionError: [1, { Custom: 1 }] }, fee: Number(fee) });
    expect(readLamports(chain, toAddress(from))).toBe(10n * ONE_SOL - fee);
    expect(readLamports(chain, to)).toBe(0n);
  });
});

/** The models whose fees the sandbox adds to what the runtime charges. */
const STAGED_MODELS = FEE_MODELS.filter((model) => model !== "flat");

test.each(STAGED_MODELS)("with %s fees, a payer who ends with dust that it receives pays only its fee", (model) => {
  const { chain, from, buildTransaction, createPayer } = openChargingChain(model, openStoppedChain().chain);
  // The payer's balance, all of which the fee takes, is above this minimum, and the flat fee is below it.
  chain.setRent(100n);
  const maximum = ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_000 });
  const buildRefund = (payer: Keypair) =>
    buildTransaction([maximum, buildPayment(from, payer.publicKey, 1_000)], [payer, from]);
  const fee = chain.computeFee(buildRefund(Keypair.generate()).message);
  expect(fee).toBeGreaterThan(chain.computeRentExemptMinimum(0));
  const payer = createPayer(fee);
  const bytes = buildRefund(payer).serialize();
  const err = { InsufficientFundsForRent: { account_index: 0 } };
  expect(chain.simulate(bytes)).toMatchObject({ err, fee });
  const record = chain.findTransaction(chain.send(bytes, { skipPreflight: true }));
  expect(record).toMatchObject({ err, fee: Number(fee), postBalances: [0, 10_000_000_000, 1, 1] });
  expect(readLamports(chain, toAddress(from))).toBe(10n * ONE_SOL);
});

test("a change of the model applies to transactions that are already built, and getFeeForMessage follows it", async () => {
  const { chain, from, buildTransaction } = openChargingChain("flat");
  const context = { chain, ...UNUSED_METHODS };
  const connection = connectInProcess((call) => answerRpc(context, call, throwError));
  const transaction = buildTransaction([buildPayment(from, createAddress(), ONE_SOL)]);
  const readFee = async () => (await connection.getFeeForMessage(transaction.message)).value;
  expect(await readFee()).toBe(5_000);
  const setFees = { jsonrpc: "2.0", id: 1, method: "sandbox_setFees" };
  expect(await answerRpc(context, { ...setFees, params: ["free"] }, throwError)).toMatchObject({
    error: { code: -32602 },
  });
  expect(await answerRpc(context, { ...setFees, params: ["resource-2"] }, throwError)).toMatchObject({
    result: "resource-2",
  });
  expect(await readFee()).toBe(12_854);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  expect(chain.findTransaction(signature)!.fee).toBe(12_854);
});
