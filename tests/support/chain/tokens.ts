import { Keypair, PublicKey, SystemProgram, TransactionInstruction } from "@solana/web3.js";
import { expect } from "vitest";
import { NATIVE_MINT, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import {
  buildCreateAssociatedTokenAccount,
  buildMintToChecked,
  deriveAssociatedTokenAddress,
} from "../../../lib/solana/token-instructions";
import type { Wallet } from "../client/client";
import { buildSignedTransaction, buildTransfer, getConnection, sendDirectly } from "./chain";
import { toWeb3 } from "./sandbox-rig";

/* Creates tokens on the sandbox chain with real transactions that bypass the service. */

/** Tags of token instructions that the service never sends. Source: `TokenInstruction`. */
const INITIALIZE_MINT = 20;
const SYNC_NATIVE = 17;
const TRANSFER_FEE = 26;

type MintKind = "plain" | "2022" | "2022 with a transfer fee";

/**
 * Size of the mint in bytes. A mint with extensions is padded to the size of a token account. The account type and the
 * extensions follow.
 */
const MINT_BYTES: Record<MintKind, number> = { plain: 82, "2022": 82, "2022 with a transfer fee": 166 + 4 + 108 };

/** Creates a mint and puts `amount` of it into the owner's associated token account. @returns the mint's address */
export async function issueTokens(
  issuer: Wallet,
  owner: string,
  { amount, kind = "plain" }: { amount: bigint; kind?: MintKind },
): Promise<string> {
  const program = kind === "plain" ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
  const mintKeypair = Keypair.generate();
  const mint = mintKeypair.publicKey.toBase58();
  const space = MINT_BYTES[kind];
  const account = deriveAssociatedTokenAddress(owner, mint, program);
  const authority = new PublicKey(issuer.address).toBytes();
  const buildMintInstruction = (...data: number[]) =>
    new TransactionInstruction({
      programId: new PublicKey(program),
      keys: [{ pubkey: mintKeypair.publicKey, isSigner: false, isWritable: true }],
      data: Buffer.from(data),
    });
  // 10 basis points, without a maximum.
  const transferFee = [10, 0, ...Array(8).fill(255)];
  const instructions = [
    SystemProgram.createAccount({
      fromPubkey: new PublicKey(issuer.address),
      newAccountPubkey: mintKeypair.publicKey,
      lamports: await getConnection().getMinimumBalanceForRentExemption(space),
      space,
      programId: new PublicKey(program),
    }),
    ...(kind === "2022 with a transfer fee"
      ? [buildMintInstruction(TRANSFER_FEE, 0, 1, ...authority, 1, ...authority, ...transferFee)]
      : []),
    buildMintInstruction(INITIALIZE_MINT, 2, ...authority, 1, ...authority),
    toWeb3(buildCreateAssociatedTokenAccount({ payer: issuer.address, owner, mint }, program)),
    toWeb3(buildMintToChecked({ mint, destination: account, authority: issuer.address, amount, decimals: 2 }, program)),
  ];
  const signers = [issuer, { keys: { publicKey: mintKeypair.publicKey.toBytes(), secretKey: mintKeypair.secretKey } }];
  await sendAndConfirm(await buildSignedTransaction({ signers, instructions }));
  return mint;
}

/** Buys a token for SOL from the sandbox's market, without the service. Returns the base units bought. */
export async function buyFromMarket({ address, keys }: TokenBuyer, outputMint: string, lamports: number) {
  const trade = { inputMint: NATIVE_MINT, outputMint, amount: String(lamports), taker: address };
  const response = await fetch(`${getConnection().rpcEndpoint}/swap/v2/build?${new URLSearchParams(trade)}`);
  const { setupInstructions, swapInstruction, outAmount } = await response.json();
  const instructions = [...setupInstructions, swapInstruction].map(toWeb3);
  await sendAndConfirm(await buildSignedTransaction({ signers: [{ keys }], instructions }));
  return BigInt(outAmount);
}
type TokenBuyer = Pick<Wallet, "address" | "keys">;

/** Puts wrapped SOL into the owner's associated token account. */
export async function wrapSolFor(payer: Wallet, owner: string, lamports: number): Promise<void> {
  const account = deriveAssociatedTokenAddress(owner, NATIVE_MINT);
  const syncInstruction = new TransactionInstruction({
    programId: new PublicKey(TOKEN_PROGRAM),
    keys: [{ pubkey: new PublicKey(account), isSigner: false, isWritable: true }],
    data: Buffer.of(SYNC_NATIVE),
  });
  const openInstruction = buildCreateAssociatedTokenAccount({ payer: payer.address, owner, mint: NATIVE_MINT });
  const instructions = [toWeb3(openInstruction), buildTransfer(payer.address, account, lamports), syncInstruction];
  await sendAndConfirm(await buildSignedTransaction({ signers: [payer], instructions }));
}

/** Sends a transaction and waits until it is confirmed. @throws Error when it fails */
async function sendAndConfirm(signedTransaction: string): Promise<void> {
  const signature = await sendDirectly(signedTransaction);
  const readStatus = async () => (await getConnection().getSignatureStatus(signature)).value;
  await expect
    .poll(async () => (await readStatus())?.confirmationStatus, { timeout: 30_000 })
    .toMatch(/confirmed|finalized/);
  expect((await readStatus())?.err).toBeNull();
}

/** Returns the balance of each of a wallet's token accounts in base units, by mint, for both token programs. */
export async function readTokenBalances(owner: string): Promise<Record<string, bigint>> {
  const responses = await Promise.all(
    [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((programId) =>
      getConnection().getTokenAccountsByOwner(new PublicKey(owner), { programId: new PublicKey(programId) }),
    ),
  );
  const accounts = responses.flatMap(({ value }) => value.map(({ account }) => account.data));
  return Object.fromEntries(
    accounts.map((data) => [new PublicKey(data.subarray(0, 32)).toBase58(), data.readBigUInt64LE(64)]),
  );
}
