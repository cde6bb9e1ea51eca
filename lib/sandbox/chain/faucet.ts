import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { SYSTEM_PROGRAM } from "../../solana/programs";
import { MEMO_PROGRAMS } from "./guard";
import type { Ledger } from "./ledger";

/** The faucet's balance. Below 2^53 lamports, so that JSON represents it exactly. */
const FAUCET_LAMPORTS = 9_000_000_000_000_000n;

/** Creates the account that pays airdrops. Its keypair comes from `seed` (32 bytes). It is refilled when it is low. */
export function createFaucet(seed: Uint8Array, ledger: Ledger) {
  const keypair = Keypair.fromSeed(seed);
  const address = keypair.publicKey.toBase58();
  return {
    /**
     * Builds and signs a transfer. A different `serial` makes each transfer a distinct transaction.
     * @returns wire bytes
     */
    buildSignedTransfer(to: string, lamports: bigint, blockhash: string, serial: number): Uint8Array {
      if ((ledger.get(address)?.lamports ?? 0n) < FAUCET_LAMPORTS / 2n) {
        ledger.set(address, { lamports: FAUCET_LAMPORTS, owner: SYSTEM_PROGRAM, data: new Uint8Array() });
      }
      const memo = new TransactionInstruction({
        programId: new PublicKey(MEMO_PROGRAMS[0]!),
        keys: [],
        data: Buffer.from(`airdrop ${serial}`),
      });
      const payment = SystemProgram.transfer({ fromPubkey: keypair.publicKey, toPubkey: new PublicKey(to), lamports });
      const transaction = new VersionedTransaction(
        new TransactionMessage({
          payerKey: keypair.publicKey,
          recentBlockhash: blockhash,
          instructions: [payment, memo],
        }).compileToLegacyMessage(),
      );
      transaction.sign([keypair]);
      return transaction.serialize();
    },
  };
}

/** Largest single airdrop in lamports: a million SOL. */
export const MAX_AIRDROP = 1_000_000_000_000_000n;
