import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildWrapContract } from "@/lib/contracts/build-wrap";
import { buildWrapBatchContract } from "@/lib/contracts/build-wrap-batch";
import { formatMark } from "@/lib/domain/marks";
import type { Reason } from "@/lib/domain/not-as-shown";
import { PLAN_NAMES } from "@/lib/domain/plans";
import { createReferenceMark } from "@/lib/domain/reference";
import { type RequestedWrap, verifyWrap, verifyWrapInstructions } from "@/lib/sdk/verify/wrap";
import { buildWrap } from "@/lib/services/build-wrap";
import { buildWrapBatch } from "@/lib/services/build-wrap-batch";
import { toBase64 } from "@/lib/solana/bytes";
import { buildSetComputeUnitLimit, buildSetComputeUnitPrice } from "@/lib/solana/compute-budget";
import type { InstructionLike } from "@/lib/solana/instructions";
import { buildMemo } from "@/lib/solana/memo";
import { SYSTEM_PROGRAM } from "@/lib/solana/programs";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import { composeTransaction } from "@/lib/solana/transactions";
import { parseInput } from "../../../support/client/contract-input";
import {
  createBlockhash,
  createFakeDeps,
  createSolAccount,
  PRICES_USD,
  setPrices,
} from "../../../support/fakes/fake-deps";
import { catchReason } from "../../../support/fixtures/catch-reason";
import { testWallet } from "../../../support/fixtures/test-wallets";

const [WALLET, SERVICE, THIEF] = ["main", "service", "thief"].map((name) => testWallet(name).address) as [
  string,
  string,
  string,
];
const wallets = { userPubkey: WALLET, serviceWalletPubkey: SERVICE };
const REQUEST: RequestedWrap = { wallet: WALLET, serviceWallet: SERVICE, purchasesUsd: [27.63], plan: "tree" };

/** Builds a wrap as the service does. `isActive` says whether the service wallet exists. */
async function buildHonest(
  { purchasesUsd, plan, roundToUsd, ceilingUsd, multiplier }: RequestedWrap = REQUEST,
  isActive = true,
  solUsd = 150,
) {
  const deps = createFakeDeps();
  deps.chain.accounts.set(WALLET, createSolAccount(10n ** 10n));
  if (isActive) deps.chain.accounts.set(SERVICE, createSolAccount(10n ** 9n));
  setPrices(deps, { usd: { ...PRICES_USD, SOL: solUsd } });
  const terms = { ...wallets, plan, roundToUsd, ceiling: ceilingUsd, multiplier };
  const query = Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
  return purchasesUsd.length === 1
    ? buildWrap(deps, parseInput(buildWrapContract, { ...query, txValueUsd: purchasesUsd[0] }))
    : buildWrapBatch(deps, parseInput(buildWrapBatchContract, { ...query, txValuesUsd: purchasesUsd }));
}

type Wrap = Awaited<ReturnType<typeof buildHonest>>;

/** Returns the same response with these instructions and breakdown members. */
function rebuild(wrap: Wrap, instructions: InstructionLike[], breakdown: Partial<Wrap["breakdown"]> = {}): Wrap {
  const blockhash = createBlockhash(1);
  const base64 = toBase64(composeTransaction({ payer: WALLET, instructions, blockhash }).bytes);
  return {
    ...wrap,
    instructions,
    breakdown: { ...wrap.breakdown, ...breakdown },
    transaction: { ...wrap.transaction!, base64 },
    unsigned: { ...wrap.transaction!, base64 },
  };
}

/** Returns why the wrap is refused, or null when it verifies. */
const findRefusal = (wrap: Wrap, request: RequestedWrap = REQUEST) => catchReason(() => verifyWrap(wrap, request));

