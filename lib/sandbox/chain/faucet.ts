import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { SYSTEM_PROGRAM } from "../../solana/programs";
import { MEMO_PROGRAMS } from "./decode-transaction";
import type { Ledger } from "./ledger";

/** Largest single airdrop: a million SOL. */
export const MAX_AIRDROP_LAMPORTS = 1_000_000_000_000_000n;
/** The faucet's full balance. It is below 2^53 lamports, so that a number in JSON is exact. */
const FAUCET_LAMPORTS = 9_000_000_000_000_000n;

/**
 * Creates the account that pays airdrops. It refills itself when less than half of its lamports are left.
 * @param seed the 32 bytes from which the account's keypair is derived
 */
export function createFaucet(seed: Uint8Array, ledger: Ledger) {
  const keypair = Keypair.fromSeed(seed);
  const address = keypair.publicKey.toBase58();
  return {
    /**
     * Builds and signs a transfer. Equal transfers need different values of `serial`, or they would be one transaction.
     * @returns the transaction's wire bytes
     */
    buildSignedTransfer(to: string, lamports: bigint, recentBlockhash: string, serial: number): Uint8Array {
      if ((ledger.getAccount(address)?.lamports ?? 0n) < FAUCET_LAMPORTS / 2n) {
        ledger.setAccount(address, { lamports: FAUCET_LAMPORTS, owner: SYSTEM_PROGRAM, data: new Uint8Array() });
      }
      const payerKey = keypair.publicKey;
      const payment = SystemProgram.transfer({ fromPubkey: payerKey, toPubkey: new PublicKey(to), lamports });
      const programId = new PublicKey(MEMO_PROGRAMS[0]!);
      const memo = new TransactionInstruction({ programId, keys: [], data: Buffer.from(`airdrop ${serial}`) });
      const message = new TransactionMessage({ payerKey, recentBlockhash, instructions: [payment, memo] });
      const transaction = new VersionedTransaction(message.compileToLegacyMessage());
      transaction.sign([keypair]);
      return transaction.serialize();
    },
  };
}
