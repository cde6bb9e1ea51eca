import { VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import { expect } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import { readTokenAccount } from "../../../lib/sandbox/chain/token-accounts";
import type { TransactionRecord } from "../../../lib/sandbox/chain/types";
import { createMarket } from "../../../lib/sandbox/market/market";
import { createPriceBook } from "../../../lib/sandbox/market/price-book";
import { findListing } from "../../../lib/sandbox/market/quote";
import { buildSetComputeUnitLimit } from "../../../lib/solana/compute-budget";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { LAMPORTS_PER_SOL } from "../../../lib/solana/lamports";
import { NATIVE_MINT } from "../../../lib/solana/programs";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { fundKeypair, openStoppedChain, toAddress } from "../chain/sandbox-rig";

export interface BuildAnswer {
  outAmount: string;
  otherAmountThreshold: string;
  priceImpactPct: string;
  computeBudgetInstructions: InstructionLike[];
  setupInstructions: InstructionLike[];
  swapInstruction: InstructionLike;
  cleanupInstruction: InstructionLike | null;
  blockhashWithMetadata: { blockhash: number[]; lastValidBlockHeight: number };
}

type Query = Record<string, string | number | bigint>;

const COMPUTE_UNIT_LIMIT = 60_000;

/** The fee of a swap: one signature, and 10,000 micro-lamports for each of COMPUTE_UNIT_LIMIT. */
export const SWAP_FEE_LAMPORTS = 5_000n + 600n;

/** The errors of a swap whose token transfer fails: instruction 4. Source: `TokenError` of spl-token. */
export const INSUFFICIENT_FUNDS = { InstructionError: [4, { Custom: 1 }] };
export const OWNER_MISMATCH = { InstructionError: [4, { Custom: 4 }] };

/** Returns the address of the escrow account that a build's swap takes its output from. */
export const findEscrow = (answer: BuildAnswer) => answer.swapInstruction.accounts[0]!.pubkey;

const readBlockhash = (answer: BuildAnswer) => bs58.encode(Uint8Array.from(answer.blockhashWithMetadata.blockhash));

/** Returns the answer with a different amount in its swap's token transfer. */
export function withSwapAmount(answer: BuildAnswer, amount: bigint): BuildAnswer {
  const data = Buffer.from(answer.swapInstruction.data, "base64");
  data.writeBigUInt64LE(amount, 1);
  return { ...answer, swapInstruction: { ...answer.swapInstruction, data: data.toString("base64") } };
}

/** Creates a market on a separate chain, with a taker who has 10 SOL. */
export function createMarketRig() {
  const errors: unknown[] = [];
  const { chain, clock } = openStoppedChain();
  const { now } = clock;
  const seed = new Uint8Array(32).fill(3);
  const prices = createPriceBook({ mode: "fixed", seed, now });
  const openMarket = () => {
    const market = createMarket({ chain, seed, prices, now, reportError: (error) => errors.push(error) });
    market.createAccounts();
    return market;
  };

  const rig = {
    chain,
    clock,
    prices,
    errors,
    market: openMarket(),
    taker: fundKeypair(chain),
    /** Opens a second market on the same chain, as after a restart. */
    openMarket,
    requestMarket(path: string, query: Query = {}) {
      const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
      return rig.market.handle(new URL(`http://127.0.0.1:8899${path}?${search}`));
    },
    /** Requests a build. The default is 1 SOL into BTC at 1 % slippage. */
    requestBuild(overrides: Query = {}) {
      const trade = { inputMint: NATIVE_MINT, outputMint: ASSETS.BTC.mint, amount: LAMPORTS_PER_SOL, slippageBps: 100 };
      return rig.requestMarket("/swap/v2/build", { ...trade, taker: toAddress(rig.taker), ...overrides });
    },
    async buildSwap(overrides: Query = {}): Promise<BuildAnswer> {
      const { status, body } = await rig.requestBuild(overrides);
      expect([status, body]).toEqual([200, expect.objectContaining({ outAmount: expect.any(String) })]);
      return body as BuildAnswer;
    },
    /** Runs the swap as a client does, signed by the taker alone. @returns the chain's record of the transaction */
    runSwap(answer: BuildAnswer, blockhash = readBlockhash(answer)): TransactionRecord | null {
      const { bytes } = composeTransaction({
        payer: toAddress(rig.taker),
        blockhash,
        instructions: [
          ...answer.computeBudgetInstructions,
          buildSetComputeUnitLimit(COMPUTE_UNIT_LIMIT),
          ...answer.setupInstructions,
          answer.swapInstruction,
          ...(answer.cleanupInstruction ? [answer.cleanupInstruction] : []),
        ],
      });
      const transaction = VersionedTransaction.deserialize(bytes);
      transaction.sign([rig.taker]);
      return chain.findTransaction(chain.send(transaction.serialize(), { skipPreflight: true }));
    },
    readLamports: (address: string = toAddress(rig.taker)): bigint => chain.getAccount(address)?.lamports ?? 0n,
    /** Returns the amount in the owner's associated token account, or null if the account does not exist. */
    readTokens(mint: string, owner: string = toAddress(rig.taker)): bigint | null {
      const account = chain.getAccount(deriveAssociatedTokenAddress(owner, mint, findListing(mint)!.program));
      return account && readTokenAccount(account)!.amount;
    },
  };
  return rig;
}

export type MarketRig = ReturnType<typeof createMarketRig>;
