import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildWrapContract } from "@/lib/contracts/build-wrap";
import { buildWrapBatchContract } from "@/lib/contracts/build-wrap-batch";
import { ASSETS } from "@/lib/domain/assets";
import { deriveUsdcAccount } from "@/lib/domain/dollar-accounts";
import { formatMark } from "@/lib/domain/marks";
import type { Reason } from "@/lib/domain/not-as-shown";
import { PLAN_NAMES } from "@/lib/domain/plans";
import { createReferenceMark } from "@/lib/domain/reference";
import { type RequestedWrap, verifyWrap, verifyWrapInstructions } from "@/lib/sdk/verify/wrap";
import { buildWrap } from "@/lib/services/build-wrap";
import { buildWrapBatch } from "@/lib/services/build-wrap-batch";
import { buildSetComputeUnitLimit, buildSetComputeUnitPrice } from "@/lib/solana/compute-budget";
import { type InstructionLike, toReadonly, toSigner } from "@/lib/solana/instructions";
import { buildMemo } from "@/lib/solana/memo";
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "@/lib/solana/programs";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import {
  buildApproveChecked,
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "@/lib/solana/token-instructions";
import { parseInput } from "../../../support/client/contract-input";
import { createFakeDeps, createSolAccount, PRICES_USD, setPrices } from "../../../support/fakes/fake-deps";
import { createTokenAccount, stageTokenAccount } from "../../../support/fakes/fake-simulation";
import { catchReason } from "../../../support/fixtures/catch-reason";
import { TOKEN_RENT_LAMPORTS } from "../../../support/fixtures/rent";
import { addUnitLimit, composeBase64, createSystemInstruction } from "../../../support/fixtures/test-transactions";
import { toTestWallet } from "../../../support/fixtures/test-wallets";
import { WAYS as SIGNED_OR_NOT, toPayTerms, type Way } from "../../../support/worlds/usdc-world";

const WALLET = toTestWallet("main").address;
const SERVICE = toTestWallet("service").address;
const THIEF = toTestWallet("thief").address;
const wallets = { userPubkey: WALLET, serviceWalletPubkey: SERVICE };
const MEMO = `roundup:1:through:${"5".repeat(88)}`;
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
type Breakdown = Wrap["breakdown"];

/** The response to REQUEST, and its two transfers. */
const WRAP = await buildHonest();
const [FEE, SAVING] = WRAP.instructions as [InstructionLike, InstructionLike];

/** Returns the response to REQUEST with these instructions and breakdown members. */
function rebuildWrap(instructions: InstructionLike[], breakdown: Partial<Breakdown> = {}): Wrap {
  const base64 = composeBase64(WALLET, addUnitLimit(instructions));
  return {
    ...WRAP,
    instructions,
    breakdown: { ...WRAP.breakdown, ...breakdown },
    transaction: { ...WRAP.transaction!, base64 },
    unsigned: { ...WRAP.transaction!, base64 },
  };
}

/** Returns why the wrap is refused, or null when it verifies. */
const findRefusal = (wrap: Wrap, request: RequestedWrap = REQUEST) => catchReason(() => verifyWrap(wrap, request));

describe("an honest wrap verifies", () => {
  test("for one purchase and an existing service wallet", () => {
    const { breakdown } = WRAP;
    expect(verifyWrap(WRAP, REQUEST)).toMatchObject({
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
    const createAnyUsd = (maxCents: number) => fc.integer({ min: 1, max: maxCents }).map((cents) => cents / 100);
    const anyInput = fc.record({
      purchasesUsd: fc.array(createAnyUsd(100_000_000), { minLength: 1, maxLength: 20 }),
      terms: fc.oneof(
        fc.record({ plan: fc.constantFrom(...PLAN_NAMES) }),
        fc.record({ roundToUsd: createAnyUsd(10_000) }),
      ),
      ceilingUsd: fc.option(createAnyUsd(10_000), { nil: undefined }),
      multiplier: fc.constantFrom(undefined, 1, 2, 10),
    });
    const property = fc.asyncProperty(
      anyInput,
      fc.boolean(),
      fc.integer({ min: 11, max: 9_999 }),
      async (input, isActive, solUsd) => {
        const { terms, ...otherTerms } = input;
        const request = { ...REQUEST, plan: undefined, ...terms, ...otherTerms };
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

  test("with a unit limit, a unit price within the displayed fee and the requested memo", () => {
    const budget = [buildSetComputeUnitLimit(10_000), buildSetComputeUnitPrice(100_000n)];
    const instructions = [...budget, FEE, SAVING, buildMemo(MEMO, WALLET)];
    const { networkFeeLamports, totalLamports } = WRAP.breakdown;
    const fees = { networkFeeLamports: networkFeeLamports + 1_000, totalLamports: totalLamports + 1_000 };
    const request = { ...REQUEST, memo: MEMO };
    expect(verifyWrap(rebuildWrap(instructions, fees), request).networkFeeLamports).toBe(6_000n);
    const tooLow = { networkFeeLamports: 999, totalLamports: totalLamports - networkFeeLamports + 999 };
    expect(findRefusal(rebuildWrap(instructions, tooLow), request)).toBe("network_fee");
    const wasteful = [buildSetComputeUnitLimit(101_000), ...instructions.slice(1)];
    expect(findRefusal(rebuildWrap(wasteful, fees), request)).toBe("network_fee");
    expect(findRefusal(rebuildWrap(instructions, fees))).toBe("memo");
    expect(findRefusal(rebuildWrap(instructions, fees), { ...REQUEST, memo: `${MEMO}1` })).toBe("memo");
    expect(findRefusal(WRAP, request)).toBe("memo");
  });

  test("unless there is nothing to save", async () => {
    const request = { ...REQUEST, purchasesUsd: [5] };
    expect(findRefusal(await buildHonest(request), request)).toBe("nothing_to_sign");
  });
});

describe("a hostile wrap is refused", () => {
  const unsignedThief = { pubkey: THIEF, isSigner: false, isWritable: true };
  const thiefsSaving = { ...SAVING, accounts: [unsignedThief, SAVING.accounts[1]!] };
  const thiefTransfer = buildSystemTransfer(WALLET, THIEF, 1n);

  test.each<[string, Reason, InstructionLike[]]>([
    ["with the saving sent to a thief", "other_wallet", [FEE, buildSystemTransfer(WALLET, THIEF, 1_000n)]],
    ["with a third transfer", "unknown_instruction", [FEE, SAVING, thiefTransfer]],
    ["without its fee", "unknown_instruction", [SAVING]],
    ["without instructions", "unknown_instruction", []],
    ["with SOL from another wallet", "unknown_instruction", [FEE, thiefsSaving]],
    ["with the fee sent to a thief", "sol_elsewhere", [thiefTransfer, SAVING]],
    ["that hands the wallet to a program", "unknown_instruction", [FEE, SAVING, createSystemInstruction(WALLET, 1)]],
    ["with a durable nonce", "unknown_instruction", [createSystemInstruction(WALLET, 4), FEE, SAVING]],
    ["with another required signer", "other_signer", [FEE, SAVING, buildSystemTransfer(THIEF, WALLET, 1n)]],
    ["with an unrequested memo", "memo", [FEE, SAVING, buildMemo("x", WALLET)]],
    ["with two unit limits", "unknown_instruction", [...[1, 2].map(buildSetComputeUnitLimit), FEE, SAVING]],
    ["with more SOL than shown", "other_amount", [FEE, buildSystemTransfer(WALLET, SERVICE, 10_000_000n)]],
  ])("%s", (_caseName, reason, instructions) => {
    expect(findRefusal(rebuildWrap(instructions))).toBe(reason);
  });

  test.each([
    ["in percent", { serviceFeePercent: 0.25 }],
    ["in dollars", { serviceFeeUsd: 0.001 }],
    ["in percent and in dollars", { serviceFeePercent: 0, serviceFeeUsd: 0 }],
  ])("if the displayed fee is too low %s", (_caseName, shownFields) => {
    const hostileWrap = { ...WRAP, breakdown: { ...WRAP.breakdown, ...shownFields } };
    expect(findRefusal(hostileWrap)).toBe("fee_too_high");
    expect(catchReason(() => verifyWrapInstructions(hostileWrap, REQUEST))).toBe("fee_too_high");
  });

  const memo = buildMemo(MEMO, WALLET);
  const createAccount = (pubkey: string, isSigner = false) => ({ pubkey, isSigner, isWritable: false });
  const withAccounts = (...accounts: InstructionLike["accounts"]) => [{ ...memo, accounts }];
  const OLDER_MEMO_PROGRAM = "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo";
  test.each<[string, Reason, InstructionLike[]]>([
    ["is missing", "memo", []],
    ["names another payment", "memo", [buildMemo(MEMO.replace(/5$/, "6"), WALLET)]],
    ["appears twice", "memo", [memo, memo]],
    ["has a second memo beside it", "memo", [memo, buildMemo("roundup:1:topup:2026-W47", WALLET)]],
    ["ends with a space", "memo", [buildMemo(`${MEMO} `, WALLET)]],
    ["starts with a byte order mark", "memo", [buildMemo(`\ufeff${MEMO}`, WALLET)]],
    ["has no signer", "memo", withAccounts()],
    ["is signed by another wallet", "other_signer", withAccounts(createAccount(THIEF, true))],
    ["has a second signer", "other_signer", withAccounts(createAccount(WALLET, true), createAccount(THIEF, true))],
    ["also names another wallet", "memo", withAccounts(createAccount(WALLET, true), createAccount(THIEF))],
    ["has a copy for the older program", "unknown_instruction", [memo, { ...memo, programId: OLDER_MEMO_PROGRAM }]],
  ])("if the requested memo %s", (_caseName, reason, memos) => {
    const request = { ...REQUEST, memo: MEMO };
    expect(findRefusal(rebuildWrap([FEE, SAVING, memo]), request)).toBeNull();
    expect(findRefusal(rebuildWrap([FEE, SAVING, ...memos]), request)).toBe(reason);
  });

  const [OWN_MARK, STRANGERS_MARK] = [createReferenceMark(WALLET, "order 1"), createReferenceMark(THIEF, "order 1")];
  test.each<[string, Reason | null, [string[], string[]], string]>([
    ["are as requested", null, [[OWN_MARK.key], []], formatMark(OWN_MARK)],
    ["lack the key", "unknown_instruction", [[], []], formatMark(OWN_MARK)],
    ["have the key of another wallet", "unknown_instruction", [[STRANGERS_MARK.key], []], formatMark(OWN_MARK)],
    ["have a second key", "unknown_instruction", [[OWN_MARK.key, THIEF], []], formatMark(OWN_MARK)],
    ["have the key on the fee too", "unknown_instruction", [[OWN_MARK.key], [OWN_MARK.key]], formatMark(OWN_MARK)],
    ["have the memo of another wallet", "memo", [[OWN_MARK.key], []], formatMark(STRANGERS_MARK)],
  ])("only for a wrong reference: the key and memo %s (reason: %s)", (_caseName, reason, keys, text) => {
    const transfers = [FEE, SAVING].map(({ accounts, ...transfer }, i) => {
      return { ...transfer, accounts: [...accounts, ...keys[1 - i]!.map((key) => createAccount(key))] };
    });
    const instructions = [...transfers, buildMemo(text, WALLET)];
    const request = { ...REQUEST, reference: "order 1" };
    expect(findRefusal(rebuildWrap(instructions), request)).toBe(reason);
    expect(catchReason(() => verifyWrapInstructions({ ...WRAP, instructions }, request))).toBe(reason);
    if (reason === null) expect(findRefusal(rebuildWrap(instructions))).toBe("memo");
  });

  test("if the service wallet is hidden in a lookup table", () => {
    const base64 = composeBase64(WALLET, addUnitLimit(WRAP.instructions), { lookupTables: { [THIEF]: [SERVICE] } });
    const transaction = { ...WRAP.transaction!, base64 };
    expect(findRefusal({ ...WRAP, transaction })).toBe("two_transactions");
    expect(findRefusal({ ...WRAP, unsigned: null })).toBe("two_transactions");
    expect(findRefusal({ ...WRAP, transaction, unsigned: transaction })).toBe("hidden_account");
  });

  /** Creates a hostile wrap with a matching breakdown, which only a comparison with the user's request reveals. */
  function createConsistentWrap(savedLamports: bigint, feeLamports: bigint, activationLamports = 0n): Wrap {
    const { feeCollector, roundUpUsd } = WRAP.breakdown;
    const instructions = [
      buildSystemTransfer(WALLET, feeCollector, feeLamports),
      buildSystemTransfer(WALLET, SERVICE, savedLamports + activationLamports),
    ];
    return rebuildWrap(instructions, {
      roundUpLamports: Number(savedLamports + feeLamports),
      serviceFeeLamports: Number(feeLamports),
      serviceFeePercent: 100,
      serviceFeeUsd: roundUpUsd,
      userInvestmentLamports: Number(savedLamports),
      activationLamports: Number(activationLamports),
      totalLamports: Number(savedLamports + feeLamports + activationLamports) + 5_000,
    });
  }

  test.each<[string, Reason, bigint, bigint, bigint?]>([
    ["a saving of ten times the purchase", "implausible", 1_842_000_000n, 0n],
    ["a saving above the change at any plausible price", "implausible", 37_000_001n, 0n],
    ["a saving above the change at the price shown", "other_amount", 2_466_667n, 0n],
    ["a fee a thousand times as high", "fee_too_high", 0n, 2_466_666n],
    ["a fee a lamport above the plan's half a percent", "fee_too_high", 995_000n - 1n, 5_001n],
    ["an activation beyond any account's rent", "not_asked_for", 1_000_000n, 0n, 890_881n],
    ["an activation beyond what is saved", "not_asked_for", -1n, 1n, 890_880n],
  ])("with %s and a matching breakdown", (_caseName, reason, saved, fee, activation) => {
    expect(findRefusal(createConsistentWrap(saved, fee, activation))).toBe(reason);
  });

  test.each<[string, bigint, bigint, bigint, Partial<Breakdown>]>([
    ["the lowest plausible price of SOL", 37_000_000n, 0n, 0n, { solPriceUsd: 10 }],
    ["the plan's fee of half a percent", 995_000n, 5_000n, 0n, {}],
    ["the largest deposit of an account", 1_000_000n, 0n, 890_880n, {}],
    ["the largest network fee", 1_000_000n, 0n, 0n, { networkFeeLamports: 14_156, totalLamports: 1_014_156 }],
  ])("only beyond a limit: %s verifies", (_caseName, saved, fee, activation, shownFields) => {
    const wrap = createConsistentWrap(saved, fee, activation);
    const breakdown = { ...wrap.breakdown, ...shownFields };
    expect(verifyWrap({ ...wrap, breakdown }, REQUEST)).toMatchObject({ userInvestmentLamports: saved });
  });

  test("if its fee collector is the service wallet", () => {
    const fee = buildSystemTransfer(WALLET, SERVICE, BigInt(WRAP.breakdown.serviceFeeLamports));
    expect(findRefusal(rebuildWrap([fee, SAVING], { feeCollector: SERVICE }))).toBe("sol_elsewhere");
  });

  test.each<[string, Partial<RequestedWrap>, Reason]>([
    ["one purchase more", { purchasesUsd: [27.63, 4.98] }, "not_asked_for"],
    ["another purchase", { purchasesUsd: [4.98] }, "implausible"],
    ["another plan", { plan: "seed" }, "implausible"],
    ["a lower ceiling", { ceilingUsd: 0.1 }, "not_asked_for"],
    ["a higher multiplier", { multiplier: 2 }, "not_asked_for"],
    ["another service wallet", { serviceWallet: THIEF }, "other_wallet"],
    ["another payer", { wallet: THIEF }, "other_signer"],
  ])("if the user requested %s", (_caseName, overrides, reason) => {
    expect(findRefusal(WRAP, { ...REQUEST, ...overrides })).toBe(reason);
  });

  test.each<[string, Partial<Breakdown>, Reason]>([
    ["total", { totalLamports: 1 }, "total"],
    ["fee", { serviceFeeLamports: 1 }, "other_amount"],
    ["round-up", { roundUpLamports: 1 }, "other_amount"],
    ["investment", { userInvestmentLamports: 1 }, "other_amount"],
    ["activation", { activationLamports: 1 }, "other_amount"],
    ["round-up in dollars", { roundUpUsd: 0.07 }, "not_asked_for"],
    ["price", { solPriceUsd: null }, "other_amount"],
    ["network fee above the maximum", { networkFeeLamports: 14_157 }, "network_fee"],
  ])("if the breakdown differs from the bytes: %s", (_caseName, breakdown, reason) => {
    expect(findRefusal(rebuildWrap([FEE, SAVING], breakdown))).toBe(reason);
  });

  test.each<[string, Reason, InstructionLike]>([
    ["a compute budget", "unknown_instruction", buildSetComputeUnitLimit(1)],
    ["another signer", "other_signer", buildSystemTransfer(THIEF, WALLET, 1n)],
    ["unreadable data", "unreadable", { ...createSystemInstruction(WALLET, 2), data: "?" }],
  ])("if its bare instructions have %s", (_caseName, reason, addedInstruction) => {
    const wrap = { ...WRAP, instructions: [FEE, SAVING, addedInstruction] };
    expect(catchReason(() => verifyWrapInstructions(wrap, REQUEST))).toBe(reason);
  });
});

/* What a hostile service could return for a saving in USDC. The change is $0.37, of which the fee is 1,850 units. */

const { USDC, USDT } = ASSETS;
const [CHANGE, USDC_FEE] = [370_000n, 1_850n];
const REFERENCE = "order 1";
const MARK = createReferenceMark(WALLET, REFERENCE);

/** Builds a saving as the service does, into an account that does not exist yet. */
async function buildInUsdc(way: Way) {
  const deps = createFakeDeps();
  for (const address of [WALLET, SERVICE]) deps.chain.accounts.set(address, createSolAccount(10n ** 10n));
  stageTokenAccount(deps.chain, USDC.mint, WALLET, 10n ** 9n);
  if (way === "allowance") {
    const account = createTokenAccount(USDC.mint, WALLET, 10n ** 9n, TOKEN_RENT_LAMPORTS);
    account.data.set([1, 0, 0, 0, ...toTestWallet("service").keys.publicKey], 72);
    account.data.set([0, 0, 0, 0, 1, 0, 0, 0], 121);
    deps.chain.accounts.set(deriveUsdcAccount(WALLET), account);
  }
  const input = { txValueUsd: 4.63, plan: "tree", reference: REFERENCE, ...wallets, ...toPayTerms(way) };
  return buildWrap(deps, parseInput(buildWrapContract, input));
}

const wraps = { signature: await buildInUsdc("signature"), allowance: await buildInUsdc("allowance") };
type UsdcWrap = (typeof wraps)[Way];
type UsdcBreakdown = UsdcWrap["breakdown"];

describe.each(SIGNED_OR_NOT)("a saving in USDC by %s", (way) => {
  const wrap = wraps[way];
  type Four<T> = [T, T, T, T];
  const [opening, fee, memo, saving] = wrap.instructions as InstructionLike[] as Four<InstructionLike>;
  const signer = way === "allowance" ? SERVICE : WALLET;
  const [source, destination] = [WALLET, SERVICE].map(deriveUsdcAccount) as [string, string];
  const collector = deriveUsdcAccount(wrap.breakdown.feeCollector);
  const keys = way === "allowance" ? [WALLET, MARK.key] : [MARK.key];
  const request = {
    wallet: WALLET,
    serviceWallet: SERVICE,
    purchasesUsd: [4.63],
    plan: "tree",
    reference: REFERENCE,
    ...toPayTerms(way),
  } as const;

  const move = (changes: Partial<Parameters<typeof buildTransferChecked>[0]>, program = TOKEN_PROGRAM, extra = keys) =>
    buildTransferChecked(
      { source, destination, authority: signer, ...USDC, amount: CHANGE - USDC_FEE, ...changes },
      program,
      extra,
    );
  const moveFee = (changes: Partial<Parameters<typeof buildTransferChecked>[0]>) =>
    move({ destination: collector, amount: USDC_FEE, ...changes }, TOKEN_PROGRAM, []);
  const save = (...args: Parameters<typeof move>) => [opening, fee, memo, move(...args)];
  const open = (owner: string, mint: string) => [
    buildCreateAssociatedTokenAccount({ payer: signer, owner, mint }),
    ...[fee, memo, saving],
  ];
  const OTHER_ACCOUNT = deriveAssociatedTokenAddress(SERVICE, USDT.mint);
  const FEE_WITH_KEY = { ...fee, accounts: [...fee.accounts, toReadonly(WALLET)] };
  const NESTED_RECOVERY = { ...opening, programId: ASSOCIATED_TOKEN_PROGRAM, data: "Ag==" };
  const APPROVAL = buildApproveChecked({ account: source, delegate: THIEF, owner: signer, ...USDC, amount: 1n });
  const CLOSING = buildCloseAccount({ account: destination, destination: THIEF, owner: signer });
  const UNCHECKED = { ...saving, data: Buffer.from([3, ...new Uint8Array(8)]).toString("base64") };
  const TWICE_SIGNED = { ...saving, accounts: [...saving.accounts.slice(0, 4), toSigner(THIEF)] };
  const payFee = (changes: Parameters<typeof moveFee>[0]) => [opening, moveFee(changes), memo, saving];

  const rebuild = (
    instructions: InstructionLike[],
    breakdown: Partial<UsdcBreakdown> = {},
    payer = signer,
  ): UsdcWrap => {
    const unsigned = { ...wrap.unsigned!, base64: composeBase64(payer, addUnitLimit(instructions)) };
    return { ...wrap, instructions, breakdown: { ...wrap.breakdown, ...breakdown }, transaction: unsigned, unsigned };
  };
  const findReason = (hostile: UsdcWrap) => catchReason(() => verifyWrap(hostile, request));
  const shownAmounts = (saved: bigint, fees: bigint) => ({
    roundUpUnits: Number(saved + fees),
    serviceFeeUnits: Number(fees),
    userInvestmentUnits: Number(saved),
  });

  test("verifies as built, and shows the most that the opening can cost", () => {
    const figures = verifyWrap(wrap, request);
    const units = { roundUpUnits: CHANGE, serviceFeeUnits: USDC_FEE, userInvestmentUnits: CHANGE - USDC_FEE };
    expect(figures).toMatchObject({ ...units, roundUpLamports: 0n });
    const { networkFeeLamports, tokenAccountDepositLamports, totalLamports } = figures;
    expect(tokenAccountDepositLamports).toBeGreaterThanOrEqual(TOKEN_RENT_LAMPORTS);
    expect(totalLamports).toBe(networkFeeLamports + tokenAccountDepositLamports);
    expect(verifyWrapInstructions(wrap, request)).toEqual(figures);
    const { networkFeeLamports: shownFee } = wrap.breakdown;
    const opened = rebuild([fee, memo, saving], { tokenAccountDepositLamports: 0, totalLamports: shownFee });
    expect(verifyWrap(opened, request).tokenAccountDepositLamports).toBe(0n);
  });

  test.each<[string, Reason, InstructionLike[]]>([
    ["another token", "other_token", save({ mint: USDT.mint })],
    ["a token of another mint that looks like USDC", "other_token", save({ mint: THIEF })],
    ["Token-2022", "other_token", save({}, TOKEN_2022_PROGRAM)],
    ["other decimals", "other_token", save({ decimals: 9 })],
    ["a destination of the wallet itself", "other_wallet", save({ destination: source })],
    ["a thief's destination", "other_wallet", save({ destination: deriveUsdcAccount(THIEF) })],
    ["the service wallet's account for another token", "other_wallet", save({ destination: OTHER_ACCOUNT })],
    ["the service wallet itself as destination", "other_wallet", save({ destination: SERVICE })],
    ["another source", "other_source", save({ source: deriveUsdcAccount(THIEF) })],
    ["the service wallet's own USDC", "other_source", save({ source: destination, destination: source })],
    ["a fee from another source", "other_source", payFee({ source: destination })],
    ["a fee to a thief", "tokens_elsewhere", payFee({ destination: deriveUsdcAccount(THIEF) })],
    ["a fee to the wallet's own account", "tokens_elsewhere", payFee({ destination: source })],
    ["a fee in another token", "other_token", payFee({ mint: USDT.mint })],
    ["one key more", "unknown_instruction", save({}, TOKEN_PROGRAM, [...keys, THIEF])],
    ["without its last key", "unknown_instruction", save({}, TOKEN_PROGRAM, keys.slice(0, -1))],
    ["with another reference", "unknown_instruction", save({}, TOKEN_PROGRAM, [...keys.slice(0, -1), THIEF])],
    ["without its keys", "unknown_instruction", save({}, TOKEN_PROGRAM, [])],
    ["with keys on the fee as well", "unknown_instruction", [opening, FEE_WITH_KEY, memo, saving]],
    ["a second opening", "unknown_instruction", [opening, opening, fee, memo, saving]],
    ["the opening of a thief's account", "foreign_account", open(THIEF, USDC.mint)],
    ["the opening of another token's account", "foreign_account", open(SERVICE, USDT.mint)],
    ["an opening with the tag of a nested recovery", "unknown_instruction", [NESTED_RECOVERY, fee, memo, saving]],
    ["a third transfer", "unknown_instruction", [opening, fee, memo, saving, move({ amount: 1n })]],
    ["no fee", "unknown_instruction", [opening, memo, saving]],
    ["the fee behind the saving", "unknown_instruction", [opening, saving, memo, fee]],
    ["a transfer of SOL", "unknown_instruction", [...wrap.instructions, buildSystemTransfer(signer, THIEF, 1n)]],
    ["an approval", "unknown_instruction", [...wrap.instructions, APPROVAL]],
    ["the closing of an account", "unknown_instruction", [...wrap.instructions, CLOSING]],
    ["an unchecked transfer", "unknown_instruction", [opening, fee, memo, UNCHECKED]],
    ["another signer", "other_signer", save({ authority: THIEF })],
    ["a second signer", "other_signer", [opening, fee, memo, TWICE_SIGNED]],
  ])("is refused with %s", (_caseName, reason, instructions) => {
    expect(findReason(rebuild(instructions))).toBe(reason);
  });

  test("is refused if it is signed by the other of the two wallets", () => {
    const authority = signer === WALLET ? SERVICE : WALLET;
    expect(findReason(rebuild([moveFee({ authority }), move({ authority })], {}, authority))).toBe("other_signer");
  });

  test.each<[string, Reason, bigint, bigint]>([
    ["one unit more than the change", "not_asked_for", CHANGE - USDC_FEE + 1n, USDC_FEE],
    ["one unit less than the change", "not_asked_for", CHANGE - USDC_FEE - 1n, USDC_FEE],
    ["one unit more of a fee than the plan's", "fee_too_high", CHANGE - USDC_FEE - 1n, USDC_FEE + 1n],
    ["ten times the change", "not_asked_for", 10n * (CHANGE - USDC_FEE), 10n * USDC_FEE],
  ])("is refused with %s, although it shows just that", (_caseName, reason, saved, fees) => {
    const instructions = [opening, moveFee({ amount: fees }), memo, move({ amount: saved })];
    const shown = { ...shownAmounts(saved, fees), serviceFeePercent: 100, serviceFeeUsd: 0.37 };
    expect(findReason(rebuild(instructions, shown))).toBe(reason);
  });

  test.each<[string, Reason, Partial<UsdcBreakdown>]>([
    ["units", "other_amount", { roundUpUnits: Number(CHANGE) - 1 }],
    ["fee", "other_amount", { serviceFeeUnits: Number(USDC_FEE) - 1 }],
    ["investment", "other_amount", { userInvestmentUnits: Number(CHANGE - USDC_FEE) + 1 }],
    ["lamports", "other_amount", { roundUpLamports: 1 }],
    ["fee in lamports", "other_amount", { serviceFeeLamports: 1 }],
    ["activation", "other_amount", { activationLamports: 890_880 }],
    ["deposit beyond any account's rent", "other_amount", { tokenAccountDepositLamports: 10_000_000 }],
    ["deposit without the total", "total", { tokenAccountDepositLamports: 0 }],
    ["total", "total", { totalLamports: 1 }],
    ["dollars", "not_asked_for", { roundUpUsd: 0.36 }],
    ["fee in percent", "fee_too_high", { serviceFeePercent: 0.25 }],
    ["fee in dollars", "fee_too_high", { serviceFeeUsd: 0 }],
    ["service wallet as the collector", "tokens_elsewhere", { feeCollector: SERVICE }],
    ["wallet as the collector", "tokens_elsewhere", { feeCollector: WALLET }],
    ["thief as the collector", "tokens_elsewhere", { feeCollector: THIEF }],
  ])("is refused if the breakdown shows another %s than the bytes", (_caseName, reason, breakdown) => {
    expect(findReason(rebuild(wrap.instructions, breakdown))).toBe(reason);
  });

  test("is refused with a deposit but no opening", () => {
    expect(findReason(rebuild([fee, memo, saving]))).toBe("other_amount");
  });

  test.each([
    ["the destination", destination],
    ["the source", source],
    ["the mint", USDC.mint],
  ])("is refused if a lookup table hides %s", (_caseName, hidden) => {
    const base64 = composeBase64(signer, addUnitLimit([fee, memo, saving]), { lookupTables: { [THIEF]: [hidden] } });
    const unsigned = { ...wrap.unsigned!, base64 };
    const reason = findReason({ ...wrap, transaction: unsigned, unsigned });
    expect(["hidden_account", "unknown_instruction"]).toContain(reason);
  });

  test.each(["SOL", "the other way"])("is refused if the user asked to pay by %s", (asked) => {
    const terms =
      asked === "SOL" ? { payWith: "SOL", by: undefined } : toPayTerms(way === "allowance" ? "signature" : "allowance");
    const other = { ...request, by: undefined, ...terms } as Parameters<typeof verifyWrap>[1];
    expect(catchReason(() => verifyWrap(wrap, other))).not.toBeNull();
    expect(catchReason(() => verifyWrapInstructions(wrap, other))).not.toBeNull();
  });
});
