import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { ASSETS, toTokenSymbol } from "@/lib/domain/assets";
import type { Reason } from "@/lib/domain/not-as-shown";
import type { WithdrawBuild } from "@/lib/sdk/flow/withdraw";
import { type RequestedWithdrawal, verifyWithdrawal } from "@/lib/sdk/verify/withdrawal";
import { buildSetComputeUnitLimit, buildSetComputeUnitPrice } from "@/lib/solana/compute-budget";
import { type InstructionLike, toWritable } from "@/lib/solana/instructions";
import { NATIVE_MINT, TOKEN_2022_PROGRAM } from "@/lib/solana/programs";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import {
  buildApproveChecked,
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
  type TokenAmount,
} from "@/lib/solana/token-instructions";
import { catchReason } from "../../../support/fixtures/catch-reason";
import { addUnitLimit, composeBase64, createSystemInstruction } from "../../../support/fixtures/test-transactions";

const createAddress = () => bs58.encode(nacl.sign.keyPair().publicKey);
const WALLET = createAddress();
const MAIN = createAddress();
const THIEF = createAddress();
const { mint, decimals } = ASSETS.BTC;
const walletAccount = deriveAssociatedTokenAddress(WALLET, mint);
const btcAmount = { mint, decimals, amount: 1_000n };

/** Transfers tokens of the wallet to the associated account of `owner`. */
const createTokenTransfer = (owner: string, overrides: Partial<TokenAmount> & { source?: string } = {}) => {
  const token = { source: walletAccount, authority: WALLET, ...btcAmount, ...overrides };
  return buildTransferChecked({ ...token, destination: deriveAssociatedTokenAddress(owner, token.mint) });
};

const createOpening = (owner: string, openedMint: string) =>
  buildCreateAssociatedTokenAccount({ payer: WALLET, owner, mint: openedMint });

const opening = createOpening(MAIN, mint);
const transfer = createTokenTransfer(MAIN);
const closing = buildCloseAccount({ account: walletAccount, destination: WALLET, owner: WALLET });
const tokenPart = [opening, transfer, closing];
const solTransfer = buildSystemTransfer(WALLET, MAIN, 7_000n);
const WITHDRAWAL = [...tokenPart, solTransfer];

type Asset = WithdrawBuild["transactions"][number]["assets"][number];
const SOL_ASSET: Asset = { asset: "SOL", symbol: "SOL", mint: NATIVE_MINT, amount: "7000", decimals: 9 };
const BTC_ASSET: Asset = { asset: "BTC", symbol: "BTC", mint, amount: "1000", decimals };

function createBuild(instructions: InstructionLike[], assets = [BTC_ASSET, SOL_ASSET]): WithdrawBuild {
  const shownFigures = { lastValidBlockHeight: 1, networkFeeLamports: 5_000 };
  return {
    ready: true,
    reason: null,
    destination: MAIN,
    transactions: [{ assets, ...toMembers(composeBase64(WALLET, addUnitLimit(instructions))), ...shownFigures }],
    complete: true,
    leftBehind: [],
    leftOut: [],
    costs: { networkFeeLamports: 5_000, tokenAccountDepositLamports: 2_039_280, returnedDepositLamports: 2_039_280 },
    missingLamports: 0,
    remainingLamports: 0,
    receivedLamports: assets.includes(SOL_ASSET) ? 7_000 : 0,
  };
}

/** Returns the transaction in both members of the response. */
const toMembers = (transaction: string) => ({
  transaction,
  unsigned: { base64: transaction, blockhash: WALLET, lastValidBlockHeight: 1, validForMs: 30_000 },
});

const verifyBuild = (build: WithdrawBuild, overrides: Partial<RequestedWithdrawal> = {}) =>
  verifyWithdrawal(build, { wallet: WALLET, destination: MAIN, asset: null, amountBaseUnits: null, ...overrides });

/** Returns why a build is refused, or null when it verifies. */
const findRefusal = (...parts: Parameters<typeof verifyBuild>) => catchReason(() => verifyBuild(...parts));

const TOKENS_ONLY = createBuild(tokenPart, [BTC_ASSET]);
const SOL_ONLY = createBuild([solTransfer], [SOL_ASSET]);

