import { PublicKey } from "@solana/web3.js";
import { toBase64 } from "./bytes";
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from "./programs";
import type { InstructionLike } from "./transactions";

/**
 * The token instructions this service needs, encoded by hand (@solana/spl-token carries an unfixed advisory).
 * Tags and account orders: `TokenInstruction` in interface/src/instruction.rs of github.com/solana-program/token and
 * `AssociatedTokenAccountInstruction` of github.com/solana-program/associated-token-account. Token-2022 keeps them all,
 * so every function takes the token program; it is the older Token program when left out.
 */

/** Amounts are base units, 0 to 2^64 - 1. `decimals` must be the mint's own, which the program checks. */
export interface TokenAmount {
  mint: string;
  amount: bigint;
  decimals: number;
}

const writable = (pubkey: string) => ({ pubkey, isSigner: false, isWritable: true });
const readonly = (pubkey: string) => ({ pubkey, isSigner: false, isWritable: false });
const signer = (pubkey: string) => ({ pubkey, isSigner: true, isWritable: false });

/** Little-endian. @throws {RangeError} on a value that is not an unsigned 64-bit integer */
export function u64Bytes(value: bigint): Uint8Array {
  if (value < 0n || value >= 1n << 64n) throw new RangeError("not an unsigned 64-bit integer");
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

/** Tag byte, u64 amount, u8 decimals: the body shared by the checked instructions. */
function checked(tag: number, { amount, decimals }: TokenAmount): string {
  return toBase64(Uint8Array.of(tag, ...u64Bytes(amount), decimals));
}

/**
 * The associated token account of an owner (which may be off the curve) for a mint, base58: the program address of
 * the seeds owner, token program, mint. Derivation is pure computing, up to about a millisecond.
 */
export function associatedTokenAddress(owner: string, mint: string, tokenProgram = TOKEN_PROGRAM): string {
  const seeds = [owner, tokenProgram, mint].map((key) => new PublicKey(key).toBytes());
  return PublicKey.findProgramAddressSync(seeds, new PublicKey(ASSOCIATED_TOKEN_PROGRAM))[0].toBase58();
}

/** CreateIdempotent (tag 1) of the Associated Token program: unless the account exists, `payer` signs for it and pays its rent. */
export function createAssociatedTokenAccountIdempotent(
  { payer, owner, mint }: { payer: string; owner: string; mint: string },
  tokenProgram = TOKEN_PROGRAM,
): InstructionLike {
  return {
    programId: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      { pubkey: payer, isSigner: true, isWritable: true },
      writable(associatedTokenAddress(owner, mint, tokenProgram)),
      readonly(owner),
      readonly(mint),
      readonly(SYSTEM_PROGRAM),
      readonly(tokenProgram),
    ],
    data: toBase64(Uint8Array.of(1)),
  };
}

/** InitializeAccount3 (tag 18): turns a fresh 165-byte account into `owner`'s token account for `mint`; nobody signs. */
export function initializeAccount(
  { account, mint, owner }: { account: string; mint: string; owner: string },
  tokenProgram = TOKEN_PROGRAM,
): InstructionLike {
  return {
    programId: tokenProgram,
    accounts: [writable(account), readonly(mint)],
    data: toBase64(Uint8Array.of(18, ...new PublicKey(owner).toBytes())),
  };
}

/** TransferChecked (tag 12) between two token accounts of one mint; `authority`, the source's owner or delegate, signs. */
export function transferChecked(
  {
    source,
    destination,
    authority,
    ...token
  }: { source: string; destination: string; authority: string } & TokenAmount,
  tokenProgram = TOKEN_PROGRAM,
): InstructionLike {
  return {
    programId: tokenProgram,
    accounts: [writable(source), readonly(token.mint), writable(destination), signer(authority)],
    data: checked(12, token),
  };
}

/** ApproveChecked (tag 13): lets `delegate` transfer up to the amount; a token account has one delegate at a time. */
export function approveChecked(
  { account, delegate, owner, ...token }: { account: string; delegate: string; owner: string } & TokenAmount,
  tokenProgram = TOKEN_PROGRAM,
): InstructionLike {
  return {
    programId: tokenProgram,
    accounts: [writable(account), readonly(token.mint), readonly(delegate), signer(owner)],
    data: checked(13, token),
  };
}

/** Revoke (tag 5): takes the delegate away. */
export function revoke(
  { account, owner }: { account: string; owner: string },
  tokenProgram = TOKEN_PROGRAM,
): InstructionLike {
  return {
    programId: tokenProgram,
    accounts: [writable(account), signer(owner)],
    data: toBase64(Uint8Array.of(5)),
  };
}

/** MintToChecked (tag 14): new tokens into `destination`; the mint's authority signs. */
export function mintToChecked(
  { destination, authority, ...token }: { destination: string; authority: string } & TokenAmount,
  tokenProgram = TOKEN_PROGRAM,
): InstructionLike {
  return {
    programId: tokenProgram,
    accounts: [writable(token.mint), writable(destination), signer(authority)],
    data: checked(14, token),
  };
}

/** CloseAccount (tag 9) of an empty token account or a wrapped-SOL one: its lamports go to `destination`; the owner signs. */
export function closeAccount(
  { account, destination, owner }: { account: string; destination: string; owner: string },
  tokenProgram = TOKEN_PROGRAM,
): InstructionLike {
  return {
    programId: tokenProgram,
    accounts: [writable(account), writable(destination), signer(owner)],
    data: toBase64(Uint8Array.of(9)),
  };
}
