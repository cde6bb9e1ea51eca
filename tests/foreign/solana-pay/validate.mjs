import { address } from "@solana/kit";
import { createMerchantClient } from "@solana/pay";

/* A shop checks a payment that a wallet has made, as it does before it hands over the goods. */

const [rpcUrl, websocketUrl, signature, recipient, reference, amount, memo] = process.argv.slice(2);
const shop = createMerchantClient({ rpcUrl, rpcSubscriptionsConfig: { url: websocketUrl } });
const expected = {
  recipient: address(recipient),
  reference: address(reference),
  amount: Number(amount),
  memo,
};
await shop.pay.validateTransfer(signature, expected, { commitment: "confirmed" });
console.log(JSON.stringify("valid"));
process.exit(0);
