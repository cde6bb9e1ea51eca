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
import { setComputeUnitLimit, setComputeUnitPrice } from "@/lib/solana/compute-budget";
import type { InstructionLike } from "@/lib/solana/instructions";
import { createMemo } from "@/lib/solana/memo";
import { SYSTEM_PROGRAM } from "@/lib/solana/programs";
import { createSystemTransfer } from "@/lib/solana/system-instructions";
import { composeTransaction } from "@/lib/solana/transactions";
import { parseInput } from "../../../support/client/contract-input";
import { blockhashOf, fakeDeps, PRICES_USD, pricesAt, solAccount } from "../../../support/fakes/fake-deps";
import { catchReason } from "../../../support/fixtures/catch-reason";
import { testWallet } from "../../../support/fixtures/test-wallets";

const [WALLET, SERVICE, THIEF] = ["main", "service", "thief"].map((name) => testWallet(name).address) as [
  string,
  string,
  string,
];
const wallets = { userPubkey: WALLET, serviceWalletPubkey: SERVICE };
const ASKED: RequestedWrap = { wallet: WALLET, serviceWallet: SERVICE, purchasesUsd: [27.63], plan: "tree" };

/** Builds a wrap as the service does, at 150 dollars per SOL. */
async function honest(
  { purchasesUsd, plan, roundToUsd, ceilingUsd, multiplier }: RequestedWrap = ASKED,
  active = true,
  solUsd = 150,
) {
  const deps = fakeDeps();
  deps.chain.accounts.set(WALLET, solAccount(10n ** 10n));
  if (active) deps.chain.accounts.set(SERVICE, solAccount(10n ** 9n));
  deps.quoted.current = pricesAt(deps.clock.now(), { usd: { ...PRICES_USD, SOL: solUsd } });
  const terms = { ...wallets, plan, roundToUsd, ceiling: ceilingUsd, multiplier };
  const given = Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
  return purchasesUsd.length === 1
    ? buildWrap(deps, parseInput(buildWrapContract, { ...given, txValueUsd: purchasesUsd[0] }))
    : buildWrapBatch(deps, parseInput(buildWrapBatchContract, { ...given, txValuesUsd: purchasesUsd }));
}

type Wrap = Awaited<ReturnType<typeof honest>>;

/** Returns the same response with other instructions. */
function around(wrap: Wrap, instructions: InstructionLike[], breakdown: Partial<Wrap["breakdown"]> = {}): Wrap {
  const blockhash = blockhashOf(1);
  const base64 = toBase64(composeTransaction({ payer: WALLET, instructions, blockhash }).bytes);
  return {
    ...wrap,
    instructions,
    breakdown: { ...wrap.breakdown, ...breakdown },
    transaction: { ...wrap.transaction!, base64 },
    unsigned: { ...wrap.transaction!, base64 },
  };
}

