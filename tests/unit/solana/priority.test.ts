import type { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSources } from "../../../lib/domain/withdraw/withdraw-sources";
import { buildInstructions, planMoves, planWithdrawal } from "../../../lib/domain/withdraw/withdrawal";
import { toBase64 } from "../../../lib/solana/bytes";
import { MAX_PRIORITY_FEE_LAMPORTS } from "../../../lib/solana/compute-budget";
import { BASE_FEE_LAMPORTS } from "../../../lib/solana/fees";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { buildMemo } from "../../../lib/solana/memo";
import {
  buildBudgetInstructions,
  chooseComputeBudget,
  findPercentile,
  NO_PRIORITY_FEE,
} from "../../../lib/solana/priority";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { readTransaction } from "../../../lib/solana/read-transaction";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import {
  buildCreateAssociatedTokenAccount,
  buildMintToChecked,
  deriveAssociatedTokenAddress,
} from "../../../lib/solana/token-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import {
  buildSigned,
  createMint,
  fundKeypair,
  ONE_SOL,
  openStoppedChain,
  toAddress,
  toWeb3,
} from "../../support/chain/sandbox-rig";
import { createBlockhash } from "../../support/fakes/fake-deps";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const [PAYER, OTHER] = ["payer", "other"].map((name) => toTestWallet(name).address) as [string, string];
const HIGH_PRIORITY = { unitPrice: 10n ** 9n, maxLamports: MAX_PRIORITY_FEE_LAMPORTS };

describe("findPercentile", () => {
  test.each([
    [0, 1n],
    [25, 1n],
    [26, 2n],
    [50, 2n],
    [75, 3n],
    [100, 9n],
  ])("returns percentile %i of 9, 1, 3 and 2 as %s", (percent, price) => {
    expect(findPercentile([9n, 1n, 3n, 2n], percent)).toBe(price);
  });

  test("returns 0 for an empty list", () => expect(findPercentile([], 50)).toBe(0n));
});

describe("a budget", () => {
  test("has the network fee that a reader of the bytes computes, within the configured cap", () => {
    const anyInstruction = fc.constantFrom(buildSystemTransfer(PAYER, OTHER, 1n), buildMemo("note", PAYER));
    const anyInstructions = fc.array(anyInstruction, { maxLength: 8 });
    const anyPriority = fc.record({
      unitPrice: fc.bigInt({ min: 1n, max: 10n ** 12n }),
      maxLamports: fc.bigInt({ min: 0n, max: MAX_PRIORITY_FEE_LAMPORTS }),
    });
    const property = fc.property(anyInstructions, anyPriority, (list, { unitPrice, maxLamports }) => {
      const budget = chooseComputeBudget(list, { unitPrice, maxLamports });
      const instructions = [...buildBudgetInstructions(budget), ...list];
      const { bytes } = composeTransaction({ payer: PAYER, instructions, blockhash: createBlockhash(1) });
      if (budget.unitPrice > 0n)
        expect(readTransaction(toBase64(bytes)).networkFeeLamports).toBe(budget.networkFeeLamports);
      expect(budget.unitPrice <= unitPrice).toBe(true);
      expect(budget.networkFeeLamports <= BASE_FEE_LAMPORTS + maxLamports).toBe(true);
    });
    fc.assert(property);
  });

  test("without a unit price adds no instruction", () => {
    const budget = chooseComputeBudget([buildSystemTransfer(PAYER, OTHER, 1n)], NO_PRIORITY_FEE);
    expect([buildBudgetInstructions(budget), budget.networkFeeLamports]).toEqual([[], 5_000n]);
  });
});

describe("a transaction with a budget on the runtime", () => {
  const { chain } = openStoppedChain();
  const landTransaction = (payer: Keypair, instructions: InstructionLike[]) => {
    const transaction = buildSigned(chain.getLatestBlockhash().blockhash, [payer], instructions.map(toWeb3));
    chain.send(transaction.serialize());
    expect(chain.findSignature(bs58.encode(transaction.signatures[0]!))!.err).toBeNull();
  };

  test("lands a wrap with a memo for exactly the computed fee", () => {
    const payer = fundKeypair(chain);
    const wallet = toAddress(payer);
    const list = [
      buildSystemTransfer(wallet, OTHER, ONE_SOL),
      buildMemo(`roundup:1:through:${"5".repeat(88)}`, wallet),
    ];
    const budget = chooseComputeBudget(list, HIGH_PRIORITY);
    landTransaction(payer, [...buildBudgetInstructions(budget), ...list]);
    expect(chain.getAccount(wallet)!.lamports).toBe(9n * ONE_SOL - budget.networkFeeLamports);
  });

  test("empties a wallet of all SOL and the tokens of both programs", async () => {
    const payer = fundKeypair(chain);
    const wallets = { wallet: toAddress(payer), destination: toTestWallet("home").address };
    const holdings = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((program) => {
      const mint = createMint(chain, payer, 6, program);
      const account = deriveAssociatedTokenAddress(wallets.wallet, mint, program);
      const mintFields = { mint, destination: account, authority: wallets.wallet, amount: 5n, decimals: 6 };
      const accountFields = { payer: wallets.wallet, owner: wallets.wallet, mint };
      landTransaction(payer, [
        buildCreateAssociatedTokenAccount(accountFields, program),
        buildMintToChecked(mintFields, program),
      ]);
      return { address: account, mint, tokenProgram: program, decimals: 6, amount: 5n };
    });
    const reader = {
      readAccounts: async (addresses: string[]) => addresses.map((address) => chain.getAccount(address)),
    };
    const computeRent = (bytes: number) => chain.computeRentExemptMinimum(bytes);
    const { sources, targets } = await readSources(reader, wallets, holdings, computeRent);
    const moves = planMoves(wallets, sources, targets, null);
    const balanceLamports = chain.getAccount(wallets.wallet)!.lamports;
    const funds = { balanceLamports, rentLamports: chain.computeRentExemptMinimum(0), priority: HIGH_PRIORITY };
    const plan = planWithdrawal(wallets, moves, "all", funds);
    for (const instructions of buildInstructions(wallets, plan)) landTransaction(payer, instructions);
    expect(chain.getAccount(wallets.wallet)).toBeNull();
    expect(chain.getAccount(wallets.destination)!.lamports).toBe(plan.sentLamports);
    expect(plan.networkFeeLamports > BASE_FEE_LAMPORTS * BigInt(plan.groups.length)).toBe(true);
  });
});
