/** Programs the guides show. A test runs the checks against transactions that the service's own code builds. */

export const SIGN_IN_SAMPLE = `import bs58 from "bs58";
import nacl from "tweetnacl";

const BASE = "http://localhost:3000";
const { data } = await (await fetch(BASE + "/api/auth")).json();
const signature = nacl.sign.detached(new TextEncoder().encode(data.message), keyPair.secretKey);

const headers = {
  "x-wallet": bs58.encode(keyPair.publicKey),
  "x-signature": Buffer.from(signature).toString("base64"),
};`;

export const SHELL_SIGN_IN = `# beside a running server: a throwaway wallet, signed in
eval "$(npm run -s wallet)"

curl -s $BASE/api/roundup -H "x-wallet: $WALLET" -H "x-signature: $SIGNATURE" \\
  -H "content-type: application/json" -d '{"txValueUsd":27.63,"plan":"tree"}'`;

export const DERIVE_SAMPLE = `import { hkdfSync } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";

const { data } = await (await fetch(BASE + "/api/wallet/derive")).json();
const text = new TextEncoder().encode(data.message);
const signature = nacl.sign.detached(text, keyPair.secretKey); // a secret: never send it

const info = \`solana:\${bs58.encode(keyPair.publicKey)}:0\`;
const seed = hkdfSync("sha256", signature, "roundup/service-wallet/v1", info, 32);
const serviceWallet = nacl.sign.keyPair.fromSeed(new Uint8Array(seed));

// Made known by its own signature: the one above is sent nowhere
const publicKey = bs58.encode(serviceWallet.publicKey);
const link = data.link.replace("{owner}", bs58.encode(keyPair.publicKey)).replace("{publicKey}", publicKey);
const proof = nacl.sign.detached(new TextEncoder().encode(link), serviceWallet.secretKey);
await fetch(BASE + "/api/wallet/derive", {
  method: "POST",
  headers: { ...headers, "content-type": "application/json" },
  body: JSON.stringify({ publicKey, proof: Buffer.from(proof).toString("base64") }),
});`;

export const SIGN_TRANSACTION_SAMPLE = `// [count][signatures, 64 bytes each][message]; v0 messages start with 0x80
function sign(base64, keyPair) {
  const bytes = Buffer.from(base64, "base64");
  const message = bytes.subarray(1 + 64 * bytes[0]);
  const keysAt = message[0] & 0x80 ? 5 : 4;
  for (let i = 0; i < bytes[0]; i++) {
    const key = message.subarray(keysAt + 32 * i, keysAt + 32 * (i + 1));
    if (!key.equals(Buffer.from(keyPair.publicKey))) continue;
    bytes.set(nacl.sign.detached(message, keyPair.secretKey), 1 + 64 * i);
    return bytes.toString("base64");
  }
  throw new Error("this key is not a signer of that transaction");
}`;

export const EXECUTE_SAMPLE = `// The same bytes, until the outcome is known: asking again can never pay twice
async function execute(signedTransaction) {
  for (;;) {
    const response = await fetch(BASE + "/api/swap/execute", {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ signedTransaction }),
    }).catch(() => null);
    const answer = await response?.json();
    if (answer?.ok && answer.data.confirmed) return answer.data;
    const mayPass = !response || answer?.ok || [429, 502, 503, 504].includes(response.status);
    if (!mayPass) throw new Error(answer.code + ": " + answer.error);
    await new Promise((wait) => setTimeout(wait, 1000 * (response?.headers.get("retry-after") ?? 2)));
  }
}`;

export const CHECK_WRAP_SAMPLE = `import { SystemInstruction, SystemProgram, TransactionMessage, VersionedTransaction } from "@solana/web3.js";

/** Throws unless the transaction does what its breakdown says, and nothing else. */
export function checkWrap({ transaction, breakdown }, wallet, serviceWallet) {
  const refuse = (why) => {
    throw new Error("Do not sign: " + why);
  };
  const { message } = VersionedTransaction.deserialize(Buffer.from(transaction.base64, "base64"));
  if (message.addressTableLookups.length > 0) refuse("accounts stand outside of the transaction");
  if (message.header.numRequiredSignatures !== 1) refuse("somebody else signs too");

  const { payerKey, instructions } = TransactionMessage.decompile(message);
  if (payerKey.toBase58() !== wallet) refuse("another wallet pays");
  if (instructions.length !== 2) refuse("there are more instructions than two transfers");
  const [saved, fee] = instructions.map((instruction) =>
    instruction.programId.equals(SystemProgram.programId)
      ? SystemInstruction.decodeTransfer(instruction)
      : refuse("an instruction is not a transfer"),
  );
  const { userInvestmentLamports, activationLamports, serviceFeeLamports, roundUpLamports } = breakdown;
  if (saved.toPubkey.toBase58() !== serviceWallet) refuse("the savings go to another wallet");
  if (saved.lamports !== BigInt(userInvestmentLamports + activationLamports)) refuse("the savings differ");
  if (fee.lamports !== BigInt(serviceFeeLamports)) refuse("the fee differs");
  if (serviceFeeLamports > roundUpLamports / 100) refuse("the fee is above 1 % of the round-up");
}`;

export const CHECK_SWAP_SAMPLE = `import { PublicKey, VersionedTransaction } from "@solana/web3.js";

const TOKEN = new PublicKey("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
const ASSOCIATED = new PublicKey("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");

/** Lets your own RPC node play the swap, and throws unless the wallet ends with what the quote promises. */
export async function checkSwap(connection, { transaction, quote, inputLamports }, costs, serviceWallet) {
  const owner = new PublicKey(serviceWallet);
  const seeds = [owner, TOKEN, new PublicKey(quote.outputMint)].map((key) => key.toBytes());
  const [account] = PublicKey.findProgramAddressSync(seeds, ASSOCIATED);
  // Lamports, and the amount at byte 64 of a token account.
  const read = (info) => ({
    lamports: BigInt(info?.lamports ?? 0),
    tokens: info && info.data.length >= 72 ? info.data.readBigUInt64LE(64) : 0n,
  });
  const before = (await connection.getMultipleAccountsInfo([owner, account])).map(read);

  const unsigned = VersionedTransaction.deserialize(Buffer.from(transaction, "base64"));
  const { value } = await connection.simulateTransaction(unsigned, {
    sigVerify: false,
    accounts: { encoding: "base64", addresses: [serviceWallet, account.toBase58()] },
  });
  if (value.err) throw new Error("Do not sign: the network would refuse it");
  const after = value.accounts.map((info) => read(info && { ...info, data: Buffer.from(info.data[0], "base64") }));

  const gained = after[1].tokens - before[1].tokens;
  const spent = before[0].lamports - after[0].lamports;
  const allowed = BigInt(inputLamports + costs.tokenAccountDepositLamports + costs.networkFeeLamports);
  if (gained < BigInt(quote.minimumOutputAmount)) throw new Error("Do not sign: you would receive too little");
  if (spent > allowed) throw new Error("Do not sign: it would cost more than it says");

  // Still the wallet's own: no other program, no other owner, nobody who may spend from it.
  const token = Buffer.from(value.accounts[1].data[0], "base64");
  const kept = value.accounts[0].owner === "11111111111111111111111111111111" && owner.equals(new PublicKey(token.subarray(32, 64)));
  if (!kept || token.readUInt32LE(72) !== 0) throw new Error("Do not sign: somebody else would get hold of an account");
}`;
