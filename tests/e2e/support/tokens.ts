import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { expect } from "./fixtures";
import { fund } from "./service";

/** Sends unsolicited tokens to a wallet with real transactions that bypass the service. */

/** Instruction tags. Source: `TokenInstruction` of github.com/solana-program/token. */
const MINT_TO = 7;
const FREEZE = 10;
const INITIALIZE_ACCOUNT_3 = 18;
const INITIALIZE_MINT_2 = 20;

const MINT_BYTES = 82;
const ACCOUNT_BYTES = 165;
const DECIMALS = 2;
/** Number of accounts that one transaction can open. */
const PER_TRANSACTION = 4;

const program = new PublicKey(TOKEN_PROGRAM);

const instruct = (keys: [PublicKey, "signer" | "writable" | "read"][], ...data: (number | Uint8Array)[]) =>
  new TransactionInstruction({
    programId: program,
    keys: keys.map(([pubkey, role]) => ({ pubkey, isSigner: role === "signer", isWritable: role === "writable" })),
    data: Buffer.concat(data.map((part) => (typeof part === "number" ? Buffer.of(part) : part))),
  });

/**
 * Opens token accounts of one new mint for the owner, with one token in each.
 * @param frozen freezes the accounts
 */
export async function sendUnsolicitedTokens(owner: string, accounts: number, { frozen = false } = {}): Promise<void> {
  const chain = new Connection(process.env.E2E_RPC!, "confirmed");
  const issuer = Keypair.generate();
  const mint = Keypair.generate();
  await fund(issuer.publicKey.toBase58(), 5);
  const readRent = (bytes: number) => chain.getMinimumBalanceForRentExemption(bytes);
  const [mintRent, accountRent] = await Promise.all([readRent(MINT_BYTES), readRent(ACCOUNT_BYTES)]);
  const authority = issuer.publicKey;
  const create = { fromPubkey: authority, newAccountPubkey: mint.publicKey, programId: program };
  await send(
    chain,
    issuer,
    [mint],
    [
      SystemProgram.createAccount({ ...create, lamports: mintRent, space: MINT_BYTES }),
      instruct(
        [[mint.publicKey, "writable"]],
        INITIALIZE_MINT_2,
        DECIMALS,
        authority.toBytes(),
        1,
        authority.toBytes(),
      ),
    ],
  );
  const open = (account: PublicKey): TransactionInstruction[] => [
    SystemProgram.createAccount({ ...create, newAccountPubkey: account, lamports: accountRent, space: ACCOUNT_BYTES }),
    instruct(
      [
        [account, "writable"],
        [mint.publicKey, "read"],
      ],
      INITIALIZE_ACCOUNT_3,
      new PublicKey(owner).toBytes(),
    ),
    onAccount(account, MINT_TO, amountBytes(10n ** BigInt(DECIMALS))),
    ...(frozen ? [freeze(account)] : []),
  ];
  const onAccount = (account: PublicKey, ...data: (number | Uint8Array)[]) =>
    instruct(
      [
        [mint.publicKey, "writable"],
        [account, "writable"],
        [authority, "signer"],
      ],
      ...data,
    );
  const freeze = (account: PublicKey) =>
    instruct(
      [
        [account, "writable"],
        [mint.publicKey, "read"],
        [authority, "signer"],
      ],
      FREEZE,
    );
  const accountsLeft = Array.from({ length: accounts }, () => Keypair.generate());
  const batches: Promise<void>[] = [];
  while (accountsLeft.length > 0) {
    const batch = accountsLeft.splice(0, PER_TRANSACTION);
    batches.push(
      send(
        chain,
        issuer,
        batch,
        batch.flatMap(({ publicKey }) => open(publicKey)),
      ),
    );
  }
  await Promise.all(batches);
}

function amountBytes(amount: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(amount);
  return bytes;
}

/** Sends a transaction and waits for its confirmation. */
async function send(chain: Connection, payer: Keypair, signers: Keypair[], instructions: TransactionInstruction[]) {
  const { blockhash } = await chain.getLatestBlockhash();
  const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash: blockhash, instructions });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([payer, ...signers]);
  const signature = await chain.sendTransaction(transaction, { skipPreflight: true });
  await expect
    .poll(async () => (await chain.getSignatureStatus(signature)).value)
    .toMatchObject({ err: null, confirmationStatus: expect.stringMatching(/confirmed|finalized/) });
}