describe("withdrawal verification", () => {
  test("returns the amounts that the requested withdrawal sends", () => {
    const [withdrawal, ...otherTransactions] = verifyBuild(createBuild(WITHDRAWAL));
    expect(otherTransactions).toEqual([]);
    expect(Object.fromEntries(withdrawal!.sent)).toEqual({ [mint]: 1_000n, SOL: 7_000n });
    expect(withdrawal!.lowestFeeLamports).toBe(2_500n);
    expect(withdrawal!.maxDepositLamports).toBe(2_039_280n);
  });

  test("returns a larger deposit for a token whose accounts may have extensions", () => {
    const program = TOKEN_2022_PROGRAM;
    const account = { payer: WALLET, owner: MAIN, mint };
    const tokenAccount = deriveAssociatedTokenAddress(MAIN, mint, program);
    const accounts = { source: walletAccount, destination: tokenAccount, authority: WALLET };
    const extendedTransfer = buildTransferChecked({ ...accounts, ...btcAmount }, program);
    const build = createBuild([buildCreateAssociatedTokenAccount(account, program), extendedTransfer], [BTC_ASSET]);
    expect(verifyBuild(build)[0]!.maxDepositLamports).toBe((128n + 195n) * 6_960n);
  });

  const foreignInstruction = { ...createSystemInstruction(WALLET, 2), programId: createAddress() };
  const closingToThief = buildCloseAccount({ account: createAddress(), destination: THIEF, owner: WALLET });
  const approval = buildApproveChecked({ account: walletAccount, delegate: THIEF, owner: WALLET, ...btcAmount });
  const unitLimits = [1, 2].map(buildSetComputeUnitLimit);
  const priorityFee = [unitLimits[1]!, buildSetComputeUnitPrice(10n ** 10n)];
  const hookedTransfer = { ...transfer, accounts: [...transfer.accounts, toWritable(THIEF)] };
  const otherTransfer = createTokenTransfer(MAIN, { source: createAddress(), mint: ASSETS.ETH.mint });
  test.each<[string, Reason, InstructionLike[]]>([
    ["SOL goes elsewhere", "sol_elsewhere", [...tokenPart, buildSystemTransfer(WALLET, THIEF, 7_000n)]],
    ["less SOL arrives", "other_amount", [...tokenPart, buildSystemTransfer(WALLET, MAIN, 6_999n)]],
    ["SOL is sent twice", "other_amount", [...WITHDRAWAL, solTransfer]],
    ["tokens go elsewhere", "tokens_elsewhere", [createTokenTransfer(THIEF), closing, solTransfer]],
    ["tokens are missing", "other_amount", [closing, solTransfer]],
    ["tokens are sent twice", "other_amount", [...WITHDRAWAL, transfer]],
    ["another token goes with them", "other_amount", [...WITHDRAWAL, otherTransfer]],
    ["the deposit returns elsewhere", "deposit_elsewhere", [...tokenPart, solTransfer, closingToThief]],
    ["another program takes part", "unknown_program", [...WITHDRAWAL, foreignInstruction]],
    ["a priority fee is added", "network_fee", [...priorityFee, ...WITHDRAWAL]],
    ["there is a second unit limit", "unknown_instruction", [...unitLimits, ...WITHDRAWAL]],
    ["the wallet is handed to a program", "unknown_instruction", [...WITHDRAWAL, createSystemInstruction(WALLET, 1)]],
    ["it uses a durable nonce", "unknown_instruction", [createSystemInstruction(WALLET, 4), ...WITHDRAWAL]],
    ["it approves a delegate", "unknown_instruction", [...WITHDRAWAL, approval]],
    ["an account is opened for a thief", "foreign_account", [createOpening(THIEF, mint), ...WITHDRAWAL]],
    ["an unknown mint's account is opened", "foreign_account", [createOpening(MAIN, createAddress()), ...WITHDRAWAL]],
    ["a transfer has the accounts of a hook", "unknown_instruction", [hookedTransfer, closing, solTransfer]],
    ["another signer is required", "other_signer", [...WITHDRAWAL, buildSystemTransfer(THIEF, MAIN, 1n)]],
    ["the SOL comes from another wallet", "unknown_instruction", [...tokenPart, replaceWalletByThief(solTransfer)]],
    ["the tokens are another wallet's", "unknown_instruction", [opening, replaceWalletByThief(transfer), solTransfer]],
  ])("refuses a build if %s", (_caseName, reason, instructions) => {
    expect(findRefusal(createBuild(instructions))).toBe(reason);
  });

  test.each<[string, Reason, Partial<Asset>]>([
    ["is shown as another token", "other_token", { symbol: "USDC" }],
    ["is shown as another asset", "other_token", { asset: "USDC" }],
    ["is shown with more decimals, so that it looks smaller", "other_token", { decimals: decimals + 3 }],
    ["is shown as SOL", "other_amount", { symbol: "SOL", asset: "SOL" }],
    ["is shown with another mint", "other_amount", { mint: ASSETS.ETH.mint }],
  ])("refuses a build whose outgoing asset %s", (_caseName, reason, overrides) => {
    expect(findRefusal(createBuild(WITHDRAWAL, [{ ...BTC_ASSET, ...overrides }, SOL_ASSET]))).toBe(reason);
  });

  const HONEST = createBuild(WITHDRAWAL);
  const replaceTransaction = (transaction: string): WithdrawBuild => ({
    ...HONEST,
    transactions: [{ ...HONEST.transactions[0]!, ...toMembers(transaction) }],
  });
  const hidden = composeBase64(WALLET, addUnitLimit(WITHDRAWAL), { lookupTables: { [createAddress()]: [MAIN] } });
  const otherForm = replaceTransaction(HONEST.transactions[0]!.transaction);
  otherForm.transactions[0]!.transaction = "AAAA";
  const wrappedSol = { mint: NATIVE_MINT, decimals: 9 };
  const wrappedSource = deriveAssociatedTokenAddress(WALLET, NATIVE_MINT);
  const wrappedTransfer = createTokenTransfer(MAIN, { ...wrappedSol, source: wrappedSource, amount: 1n });
  const wrappedAsset: Asset = { ...wrappedSol, asset: "SOL", symbol: "wSOL", amount: "1" };
  const withWrappedSol = createBuild([...WITHDRAWAL, wrappedTransfer], [BTC_ASSET, SOL_ASSET, wrappedAsset]);
  const emptyOpening = createBuild([opening, createTokenTransfer(MAIN, { amount: 0n }), solTransfer], [SOL_ASSET]);
  const twiceShown = [BTC_ASSET, SOL_ASSET, BTC_ASSET];
  const junkToken = { mint: createAddress(), source: createAddress() };
  const junkAsset: Asset = { ...BTC_ASSET, asset: null, symbol: toTokenSymbol(junkToken.mint), mint: junkToken.mint };
  const withJunk = createBuild([createTokenTransfer(MAIN, junkToken), solTransfer], [junkAsset, SOL_ASSET]);
  test.each<[string, Reason | null, WithdrawBuild, Partial<RequestedWithdrawal>]>([
    ["BTC as requested", null, TOKENS_ONLY, { asset: "BTC", amountBaseUnits: "1000" }],
    ["more BTC than requested", "other_amount", TOKENS_ONLY, { asset: "BTC", amountBaseUnits: "999" }],
    ["all BTC as requested", null, TOKENS_ONLY, { asset: "BTC" }],
    ["BTC instead of SOL", "not_asked_for", TOKENS_ONLY, { asset: "SOL" }],
    ["SOL as requested", null, SOL_ONLY, { asset: "SOL", amountBaseUnits: "7000" }],
    ["more SOL than requested", "other_amount", SOL_ONLY, { asset: "SOL", amountBaseUnits: "6999" }],
    ["SOL instead of BTC", "not_asked_for", SOL_ONLY, { asset: "BTC" }],
    ["SOL beside the requested BTC", "not_asked_for", HONEST, { asset: "BTC" }],
    ["everything to another destination than requested", "not_asked_for", HONEST, { destination: THIEF }],
    ["what another wallet pays for", "other_signer", HONEST, { wallet: THIEF }],
    ["to a destination hidden in a lookup table", "hidden_account", replaceTransaction(hidden), {}],
    ["an unreadable transaction", "unreadable", replaceTransaction("AAAA"), {}],
    ["other bytes in its second form", "two_transactions", otherForm, {}],
    ["one asset that it shows twice", "other_amount", createBuild(WITHDRAWAL, twiceShown), {}],
    ["another token, shown as BTC", "other_amount", createBuild([...WITHDRAWAL, otherTransfer], twiceShown), {}],
    ["wrapped SOL, even if it is shown", "unknown_instruction", withWrappedSol, {}],
    ["nothing into an opened account", "unknown_instruction", emptyOpening, {}],
    ["SOL that it does not show", "other_amount", { ...HONEST, receivedLamports: 0 }, {}],
    ["more SOL than it shows", "other_amount", { ...HONEST, receivedLamports: 6_999 }, {}],
    ["an unsupported token", null, withJunk, {}],
    ["such a token although it keeps the rent minimum", "not_asked_for", withJunk, { keepsRentMinimum: true }],
    ["BTC and SOL, and keeps the rent minimum", null, HONEST, { keepsRentMinimum: true }],
  ])("checks a build that sends %s (reason: %s)", (_caseName, reason, build, request) => {
    expect(findRefusal(build, request)).toBe(reason);
  });

  test("adds up one token that leaves from two accounts", () => {
    const build = createBuild([...WITHDRAWAL, transfer], [{ ...BTC_ASSET, amount: "2000" }, SOL_ASSET]);
    expect(Object.fromEntries(verifyBuild(build)[0]!.sent)).toEqual({ [mint]: 2_000n, SOL: 7_000n });
  });

  test("adds up the amounts and fees of several transactions", () => {
    const build = createBuild([opening, transfer], [BTC_ASSET]);
    build.costs.networkFeeLamports = 20_000;
    expect(findRefusal(build)).toBe("network_fee");
    build.transactions.push(build.transactions[0]!);
    expect(findRefusal(build, { asset: "BTC", amountBaseUnits: "1999" })).toBe("other_amount");
    expect(verifyBuild(build, { asset: "BTC", amountBaseUnits: "2000" })).toHaveLength(2);
  });
});

/** Replaces the wallet by the thief, without a signature. The chain would refuse the instruction. */
function replaceWalletByThief(instruction: InstructionLike): InstructionLike {
  const isWallet = ({ pubkey }: { pubkey: string }) => pubkey === WALLET;
  const thief = { pubkey: THIEF, isSigner: false, isWritable: true };
  return { ...instruction, accounts: instruction.accounts.map((account) => (isWallet(account) ? thief : account)) };
}
