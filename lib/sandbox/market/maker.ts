import { createHash } from "node:crypto";
import { Keypair, PublicKey, SystemProgram, type TransactionInstruction, VersionedTransaction } from "@solana/web3.js";
import { toBase64 } from "../../solana/bytes";
import type { InstructionLike } from "../../solana/instructions";
import { LAMPORTS_PER_SOL } from "../../solana/lamports";
import { buildMemo } from "../../solana/memo";
import { NATIVE_MINT } from "../../solana/programs";
import { TOKEN_ACCOUNT_BYTES } from "../../solana/token-accounts";
import {
  buildApproveChecked,
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildInitializeAccount,
  buildMintToChecked,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
  type TokenAmount,
} from "../../solana/token-instructions";
import { composeTransaction } from "../../solana/transactions";
import { encodeMint, MINT_BYTES, readTokenAccount } from "../chain/token-accounts";
import type { Chain } from "../chain/types";
import { findListing, LISTINGS, type Listing } from "./quote";

/** The maker requests an airdrop below this balance. It covers rent and fees of thousands of escrows. */
const LOW_LAMPORTS = 100n * LAMPORTS_PER_SOL;
/** Lamports of an airdrop beyond those that are needed now. */
const REFILL_LAMPORTS = 1_000n * LAMPORTS_PER_SOL;

export type Maker = ReturnType<typeof createMaker>;

/**
 * Creates the maker, the account that trades coins and SOL. Except for writing the mints, it acts through real, signed
 * transactions.
 * @param seed 32 bytes that derive the maker's keypair; must stay the same for the life of the chain
 * @param now milliseconds since the epoch
 */
export function createMaker(chain: Chain, seed: Uint8Array, now: () => number) {
  const keypair = Keypair.fromSeed(createHash("sha256").update("roundup/sandbox/maker").update(seed).digest());
  const address = keypair.publicKey.toBase58();
  /** Returns the maker's token account for a mint, base58. */
  const findInventoryAccount = (mint: string): string =>
    deriveAssociatedTokenAddress(address, mint, findListing(mint)!.program);
  const sendInstructions = (instructions: InstructionLike[]) => sendSigned(chain, keypair, instructions);
  const readTokenState = (account: string) => readTokenAccount(chain.getAccount(account));
  /** Returns the base units that the maker can sell now. SOL comes from the faucet and is limited to its inventory. */
  const computeAvailableUnits = (mint: string): bigint =>
    mint === NATIVE_MINT ? findListing(mint)!.inventory : (readTokenState(findInventoryAccount(mint))?.amount ?? 0n);
  const refillLamports = (minLamports: bigint) => {
    const balanceLamports = chain.getAccount(address)?.lamports ?? 0n;
    if (balanceLamports < minLamports) chain.airdrop(address, minLamports + REFILL_LAMPORTS);
  };

  return {
    /** The address that receives the SOL sold to the maker, base58. */
    address,
    findInventoryAccount,
    computeAvailableUnits,
    createMints: (): void => createMints(chain, address),
    /** Requests lamports from the faucet and issues coins where stock is low. @throws RpcError */
    restock(): void {
      refillLamports(LOW_LAMPORTS);
      for (const listing of LISTINGS.values()) {
        const balance = computeAvailableUnits(listing.mint);
        if (balance < listing.inventory / 2n)
          sendInstructions(buildIssuance(address, address, listing, listing.inventory - balance));
      }
    },
    issueTo(owner: string, mint: string, amount: bigint): string {
      // Equal transactions of one blockhash would be one transaction.
      const memo = buildMemo(`airdrop ${chain.countTransactions()}`, address);
      return sendInstructions([...buildIssuance(address, owner, findListing(mint)!, amount), memo]);
    },
    /** Opens a token account with `amount` base units that `taker` may transfer. @returns its address @throws RpcError */
    openEscrow(listing: Listing, taker: string, amount: bigint): string {
      // Each escrow is a transaction, so the count makes the seed unique. After a crash that lost the last transaction,
      // the count repeats but the time does not.
      const escrowSeed = `${chain.countTransactions().toString(36)}.${now().toString(36)}`;
      const rentLamports = chain.computeRentExemptMinimum(TOKEN_ACCOUNT_BYTES);
      const isSol = listing.mint === NATIVE_MINT;
      if (isSol) refillLamports(amount + LOW_LAMPORTS);
      // The wrapped SOL amount is the account's lamports beyond the rent.
      const lamports = isSol ? rentLamports + amount : rentLamports;
      const account = describeEscrowAccount(keypair.publicKey, escrowSeed, lamports, listing.program);
      const source = isSol ? null : findInventoryAccount(listing.mint);
      const coins = toTokenAmount(listing, amount);
      sendInstructions(buildFilledEscrow(account, address, source, taker, coins, listing.program));
      return account.address;
    },
    /** Returns the base units in a token account; null when there is no such account. */
    readBalance: (account: string): bigint | null => readTokenState(account)?.amount ?? null,
    /** Closes an escrow and takes back its coins and rent. The taker's approval ends with it. @throws RpcError */
    closeEscrow(account: string): void {
      const token = readTokenState(account);
      const listing = token && findListing(token.mint);
      if (!listing) return;
      const accounts = { source: account, destination: findInventoryAccount(listing.mint), authority: address };
      const transfer = { ...accounts, ...toTokenAmount(listing, token.amount) };
      const { program } = listing;
      const closeInstruction = buildCloseAccount({ account, destination: address, owner: address }, program);
      const hasCoins = token.amount > 0n && token.mint !== NATIVE_MINT;
      sendInstructions([...(hasCoins ? [buildTransferChecked(transfer, program)] : []), closeInstruction]);
    },
    /** Lists the maker's token accounts of traded mints except the inventory, also those of earlier processes. */
    listEscrows(): string[] {
      const inventoryAccounts = new Set([...LISTINGS.keys(), NATIVE_MINT].map(findInventoryAccount));
      return chain.listTokenAccounts(address).filter((account) => {
        const token = inventoryAccounts.has(account) ? null : readTokenState(account);
        return token !== null && findListing(token.mint) !== undefined;
      });
    },
  };
}

