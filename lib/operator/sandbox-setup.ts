import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import { LAMPORTS_PER_SOL } from "../solana/lamports";
import { openChain } from "./chain";
import { deriveFunder } from "./collectors";
import { collectorAddresses, fund, planFund } from "./commands";
import { createOperatorFile, type OperatorBook, readOperatorFile } from "./operator-file";
import { systemTimer } from "./send";

/** Given beyond what is missing, so that later starts seldom need more. */
const FUNDER_AIRDROP = LAMPORTS_PER_SOL;

/**
 * The operator of a local chain: at the first start makes `<dataDir>/operator.json` with a random seed and a random
 * treasury, at every start gives the funder SOL if it lacks some and runs `fund`. Prints nothing.
 * @param input.rpcUrl the local chain, which must be answering already
 * @param input.airdrop resolves once the lamports can be read at `confirmed`
 * @returns the collectors' public keys, base58, the same at every start
 * @throws {OperatorFailure} when the file cannot be used or the collectors could not be funded
 */
export async function ensureSandboxOperator(input: {
  rpcUrl: string;
  dataDir: string;
  airdrop: (address: string, lamports: bigint) => Promise<void>;
}): Promise<{ feeCollectors: string[] }> {
  const book = await readOrCreate(join(input.dataDir, "operator.json"));
  const chain = openChain(input.rpcUrl);
  const { plan } = await planFund({ chain, book });
  if (plan.shortfall > 0n) {
    const funder = deriveFunder(book.seed).publicKey.toBase58();
    await input.airdrop(funder, plan.shortfall + FUNDER_AIRDROP);
  }
  if (plan.transfers.length > 0) await fund({ chain, book, timer: systemTimer, print: () => {} }, true);
  return { feeCollectors: collectorAddresses(book.seed) };
}

async function readOrCreate(path: string): Promise<OperatorBook> {
  const existing = await readOperatorFile(path);
  if (existing) return existing;
  const treasury = Keypair.generate();
  const book = { seed: new Uint8Array(randomBytes(32)), treasury: treasury.publicKey };
  // Only here: nobody owns this treasury, so a tester who wants to look into it needs its key.
  await createOperatorFile(path, { ...book, treasurySecret: bs58.encode(treasury.secretKey) });
  return book;
}
