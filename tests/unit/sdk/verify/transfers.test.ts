import { describe, expect, test } from "vitest";
import { buildWrapContract } from "@/lib/contracts/build-wrap";
import { ASSETS } from "@/lib/domain/assets";
import { deriveUsdcAccount } from "@/lib/domain/dollar-accounts";
import type { Reason } from "@/lib/domain/not-as-shown";
import { createReferenceMark } from "@/lib/domain/reference";
import { verifyWrap, verifyWrapInstructions } from "@/lib/sdk/verify/wrap";
import { buildWrap } from "@/lib/services/build-wrap";
import { type InstructionLike, toReadonly, toSigner } from "@/lib/solana/instructions";
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
import { createFakeDeps, createSolAccount } from "../../../support/fakes/fake-deps";
import { createTokenAccount, stageTokenAccount } from "../../../support/fakes/fake-simulation";
import { catchReason } from "../../../support/fixtures/catch-reason";
import { TOKEN_RENT_LAMPORTS } from "../../../support/fixtures/rent";
import { addUnitLimit, composeBase64 } from "../../../support/fixtures/test-transactions";
import { toTestWallet } from "../../../support/fixtures/test-wallets";
import { WAYS as SIGNED_OR_NOT, toPayTerms, type Way } from "../../../support/worlds/usdc-world";

/* What a hostile service could return for a saving in USDC. The change is $0.37, of which the fee is 1,850 units. */

const [WALLET, SERVICE, THIEF] = ["main", "service", "thief"].map((name) => toTestWallet(name).address) as [
  string,
  string,
  string,
];
const { USDC, USDT } = ASSETS;
const [CHANGE, FEE] = [370_000n, 1_850n];
const REFERENCE = "order 1";
const MARK = createReferenceMark(WALLET, REFERENCE);

/** Builds a saving as the service does, into an account that does not exist yet. */
async function buildHonest(way: Way) {
  const deps = createFakeDeps();
  for (const address of [WALLET, SERVICE]) deps.chain.accounts.set(address, createSolAccount(10n ** 10n));
  stageTokenAccount(deps.chain, USDC.mint, WALLET, 10n ** 9n);
  if (way === "allowance") {
    const account = createTokenAccount(USDC.mint, WALLET, 10n ** 9n, TOKEN_RENT_LAMPORTS);
    account.data.set([1, 0, 0, 0, ...toTestWallet("service").keys.publicKey], 72);
    account.data.set([0, 0, 0, 0, 1, 0, 0, 0], 121);
    deps.chain.accounts.set(deriveUsdcAccount(WALLET), account);
  }
  const wallets = { userPubkey: WALLET, serviceWalletPubkey: SERVICE };
  const input = { txValueUsd: 4.63, plan: "tree", reference: REFERENCE, ...wallets, ...toPayTerms(way) };
  return buildWrap(deps, parseInput(buildWrapContract, input));
}

const wraps = { signature: await buildHonest("signature"), allowance: await buildHonest("allowance") };
type Wrap = (typeof wraps)[Way];
type Breakdown = Wrap["breakdown"];

