import { address } from "@solana/kit";
import { createMerchantClient } from "@solana/pay";

/* A shop checks a payment that a wallet has made, before it hands over the goods. Without a mint, it is paid in SOL. */

const [rpcUrl, websocketUrl, signature, recipient, reference, amount, memo, mint] = process.argv.slice(2);
const shop = createMerchantClient({ rpcUrl, rpcSubscriptionsConfig: { url: websocketUrl } });
const expected = {
  recipient: address(recipient),
  reference: address(reference),
  amount: Number(amount),
  memo,
  ...(mint && { splToken: address(mint) }),
};
await shop.pay.validateTransfer(signature, expected, { commitment: "confirmed" });
console.log(JSON.stringify("valid"));
process.exit(0);