/** Signs and sends instructions. Returns the transaction's signature. @throws RpcError */
function sendSigned(chain: Chain, keypair: Keypair, instructions: InstructionLike[]): string {
  const { blockhash } = chain.getLatestBlockhash();
  const { bytes } = composeTransaction({ payer: keypair.publicKey.toBase58(), instructions, blockhash });
  const transaction = VersionedTransaction.deserialize(bytes);
  transaction.sign([keypair]);
  return chain.send(transaction.serialize());
}

/** Writes the mints that are missing. SOL gets no authority, because it is wrapped and never issued. */
function createMints(chain: Chain, authority: string): void {
  const createMint = ({ mint, program, decimals }: Listing, issuer: string | null) => {
    if (chain.getAccount(mint)) return;
    const data = encodeMint(issuer, decimals);
    chain.setAccount(mint, { lamports: chain.computeRentExemptMinimum(MINT_BYTES), owner: program, data });
  };
  for (const listing of LISTINGS.values()) createMint(listing, authority);
  createMint(findListing(NATIVE_MINT)!, null);
}

function toTokenAmount({ mint, decimals }: Listing, amount: bigint): TokenAmount {
  return { mint, amount, decimals };
}

function buildIssuance(maker: string, owner: string, listing: Listing, amount: bigint): InstructionLike[] {
  const { mint, program } = listing;
  const destination = deriveAssociatedTokenAddress(owner, mint, program);
  return [
    buildCreateAssociatedTokenAccount({ payer: maker, owner, mint }, program),
    buildMintToChecked({ destination, authority: maker, ...toTokenAmount(listing, amount) }, program),
  ];
}

/** Describes an escrow account derived from the maker's address, so that only the maker signs its creation. */
function describeEscrowAccount(maker: PublicKey, seed: string, lamports: bigint, tokenProgram: string) {
  const program = new PublicKey(tokenProgram);
  // PublicKey.createWithSeed derives the same address asynchronously, but builds must run one at a time.
  const hash = createHash("sha256").update(maker.toBytes()).update(seed).update(program.toBytes());
  const newAccountPubkey = new PublicKey(hash.digest());
  const create = SystemProgram.createAccountWithSeed({
    fromPubkey: maker,
    basePubkey: maker,
    newAccountPubkey,
    seed,
    lamports: Number(lamports),
    space: TOKEN_ACCOUNT_BYTES,
    programId: program,
  });
  return { address: newAccountPubkey.toBase58(), create: toInstructionLike(create) };
}

/**
 * Builds the instructions that create and fill an escrow.
 * @param source account that pays the coins; null when the escrow's lamports are its amount (wrapped SOL)
 */
function buildFilledEscrow(
  escrow: ReturnType<typeof describeEscrowAccount>,
  maker: string,
  source: string | null,
  taker: string,
  coins: TokenAmount,
  program: string,
) {
  const account = escrow.address;
  return [
    escrow.create,
    buildInitializeAccount({ account, mint: coins.mint, owner: maker }, program),
    ...(source === null
      ? []
      : [buildTransferChecked({ source, destination: account, authority: maker, ...coins }, program)]),
    buildApproveChecked({ account, delegate: taker, owner: maker, ...coins }, program),
  ];
}

function toInstructionLike({ programId, keys, data }: TransactionInstruction): InstructionLike {
  return {
    programId: programId.toBase58(),
    accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({ pubkey: pubkey.toBase58(), isSigner, isWritable })),
    data: toBase64(data),
  };
}
