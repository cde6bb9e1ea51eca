import { Connection, Keypair, PublicKey, SystemProgram, TransactionInstruction } from "@solana/web3.js";
import { ASSETS } from "../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import { listSandboxShops } from "../../../lib/domain/spending/shops";
import { encodeU64 } from "../../../lib/solana/instructions";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import {
  buildApproveChecked,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
} from "../../../lib/solana/token-instructions";
import { buildSigned, toWeb3 } from "../../support/chain/sandbox-rig";
import { expect } from "./fixtures";
import { fund, type Saver } from "./service";

/* Sends tokens and payments with real transactions that bypass the service. */

/** Instruction tags. Source: `TokenInstruction` of github.com/solana-program/token. */
const MINT_TO = 7;
const FREEZE = 10;
const INITIALIZE_ACCOUNT_3 = 18;
const INITIALIZE_MINT_2 = 20;

const MINT_BYTES = 82;
const ACCOUNT_BYTES = 165;
const DECIMALS = 2;
/** Largest number of accounts that one transaction opens. */
const MAX_ACCOUNTS = 4;

const programId = new PublicKey(TOKEN_PROGRAM);
const connect = () => new Connection(process.env.E2E_RPC!, "confirmed");

/**
 * Opens token accounts of one new mint for the owner, with one token in each.
 * @param frozen freezes the accounts
 */
export async function sendUnsolicitedTokens(owner: string, accounts: number, { frozen = false } = {}): Promise<void> {
  const chain = connect();
  const [issuer, mint] = [Keypair.generate(), Keypair.generate()];
  const authority = issuer.publicKey;
  await fund(authority.toBase58(), 5);
  const [mintRent, accountRent] = await Promise.all(
    [MINT_BYTES, ACCOUNT_BYTES].map((bytes) => chain.getMinimumBalanceForRentExemption(bytes)),
  );
  const createAccount = ({ publicKey: newAccountPubkey }: Keypair, space: number, lamports: number) =>
    SystemProgram.createAccount({ fromPubkey: authority, newAccountPubkey, programId, space, lamports });
  const instruct = (keys: PublicKey[], ...data: number[]) =>
    new TransactionInstruction({
      programId,
      keys: keys.map((pubkey) => ({ pubkey, isSigner: pubkey === authority, isWritable: true })),
      data: Buffer.from(data),
    });
  const openAccount = (account: Keypair) => [
    createAccount(account, ACCOUNT_BYTES, accountRent!),
    instruct([account.publicKey, mint.publicKey], INITIALIZE_ACCOUNT_3, ...new PublicKey(owner).toBytes()),
    instruct([mint.publicKey, account.publicKey, authority], MINT_TO, ...encodeU64(10n ** BigInt(DECIMALS))),
    ...(frozen ? [instruct([account.publicKey, mint.publicKey, authority], FREEZE)] : []),
  ];
  const authorities = [...authority.toBytes(), 1, ...authority.toBytes()];
  await send(
    [issuer, mint],
    [
      createAccount(mint, MINT_BYTES, mintRent!),
      instruct([mint.publicKey], INITIALIZE_MINT_2, DECIMALS, ...authorities),
    ],
  );
  const batches = Array.from({ length: Math.ceil(accounts / MAX_ACCOUNTS) }, (_, i) =>
    Array.from({ length: Math.min(MAX_ACCOUNTS, accounts - i * MAX_ACCOUNTS) }, () => Keypair.generate()),
  );
  await Promise.all(batches.map((batch) => send([issuer, ...batch], batch.flatMap(openAccount))));
}

/** Opens the owner's associated token account of this mint. A stranger pays for it. */
export async function openTokenAccount(owner: string, mint: string): Promise<void> {
  const payer = Keypair.generate();
  await fund(payer.publicKey.toBase58(), 1);
  const instruction = buildCreateAssociatedTokenAccount({ payer: payer.publicKey.toBase58(), owner, mint });
  await send([payer], [toWeb3(instruction)]);
}

export async function paySol({ keys }: Saver, paymentsLamports: number[]): Promise<void> {
  const payer = Keypair.fromSecretKey(keys.secretKey);
  // The shop has an account already. The first payment to a new one would be rent in part.
  const [shop] = listSandboxShops();
  await fund(shop!.address, 0.01);
  for (const lamports of paymentsLamports) {
    const recipient = { fromPubkey: payer.publicKey, toPubkey: new PublicKey(shop!.address) };
    await send([payer], [SystemProgram.transfer({ ...recipient, lamports })]);
  }
}

/** Pays a shop that has a USDC account this many base units of USDC. */
export async function payUsdc({ keys, wallet }: Saver, amount: bigint): Promise<void> {
  const [shop] = listSandboxShops();
  await fund(shop!.address, 0.01, undefined, 0.01);
  const [source, destination] = [deriveUsdcAccount(wallet), deriveUsdcAccount(shop!.address)];
  const transfer = { source, destination, authority: wallet, ...ASSETS.USDC, amount };
  await send([Keypair.fromSecretKey(keys.secretKey)], [toWeb3(buildTransferChecked(transfer))]);
}

/** Sends a transaction and waits for its confirmation. The first signer pays. */
async function send(signers: Keypair[], instructions: TransactionInstruction[]): Promise<void> {
  const chain = connect();
  const { blockhash } = await chain.getLatestBlockhash();
  const transaction = buildSigned(blockhash, signers, instructions);
  const signature = await chain.sendTransaction(transaction, { skipPreflight: true });
  await expect
    .poll(async () => (await chain.getSignatureStatus(signature)).value)
    .toMatchObject({ err: null, confirmationStatus: expect.stringMatching(/confirmed|finalized/) });
}

/** Lets a delegate take this many base units of the saver's USDC, past the service, as a subscription does. */
export async function approveDelegate({ keys, wallet }: Saver, delegate: string, amount: bigint): Promise<void> {
  const approval = { account: deriveUsdcAccount(wallet), delegate, owner: wallet, ...ASSETS.USDC, amount };
  await send([Keypair.fromSecretKey(keys.secretKey)], [toWeb3(buildApproveChecked(approval))]);
}
