import { approveChecked, getOrCreateAssociatedTokenAccount, transferChecked } from "@solana/spl-token";
import { Connection, Keypair, PublicKey } from "@solana/web3.js";

/* A customer lets a shop pull up to 50 USDC. The shop pulls 27.63 USDC and pays the network's fee. */

const [rpcUrl, customerKey, shopKey, usdcMint] = process.argv.slice(2);
const connection = new Connection(rpcUrl, "confirmed");
const [customer, shop] = [customerKey, shopKey].map((key) => Keypair.fromSecretKey(Buffer.from(key, "hex")));
const mint = new PublicKey(usdcMint);
const [{ address: source }, { address: destination }] = await Promise.all(
  [customer, shop].map(({ publicKey }) => getOrCreateAssociatedTokenAccount(connection, shop, mint, publicKey)),
);
await approveChecked(connection, customer, mint, source, shop.publicKey, customer, 50_000_000, 6);
console.log(await transferChecked(connection, shop, source, mint, destination, shop, 27_630_000, 6));
process.exit(0);
