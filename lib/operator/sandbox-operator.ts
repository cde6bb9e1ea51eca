import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import { systemClock } from "../sdk/platform";
import { LAMPORTS_PER_SOL } from "../solana/lamports";
import { openConnection } from "./chain";
import { deriveFunder } from "./collectors";
import { deriveCollectorAddresses } from "./commands";
import { fundCollectors, planFund } from "./fund";
import { createOperatorFile, type OperatorFile, readOperatorFile } from "./operator-file";

/** Airdropped to the funder on top of its shortfall, so that later starts rarely need an airdrop. */
const FUNDER_AIRDROP_LAMPORTS = LAMPORTS_PER_SOL;

/**
 * Sets up the operator of a local chain. The first start creates `<dataDir>/operator.json` with a random seed and a
 * random treasury. Every start airdrops SOL to the funder if it cannot pay, funds the collectors and opens their missing
 * USDC accounts. Prints nothing.
 * @param input.rpcUrl the local chain, which must already answer
 * @param input.airdrop resolves once the lamports are visible at `confirmed`
 * @returns the collectors' public keys, base58, which are the same at every start
 * @throws {OperatorFailure} when the file is unusable or the collectors could not be funded
 */
export async function ensureSandboxOperator(input: {
  rpcUrl: string;
  dataDir: string;
  airdrop: (address: string, lamports: bigint) => Promise<void>;
}): Promise<{ feeCollectors: string[] }> {
  const operatorFile = await readOrCreateOperatorFile(join(input.dataDir, "operator.json"));
  const chain = openConnection(input.rpcUrl);
  const { instructions, shortfallLamports } = await planFund({ chain, operatorFile });
  if (shortfallLamports > 0n) {
    const funder = deriveFunder(operatorFile.seed).publicKey.toBase58();
    await input.airdrop(funder, shortfallLamports + FUNDER_AIRDROP_LAMPORTS);
  }
  if (instructions.length > 0)
    await fundCollectors({ chain, operatorFile, clock: systemClock, print: () => {} }, { shouldSend: true });
  return { feeCollectors: deriveCollectorAddresses(operatorFile.seed) };
}

async function readOrCreateOperatorFile(path: string): Promise<OperatorFile> {
  const existingFile = await readOperatorFile(path);
  if (existingFile) return existingFile;
  const treasury = Keypair.generate();
  const operatorFile = { seed: new Uint8Array(randomBytes(32)), treasury: treasury.publicKey };
  // Store the treasury's key in the sandbox only. No person owns this treasury, so testers need the key to use it.
  await createOperatorFile(path, { ...operatorFile, treasurySecret: bs58.encode(treasury.secretKey) });
  return operatorFile;
}
