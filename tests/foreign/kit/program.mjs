import {
  address,
  appendTransactionMessageInstruction,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  getSignatureFromTransaction,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from "@solana/kit";
import { getTransferSolInstruction } from "@solana-program/system";

/* Pays 1,234,567 lamports with Anza's kit, confirmed, 2,345,678, finalized, and 3,456,789 in version 1. */

const [rpcUrl, websocketUrl, secretKey, recipient] = process.argv.slice(2);
const rpc = createSolanaRpc(rpcUrl);
const rpcSubscriptions = createSolanaRpcSubscriptions(websocketUrl);
const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
const payer = await createKeyPairSignerFromBytes(Buffer.from(secretKey, "hex"));

async function pay(amount, commitment, version = 0) {
  const { value: latestBlockhash } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version }),
    (draft) => setTransactionMessageFeePayerSigner(payer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(latestBlockhash, draft),
    (draft) =>
      appendTransactionMessageInstruction(
        getTransferSolInstruction({ source: payer, destination: address(recipient), amount }),
        draft,
      ),
    // A transaction of version 1 may use only what it asks for.
    (draft) =>
      version === 1
        ? setTransactionMessageConfig({ computeUnitLimit: 1_000, loadedAccountsDataSizeLimit: 65_536 }, draft)
        : draft,
  );
  const transaction = await signTransactionMessageWithSigners(message);
  await sendAndConfirm(transaction, { commitment });
  return { signature: getSignatureFromTransaction(transaction), amount: String(amount) };
}

const payments = [
  await pay(1_234_567n, "confirmed"),
  await pay(2_345_678n, "finalized"),
  await pay(3_456_789n, "confirmed", 1),
];
console.log(JSON.stringify(payments));
process.exit(0);
