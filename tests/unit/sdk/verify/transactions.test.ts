import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import type { SwapBuild } from "@/lib/sdk/flow/invest";
import type { WithdrawBuild } from "@/lib/sdk/flow/withdraw";
import { NotAsShown } from "@/lib/sdk/verify/built-transaction";
import { verifySwaps } from "@/lib/sdk/verify/swap";
import { verifyWithdrawal } from "@/lib/sdk/verify/withdrawal";
import { toBase64 } from "@/lib/solana/bytes";
import { setComputeUnitLimit } from "@/lib/solana/compute-budget";
import { type InstructionLike, u64Bytes } from "@/lib/solana/instructions";
import { COMPUTE_BUDGET_PROGRAM, NATIVE_MINT, SYSTEM_PROGRAM } from "@/lib/solana/programs";
import { systemTransfer } from "@/lib/solana/system-instructions";
import {
  approveChecked,
  associatedTokenAddress,
  closeAccount,
  createAssociatedTokenAccountIdempotent,
  transferChecked,
} from "@/lib/solana/token-instructions";
import { composeTransaction } from "@/lib/solana/transactions";

const newAddress = () => bs58.encode(nacl.sign.keyPair().publicKey);
const WALLET = newAddress();
const MAIN = newAddress();
const THIEF = newAddress();
const MAKER = newAddress();
const BLOCKHASH = newAddress();
const INPUT = 50_000_000;
const { mint, decimals } = ASSETS.BTC;
const own = associatedTokenAddress(WALLET, mint);
const coins = { mint, decimals, amount: 1_000n };

const built = (instructions: InstructionLike[], payer = WALLET) =>
  toBase64(composeTransaction({ payer, instructions, blockhash: BLOCKHASH }).bytes);

const price = (microLamports: bigint): InstructionLike => ({
  programId: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: toBase64(Uint8Array.of(3, ...u64Bytes(microLamports))),
});

/** A swap as the sandbox's maker builds it. */
const SWAP = [
  setComputeUnitLimit(100_000),
  price(10_000n),
  createAssociatedTokenAccountIdempotent({ payer: WALLET, owner: WALLET, mint }),
  systemTransfer(WALLET, MAKER, BigInt(INPUT)),
  transferChecked({ source: newAddress(), destination: own, authority: WALLET, ...coins }),
];

const unsignedMembers = (transaction: string) => ({
  transaction,
  lastValidBlockHeight: 1,
  unsigned: { base64: transaction, blockhash: "", lastValidBlockHeight: 1 },
});

function swapBuild(instructions: InstructionLike[], changed: object = {}, payer = WALLET): SwapBuild {
  const quote = {
    inputLamports: INPUT,
    inputSol: INPUT / 1e9,
    targetAsset: "BTC" as const,
    outputMint: mint,
    outputAmount: "1000",
    outputDecimals: decimals,
    minimumOutputAmount: "990",
    slippageBps: 100,
    priceImpact: 0,
    route: ["Maker"],
    warning: null,
    priceUsd: 100_000,
    ...changed,
  };
  const transaction = built(instructions, payer);
  return {
    ready: true,
    reason: null,
    balanceSol: 0.06,
    balanceUsd: 9,
    threshold: 5,
    remaining: 0,
    costs: { networkFeeLamports: 6_000, tokenAccountDepositLamports: 2_039_280, reserveLamports: 3_000_000 },
    swappableLamports: INPUT,
    transactions: [{ asset: "BTC", pct: 100, inputLamports: INPUT, ...unsignedMembers(transaction), quote }],
  };
}

const verify = (build: SwapBuild) => () => verifySwaps(build, WALLET, 100);

