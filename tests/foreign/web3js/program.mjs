import {
  createTransferCheckedInstruction,
  getOrCreateAssociatedTokenAccount,
  transferChecked,
} from "@solana/spl-token";
import { Connection, Keypair, PublicKey, SystemProgram, sendAndConfirmTransaction, Transaction } from "@solana/web3.js";

/* Pays 1,234,567 lamports with web3.js, then 3.21 and 4.32 USDC with spl-token. */

const [rpcUrl, , secretKey, recipient, usdcMint] = process.argv.slice(2);
const connection = new Connection(rpcUrl, "confirmed");
const payer = Keypair.fromSecretKey(Buffer.from(secretKey, "hex"));
const toPubkey = new PublicKey(recipient);
const transfer = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey, lamports: 1_234_567 });
const signature = await sendAndConfirmTransaction(connection, new Transaction().add(transfer), [payer]);

const mint = new PublicKey(usdcMint);
const { address: source } = await getOrCreateAssociatedTokenAccount(connection, payer, mint, payer.publicKey);
const { address: destination } = await getOrCreateAssociatedTokenAccount(connection, payer, mint, toPubkey);
const tokenSignature = await transferChecked(connection, payer, source, mint, destination, payer, 3_210_000, 6);
const instruction = createTransferCheckedInstruction(source, mint, destination, payer.publicKey, 4_320_000, 6);
const lastSignature = await sendAndConfirmTransaction(connection, new Transaction().add(instruction), [payer]);
console.log(
  JSON.stringify([
    { signature, amount: "1234567" },
    { signature: tokenSignature, amount: "3210000", asset: "USDC" },
    { signature: lastSignature, amount: "4320000", asset: "USDC" },
  ]),
);
process.exit(0);