describe.each(SIGNED_OR_NOT)("a saving in USDC by %s", (way) => {
  const wrap = wraps[way];
  const [opening, fee, memo, saving] = wrap.instructions as [InstructionLike, ...InstructionLike[]] as [
    InstructionLike,
    InstructionLike,
    InstructionLike,
    InstructionLike,
  ];
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
      { source, destination, authority: signer, ...USDC, amount: CHANGE - FEE, ...changes },
      program,
      extra,
    );
  const moveFee = (changes: Partial<Parameters<typeof buildTransferChecked>[0]>) =>
    move({ destination: collector, amount: FEE, ...changes }, TOKEN_PROGRAM, []);
  const save = (...args: Parameters<typeof move>) => [opening, fee, memo, move(...args)];
  const payFee = (changes: Parameters<typeof moveFee>[0]) => [opening, moveFee(changes), memo, saving];

  const rebuild = (instructions: InstructionLike[], breakdown: Partial<Breakdown> = {}, payer = signer): Wrap => {
    const unsigned = { ...wrap.unsigned!, base64: composeBase64(payer, addUnitLimit(instructions)) };
    return { ...wrap, instructions, breakdown: { ...wrap.breakdown, ...breakdown }, transaction: unsigned, unsigned };
  };
  const findReason = (hostile: Wrap) => catchReason(() => verifyWrap(hostile, request));
  const shownAmounts = (saved: bigint, fees: bigint) => ({
    roundUpUnits: Number(saved + fees),
    serviceFeeUnits: Number(fees),
    userInvestmentUnits: Number(saved),
  });

  test("verifies as built, and shows the most that the opening can cost", () => {
    const figures = verifyWrap(wrap, request);
    expect(figures).toMatchObject({
      roundUpUnits: CHANGE,
      serviceFeeUnits: FEE,
      userInvestmentUnits: CHANGE - FEE,
      roundUpLamports: 0n,
    });
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
    [
      "an account of the service wallet for another token",
      "other_wallet",
      save({ destination: deriveAssociatedTokenAddress(SERVICE, USDT.mint) }),
    ],
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
    [
      "with keys on the fee as well",
      "unknown_instruction",
      [opening, { ...fee, accounts: [...fee.accounts, toReadonly(WALLET)] }, memo, saving],
    ],
    ["a second opening", "unknown_instruction", [opening, opening, fee, memo, saving]],
    [
      "the opening of a thief's account",
      "foreign_account",
      [buildCreateAssociatedTokenAccount({ payer: signer, owner: THIEF, mint: USDC.mint }), fee, memo, saving],
    ],
    [
      "the opening of another token's account",
      "foreign_account",
      [buildCreateAssociatedTokenAccount({ payer: signer, owner: SERVICE, mint: USDT.mint }), fee, memo, saving],
    ],
    [
      "an opening with the tag of a nested recovery",
      "unknown_instruction",
      [{ ...opening, programId: ASSOCIATED_TOKEN_PROGRAM, data: "Ag==" }, fee, memo, saving],
    ],
    ["a third transfer", "unknown_instruction", [opening, fee, memo, saving, move({ amount: 1n })]],
    ["no fee", "unknown_instruction", [opening, memo, saving]],
    ["the fee behind the saving", "unknown_instruction", [opening, saving, memo, fee]],
    ["a transfer of SOL", "unknown_instruction", [...wrap.instructions, buildSystemTransfer(signer, THIEF, 1n)]],
    [
      "an approval",
      "unknown_instruction",
      [
        ...wrap.instructions,
        buildApproveChecked({ account: source, delegate: THIEF, owner: signer, ...USDC, amount: 1n }),
      ],
    ],
    [
      "the closing of an account",
      "unknown_instruction",
      [...wrap.instructions, buildCloseAccount({ account: destination, destination: THIEF, owner: signer })],
    ],
    [
      "an unchecked transfer",
      "unknown_instruction",
      [opening, fee, memo, { ...saving, data: Buffer.from([3, ...new Uint8Array(8)]).toString("base64") }],
    ],
    ["another signer", "other_signer", save({ authority: THIEF })],
    [
      "a second signer",
      "other_signer",
      [opening, fee, memo, { ...saving, accounts: [...saving.accounts.slice(0, 4), toSigner(THIEF)] }],
    ],
  ])("is refused with %s", (_caseName, reason, instructions) => {
    expect(findReason(rebuild(instructions))).toBe(reason);
  });

  test("is refused if it is signed by the other of the two wallets", () => {
    const other = signer === WALLET ? SERVICE : WALLET;
    const authority = { authority: other };
    const bySameKeys = [fee, saving].map((_, i) => (i === 0 ? moveFee(authority) : move(authority)));
    expect(findReason(rebuild([bySameKeys[0]!, bySameKeys[1]!], {}, other))).toBe("other_signer");
  });

  test.each<[string, Reason, bigint, bigint]>([
    ["one unit more than the change", "not_asked_for", CHANGE - FEE + 1n, FEE],
    ["one unit less than the change", "not_asked_for", CHANGE - FEE - 1n, FEE],
    ["one unit more of a fee than the plan's", "fee_too_high", CHANGE - FEE - 1n, FEE + 1n],
    ["ten times the change", "not_asked_for", 10n * (CHANGE - FEE), 10n * FEE],
  ])("is refused with %s, although it shows just that", (_caseName, reason, saved, fees) => {
    const instructions = [opening, moveFee({ amount: fees }), memo, move({ amount: saved })];
    const shown = { ...shownAmounts(saved, fees), serviceFeePercent: 100, serviceFeeUsd: 0.37 };
    expect(findReason(rebuild(instructions, shown))).toBe(reason);
  });

  test.each<[string, Reason, Partial<Breakdown>]>([
    ["units", "other_amount", { roundUpUnits: Number(CHANGE) - 1 }],
    ["fee", "other_amount", { serviceFeeUnits: Number(FEE) - 1 }],
    ["investment", "other_amount", { userInvestmentUnits: Number(CHANGE - FEE) + 1 }],
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
