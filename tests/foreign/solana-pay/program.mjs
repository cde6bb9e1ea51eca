import { address, createKeyPairSignerFromBytes, generateKeyPairSigner } from "@solana/kit";
import { createMerchantClient, createWalletClient, watchReference } from "@solana/pay";

/* A shop requests SOL and then USDC with Solana Pay. A wallet pays each request, and the shop finds and checks it. */

const [rpcUrl, websocketUrl, secretKey, recipientText, usdcMint] = process.argv.slice(2);
const rpcSubscriptionsConfig = { url: websocketUrl };
const payer = await createKeyPairSignerFromBytes(Buffer.from(secretKey, "hex"));
const shop = createMerchantClient({ rpcUrl, rpcSubscriptionsConfig });
const wallet = createWalletClient({ rpcUrl, payer, rpcSubscriptionsConfig });
const recipient = address(recipientText);

async function payRequest(request, baseUnits, asset) {
  const { address: reference } = await generateKeyPairSigner();
  const watching = watchReference(shop.rpcSubscriptions, reference);
  const url = shop.pay.encodeURL({ recipient, reference, label: "Shop", memo: "order 7", ...request });
  const { label: _, message: __, ...fields } = wallet.pay.parseURL(url);
  await wallet.sendTransaction(await wallet.pay.createTransfer(fields));
  const watched = await watching;
  const { signature } = await shop.pay.findReference(reference, { commitment: "confirmed" });
  if (watched.err !== null || watched.signature !== signature) throw new Error("another transaction was watched");
  const expected = { recipient, reference, memo: "order 7", ...request };
  await shop.pay.validateTransfer(signature, expected, { commitment: "confirmed" });
  return { signature, amount: baseUnits, ...(asset ? { asset } : {}) };
}

const payments = [
  await payRequest({ amount: 0.001234567 }, "1234567"),
  await payRequest({ amount: 3.21, splToken: address(usdcMint) }, "3210000", "USDC"),
];
console.log(JSON.stringify(payments));
process.exit(0);
