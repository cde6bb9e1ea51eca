/**
 * A shop that sells answers for US dollars by x402, and is its own facilitator: it checks each payment, adds its
 * signature, pays the network fee, and sends it. It has a throwaway key and serves a sandbox only.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as kit from "@solana/kit";
import { getCreateAssociatedTokenIdempotentInstructionAsync as openTokenAccount } from "@solana-program/token";
import { x402Facilitator } from "@x402/core/facilitator";
import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
} from "@x402/core/http";
import { x402ResourceServer } from "@x402/core/server";
import type { SupportedResponse } from "@x402/core/types";
import { getUsdcAddress, SOLANA_MAINNET_CAIP2 as NETWORK, toFacilitatorSvmSigner } from "@x402/svm";
import { ExactSvmScheme as FacilitatorScheme } from "@x402/svm/exact/facilitator";
import { ExactSvmScheme as ServerScheme } from "@x402/svm/exact/server";

const { ROUNDUP_URL = "http://localhost:3000", RPC_URL = "http://localhost:8899", PORT = "4021" } = process.env;
const [price = "$0.25"] = process.argv.slice(2);

const shop = await kit.generateKeyPairSigner();
const signer = toFacilitatorSvmSigner(shop, { defaultRpcUrl: RPC_URL });

// Play money for the network fees, and a token account that receives the payments: a payment must not open it.
const body = JSON.stringify({ address: shop.address, sol: 1 });
await fetch(`${ROUNDUP_URL}/api/sandbox/airdrop`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body,
});
const { value: blockhash } = await kit.createSolanaRpc(RPC_URL).getLatestBlockhash().send();
const opening = await openTokenAccount({
  payer: shop,
  owner: shop.address,
  mint: kit.address(getUsdcAddress(NETWORK)),
});
const message = kit.pipe(
  kit.createTransactionMessage({ version: 0 }),
  (draft) => kit.setTransactionMessageFeePayerSigner(shop, draft),
  (draft) => kit.setTransactionMessageLifetimeUsingBlockhash(blockhash, draft),
  (draft) => kit.appendTransactionMessageInstruction(opening, draft),
);
const signed = kit.getBase64EncodedWireTransaction(await kit.signTransactionMessageWithSigners(message));
await signer.confirmTransaction(await signer.sendTransaction(signed, NETWORK), NETWORK);

const facilitator = new x402Facilitator().register(NETWORK, new FacilitatorScheme(signer));
const server = new x402ResourceServer({
  verify: (payload, requirements) => facilitator.verify(payload, requirements),
  settle: (payload, requirements) => facilitator.settle(payload, requirements),
  getSupported: async () => facilitator.getSupported() as SupportedResponse,
}).register(NETWORK, new ServerScheme());
await server.initialize();
const offers = await server.buildPaymentRequirements({ scheme: "exact", network: NETWORK, price, payTo: shop.address });

/** Answers a request that carries a valid payment, once the payment is confirmed. Answers any other with the offer. */
async function sellAnswer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refuse = async (reason?: string) => {
    const required = await server.createPaymentRequiredResponse(offers, { url: request.url ?? "/" }, reason);
    response.writeHead(402, { "PAYMENT-REQUIRED": encodePaymentRequiredHeader(required) }).end(reason);
  };
  const header = request.headers["payment-signature"];
  if (typeof header !== "string") return refuse();
  const payment = decodePaymentSignatureHeader(header);
  const offer = server.findMatchingRequirements(offers, payment);
  if (!offer) return refuse("The payment matches no offer.");
  const { isValid, invalidReason } = await server.verifyPayment(payment, offer);
  if (!isValid) return refuse(invalidReason);
  const settlement = await server.settlePayment(payment, offer);
  if (!settlement.success) return refuse(settlement.errorReason);
  response.writeHead(200, { "PAYMENT-RESPONSE": encodePaymentResponseHeader(settlement) }).end("42");
}

const listener = createServer((request, response) => {
  sellAnswer(request, response).catch((error) => response.writeHead(500).end(`${error}`));
});
listener.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`sells answers at http://127.0.0.1:${(listener.address() as AddressInfo).port}/`);
});
