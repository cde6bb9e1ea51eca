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

/** Creates the account that pays airdrops. Its key comes from `seed` (32 bytes), and it is refilled when low. */
export function createFaucet(seed: Uint8Array, ledger: Ledger) {
  const key = Keypair.fromSeed(seed);
  const address = key.publicKey.toBase58();
  return {
    /** Signs a transfer. A different `serial` makes each transfer a distinct transaction. */
    signTransfer(to: string, lamports: bigint, blockhash: string, serial: number): Uint8Array {
      if ((ledger.get(address)?.lamports ?? 0n) < FAUCET_LAMPORTS / 2n) {
        ledger.set(address, { lamports: FAUCET_LAMPORTS, owner: SYSTEM_PROGRAM, data: new Uint8Array() });
      }
      const memo = new TransactionInstruction({
        programId: new PublicKey(MEMO_PROGRAMS[0]!),
        keys: [],
        data: Buffer.from(`airdrop ${serial}`),
      });
      const payment = SystemProgram.transfer({ fromPubkey: key.publicKey, toPubkey: new PublicKey(to), lamports });
      const transaction = new VersionedTransaction(
        new TransactionMessage({
          payerKey: key.publicKey,
          recentBlockhash: blockhash,
          instructions: [payment, memo],
        }).compileToLegacyMessage(),
      );
      transaction.sign([key]);
      return transaction.serialize();
    },
  };
}

/** Largest single airdrop in lamports: a million SOL. */
export const MAX_AIRDROP = 1_000_000_000_000_000n;
