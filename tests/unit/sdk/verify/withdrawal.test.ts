import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { ASSETS, toTokenSymbol } from "@/lib/domain/assets";
import type { Reason } from "@/lib/domain/not-as-shown";
import type { WithdrawBuild } from "@/lib/sdk/flow/withdraw";
import { type RequestedWithdrawal, verifyWithdrawal } from "@/lib/sdk/verify/withdrawal";
import { toBase64 } from "@/lib/solana/bytes";
import { setComputeUnitLimit, setComputeUnitPrice } from "@/lib/solana/compute-budget";
import type { InstructionLike } from "@/lib/solana/instructions";
import { NATIVE_MINT, SYSTEM_PROGRAM } from "@/lib/solana/programs";
import { createSystemTransfer } from "@/lib/solana/system-instructions";
import {
  approveChecked,
  closeAccount,
  createAssociatedTokenAccountIdempotent,
  deriveAssociatedTokenAddress,
  transferChecked,
} from "@/lib/solana/token-instructions";
import { composeTransaction } from "@/lib/solana/transactions";
import { catchReason } from "../../../support/fixtures/catch-reason";

const newAddress = () => bs58.encode(nacl.sign.keyPair().publicKey);
const WALLET = newAddress();
const MAIN = newAddress();
const THIEF = newAddress();
const BLOCKHASH = newAddress();
const { mint, decimals } = ASSETS.BTC;
const own = deriveAssociatedTokenAddress(WALLET, mint);
const coins = { mint, decimals, amount: 1_000n };

const built = (instructions: InstructionLike[]) =>
  toBase64(composeTransaction({ payer: WALLET, instructions, blockhash: BLOCKHASH }).bytes);

function systemInstruction(tag: number): InstructionLike {
  const accounts = [{ pubkey: WALLET, isSigner: true, isWritable: true }];
  return { programId: SYSTEM_PROGRAM, accounts, data: toBase64(Uint8Array.of(tag, 0, 0, 0, ...new Uint8Array(32))) };
}

function sendTo(destination: string): InstructionLike {
  return transferChecked({ source: own, destination, authority: WALLET, ...coins });
}

const WITHDRAWAL = [
  createAssociatedTokenAccountIdempotent({ payer: WALLET, owner: MAIN, mint }),
  sendTo(deriveAssociatedTokenAddress(MAIN, mint)),
  closeAccount({ account: own, destination: WALLET, owner: WALLET }),
  createSystemTransfer(WALLET, MAIN, 7_000n),
];

