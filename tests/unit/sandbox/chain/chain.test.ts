import { PublicKey, Transaction, TransactionInstruction } from "@solana/web3.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadNative } from "../../../../lib/sandbox/chain/native";
import { createSlotClock, GENESIS_SLOT } from "../../../../lib/sandbox/chain/slot-clock";
import { RpcError } from "../../../../lib/sandbox/chain/types";
import { TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import {
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../../../lib/solana/token-instructions";
import {
  buildMemo,
  buildPayment,
  buildSigned,
  buildSignedBytes,
  catchRefusal,
  createAddress,
  createMint,
  fundKeypair,
  ONE_SOL,
  openStoppedChain,
  putTokens,
  readLamports,
  toAddress,
  toWeb3,
} from "../../../support/chain/sandbox-rig";
import { buildSignedV1 } from "../../../support/fixtures/transaction-v1";

/** Opens a stopped chain with a payer who has 10 SOL. */
function openFundedChain() {
  const { chain, clock } = openStoppedChain();
  const from = fundKeypair(chain);
  /** Builds a payment on the newest blockhash, to a new address by default. @returns wire bytes */
  const buildSignedPayment = (lamports = ONE_SOL, to = createAddress()) =>
    buildSignedBytes(chain, from, buildPayment(from, to, lamports));
  return { chain, clock, from, buildSignedPayment };
}

describe("a transfer", () => {
  test("is refused in preflight if it leaves an account below the rent-exempt minimum", () => {
    const { chain, from, buildSignedPayment } = openFundedChain();
    const minimum = chain.computeRentExemptMinimum(0);
    const refusal = catchRefusal(() => chain.send(buildSignedPayment(minimum - 1n)));
    expect(refusal).toMatchObject({ code: -32002, data: { err: { InsufficientFundsForRent: { account_index: 1 } } } });
    expect(refusal.message).toContain("insufficient funds for rent");
    expect(readLamports(chain, toAddress(from))).toBe(10n * ONE_SOL);
    chain.send(buildSignedPayment(minimum));
    expect(readLamports(chain, toAddress(from))).toBe(10n * ONE_SOL - minimum - 5_000n);
  });
});

describe("rent", () => {
  test("costs 5,080 lamports for each byte, as on mainnet, in the runtime and for programs", () => {
    const { chain, from, buildSignedPayment } = openFundedChain();
    expect([0, 82, 165].map(chain.computeRentExemptMinimum)).toEqual([650_240n, 1_066_800n, 1_488_440n]);
    chain.send(buildSignedPayment(650_240n));
    const mint = createMint(chain, from, 6, TOKEN_PROGRAM);
    const owner = createAddress();
    const instruction = toWeb3(buildCreateAssociatedTokenAccount({ payer: toAddress(from), owner, mint }));
    const { err } = chain.findTransaction(chain.send(buildSignedBytes(chain, from, instruction)))!;
    expect(err).toBeNull();
    expect(readLamports(chain, deriveAssociatedTokenAddress(owner, mint))).toBe(1_488_440n);
  });

  test("steps down while the chain runs: from the next transaction on, less is enough", () => {
    const { chain, from, buildSignedPayment } = openFundedChain();
    const to = createAddress();
    const bytes = buildSignedPayment(329_600n, to);
    expect(chain.simulate(bytes)).toMatchObject({ err: { InsufficientFundsForRent: { account_index: 1 } } });
    chain.setRent(2_575n);
    expect(chain.computeRentExemptMinimum(0)).toBe(329_600n);
    chain.send(bytes);
    expect(readLamports(chain, to)).toBe(329_600n);
    const mint = createMint(chain, from, 6, TOKEN_PROGRAM);
    const instruction = toWeb3(buildCreateAssociatedTokenAccount({ payer: toAddress(from), owner: to, mint }));
    chain.send(buildSignedBytes(chain, from, instruction));
    expect(readLamports(chain, deriveAssociatedTokenAddress(to, mint))).toBe(754_475n);
  });
});

test("a transaction is processed at once, confirmed in the next slot and finalized 32 slots later", () => {
  const { chain } = openStoppedChain();
  const info = chain.findSignature(chain.airdrop(createAddress(), ONE_SOL))!;
  expect(chain.findCommitment(info)).toBe("processed");
  chain.advanceSlots(1);
  expect(chain.findCommitment(info)).toBe("confirmed");
  chain.advanceSlots(31);
  expect(chain.findCommitment(info)).toBe("finalized");
});

describe("blockhashes", () => {
  test("are valid for 150 slots", () => {
    const { chain, from } = openFundedChain();
    const { blockhash, lastValidBlockHeight } = chain.getLatestBlockhash();
    const buildOldPayment = () =>
      buildSigned(blockhash, [from], [buildPayment(from, createAddress(), ONE_SOL)]).serialize();
    chain.advanceSlots(140);
    chain.send(buildOldPayment());
    chain.advanceSlots(10);
    expect(chain.isBlockhashValid(blockhash)).toBe(true);
    expect(chain.getBlockHeight()).toBe(lastValidBlockHeight);
    chain.send(buildOldPayment());
    chain.advanceSlots(1);
    expect(chain.isBlockhashValid(blockhash)).toBe(false);
    const lateBytes = buildOldPayment();
    const refusal = catchRefusal(() => chain.send(lateBytes));
    expect(refusal).toMatchObject({ code: -32002, data: { err: "BlockhashNotFound" } });
    expect(refusal.message).toContain("Blockhash not found");
    expect(chain.findSignature(chain.send(lateBytes, { skipPreflight: true }))).toBeNull();
    expect(chain.simulate(lateBytes).err).toBe("BlockhashNotFound");
    expect(chain.simulate(lateBytes, { replaceRecentBlockhash: true }).err).toBeNull();
  });

  test("belong to slots, which never go back with the wall clock and differ from block heights", () => {
    const { chain, clock } = openStoppedChain();
    const firstSlot = chain.getSlot();
    clock.nowMs += 2_000;
    expect(chain.getSlot()).toBe(firstSlot + 10);
    clock.nowMs -= 60_000;
    expect(chain.getSlot()).toBe(firstSlot + 10);
    clock.nowMs += 200;
    expect(chain.getSlot()).toBe(firstSlot + 11);
    expect(chain.getBlockHeight()).not.toBe(chain.getSlot());
  });

  test("stay valid across a restart, for 30 seconds", () => {
    const state = { seed: "ab".repeat(32), genesisTime: 0, skewSlots: 0, lastSlot: 0, slotMs: 200 };
    const hash = createSlotClock({ ...state }, () => 20_000).getHash(GENESIS_SLOT + 100);
    expect(createSlotClock({ ...state }, () => 40_000).findValidSlot(hash)).toBe(GENESIS_SLOT + 100);
    let now = 30_000;
    const clock = createSlotClock({ ...state, lastSlot: GENESIS_SLOT + 100 }, () => now);
    expect(clock.findValidSlot(hash)).toBe(GENESIS_SLOT + 100);
    for (now = 30_000; now <= 50_000; now += 200) clock.advanceToWallSlot();
    expect(clock.findValidSlot(hash)).toBe(GENESIS_SLOT + 100);
    for (; now < 51_000; now += 200) clock.advanceToWallSlot();
    expect(clock.findValidSlot(hash)).toBeNull();
    expect(createSlotClock({ ...state }, () => 51_000).findValidSlot(hash)).toBeNull();
  });
});

describe("a simulation", () => {
  test("returns the outcome and changes nothing", () => {
    const { chain, from, buildSignedPayment } = openFundedChain();
    const to = createAddress();
    const signedBytes = buildSignedPayment(ONE_SOL, to);
    const result = chain.simulate(signedBytes, { accounts: [to, toAddress(from)], sigVerify: true });
    expect(result).toMatchObject({ err: null, unitsConsumed: 150 });
    expect(result.accounts!.map((account) => account!.lamports)).toEqual([ONE_SOL, 9n * ONE_SOL - 5_000n]);
    expect(chain.getAccount(to)).toBeNull();
    chain.send(signedBytes);
    expect(chain.simulate(signedBytes).err).toBe("AlreadyProcessed");
  });

  test("returns the fee, the bytes of the loaded accounts, and all balances before and after", () => {
    const { chain, from } = openFundedChain();
    const [payer, owner] = [toAddress(from), createAddress()];
    const mint = createMint(chain, from, 6, TOKEN_PROGRAM);
    const source = deriveAssociatedTokenAddress(payer, mint);
    putTokens(chain, payer, mint, 7_000_000n);
    const creation = toWeb3(buildCreateAssociatedTokenAccount({ payer, owner, mint }));
    const destination = deriveAssociatedTokenAddress(owner, mint);
    const transfer = { source, destination, authority: payer, mint, amount: 2_000_000n, decimals: 6 };
    const signedBytes = buildSignedBytes(chain, from, creation, toWeb3(buildTransferChecked(transfer)));
    const simulation = chain.simulate(signedBytes, { sigVerify: true });
    const record = chain.findTransaction(chain.send(signedBytes))!;
    const { preBalances, postBalances, preTokenBalances, postTokenBalances, accountKeys } = record;
    const balances = { preBalances, postBalances, preTokenBalances, postTokenBalances };
    expect(simulation).toMatchObject({ err: null, fee: 5_000n, accountKeys, balances });
    expect(preTokenBalances.map(({ amount }) => amount)).toEqual(["7000000"]);
    expect(postTokenBalances.map(({ amount }) => amount).sort()).toEqual(["2000000", "5000000"]);
    // The token program alone has more than 100,000 bytes.
    expect(simulation.loadedAccountsDataSize).toBeGreaterThan(100_000);
  });

  test("accepts an unsigned transaction without sigVerify, although the chain refuses to run it", () => {
    const { chain, from, buildSignedPayment } = openFundedChain();
    // The signature follows the byte with the number of signatures.
    const signedBytes = buildSignedPayment().fill(0, 1, 65);
    expect(chain.simulate(signedBytes).err).toBeNull();
    const refusal = { err: "SignatureFailure", logs: [], unitsConsumed: 0, fee: null };
    expect(chain.simulate(signedBytes, { sigVerify: true })).toMatchObject(refusal);
    expect(catchRefusal(() => chain.send(signedBytes))).toMatchObject({
      code: -32002,
      message: "Transaction simulation failed: Transaction did not pass signature verification",
      data: { err: "SignatureFailure", logs: [] },
    });
    expect(chain.findSignature(chain.send(signedBytes, { skipPreflight: true }))).toBeNull();
    expect(readLamports(chain, toAddress(from))).toBe(10n * ONE_SOL);
  });
});

describe("bytes that the chain cannot run", () => {
  const { chain, from, buildSignedPayment } = openFundedChain();

  test.each<[string, () => Uint8Array, RegExp]>([
    ["no bytes", () => new Uint8Array(), /failed to deserialize/],
    ["noise", () => Uint8Array.from({ length: 300 }, (_, i) => (i * 7) % 128), /deserialize|sanitize/],
    ["a truncated transaction", () => buildSignedPayment().subarray(0, 150), /failed to deserialize/],
    ["bytes after the end", () => Buffer.concat([buildSignedPayment(), Buffer.from([0])]), /canonical/],
    ["version 1 before a version 0 transaction", () => Buffer.concat([Buffer.from([0x81]), buildSignedPayment()]), /./],
    [
      "version 1 in a version 0 envelope",
      () => Uint8Array.from(buildSignedPayment(), (byte, i) => (i === 65 ? 0x81 : byte)),
      /./,
    ],
    [
      "too many bytes",
      () => Buffer.concat([buildSignedPayment(), Buffer.alloc(1233)]),
      /too large: \d+ bytes \(max: 1232/,
    ],
  ])("are refused with -32602: %s", (_, createBytes, message) => {
    const signedBytes = createBytes();
    for (const useBytes of [
      () => chain.send(signedBytes),
      () => chain.send(signedBytes, { skipPreflight: true }),
      () => chain.simulate(signedBytes),
    ]) {
      const refusal = catchRefusal(useBytes);
      expect(refusal.code).toBe(-32602);
      expect(refusal.message).toMatch(message);
    }
  });

  test("are refused with the name of their program if the sandbox does not run it", () => {
    const programId = new PublicKey("BPFLoaderUpgradeab1e11111111111111111111111");
    const foreignInstruction = new TransactionInstruction({ programId, keys: [], data: Buffer.from([0]) });
    const signedBytes = buildSignedBytes(chain, from, foreignInstruction);
    const refusal = catchRefusal(() => chain.send(signedBytes));
    expect(refusal).toMatchObject({ code: -32002, data: { err: "ProgramAccountNotFound" } });
    expect(JSON.stringify(refusal.data)).toContain(programId.toBase58());
    expect(chain.findSignature(chain.send(signedBytes, { skipPreflight: true }))).toBeNull();
  });

  test("never end the process when a transaction is mutated", () => {
    const createLegacyBytes = () => {
      const { blockhash: recentBlockhash } = chain.getLatestBlockhash();
      const transaction = new Transaction({ recentBlockhash, feePayer: from.publicKey });
      transaction.add(buildPayment(from, from.publicKey, 1), buildMemo("x"));
      transaction.sign(from);
      return Uint8Array.from(transaction.serialize());
    };
    const { blockhash } = chain.getLatestBlockhash();
    const payment = buildPayment(from, from.publicKey, 1);
    const requests = { unitLimit: 1_000, loadedBytesLimit: 65_536, priorityFeeLamports: 3n };
    const versionOneBytes = buildSignedV1(blockhash, from, [payment, buildMemo("x")], requests);
    const validTransactions = [createLegacyBytes(), buildSignedPayment(), versionOneBytes];
    const anyMutation = fc.record({
      position: fc.nat({ max: 400 }),
      value: fc.nat({ max: 255 }),
      kind: fc.nat({ max: 5 }),
    });
    const property = fc.property(
      fc.nat({ max: 2 }),
      fc.array(anyMutation, { minLength: 1, maxLength: 4 }),
      (validIndex, mutations) => {
        let bytes = Uint8Array.from(validTransactions[validIndex]!);
        for (const { position, value, kind } of mutations) {
          const index = position % bytes.length;
          if (kind === 4) bytes = bytes.slice(0, index + 1);
          else if (kind === 5) bytes = Uint8Array.from([...bytes.slice(0, index), value, ...bytes.slice(index)]);
          else bytes[index] = value;
        }
        for (const useBytes of [() => chain.simulate(bytes), () => chain.send(bytes, { skipPreflight: true })]) {
          try {
            useBytes();
          } catch (error) {
            if (!(error instanceof RpcError)) throw error;
          }
        }
      },
    );
    fc.assert(property, { numRuns: Number(process.env.FUZZ_RUNS ?? 1_000) });
    expect(readLamports(chain, toAddress(from))).toBeGreaterThan(0n);
  });
});

test("a missing native package is reported with what to do", () => {
  expect(() => loadNative("litesvm-plan9-mips")).toThrow(/optional package litesvm-plan9-mips.*NETWORK=mainnet/);
});
