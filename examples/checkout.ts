/**
 * A shop's checkout. One transaction pays the shop and saves the customer's change. The customer's wallet signs
 * it once, and your own node sends it.
 */
import { readFileSync } from "node:fs";
import { Connection, PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import { attach, createRoundup, keyWallet, verifySigned } from "roundup-sdk";

const { ROUNDUP_URL = "http://localhost:3000", RPC_URL = "http://localhost:8899", KEYPAIR = "id.json" } = process.env;
const [order = "order-1001", shop = "", lamports = "50000000", priceUsd = "7.35"] = process.argv.slice(2);

// In a page, use the customer's wallet here: any object with `address`, `signMessage` and `signTransaction`.
const wallet = keyWallet(readFileSync(KEYPAIR, "utf8"));
const roundup = createRoundup({ baseUrl: ROUNDUP_URL, origin: "sandbox", wallet });
const serviceWallet = await roundup.serviceWallet();

// 1. The sale: your own transaction, as without Roundup.
const node = new Connection(RPC_URL, "confirmed");
const payer = new PublicKey(wallet.address);
const { blockhash, lastValidBlockHeight } = await node.getLatestBlockhash();
const payment = SystemProgram.transfer({
  fromPubkey: payer,
  toPubkey: new PublicKey(shop),
  lamports: Number(lamports),
});
const message = new TransactionMessage({ payerKey: payer, recentBlockhash: blockhash, instructions: [payment] });
const sale = new VersionedTransaction(message.compileToV0Message());

// 2. The saving. `attach` checks that it saves the change of this purchase and does nothing else.
const terms = { plan: "tree", reference: order } as const;
const addresses = { userPubkey: wallet.address, serviceWalletPubkey: serviceWallet };
const calls = await roundup.calls();
const wrap = await calls
  .post("/api/wrap", { ...terms, ...addresses, txValueUsd: Number(priceUsd) })
  .catch((error) => console.log(`sold without a saving: ${error.message}`));
const expectedSaving = { ...terms, wallet: wallet.address, serviceWallet, purchasesUsd: [Number(priceUsd)] };
const saleBase64 = Buffer.from(sale.serialize()).toString("base64");
const transaction = wrap ? attach(saleBase64, wrap, expectedSaving) : saleBase64;

// 3. One signature and one transaction: both parts land, or neither does.
const signed = await wallet.signTransaction(transaction);
verifySigned(transaction, signed); // A wallet may raise the network fee. It must change nothing else.
const signature = await node.sendRawTransaction(Buffer.from(signed, "base64"));
const { value } = await node.confirmTransaction({ signature, blockhash, lastValidBlockHeight });
if (value.err) throw new Error(`The sale failed: ${JSON.stringify(value.err)}`);
console.log(`sold: ${signature}`);
console.log(`saved: ${wrap?.breakdown.userInvestmentLamports ?? 0} lamports`);