describe("an honest wrap verifies", () => {
  test("for one purchase and an existing service wallet", async () => {
    const { breakdown, ...wrap } = await buildHonest();
    expect(verifyWrap({ ...wrap, breakdown }, REQUEST)).toEqual({
      roundUpLamports: BigInt(breakdown.roundUpLamports),
      serviceFeeLamports: BigInt(breakdown.serviceFeeLamports),
      userInvestmentLamports: BigInt(breakdown.userInvestmentLamports),
      activationLamports: 0n,
      networkFeeLamports: 5_000n,
      totalLamports: BigInt(breakdown.totalLamports),
      roundUpUsd: 0.37,
    });
  });

  test("for any purchases, terms, price and wallet state, also as bare instructions", async () => {
    const inputs = fc.record({
      purchasesUsd: fc.array(
        fc.integer({ min: 1, max: 100_000_000 }).map((cents) => cents / 100),
        {
          minLength: 1,
          maxLength: 20,
        },
      ),
      terms: fc.oneof(
        fc.record({ plan: fc.constantFrom(...PLAN_NAMES) }),
        fc.record({ roundToUsd: fc.integer({ min: 1, max: 10_000 }).map((cents) => cents / 100) }),
      ),
      ceilingUsd: fc.option(
        fc.integer({ min: 1, max: 10_000 }).map((cents) => cents / 100),
        { nil: undefined },
      ),
      multiplier: fc.constantFrom(undefined, 1, 2, 10),
    });
    const property = fc.asyncProperty(
      inputs,
      fc.boolean(),
      fc.integer({ min: 11, max: 9_999 }),
      async (input, isActive, solUsd) => {
        const { terms, ...rest } = input;
        const request = { ...REQUEST, plan: undefined, ...terms, ...rest };
        const wrap = await buildHonest(request, isActive, solUsd);
        if (wrap.transaction === null) {
          expect(wrap.breakdown.skipped).toBe(true);
          return;
        }
        const figures = verifyWrap(wrap, request);
        expect(figures.roundUpUsd).toBe(wrap.breakdown.roundUpUsd);
        expect(verifyWrapInstructions(wrap, request)).toEqual(figures);
      },
    );
    await fc.assert(property);
  });

  test("with a unit limit, a unit price within the displayed fee and the requested memo", async () => {
    const wrap = await buildHonest();
    const memo = `roundup:1:through:${"5".repeat(88)}`;
    const instructions = [
      buildSetComputeUnitLimit(10_000),
      buildSetComputeUnitPrice(100_000n),
      ...wrap.instructions,
      buildMemo(memo, WALLET),
    ];
    const { networkFeeLamports, totalLamports } = wrap.breakdown;
    const fees = { networkFeeLamports: networkFeeLamports + 1_000, totalLamports: totalLamports + 1_000 };
    expect(verifyWrap(rebuild(wrap, instructions, fees), { ...REQUEST, memo }).networkFeeLamports).toBe(6_000n);
    expect(findRefusal(rebuild(wrap, instructions), { ...REQUEST, memo })).toBe("network_fee");
    expect(findRefusal(rebuild(wrap, instructions, fees))).toBe("memo");
    expect(findRefusal(rebuild(wrap, instructions, fees), { ...REQUEST, memo: `${memo}1` })).toBe("memo");
    expect(findRefusal(wrap, { ...REQUEST, memo })).toBe("memo");
  });

  test("unless there is nothing to save", async () => {
    const request = { ...REQUEST, purchasesUsd: [5] };
    const wrap = await buildHonest(request);
    expect(findRefusal(wrap, request)).toBe("nothing_to_sign");
  });
});