describe("an honest wrap verifies, with the figures shown", () => {
  test("for one purchase and an existing service wallet", async () => {
    const { breakdown, ...wrap } = await honest();
    expect(verifyWrap({ ...wrap, breakdown }, ASKED)).toEqual({
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
    const requests = fc.record({
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
      requests,
      fc.boolean(),
      fc.integer({ min: 11, max: 9_999 }),
      async (one, active, price) => {
        const { terms, ...rest } = one;
        const request = { ...ASKED, plan: undefined, ...terms, ...rest };
        const wrap = await honest(request, active, price);
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

  test("with one unit limit, one unit price within the fee shown, and the exact memo requested", async () => {
    const wrap = await honest();
    const note = `roundup:1:through:${"5".repeat(88)}`;
    const all = [
      setComputeUnitLimit(10_000),
      setComputeUnitPrice(100_000n),
      ...wrap.instructions,
      createMemo(note, WALLET),
    ];
    const { networkFeeLamports, totalLamports } = wrap.breakdown;
    const shown = { networkFeeLamports: networkFeeLamports + 1_000, totalLamports: totalLamports + 1_000 };
    expect(verifyWrap(around(wrap, all, shown), { ...ASKED, memo: note }).networkFeeLamports).toBe(6_000n);
    expect(catchReason(() => verifyWrap(around(wrap, all), { ...ASKED, memo: note }))).toBe("network_fee");
    expect(catchReason(() => verifyWrap(around(wrap, all, shown), ASKED))).toBe("memo");
    expect(catchReason(() => verifyWrap(around(wrap, all, shown), { ...ASKED, memo: `${note}1` }))).toBe("memo");
    expect(catchReason(() => verifyWrap(wrap, { ...ASKED, memo: note }))).toBe("memo");
  });

  test("and gives nothing to sign when there is nothing to save", async () => {
    const request = { ...ASKED, purchasesUsd: [5] };
    const wrap = await honest(request);
    expect(catchReason(() => verifyWrap(wrap, request))).toBe("nothing_to_sign");
  });
});

describe("a hostile wrap is refused", () => {
  const system = (tag: number): InstructionLike => ({
    programId: SYSTEM_PROGRAM,
    accounts: [{ pubkey: WALLET, isSigner: true, isWritable: true }],
    data: toBase64(Uint8Array.of(tag, 0, 0, 0, ...new Uint8Array(32))),
  });

  const unsigned = (pubkey: string) => ({ pubkey, isSigner: false, isWritable: true });

  test.each<[string, Reason, (saving: InstructionLike, fee: InstructionLike, wrap: Wrap) => InstructionLike[]]>([
    ["with the saving sent to a thief", "other_wallet", (_, fee) => [createSystemTransfer(WALLET, THIEF, 1_000n), fee]],
    [
      "with a third transfer",
      "unknown_instruction",
      (...[saving, fee]) => [saving, fee, createSystemTransfer(WALLET, THIEF, 1n)],
    ],
    ["without its fee", "unknown_instruction", (saving) => [saving]],
    ["with nothing in it", "unknown_instruction", () => []],
    [
      "with SOL of another wallet",
      "unknown_instruction",
      (...[saving, fee]) => [{ ...saving, accounts: [unsigned(THIEF), saving.accounts[1]!] }, fee],
    ],
    ["with the fee sent to a thief", "sol_elsewhere", (saving) => [saving, createSystemTransfer(WALLET, THIEF, 1n)]],
    ["that hands the wallet to a program", "unknown_instruction", (...[saving, fee]) => [saving, fee, system(1)]],
    ["with a durable nonce", "unknown_instruction", (...[saving, fee]) => [system(4), saving, fee]],
    [
      "with another required signer",
      "other_signer",
      (...[saving, fee]) => [saving, fee, createSystemTransfer(THIEF, WALLET, 1n)],
    ],
    ["with an unrequested memo", "memo", (...[saving, fee]) => [saving, fee, createMemo("x", WALLET)]],
    [
      "with two unit limits",
      "unknown_instruction",
      (...[saving, fee]) => [setComputeUnitLimit(1), setComputeUnitLimit(2), saving, fee],
    ],
    ["with more SOL than shown", "other_amount", (_, fee) => [createSystemTransfer(WALLET, SERVICE, 10_000_000n), fee]],
  ])("%s", async (_what, reason, change) => {
    const wrap = await honest();
    const [saving, fee] = wrap.instructions as [InstructionLike, InstructionLike];
    const hostile = around(wrap, change(saving, fee, wrap));
    expect(catchReason(() => verifyWrap(hostile, ASKED))).toBe(reason);
  });

  test.each([
    ["in percent", { serviceFeePercent: 0.25 }],
    ["in dollars", { serviceFeeUsd: 0.001 }],
    ["not at all", { serviceFeePercent: 0, serviceFeeUsd: 0 }],
  ])("if the shown fee is too low: %s", async (_what, shown) => {
    const wrap = await honest();
    const hostile = { ...wrap, breakdown: { ...wrap.breakdown, ...shown } };
    expect(catchReason(() => verifyWrap(hostile, ASKED))).toBe("fee_too_high");
    expect(catchReason(() => verifyWrapInstructions(hostile, ASKED))).toBe("fee_too_high");
  });

  const NOTE = `roundup:1:through:${"5".repeat(88)}`;
  const asMemo = (change: Partial<InstructionLike>): InstructionLike => ({ ...createMemo(NOTE, WALLET), ...change });
  const reader = (pubkey: string, isSigner = false) => ({ pubkey, isSigner, isWritable: false });
  test.each<[string, Reason, InstructionLike[]]>([
    ["is missing", "memo", []],
    ["names another payment", "memo", [createMemo(NOTE.replace(/5$/, "6"), WALLET)]],
    ["appears twice", "memo", [createMemo(NOTE, WALLET), createMemo(NOTE, WALLET)]],
    ["has a second memo beside it", "memo", [createMemo(NOTE, WALLET), createMemo("roundup:1:topup:2026-W47", WALLET)]],
    ["has more text", "memo", [createMemo(`${NOTE} `, WALLET)]],
    ["starts with a byte order mark", "memo", [createMemo(`\ufeff${NOTE}`, WALLET)]],
    ["has no signer, so that it marks nothing", "memo", [asMemo({ accounts: [] })]],
    ["is signed by another wallet", "other_signer", [asMemo({ accounts: [reader(THIEF, true)] })]],
    [
      "is also signed by another wallet",
      "other_signer",
      [asMemo({ accounts: [reader(WALLET, true), reader(THIEF, true)] })],
    ],
    ["also names another wallet", "memo", [asMemo({ accounts: [reader(WALLET, true), reader(THIEF)] })]],
    [
      "uses the older memo program, which marks nothing",
      "unknown_instruction",
      [createMemo(NOTE, WALLET), asMemo({ programId: "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo" })],
    ],
  ])("if the requested memo %s", async (_what, reason, notes) => {
    const wrap = await honest();
    const query = { ...ASKED, memo: NOTE };
    expect(
      catchReason(() => verifyWrap(around(wrap, [...wrap.instructions, createMemo(NOTE, WALLET)]), query)),
    ).toBeNull();
    expect(catchReason(() => verifyWrap(around(wrap, [...wrap.instructions, ...notes]), query))).toBe(reason);
  });

  const [MINE, OTHERS] = [createReferenceMark(WALLET, "order 1"), createReferenceMark(THIEF, "order 1")];
  test.each<[string, Reason | null, [string[], string[]], string]>([
    ["are as requested", null, [[MINE.key], []], formatMark(MINE)],
    ["lack the key", "unknown_instruction", [[], []], formatMark(MINE)],
    ["have the key of another wallet", "unknown_instruction", [[OTHERS.key], []], formatMark(MINE)],
    ["have a second key", "unknown_instruction", [[MINE.key, THIEF], []], formatMark(MINE)],
    ["have the key on the fee too", "unknown_instruction", [[MINE.key], [MINE.key]], formatMark(MINE)],
    ["have the memo of another wallet", "memo", [[MINE.key], []], formatMark(OTHERS)],
  ])("if a reference's key and memo %s: %s", async (_what, reason, keys, text) => {
    const wrap = await honest();
    const transfers = wrap.instructions.map(({ accounts, ...one }, i) => {
      return { ...one, accounts: [...accounts, ...keys[i]!.map((key) => reader(key))] };
    });
    const instructions = [...transfers, createMemo(text, WALLET)];
    const asked = { ...ASKED, reference: "order 1" };
    expect(catchReason(() => verifyWrap(around(wrap, instructions), asked))).toBe(reason);
    expect(catchReason(() => verifyWrapInstructions({ ...wrap, instructions }, asked))).toBe(reason);
    if (reason === null) expect(catchReason(() => verifyWrap(around(wrap, instructions), ASKED))).toBe("memo");
  });

  test("if the service wallet is hidden in a lookup table", async () => {
    const wrap = await honest();
    const parts = { payer: WALLET, instructions: wrap.instructions, blockhash: blockhashOf(1) };
    const { bytes } = composeTransaction({ ...parts, lookupTables: { [THIEF]: [SERVICE] } });
    const transaction = { ...wrap.transaction!, base64: toBase64(bytes) };
    expect(catchReason(() => verifyWrap({ ...wrap, transaction }, ASKED))).toBe("two_transactions");
    expect(catchReason(() => verifyWrap({ ...wrap, unsigned: null }, ASKED))).toBe("two_transactions");
    expect(catchReason(() => verifyWrap({ ...wrap, transaction, unsigned: transaction }, ASKED))).toBe(
      "hidden_account",
    );
  });

  /** Returns a hostile wrap with a matching breakdown. Only the user's own inputs can reveal it. */
  function consistent(wrap: Wrap, saved: bigint, fee: bigint, activation = 0n): Wrap {
    const { feeCollector } = wrap.breakdown;
    const instructions = [
      createSystemTransfer(WALLET, SERVICE, saved + activation),
      createSystemTransfer(WALLET, feeCollector, fee),
    ];
    return around(wrap, instructions, {
      roundUpLamports: Number(saved + fee),
      serviceFeeLamports: Number(fee),
      serviceFeePercent: 100,
      serviceFeeUsd: wrap.breakdown.roundUpUsd,
      userInvestmentLamports: Number(saved),
      activationLamports: Number(activation),
      totalLamports: Number(saved + fee + activation) + 5_000,
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
  ])("with %s, even if the breakdown matches", async (_what, reason, saved, fee, activation) => {
    const wrap = consistent(await honest(), saved, fee, activation);
    expect(catchReason(() => verifyWrap(wrap, ASKED))).toBe(reason);
  });

  test.each<[string, bigint, bigint, bigint, Partial<Wrap["breakdown"]>]>([
    ["the lowest plausible price of SOL", 37_000_000n, 0n, 0n, { solPriceUsd: 10 }],
    ["the plan's fee of half a percent", 995_000n, 5_000n, 0n, {}],
    ["the largest deposit of an account", 1_000_000n, 0n, 890_880n, {}],
    ["the largest network fee", 1_000_000n, 0n, 0n, { networkFeeLamports: 105_000, totalLamports: 1_105_000 }],
  ])("only beyond %s", async (_what, saved, fee, activation, shown) => {
    const wrap = consistent(await honest(), saved, fee, activation);
    const breakdown = { ...wrap.breakdown, ...shown };
    expect(verifyWrap({ ...wrap, breakdown }, ASKED)).toMatchObject({ userInvestmentLamports: saved });
  });

  test("if the service wallet is the fee collector, even if the breakdown matches", async () => {
    const wrap = await honest();
    const { serviceFeeLamports } = wrap.breakdown;
    const fee = createSystemTransfer(WALLET, SERVICE, BigInt(serviceFeeLamports));
    const hostile = around(wrap, [wrap.instructions[0]!, fee], { feeCollector: SERVICE });
    expect(catchReason(() => verifyWrap(hostile, ASKED))).toBe("sol_elsewhere");
  });

  test.each<[string, Partial<RequestedWrap>, Reason]>([
    ["one purchase more", { purchasesUsd: [27.63, 4.98] }, "not_asked_for"],
    ["another purchase", { purchasesUsd: [4.98] }, "implausible"],
    ["another plan", { plan: "seed" }, "implausible"],
    ["a lower ceiling", { ceilingUsd: 0.1 }, "not_asked_for"],
    ["a higher multiplier", { multiplier: 2 }, "not_asked_for"],
    ["another service wallet", { serviceWallet: THIEF }, "other_wallet"],
    ["another payer", { wallet: THIEF }, "other_signer"],
  ])("if the user requested %s", async (_what, asked, reason) => {
    const wrap = await honest();
    expect(catchReason(() => verifyWrap(wrap, { ...ASKED, ...asked }))).toBe(reason);
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
    const wrap = await honest();
    expect(catchReason(() => verifyWrap(around(wrap, wrap.instructions, breakdown), ASKED))).toBe(reason);
  });

  test("if bare instructions contain a compute budget, another signer or unreadable data", async () => {
    const wrap = await honest();
    const of =
      (...more: InstructionLike[]) =>
      () =>
        verifyWrapInstructions({ ...wrap, instructions: [...wrap.instructions, ...more] }, ASKED);
    expect(catchReason(of(setComputeUnitLimit(1)))).toBe("unknown_instruction");
    expect(catchReason(of(createSystemTransfer(THIEF, WALLET, 1n)))).toBe("other_signer");
    expect(catchReason(of({ ...system(2), data: "?" }))).toBe("unreadable");
  });
});
