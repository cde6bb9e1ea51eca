import { Keypair, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import { expect } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import { openChain } from "../../../lib/sandbox/chain/chain";
import { readTokenAccount } from "../../../lib/sandbox/chain/token-accounts";
import type { TransactionRecord } from "../../../lib/sandbox/chain/types";
import { createMarket } from "../../../lib/sandbox/market/market";
import { createPriceBook } from "../../../lib/sandbox/market/price-book";
import { buildSetComputeUnitLimit } from "../../../lib/solana/compute-budget";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { NATIVE_MINT } from "../../../lib/solana/programs";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";

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

const SOL = 1_000_000_000n;
const COMPUTE_UNIT_LIMIT = 60_000;

/**
 * The fee of a swap: one signature, and 10,000 micro-lamports for each of COMPUTE_UNIT_LIMIT.
 */
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

/** Creates a market on a separate chain, a clock that stands still until the test sets it, and a taker with 10 SOL. */
export function createMarketRig() {
  const errors: unknown[] = [];
  const clock = { nowMs: Date.UTC(2026, 9, 1) };
  const now = () => clock.nowMs;
  const seed = new Uint8Array(32).fill(3);
  const chain = openChain({ now });
  const prices = createPriceBook({ mode: "fixed", seed, now });
  const openMarket = () => {
    const market = createMarket({ chain, seed, prices, now, onError: (error) => errors.push(error) });
    market.createAccounts();
    return market;
  };
  const createTaker = () => {
    const taker = Keypair.generate();
    chain.airdrop(taker.publicKey.toBase58(), 10n * SOL);
    return taker;
  };

  const rig = {
    chain,
    clock,
    prices,
    errors,
    market: openMarket(),
    taker: createTaker(),
    /** Opens a second market on the same chain, as after a restart. */
    openMarket,
    createTaker,
    requestMarket(path: string, query: Query = {}) {
      const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
      return rig.market.handle(new URL(`http://127.0.0.1:8899${path}?${search}`));
    },
    /** Requests a build. The default is 1 SOL into BTC at 1 % slippage. */
    requestBuild(overrides: Query = {}) {
      const trade = { inputMint: NATIVE_MINT, outputMint: ASSETS.BTC.mint, amount: SOL, slippageBps: 100 };
      return rig.requestMarket("/swap/v2/build", { ...trade, taker: rig.taker.publicKey.toBase58(), ...overrides });
    },
    async buildSwap(overrides: Query = {}): Promise<BuildAnswer> {
      const { status, body } = await rig.requestBuild(overrides);
      expect([status, body]).toEqual([200, expect.objectContaining({ outAmount: expect.any(String) })]);
      return body as BuildAnswer;
    },
    /**
     * Runs the swap as a client does, signed by the taker alone.
     * @returns the chain's record of it
     */
    runSwap(answer: BuildAnswer, blockhash = readBlockhash(answer)): TransactionRecord | null {
      const { bytes } = composeTransaction({
        payer: rig.taker.publicKey.toBase58(),
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
    readLamports: (address: string = rig.taker.publicKey.toBase58()): bigint =>
      chain.getAccount(address)?.lamports ?? 0n,
    /** Returns the amount in the owner's associated token account, or null if the account does not exist. */
    readTokens(mint: string, owner: string = rig.taker.publicKey.toBase58()): bigint | null {
      const account = chain.getAccount(deriveAssociatedTokenAddress(owner, mint));
      return account && readTokenAccount(account)!.amount;
    },
    readSupply: (mint: string) => Buffer.from(chain.getAccount(mint)!.data).readBigUInt64LE(36),
  };
  return rig;
}

export type MarketRig = ReturnType<typeof createMarketRig>;
