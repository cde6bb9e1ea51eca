import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { ASSETS, toTokenSymbol } from "@/lib/domain/assets";
import type { Reason } from "@/lib/domain/not-as-shown";
import type { WithdrawBuild } from "@/lib/sdk/flow/withdraw";
import { type RequestedWithdrawal, verifyWithdrawal } from "@/lib/sdk/verify/withdrawal";
import { toBase64 } from "@/lib/solana/bytes";
import { buildSetComputeUnitLimit, buildSetComputeUnitPrice } from "@/lib/solana/compute-budget";
import type { InstructionLike } from "@/lib/solana/instructions";
import { NATIVE_MINT, SYSTEM_PROGRAM } from "@/lib/solana/programs";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import {
  buildApproveChecked,
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "@/lib/solana/token-instructions";
import { composeTransaction } from "@/lib/solana/transactions";
import { catchReason } from "../../../support/fixtures/catch-reason";

const createAddress = () => bs58.encode(nacl.sign.keyPair().publicKey);
const WALLET = createAddress();
const MAIN = createAddress();
const THIEF = createAddress();
const BLOCKHASH = createAddress();
const { mint, decimals } = ASSETS.BTC;
const walletAccount = deriveAssociatedTokenAddress(WALLET, mint);
const coins = { mint, decimals, amount: 1_000n };

const compose = (instructions: InstructionLike[]) =>
  toBase64(composeTransaction({ payer: WALLET, instructions, blockhash: BLOCKHASH }).bytes);

function createSystemInstruction(tag: number): InstructionLike {
  const accounts = [{ pubkey: WALLET, isSigner: true, isWritable: true }];
  return { programId: SYSTEM_PROGRAM, accounts, data: toBase64(Uint8Array.of(tag, 0, 0, 0, ...new Uint8Array(32))) };
}

function createTokenTransfer(destination: string): InstructionLike {
  return buildTransferChecked({ source: walletAccount, destination, authority: WALLET, ...coins });
}

const WITHDRAWAL = [
  buildCreateAssociatedTokenAccount({ payer: WALLET, owner: MAIN, mint }),
  createTokenTransfer(deriveAssociatedTokenAddress(MAIN, mint)),
  buildCloseAccount({ account: walletAccount, destination: WALLET, owner: WALLET }),
  buildSystemTransfer(WALLET, MAIN, 7_000n),
];

function createBuild(instructions: InstructionLike[]): WithdrawBuild {
  const sol = { asset: "SOL" as const, symbol: "SOL", mint: NATIVE_MINT, amount: "7000", decimals: 9 };
  const btc = { asset: "BTC" as const, symbol: "BTC", mint, amount: "1000", decimals };
  return {
    ready: true,
    reason: null,
    destination: MAIN,
    transactions: [
      { assets: [btc, sol], ...toMembers(compose(instructions)), lastValidBlockHeight: 1, networkFeeLamports: 5_000 },
    ],
    complete: true,
    leftBehind: [],
    leftOut: [],
    costs: { networkFeeLamports: 5_000, tokenAccountDepositLamports: 2_039_280, returnedDepositLamports: 2_039_280 },
    missingLamports: 0,
    remainingLamports: 0,
    receivedLamports: 7_000,
  };
}

/** Returns the transaction in both members of the response. */
const toMembers = (transaction: string) => ({
  transaction,
  unsigned: { base64: transaction, blockhash: BLOCKHASH, lastValidBlockHeight: 1 },
});

const createVerifier = (changes: Partial<RequestedWithdrawal> = {}) => {
  const request = { wallet: WALLET, destination: MAIN, asset: null, amountBaseUnits: null };
  return (build: WithdrawBuild) => verifyWithdrawal(build, { ...request, ...changes });
};

describe("withdrawal verification", () => {
  test("returns the amounts that the requested withdrawal sends", () => {
    const [withdrawal, ...otherTransactions] = createVerifier()(createBuild(WITHDRAWAL));
    expect(otherTransactions).toEqual([]);
    expect(Object.fromEntries(withdrawal!.sent)).toEqual({ [mint]: 1_000n, SOL: 7_000n });
    expect(withdrawal!.networkFeeLamports).toBe(5_000n);
  });

  const [opening, transfer, closing, solTransfer] = WITHDRAWAL as [
    InstructionLike,
    InstructionLike,
    InstructionLike,
    InstructionLike,
  ];
  const tokenPart = [opening, transfer, closing];
  test.each<[string, Reason, InstructionLike[]]>([
    ["SOL goes elsewhere", "sol_elsewhere", [...tokenPart, buildSystemTransfer(WALLET, THIEF, 7_000n)]],
    ["less SOL arrives", "other_amount", [...tokenPart, buildSystemTransfer(WALLET, MAIN, 6_999n)]],
    ["SOL is sent twice", "other_amount", [...WITHDRAWAL, solTransfer]],
    [
      "tokens go elsewhere",
      "tokens_elsewhere",
      [createTokenTransfer(deriveAssociatedTokenAddress(THIEF, mint)), closing, solTransfer],
    ],
    ["tokens are missing", "other_amount", [closing, solTransfer]],
    ["tokens are sent twice", "other_amount", [...WITHDRAWAL, transfer]],
    ["another token goes with them", "other_amount", [...WITHDRAWAL, createOtherTransfer()]],
    ["the deposit returns elsewhere", "deposit_elsewhere", [...tokenPart, solTransfer, createClose(THIEF)]],
    [
      "another program takes part",
      "unknown_program",
      [...WITHDRAWAL, { ...createSystemInstruction(2), programId: createAddress() }],
    ],
    ["a priority fee is added", "network_fee", [...WITHDRAWAL, buildSetComputeUnitPrice(1n)]],
    [
      "there is a second unit limit",
      "unknown_instruction",
      [buildSetComputeUnitLimit(1), buildSetComputeUnitLimit(2), ...WITHDRAWAL],
    ],
    ["the wallet is handed to a program", "unknown_instruction", [...WITHDRAWAL, createSystemInstruction(1)]],
    ["the transaction uses a durable nonce", "unknown_instruction", [createSystemInstruction(4), ...WITHDRAWAL]],
    ["it approves a delegate", "unknown_instruction", [...WITHDRAWAL, createApproval()]],
    ["an account is opened for a thief", "foreign_account", [createOpening(THIEF, mint), ...WITHDRAWAL]],
    [
      "an account of an unknown mint is opened",
      "foreign_account",
      [createOpening(MAIN, createAddress()), ...WITHDRAWAL],
    ],
    [
      "a Token-2022 transfer has the accounts of a hook",
      "unknown_instruction",
      [createHookedTransfer(), closing, solTransfer],
    ],
    ["another signer is required", "other_signer", [...WITHDRAWAL, buildSystemTransfer(THIEF, MAIN, 1n)]],
    ["the SOL comes from another wallet", "unknown_instruction", [...tokenPart, replaceWalletByThief(solTransfer)]],
    [
      "the tokens come from another wallet's account",
      "unknown_instruction",
      [opening, replaceWalletByThief(transfer), solTransfer],
    ],
  ])("refuses a build if %s", (_case, reason, instructions) => {
    expect(catchReason(() => createVerifier()(createBuild(instructions)))).toBe(reason);
  });

  test.each<[string, Reason, Partial<WithdrawBuild["transactions"][number]["assets"][number]>]>([
    ["is shown as another token", "other_token", { symbol: "USDC" }],
    ["is shown as another asset", "other_token", { asset: "USDC" }],
    ["is shown with more decimals, so that it looks smaller", "other_token", { decimals: decimals + 3 }],
    ["is shown as SOL", "other_amount", { symbol: "SOL", asset: "SOL" }],
    ["is shown with another mint", "other_amount", { mint: ASSETS.ETH.mint }],
  ])("refuses a build whose outgoing asset %s", (_case, reason, changes) => {
    const build = createBuild(WITHDRAWAL);
    Object.assign(build.transactions[0]!.assets[0]!, changes);
    expect(catchReason(() => createVerifier()(build))).toBe(reason);
  });

  test("refuses a build that shows one asset twice", () => {
    for (const instructions of [[...WITHDRAWAL, createOtherTransfer()], WITHDRAWAL]) {
      const build = createBuild(instructions);
      build.transactions[0]!.assets.push({ ...build.transactions[0]!.assets[0]! });
      expect(catchReason(() => createVerifier()(build))).toBe("other_amount");
    }
  });

  test("refuses a transfer of wrapped SOL, even if it is shown", () => {
    const [source, destination] = [WALLET, MAIN].map((owner) => deriveAssociatedTokenAddress(owner, NATIVE_MINT));
    const wrapped = { mint: NATIVE_MINT, decimals: 9, amount: 1n };
    const send = buildTransferChecked({ source: source!, destination: destination!, authority: WALLET, ...wrapped });
    const build = createBuild([...WITHDRAWAL, send]);
    build.transactions[0]!.assets.push({ ...wrapped, asset: "SOL", symbol: "wSOL", amount: "1" });
    expect(catchReason(() => createVerifier()(build))).toBe("unknown_instruction");
  });

  test("refuses to open a token account that receives nothing", () => {
    const emptyTransfer = buildTransferChecked({
      source: walletAccount,
      destination: deriveAssociatedTokenAddress(MAIN, mint),
      authority: WALLET,
      ...coins,
      amount: 0n,
    });
    const build = createBuild([opening, emptyTransfer, solTransfer]);
    build.transactions[0]!.assets.shift();
    expect(catchReason(() => createVerifier()(build))).toBe("unknown_instruction");
  });

  test("refuses a destination that is hidden in a lookup table", () => {
    const build = createBuild(WITHDRAWAL);
    const lookupTables = { [createAddress()]: [MAIN] };
    const parts = { payer: WALLET, instructions: WITHDRAWAL, blockhash: BLOCKHASH, lookupTables };
    Object.assign(build.transactions[0]!, toMembers(toBase64(composeTransaction(parts).bytes)));
    expect(catchReason(() => createVerifier()(build))).toBe("hidden_account");
  });

  test("refuses an unreadable transaction or one that another wallet pays for", () => {
    const build = createBuild(WITHDRAWAL);
    build.transactions[0]!.transaction = "AAAA";
    expect(catchReason(() => createVerifier()(build))).toBe("two_transactions");
    Object.assign(build.transactions[0]!, toMembers("AAAA"));
    expect(catchReason(() => createVerifier()(build))).toBe("unreadable");
    expect(catchReason(() => createVerifier({ wallet: THIEF })(createBuild(WITHDRAWAL)))).toBe("other_signer");
  });

  test("refuses a build for another destination", () => {
    expect(catchReason(() => createVerifier({ destination: THIEF })(createBuild(WITHDRAWAL)))).toBe("not_asked_for");
  });

  test("refuses a build that sends another asset, or more than requested", () => {
    const tokensAndSol = createBuild(WITHDRAWAL);
    expect(catchReason(() => createVerifier({ asset: "BTC" })(tokensAndSol))).toBe("not_asked_for");
    const tokensOnly = createBuild(tokenPart);
    tokensOnly.transactions[0]!.assets.pop();
    tokensOnly.receivedLamports = 0;
    expect(catchReason(() => createVerifier({ asset: "BTC", amountBaseUnits: "999" })(tokensOnly))).toBe(
      "other_amount",
    );
    expect(catchReason(() => createVerifier({ asset: "BTC", amountBaseUnits: "1000" })(tokensOnly))).toBeNull();
  });

  test("accepts a withdrawal of a token without SOL or of SOL without tokens", () => {
    const tokens = createBuild(tokenPart);
    tokens.transactions[0]!.assets.pop();
    tokens.receivedLamports = 0;
    expect(catchReason(() => createVerifier({ asset: "BTC" })(tokens))).toBeNull();
    expect(catchReason(() => createVerifier({ asset: "SOL" })(tokens))).toBe("not_asked_for");
    const sol = createBuild([solTransfer]);
    sol.transactions[0]!.assets.shift();
    expect(catchReason(() => createVerifier({ asset: "SOL", amountBaseUnits: "7000" })(sol))).toBeNull();
    expect(catchReason(() => createVerifier({ asset: "SOL", amountBaseUnits: "6999" })(sol))).toBe("other_amount");
    expect(catchReason(() => createVerifier({ asset: "BTC" })(sol))).toBe("not_asked_for");
  });

  test("refuses a build that shows another total of SOL", () => {
    for (const receivedLamports of [0, 6_999]) {
      const build = { ...createBuild(WITHDRAWAL), receivedLamports };
      expect(catchReason(() => createVerifier()(build))).toBe("other_amount");
    }
  });

  test("adds up one token that leaves from two accounts", () => {
    const build = createBuild([...WITHDRAWAL, transfer]);
    build.transactions[0]!.assets[0]!.amount = "2000";
    expect(Object.fromEntries(createVerifier()(build)[0]!.sent)).toEqual({ [mint]: 2_000n, SOL: 7_000n });
  });

  test("adds up the amounts and fees of several transactions", () => {
    const build = createBuild([opening, transfer]);
    build.transactions[0]!.assets.pop();
    build.transactions.push(structuredClone(build.transactions[0]!));
    build.receivedLamports = 0;
    expect(catchReason(() => createVerifier()(build))).toBe("network_fee");
    build.costs.networkFeeLamports = 10_000;
    expect(catchReason(() => createVerifier({ asset: "BTC", amountBaseUnits: "1999" })(build))).toBe("other_amount");
    expect(createVerifier({ asset: "BTC", amountBaseUnits: "2000" })(build)).toHaveLength(2);
  });

  test("refuses an unsupported token in a build that keeps the rent minimum", () => {
    const junk = { ...coins, mint: createAddress() };
    const destination = deriveAssociatedTokenAddress(MAIN, junk.mint);
    const junkTransfer = buildTransferChecked({ source: createAddress(), destination, authority: WALLET, ...junk });
    const build = createBuild([junkTransfer, solTransfer]);
    const symbol = toTokenSymbol(junk.mint);
    build.transactions[0]!.assets[0] = { asset: null, symbol, mint: junk.mint, amount: "1000", decimals };
    expect(catchReason(() => createVerifier()(build))).toBeNull();
    expect(catchReason(() => createVerifier({ keepsRentMinimum: true })(build))).toBe("not_asked_for");
    expect(catchReason(() => createVerifier({ keepsRentMinimum: true })(createBuild(WITHDRAWAL)))).toBeNull();
  });
});

function createClose(destination: string) {
  return buildCloseAccount({ account: createAddress(), destination, owner: WALLET });
}

function createApproval() {
  return buildApproveChecked({ account: walletAccount, delegate: THIEF, owner: WALLET, ...coins });
}

function createOpening(owner: string, openedMint: string) {
  return buildCreateAssociatedTokenAccount({ payer: WALLET, owner, mint: openedMint });
}

/** Replaces the wallet by the thief, without a signature. The chain would refuse the instruction. */
function replaceWalletByThief(instruction: InstructionLike): InstructionLike {
  const isWallet = ({ pubkey }: { pubkey: string }) => pubkey === WALLET;
  const thief = { pubkey: THIEF, isSigner: false, isWritable: true };
  return { ...instruction, accounts: instruction.accounts.map((account) => (isWallet(account) ? thief : account)) };
}

function createOtherTransfer() {
  const otherMint = ASSETS.ETH.mint;
  const destination = deriveAssociatedTokenAddress(MAIN, otherMint);
  return buildTransferChecked({ source: createAddress(), destination, authority: WALLET, ...coins, mint: otherMint });
}

function createHookedTransfer(): InstructionLike {
  const transfer = createTokenTransfer(deriveAssociatedTokenAddress(MAIN, mint));
  return { ...transfer, accounts: [...transfer.accounts, { pubkey: THIEF, isSigner: false, isWritable: true }] };
}
