import { PublicKey, VersionedTransaction } from "@solana/web3.js";

const TOKEN_PROGRAM = new PublicKey("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
const ASSOCIATED_TOKEN_PROGRAM = new PublicKey("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");

/** Simulates the swap on your own RPC node. Throws unless the wallet receives at least the minimum of the quote. */
export async function checkSwap(connection, { transaction, quote, inputLamports }, costs, serviceWallet) {
  const owner = new PublicKey(serviceWallet);
  const seeds = [owner, TOKEN_PROGRAM, new PublicKey(quote.outputMint)].map((key) => key.toBytes());
  const [tokenAccount] = PublicKey.findProgramAddressSync(seeds, ASSOCIATED_TOKEN_PROGRAM);
  // The amount of a token account is at byte 64.
  const readBalances = (info) => ({
    lamports: BigInt(info?.lamports ?? 0),
    tokens: info && info.data.length >= 72 ? info.data.readBigUInt64LE(64) : 0n,
  });
  const [ownerBefore, accountBefore] = (await connection.getMultipleAccountsInfo([owner, tokenAccount])).map(
    readBalances,
  );

  const unsigned = VersionedTransaction.deserialize(Buffer.from(transaction, "base64"));
  const { value } = await connection.simulateTransaction(unsigned, {
    sigVerify: false,
    accounts: { encoding: "base64", addresses: [serviceWallet, tokenAccount.toBase58()] },
  });
  if (value.err) throw new Error("Do not sign: the network would refuse it");
  const [ownerAfter, accountAfter] = value.accounts.map((info) =>
    readBalances(info && { ...info, data: Buffer.from(info.data[0], "base64") }),
  );

  const gainedTokens = accountAfter.tokens - accountBefore.tokens;
  const spentLamports = ownerBefore.lamports - ownerAfter.lamports;
  // The deposit is what the wallet's own token account gains, not what the service says.
  const depositLamports = accountAfter.lamports - accountBefore.lamports;
  const maxSpentLamports = BigInt(inputLamports + costs.networkFeeLamports) + depositLamports;
  if (gainedTokens < BigInt(quote.minimumOutputAmount)) throw new Error("Do not sign: you would receive too little");
  if (spentLamports > maxSpentLamports) throw new Error("Do not sign: it would cost more than it says");

  // The accounts must still belong to the wallet: the same program and owner, and no delegate who may spend from them.
  const tokenData = Buffer.from(value.accounts[1].data[0], "base64");
  const isOwned =
    value.accounts[0].owner === "11111111111111111111111111111111" &&
    owner.equals(new PublicKey(tokenData.subarray(32, 64)));
  if (!isOwned || tokenData.readUInt32LE(72) !== 0)
    throw new Error("Do not sign: somebody else would get hold of an account");
}
