import { address, createKeyPairSignerFromBytes, createSolanaClient, createTransaction } from "gill";
import { getTransferSolInstruction } from "gill/programs";

/* Pays 1,234,567 lamports with gill. */

const [rpcUrl, websocketUrl, secretKey, recipient] = process.argv.slice(2);
const rpcSubscriptionsConfig = { port: Number(new URL(websocketUrl).port) };
const { rpc, sendAndConfirmTransaction } = createSolanaClient({ urlOrMoniker: rpcUrl, rpcSubscriptionsConfig });
const feePayer = await createKeyPairSignerFromBytes(Buffer.from(secretKey, "hex"));
const amount = 1_234_567n;
const { value: latestBlockhash } = await rpc.getLatestBlockhash().send();
const instructions = [getTransferSolInstruction({ source: feePayer, destination: address(recipient), amount })];
const transaction = createTransaction({ version: "legacy", feePayer, instructions, latestBlockhash });
const signature = await sendAndConfirmTransaction(transaction, { commitment: "confirmed" });
console.log(JSON.stringify([{ signature, amount: String(amount) }]));
process.exit(0);