function withdrawBuild(instructions: InstructionLike[]): WithdrawBuild {
  const sol = { asset: "SOL" as const, symbol: "SOL", mint: NATIVE_MINT, amount: "7000", decimals: 9 };
  const btc = { asset: "BTC" as const, symbol: "BTC", mint, amount: "1000", decimals };
  return {
    ready: true,
    reason: null,
    destination: MAIN,
    transactions: [
      { assets: [btc, sol], ...bytesOf(built(instructions)), lastValidBlockHeight: 1, networkFeeLamports: 5_000 },
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
const bytesOf = (transaction: string) => ({
  transaction,
  unsigned: { base64: transaction, blockhash: BLOCKHASH, lastValidBlockHeight: 1 },
});

const asked = (changes: Partial<RequestedWithdrawal> = {}) => {
  const all = { wallet: WALLET, destination: MAIN, asset: null, amountBaseUnits: null };
  return (build: WithdrawBuild) => verifyWithdrawal(build, { ...all, ...changes });
};

describe("withdrawal verification", () => {
  test("accepts the requested withdrawal, and returns the amounts sent", () => {
    const [one, ...more] = asked()(withdrawBuild(WITHDRAWAL));
    expect(more).toEqual([]);
    expect(Object.fromEntries(one!.sent)).toEqual({ [mint]: 1_000n, SOL: 7_000n });
    expect(one!.networkFeeLamports).toBe(5_000n);
  });

  const [opens, sends, closes, sendsSol] = WITHDRAWAL as [
    InstructionLike,
    InstructionLike,
    InstructionLike,
    InstructionLike,
  ];
  const rest = [opens, sends, closes];
  test.each<[string, Reason, InstructionLike[]]>([
    ["SOL goes elsewhere", "sol_elsewhere", [...rest, createSystemTransfer(WALLET, THIEF, 7_000n)]],
    ["less SOL arrives", "other_amount", [...rest, createSystemTransfer(WALLET, MAIN, 6_999n)]],
    ["there is a second transfer of SOL", "other_amount", [...WITHDRAWAL, sendsSol]],
    ["tokens go elsewhere", "tokens_elsewhere", [sendTo(deriveAssociatedTokenAddress(THIEF, mint)), closes, sendsSol]],
    ["tokens are missing", "other_amount", [closes, sendsSol]],
    ["tokens are sent twice", "other_amount", [...WITHDRAWAL, sends]],
    ["another token goes with them", "other_amount", [...WITHDRAWAL, sendOther()]],
    ["the deposit returns elsewhere", "deposit_elsewhere", [...rest, sendsSol, closeTo(THIEF)]],
    [
      "another program takes part",
      "unknown_program",
      [...WITHDRAWAL, { ...systemInstruction(2), programId: newAddress() }],
    ],
    ["a priority fee is slipped in", "network_fee", [...WITHDRAWAL, setComputeUnitPrice(1n)]],
    [
      "there is a second unit limit",
      "unknown_instruction",
      [setComputeUnitLimit(1), setComputeUnitLimit(2), ...WITHDRAWAL],
    ],
    ["the wallet is handed to a program", "unknown_instruction", [...WITHDRAWAL, systemInstruction(1)]],
    ["the transaction uses a durable nonce", "unknown_instruction", [systemInstruction(4), ...WITHDRAWAL]],
    ["a delegate may spend tokens later", "unknown_instruction", [...WITHDRAWAL, approves()]],
    ["an account is opened for a thief", "foreign_account", [openFor(THIEF, mint), ...WITHDRAWAL]],
    ["an account of an unknown mint is opened", "foreign_account", [openFor(MAIN, newAddress()), ...WITHDRAWAL]],
    ["a Token-2022 transfer has the accounts of a hook", "unknown_instruction", [hooked(), closes, sendsSol]],
    ["another signer is required", "other_signer", [...WITHDRAWAL, createSystemTransfer(THIEF, MAIN, 1n)]],
    ["the SOL comes from another wallet", "unknown_instruction", [...rest, ofThief(sendsSol)]],
    ["the tokens come from another wallet's account", "unknown_instruction", [opens, ofThief(sends), sendsSol]],
  ])("refuses a build if %s", (_case, reason, instructions) => {
    expect(catchReason(() => asked()(withdrawBuild(instructions)))).toBe(reason);
  });

  test.each<[string, Reason, Partial<WithdrawBuild["transactions"][number]["assets"][number]>]>([
    ["is shown as another token", "other_token", { symbol: "USDC" }],
    ["is shown as another asset", "other_token", { asset: "USDC" }],
    ["is shown with more decimals, so that it looks smaller", "other_token", { decimals: decimals + 3 }],
    ["is shown as SOL", "other_amount", { symbol: "SOL", asset: "SOL" }],
    ["is shown with another mint", "other_amount", { mint: ASSETS.ETH.mint }],
  ])("refuses a build whose outgoing asset %s", (_case, reason, changes) => {
    const build = withdrawBuild(WITHDRAWAL);
    Object.assign(build.transactions[0]!.assets[0]!, changes);
    expect(catchReason(() => asked()(build))).toBe(reason);
  });

  test("refuses a build that shows one asset twice, in place of another or of none", () => {
    for (const instructions of [[...WITHDRAWAL, sendOther()], WITHDRAWAL]) {
      const build = withdrawBuild(instructions);
      build.transactions[0]!.assets.push({ ...build.transactions[0]!.assets[0]! });
      expect(catchReason(() => asked()(build))).toBe("other_amount");
    }
  });

  test("refuses a transfer of wrapped SOL, even if it is shown", () => {
    const [source, destination] = [WALLET, MAIN].map((owner) => deriveAssociatedTokenAddress(owner, NATIVE_MINT));
    const wrapped = { mint: NATIVE_MINT, decimals: 9, amount: 1n };
    const send = transferChecked({ source: source!, destination: destination!, authority: WALLET, ...wrapped });
    const build = withdrawBuild([...WITHDRAWAL, send]);
    build.transactions[0]!.assets.push({ ...wrapped, asset: "SOL", symbol: "wSOL", amount: "1" });
    expect(catchReason(() => asked()(build))).toBe("unknown_instruction");
  });

  test("refuses to open a token account that receives nothing, at the wallet's cost", () => {
    const nothing = transferChecked({
      source: own,
      destination: deriveAssociatedTokenAddress(MAIN, mint),
      authority: WALLET,
      ...coins,
      amount: 0n,
    });
    const build = withdrawBuild([opens, nothing, sendsSol]);
    build.transactions[0]!.assets.shift();
    expect(catchReason(() => asked()(build))).toBe("unknown_instruction");
  });

  test("refuses a destination that is hidden in a lookup table", () => {
    const build = withdrawBuild(WITHDRAWAL);
    const lookupTables = { [newAddress()]: [MAIN] };
    const parts = { payer: WALLET, instructions: WITHDRAWAL, blockhash: BLOCKHASH, lookupTables };
    Object.assign(build.transactions[0]!, bytesOf(toBase64(composeTransaction(parts).bytes)));
    expect(catchReason(() => asked()(build))).toBe("hidden_account");
  });

  test("refuses an unreadable transaction, and one that another wallet pays for", () => {
    const build = withdrawBuild(WITHDRAWAL);
    build.transactions[0]!.transaction = "AAAA";
    expect(catchReason(() => asked()(build))).toBe("two_transactions");
    Object.assign(build.transactions[0]!, bytesOf("AAAA"));
    expect(catchReason(() => asked()(build))).toBe("unreadable");
    expect(catchReason(() => asked({ wallet: THIEF })(withdrawBuild(WITHDRAWAL)))).toBe("other_signer");
  });

  test("refuses a build for another destination", () => {
    expect(catchReason(() => asked({ destination: THIEF })(withdrawBuild(WITHDRAWAL)))).toBe("not_asked_for");
  });

  test("refuses a build that sends another asset, or more than requested", () => {
    const both = withdrawBuild(WITHDRAWAL);
    expect(catchReason(() => asked({ asset: "BTC" })(both))).toBe("not_asked_for");
    const only = withdrawBuild([opens, sends, closes]);
    only.transactions[0]!.assets.pop();
    only.receivedLamports = 0;
    expect(catchReason(() => asked({ asset: "BTC", amountBaseUnits: "999" })(only))).toBe("other_amount");
    expect(catchReason(() => asked({ asset: "BTC", amountBaseUnits: "1000" })(only))).toBeNull();
  });

  test("accepts a withdrawal of one asset only: a token without SOL, or SOL without tokens", () => {
    const tokens = withdrawBuild([opens, sends, closes]);
    tokens.transactions[0]!.assets.pop();
    tokens.receivedLamports = 0;
    expect(catchReason(() => asked({ asset: "BTC" })(tokens))).toBeNull();
    expect(catchReason(() => asked({ asset: "SOL" })(tokens))).toBe("not_asked_for");
    const sol = withdrawBuild([sendsSol]);
    sol.transactions[0]!.assets.shift();
    expect(catchReason(() => asked({ asset: "SOL", amountBaseUnits: "7000" })(sol))).toBeNull();
    expect(catchReason(() => asked({ asset: "SOL", amountBaseUnits: "6999" })(sol))).toBe("other_amount");
    expect(catchReason(() => asked({ asset: "BTC" })(sol))).toBe("not_asked_for");
  });

  test("refuses a build that shows another total of SOL", () => {
    for (const receivedLamports of [0, 6_999]) {
      const build = { ...withdrawBuild(WITHDRAWAL), receivedLamports };
      expect(catchReason(() => asked()(build))).toBe("other_amount");
    }
  });

  test("adds up one token that leaves from two accounts", () => {
    const build = withdrawBuild([...WITHDRAWAL, sends]);
    build.transactions[0]!.assets[0]!.amount = "2000";
    expect(Object.fromEntries(asked()(build)[0]!.sent)).toEqual({ [mint]: 2_000n, SOL: 7_000n });
  });

  test("adds up the amounts and fees of several transactions", () => {
    const build = withdrawBuild([opens, sends]);
    build.transactions[0]!.assets.pop();
    build.transactions.push(structuredClone(build.transactions[0]!));
    build.receivedLamports = 0;
    expect(catchReason(() => asked()(build))).toBe("network_fee");
    build.costs.networkFeeLamports = 10_000;
    expect(catchReason(() => asked({ asset: "BTC", amountBaseUnits: "1999" })(build))).toBe("other_amount");
    expect(asked({ asset: "BTC", amountBaseUnits: "2000" })(build)).toHaveLength(2);
  });

  test("refuses an unsupported token if it may send only supported assets", () => {
    const junk = { ...coins, mint: newAddress() };
    const destination = deriveAssociatedTokenAddress(MAIN, junk.mint);
    const sendsJunk = transferChecked({ source: newAddress(), destination, authority: WALLET, ...junk });
    const build = withdrawBuild([sendsJunk, sendsSol]);
    const symbol = toTokenSymbol(junk.mint);
    build.transactions[0]!.assets[0] = { asset: null, symbol, mint: junk.mint, amount: "1000", decimals };
    expect(catchReason(() => asked()(build))).toBeNull();
    expect(catchReason(() => asked({ keepsRentMinimum: true })(build))).toBe("not_asked_for");
    expect(catchReason(() => asked({ keepsRentMinimum: true })(withdrawBuild(WITHDRAWAL)))).toBeNull();
  });
});

function closeTo(destination: string) {
  return closeAccount({ account: newAddress(), destination, owner: WALLET });
}

function approves() {
  return approveChecked({ account: own, delegate: THIEF, owner: WALLET, ...coins });
}

function openFor(owner: string, of: string) {
  return createAssociatedTokenAccountIdempotent({ payer: WALLET, owner, mint: of });
}

/** Replaces the wallet by the thief, without a signature. The chain would refuse the instruction. */
function ofThief(instruction: InstructionLike): InstructionLike {
  const isWallet = ({ pubkey }: { pubkey: string }) => pubkey === WALLET;
  const thief = { pubkey: THIEF, isSigner: false, isWritable: true };
  return { ...instruction, accounts: instruction.accounts.map((one) => (isWallet(one) ? thief : one)) };
}

function sendOther() {
  const other = ASSETS.ETH.mint;
  const destination = deriveAssociatedTokenAddress(MAIN, other);
  return transferChecked({ source: newAddress(), destination, authority: WALLET, ...coins, mint: other });
}

function hooked(): InstructionLike {
  const transfer = sendTo(deriveAssociatedTokenAddress(MAIN, mint));
  return { ...transfer, accounts: [...transfer.accounts, { pubkey: THIEF, isSigner: false, isWritable: true }] };
}
