import { hkdfSync } from "node:crypto";
import { Keypair } from "@solana/web3.js";
import { FEE_COLLECTOR_COUNT } from "../domain/fee-collector";
import type { OperatorAccounts } from "./chain";
import type { OperatorFile } from "./operator-file";

const SALT = "roundup/operator/v1";
const SEED_BYTES = 32;

/**
 * Derives the fee collectors in their fixed order. Ed25519 seed i = HKDF-SHA256(seed, "roundup/operator/v1",
 * "collector:i", 32).
 * @param seed 32 bytes
 * @throws {RangeError} on another length
 */
export function deriveCollectors(seed: Uint8Array): Keypair[] {
  return Array.from({ length: FEE_COLLECTOR_COUNT }, (_, index) => deriveKeypair(seed, `collector:${index}`));
}

/**
 * Derives the account that prefunds the collectors, like a collector but with the info "funder".
 * @param seed 32 bytes
 * @throws {RangeError} on another length
 */
export function deriveFunder(seed: Uint8Array): Keypair {
  return deriveKeypair(seed, "funder");
}

export function deriveAccounts(operatorFile: OperatorFile) {
  const collectorKeypairs = deriveCollectors(operatorFile.seed);
  const funderKeypair = deriveFunder(operatorFile.seed);
  const accounts: OperatorAccounts = {
    collectors: collectorKeypairs.map(({ publicKey }) => publicKey),
    funder: funderKeypair.publicKey,
    treasury: operatorFile.treasury,
  };
  return { collectorKeypairs, funderKeypair, accounts };
}

function deriveKeypair(seed: Uint8Array, info: string): Keypair {
  if (seed.length !== SEED_BYTES)
    throw new RangeError(`the operator's seed has ${SEED_BYTES} bytes, not ${seed.length}`);
  return Keypair.fromSeed(new Uint8Array(hkdfSync("sha256", seed, SALT, info, SEED_BYTES)));
}