describe("a hostile wrap is refused", () => {
  const createSystemInstruction = (tag: number): InstructionLike => ({
    programId: SYSTEM_PROGRAM,
    accounts: [{ pubkey: WALLET, isSigner: true, isWritable: true }],
    data: toBase64(Uint8Array.of(tag, 0, 0, 0, ...new Uint8Array(32))),
  });

  const createUnsigned = (pubkey: string) => ({ pubkey, isSigner: false, isWritable: true });

  test.each<[string, Reason, (saving: InstructionLike, fee: InstructionLike) => InstructionLike[]]>([
    ["with the saving sent to a thief", "other_wallet", (_, fee) => [buildSystemTransfer(WALLET, THIEF, 1_000n), fee]],
    [
      "with a third transfer",
      "unknown_instruction",
      (saving, fee) => [saving, fee, buildSystemTransfer(WALLET, THIEF, 1n)],
    ],
    ["without its fee", "unknown_instruction", (saving) => [saving]],
    ["without instructions", "unknown_instruction", () => []],
    [
      "with SOL from another wallet",
      "unknown_instruction",
      (saving, fee) => [{ ...saving, accounts: [createUnsigned(THIEF), saving.accounts[1]!] }, fee],
    ],
    ["with the fee sent to a thief", "sol_elsewhere", (saving) => [saving, buildSystemTransfer(WALLET, THIEF, 1n)]],
    [
      "that hands the wallet to a program",
      "unknown_instruction",
      (saving, fee) => [saving, fee, createSystemInstruction(1)],
    ],
    ["with a durable nonce", "unknown_instruction", (saving, fee) => [createSystemInstruction(4), saving, fee]],
    [
      "with another required signer",
      "other_signer",
      (saving, fee) => [saving, fee, buildSystemTransfer(THIEF, WALLET, 1n)],
    ],
    ["with an unrequested memo", "memo", (saving, fee) => [saving, fee, buildMemo("x", WALLET)]],
    [
      "with two unit limits",
      "unknown_instruction",
      (saving, fee) => [buildSetComputeUnitLimit(1), buildSetComputeUnitLimit(2), saving, fee],
    ],
    ["with more SOL than shown", "other_amount", (_, fee) => [buildSystemTransfer(WALLET, SERVICE, 10_000_000n), fee]],
  ])("%s", async (_what, reason, changeInstructions) => {
    const wrap = await buildHonest();
    const [saving, fee] = wrap.instructions as [InstructionLike, InstructionLike];
    const hostile = rebuild(wrap, changeInstructions(saving, fee));
    expect(findRefusal(hostile)).toBe(reason);
  });

  test.each([
    ["in percent", { serviceFeePercent: 0.25 }],
    ["in dollars", { serviceFeeUsd: 0.001 }],
    ["in percent and in dollars", { serviceFeePercent: 0, serviceFeeUsd: 0 }],
  ])("if the displayed fee is too low %s", async (_what, shown) => {
    const wrap = await buildHonest();
    const hostile = { ...wrap, breakdown: { ...wrap.breakdown, ...shown } };
    expect(findRefusal(hostile)).toBe("fee_too_high");
    expect(catchReason(() => verifyWrapInstructions(hostile, REQUEST))).toBe("fee_too_high");
  });

  const MEMO = `roundup:1:through:${"5".repeat(88)}`;
  const alterMemo = (change: Partial<InstructionLike>): InstructionLike => ({ ...buildMemo(MEMO, WALLET), ...change });
  const createAccount = (pubkey: string, isSigner = false) => ({ pubkey, isSigner, isWritable: false });
  test.each<[string, Reason, InstructionLike[]]>([
    ["is missing", "memo", []],
    ["names another payment", "memo", [buildMemo(MEMO.replace(/5$/, "6"), WALLET)]],
    ["appears twice", "memo", [buildMemo(MEMO, WALLET), buildMemo(MEMO, WALLET)]],
    ["has a second memo beside it", "memo", [buildMemo(MEMO, WALLET), buildMemo("roundup:1:topup:2026-W47", WALLET)]],
    ["ends with a space", "memo", [buildMemo(`${MEMO} `, WALLET)]],
    ["starts with a byte order mark", "memo", [buildMemo(`\ufeff${MEMO}`, WALLET)]],
    ["has no signer", "memo", [alterMemo({ accounts: [] })]],
    ["is signed by another wallet", "other_signer", [alterMemo({ accounts: [createAccount(THIEF, true)] })]],
    [
      "is also signed by another wallet",
      "other_signer",
      [alterMemo({ accounts: [createAccount(WALLET, true), createAccount(THIEF, true)] })],
    ],
    [
      "also names another wallet",
      "memo",
      [alterMemo({ accounts: [createAccount(WALLET, true), createAccount(THIEF)] })],
    ],
    [
      "comes with a memo of the older program",
      "unknown_instruction",
      [buildMemo(MEMO, WALLET), alterMemo({ programId: "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo" })],
    ],
  ])("if the requested memo %s", async (_what, reason, memos) => {
    const wrap = await buildHonest();
    const query = { ...REQUEST, memo: MEMO };
    expect(findRefusal(rebuild(wrap, [...wrap.instructions, buildMemo(MEMO, WALLET)]), query)).toBeNull();
    expect(findRefusal(rebuild(wrap, [...wrap.instructions, ...memos]), query)).toBe(reason);
  });

  const [OWN_MARK, STRANGERS_MARK] = [createReferenceMark(WALLET, "order 1"), createReferenceMark(THIEF, "order 1")];
  test.each<[string, Reason | null, [string[], string[]], string]>([
    ["are as requested", null, [[OWN_MARK.key], []], formatMark(OWN_MARK)],
    ["lack the key", "unknown_instruction", [[], []], formatMark(OWN_MARK)],
    ["have the key of another wallet", "unknown_instruction", [[STRANGERS_MARK.key], []], formatMark(OWN_MARK)],
    ["have a second key", "unknown_instruction", [[OWN_MARK.key, THIEF], []], formatMark(OWN_MARK)],
    ["have the key on the fee too", "unknown_instruction", [[OWN_MARK.key], [OWN_MARK.key]], formatMark(OWN_MARK)],
    ["have the memo of another wallet", "memo", [[OWN_MARK.key], []], formatMark(STRANGERS_MARK)],
  ])("if the key and memo of a reference %s (reason: %s)", async (_what, reason, keys, text) => {
    const wrap = await buildHonest();
    const transfers = wrap.instructions.map(({ accounts, ...transfer }, i) => {
      return { ...transfer, accounts: [...accounts, ...keys[i]!.map((key) => createAccount(key))] };
    });
    const instructions = [...transfers, buildMemo(text, WALLET)];
    const request = { ...REQUEST, reference: "order 1" };
    expect(findRefusal(rebuild(wrap, instructions), request)).toBe(reason);
    expect(catchReason(() => verifyWrapInstructions({ ...wrap, instructions }, request))).toBe(reason);
    if (reason === null) expect(findRefusal(rebuild(wrap, instructions))).toBe("memo");
  });

  test("if the service wallet is hidden in a lookup table", async () => {
    const wrap = await buildHonest();
    const parts = { payer: WALLET, instructions: wrap.instructions, blockhash: createBlockhash(1) };
    const { bytes } = composeTransaction({ ...parts, lookupTables: { [THIEF]: [SERVICE] } });
    const transaction = { ...wrap.transaction!, base64: toBase64(bytes) };
    expect(findRefusal({ ...wrap, transaction })).toBe("two_transactions");
    expect(findRefusal({ ...wrap, unsigned: null })).toBe("two_transactions");
    expect(findRefusal({ ...wrap, transaction, unsigned: transaction })).toBe("hidden_account");
  });

  /** Creates a hostile wrap with a matching breakdown, which only a comparison with the user's request reveals. */
  function createConsistentWrap(wrap: Wrap, savedLamports: bigint, feeLamports: bigint, activationLamports = 0n): Wrap {
    const { feeCollector } = wrap.breakdown;
    const instructions = [
      buildSystemTransfer(WALLET, SERVICE, savedLamports + activationLamports),
      buildSystemTransfer(WALLET, feeCollector, feeLamports),
    ];
    return rebuild(wrap, instructions, {
      roundUpLamports: Number(savedLamports + feeLamports),
      serviceFeeLamports: Number(feeLamports),
      serviceFeePercent: 100,
      serviceFeeUsd: wrap.breakdown.roundUpUsd,
      userInvestmentLamports: Number(savedLamports),
      activationLamports: Number(activationLamports),
      totalLamports: Number(savedLamports + feeLamports + activationLamports) + 5_000,
    });
  }

  test.each<[string, Reason, bigint, bigint, bigint?]>([
    ["a saving of ten times the purchase", "implausible", 1_842_000_000n, 0n],
    ["a saving above the round-up at any plausible price", "implausible", 37_000_001n, 0n],
    ["a saving above the round-up at the price shown", "other_amount", 2_466_667n, 0n],
    ["a fee a thousand times as high", "fee_too_high", 0n, 2_466_666n],
    ["a fee a lamport above the plan's half a percent", "fee_too_high", 995_000n - 1n, 5_001n],
    ["an activation beyond any account's rent", "not_asked_for", 1_000_000n, 0n, 890_881n],
    ["an activation beyond what is saved", "not_asked_for", -1n, 1n, 890_880n],
  ])("with %s and a matching breakdown", async (_what, reason, saved, fee, activation) => {
    const wrap = createConsistentWrap(await buildHonest(), saved, fee, activation);
    expect(findRefusal(wrap)).toBe(reason);
  });

  test.each<[string, bigint, bigint, bigint, Partial<Wrap["breakdown"]>]>([
    ["the lowest plausible price of SOL", 37_000_000n, 0n, 0n, { solPriceUsd: 10 }],
    ["the plan's fee of half a percent", 995_000n, 5_000n, 0n, {}],
    ["the largest deposit of an account", 1_000_000n, 0n, 890_880n, {}],
    ["the largest network fee", 1_000_000n, 0n, 0n, { networkFeeLamports: 105_000, totalLamports: 1_105_000 }],
  ])("only beyond %s", async (_what, saved, fee, activation, shown) => {
    const wrap = createConsistentWrap(await buildHonest(), saved, fee, activation);
    const breakdown = { ...wrap.breakdown, ...shown };
    expect(verifyWrap({ ...wrap, breakdown }, REQUEST)).toMatchObject({ userInvestmentLamports: saved });
  });

  test("if its fee collector is the service wallet", async () => {
    const wrap = await buildHonest();
    const { serviceFeeLamports } = wrap.breakdown;
    const fee = buildSystemTransfer(WALLET, SERVICE, BigInt(serviceFeeLamports));
    const hostile = rebuild(wrap, [wrap.instructions[0]!, fee], { feeCollector: SERVICE });
    expect(findRefusal(hostile)).toBe("sol_elsewhere");
  });

  test.each<[string, Partial<RequestedWrap>, Reason]>([
    ["one purchase more", { purchasesUsd: [27.63, 4.98] }, "not_asked_for"],
    ["another purchase", { purchasesUsd: [4.98] }, "implausible"],
    ["another plan", { plan: "seed" }, "implausible"],
    ["a lower ceiling", { ceilingUsd: 0.1 }, "not_asked_for"],
    ["a higher multiplier", { multiplier: 2 }, "not_asked_for"],
    ["another service wallet", { serviceWallet: THIEF }, "other_wallet"],
    ["another payer", { wallet: THIEF }, "other_signer"],
  ])("if the user requested %s", async (_what, changes, reason) => {
    const wrap = await buildHonest();
    expect(findRefusal(wrap, { ...REQUEST, ...changes })).toBe(reason);
  });

  test.each<[string, Partial<Wrap["breakdown"]>, Reason]>([
    ["total", { totalLamports: 1 }, "total"],
    ["fee", { serviceFeeLamports: 1 }, "other_amount"],
    ["round-up", { roundUpLamports: 1 }, "other_amount"],
    ["investment", { userInvestmentLamports: 1 }, "other_amount"],
    ["activation", { activationLamports: 1 }, "other_amount"],
    ["round-up in dollars", { roundUpUsd: 0.07 }, "not_asked_for"],
    ["price", { solPriceUsd: null }, "other_amount"],
    ["network fee above the maximum", { networkFeeLamports: 105_001 }, "network_fee"],
  ])("if the breakdown differs from the bytes: %s", async (_what, breakdown, reason) => {
    const wrap = await buildHonest();
    expect(findRefusal(rebuild(wrap, wrap.instructions, breakdown))).toBe(reason);
  });

  test("if its bare instructions have a compute budget, another signer or unreadable data", async () => {
    const wrap = await buildHonest();
    const verifyWith =
      (...addedInstructions: InstructionLike[]) =>
      () =>
        verifyWrapInstructions({ ...wrap, instructions: [...wrap.instructions, ...addedInstructions] }, REQUEST);
    expect(catchReason(verifyWith(buildSetComputeUnitLimit(1)))).toBe("unknown_instruction");
    expect(catchReason(verifyWith(buildSystemTransfer(THIEF, WALLET, 1n)))).toBe("other_signer");
    expect(catchReason(verifyWith({ ...createSystemInstruction(2), data: "?" }))).toBe("unreadable");
  });
});