describe("a swap is signed only as it was shown", () => {
  test("the swap that was shown passes", () => {
    expect(verify(swapBuild(SWAP))).not.toThrow();
  });

  test.each<[string, InstructionLike[]]>([
    ["a lamport more leaves", [...SWAP, systemTransfer(WALLET, THIEF, 1n)]],
    ["the wallet is handed to a program", [...SWAP, systemInstruction(1)]],
    ["a token goes to somebody else", [...SWAP, sendTo(associatedTokenAddress(THIEF, mint))]],
    [
      "somebody may spend a token later",
      [...SWAP, approveChecked({ account: own, delegate: THIEF, owner: WALLET, ...coins })],
    ],
    [
      "a deposit returns to somebody else",
      [...SWAP, closeAccount({ account: own, destination: THIEF, owner: WALLET })],
    ],
    [
      "it opens an account for somebody else",
      [...SWAP, createAssociatedTokenAccountIdempotent({ payer: WALLET, owner: THIEF, mint })],
    ],
    ["another must sign too", [...SWAP, systemTransfer(THIEF, WALLET, 1n)]],
    ["what it buys reaches another wallet", [systemTransfer(WALLET, MAKER, BigInt(INPUT))]],
    ["its network fee is higher than shown", [...SWAP, price(1_000_000n)]],
  ])("refused: %s", (_case, instructions) => {
    expect(verify(swapBuild(instructions))).toThrow(NotAsShown);
  });

  test.each<[string, object]>([
    ["it buys another token", { outputMint: ASSETS.USDC.mint }],
    ["its minimum is under the slippage", { minimumOutputAmount: "989" }],
  ])("refused: %s", (_case, changed) => {
    expect(verify(swapBuild(SWAP, changed))).toThrow(NotAsShown);
  });

  test("refused: another wallet pays, or it cannot be read", () => {
    expect(verify(swapBuild(SWAP, {}, THIEF))).toThrow(NotAsShown);
    const build = swapBuild(SWAP);
    build.transactions[0]!.transaction = "AAAA";
    expect(verify(build)).toThrow(NotAsShown);
  });
});

function systemInstruction(tag: number): InstructionLike {
  const accounts = [{ pubkey: WALLET, isSigner: true, isWritable: true }];
  return { programId: SYSTEM_PROGRAM, accounts, data: toBase64(Uint8Array.of(tag, 0, 0, 0, ...new Uint8Array(32))) };
}

function sendTo(destination: string): InstructionLike {
  return transferChecked({ source: own, destination, authority: WALLET, ...coins });
}

const WITHDRAWAL = [
  createAssociatedTokenAccountIdempotent({ payer: WALLET, owner: MAIN, mint }),
  sendTo(associatedTokenAddress(MAIN, mint)),
  closeAccount({ account: own, destination: WALLET, owner: WALLET }),
  systemTransfer(WALLET, MAIN, 7_000n),
];

function withdrawBuild(instructions: InstructionLike[]): WithdrawBuild {
  const sol = { asset: "SOL" as const, symbol: "SOL", mint: NATIVE_MINT, amount: "7000", decimals: 9 };
  const btc = { asset: "BTC" as const, symbol: "BTC", mint, amount: "1000", decimals };
  return {
    ready: true,
    reason: null,
    destination: MAIN,
    transactions: [{ assets: [btc, sol], ...unsignedMembers(built(instructions)), networkFeeLamports: 5_000 }],
    complete: true,
    leftBehind: [],
    costs: { networkFeeLamports: 5_000, tokenAccountDepositLamports: 2_039_280, returnedDepositLamports: 2_039_280 },
    missingLamports: 0,
    remainingLamports: 0,
    receivedLamports: 7_000,
  };
}

describe("a withdrawal is signed only as it was shown", () => {
  test("the withdrawal that was shown passes", () => {
    expect(() => verifyWithdrawal(withdrawBuild(WITHDRAWAL), WALLET, MAIN)).not.toThrow();
  });

  test.each<[string, InstructionLike[]]>([
    ["SOL goes elsewhere", [...WITHDRAWAL.slice(0, 3), systemTransfer(WALLET, THIEF, 7_000n)]],
    ["less SOL arrives", [...WITHDRAWAL.slice(0, 3), systemTransfer(WALLET, MAIN, 6_999n)]],
    ["tokens go elsewhere", [WITHDRAWAL[0]!, sendTo(associatedTokenAddress(THIEF, mint)), ...WITHDRAWAL.slice(2)]],
    ["tokens are missing", [WITHDRAWAL[0]!, ...WITHDRAWAL.slice(2)]],
    ["tokens are sent twice", [...WITHDRAWAL, WITHDRAWAL[1]!]],
    [
      "the deposit returns elsewhere",
      [...WITHDRAWAL, closeAccount({ account: own, destination: THIEF, owner: WALLET })],
    ],
    ["another program takes part", [...WITHDRAWAL, { ...systemInstruction(2), programId: newAddress() }]],
    ["a priority fee is slipped in", [...WITHDRAWAL, price(1n)]],
  ])("refused: %s", (_case, instructions) => {
    expect(() => verifyWithdrawal(withdrawBuild(instructions), WALLET, MAIN)).toThrow(NotAsShown);
  });

  test("refused: the build names another destination than was asked for", () => {
    expect(() => verifyWithdrawal(withdrawBuild(WITHDRAWAL), WALLET, THIEF)).toThrow(NotAsShown);
  });
});
