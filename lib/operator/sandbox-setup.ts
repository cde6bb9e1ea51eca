import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import { systemClock } from "../sdk/world";
import { LAMPORTS_PER_SOL } from "../solana/lamports";
import { openChain } from "./chain";
import { deriveFunder } from "./collectors";
import { deriveCollectorAddresses, fund, planFund } from "./commands";
import { createOperatorFile, type OperatorBook, readOperatorFile } from "./operator-file";

/** Lamports sent on top of what is missing, so that later starts rarely need an airdrop. */
const FUNDER_AIRDROP = LAMPORTS_PER_SOL;

/**
 * Sets up the operator of a local chain. The first start creates `<dataDir>/operator.json` with a random seed and a
 * random treasury. Every start gives the funder SOL if it lacks some and runs `fund`. Prints nothing.
 * @param input.rpcUrl the local chain, which must already answer
 * @param input.airdrop resolves once the lamports are visible at `confirmed`
 * @returns the collectors' public keys, base58, the same at every start
 * @throws {OperatorFailure} when the file is unusable or the collectors could not be funded
 */
export async function ensureSandboxOperator(input: {
  rpcUrl: string;
  dataDir: string;
  airdrop: (address: string, lamports: bigint) => Promise<void>;
}): Promise<{ feeCollectors: string[] }> {
  const book = await readOrCreateBook(join(input.dataDir, "operator.json"));
  const chain = openChain(input.rpcUrl);
  const { plan } = await planFund({ chain, book });
  if (plan.shortfall > 0n) {
    const funder = deriveFunder(book.seed).publicKey.toBase58();
    await input.airdrop(funder, plan.shortfall + FUNDER_AIRDROP);
  }
  if (plan.transfers.length > 0) await fund({ chain, book, timer: systemClock, print: () => {} }, true);
  return { feeCollectors: deriveCollectorAddresses(book.seed) };
}

async function readOrCreateBook(path: string): Promise<OperatorBook> {
  const existing = await readOperatorFile(path);
  if (existing) return existing;
  const treasury = Keypair.generate();
  const book = { seed: new Uint8Array(randomBytes(32)), treasury: treasury.publicKey };
  // Store the treasury's key in the sandbox only. No person owns this treasury, so testers need the key to use it.
  await createOperatorFile(path, { ...book, treasurySecret: bs58.encode(treasury.secretKey) });
  return book;
}
