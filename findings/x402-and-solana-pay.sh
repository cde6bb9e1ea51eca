#!/usr/bin/env bash
# @x402/svm 2.27.0 (scheme `exact`, with @x402/core 2.27.0) and @solana/pay 1.0.16, on Node 20. No chain is needed.
# Guess: both describe one payment in USDC with a memo: the same token transfer to the same account. So a shop that takes
# both can check an x402 payment that carries its memo with Solana Pay's `validateTransfer`, and a Solana Pay payment is
# a valid x402 payment if its fee payer is the facilitator.
# Seen: x402's client puts the memo after the transfer, and its facilitator demands the transfer as the third instruction
# behind both of the compute budget. `validateTransfer` demands the transfer as the last instruction and the memo right
# before it. Each refuses the other's order, and no order of the four instructions passes both.
# Meaning: a shop that takes both needs two checks, chosen by how it was paid. Neither shape can be turned into the other
# after the wallet has signed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/x402" "$folder/pay"
install() {
  cd "$folder/$1"
  npm init -y >/dev/null
  npm install --silent --no-audit --no-fund --ignore-scripts "${@:2}" >/dev/null
}
install x402 @x402/core@2.27.0 @x402/svm@2.27.0 @solana/kit@5.5.1 @solana-program/token@0.9.0 @solana-program/compute-budget@0.11.0
install pay @solana/pay@1.0.16 @solana/kit@6.10.0 @solana-program/memo@0.11.2 @solana-program/system@0.12.2 \
  @solana-program/token@0.12.0 @solana-program/token-2022@0.9.0

# Writes what x402's client builds, and every other order of its instructions. Prints x402's verdict on each.
cat >"$folder/x402/run.mjs" <<'PROGRAM'
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import * as kit from "@solana/kit";
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS as tokenProgram } from "@solana-program/token";
import { getUsdcAddress, SOLANA_MAINNET_CAIP2 as network } from "@x402/svm";
import { ExactSvmScheme as Client } from "@x402/svm/exact/client";
import { ExactSvmScheme as Facilitator } from "@x402/svm/exact/facilitator";

const [customer, facilitator, shop] = await Promise.all([1, 2, 3].map(() => kit.generateKeyPairSigner()));
const asset = getUsdcAddress(network);
// The client reads only the mint and a blockhash from a node: 82 bytes with six decimals, initialized.
const mint = Buffer.alloc(82);
mint.set([6, 1], 44);
const blockhash = { blockhash: shop.address, lastValidBlockHeight: 1000 };
const data = [mint.toString("base64"), "base64"];
const account = { data, owner: tokenProgram, lamports: 1, executable: false, space: 82, rentEpoch: 0 };
const node = createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  const { id, method } = JSON.parse(text);
  const value = method === "getAccountInfo" ? account : blockhash;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { context: { slot: 1 }, value } }));
});
await new Promise((resolve) => node.listen(0, "127.0.0.1", resolve));
const rpcUrl = `http://127.0.0.1:${node.address().port}`;
const extra = { feePayer: facilitator.address, memo: "order 7" };
const requirements = { scheme: "exact", network, asset, amount: "3210000", payTo: shop.address, maxTimeoutSeconds: 60, extra };
const { payload } = await new Client(customer, { rpcUrl }).createPaymentPayload(2, requirements);
node.close();

// The simulation always succeeds, so that the verdict depends on the shape alone.
const scheme = new Facilitator({ getAddresses: () => [facilitator.address], simulateTransaction: async () => {} });
const { messageBytes } = kit.getTransactionDecoder().decode(Buffer.from(payload.transaction, "base64"));
const message = kit.decompileTransactionMessage(kit.getCompiledTransactionMessageDecoder().decode(messageBytes));
const names = new Map(message.instructions.map((instruction, i) => [instruction, ["limit", "price", "transfer", "memo"][i]]));
const listOrders = (items) =>
  items.length < 2
    ? [items]
    : items.flatMap((first) => listOrders(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
const results = [];
for (const instructions of listOrders(message.instructions)) {
  const compiled = kit.compileTransaction({ ...message, instructions });
  const signed = await kit.partiallySignTransaction([customer.keyPair], compiled);
  const transaction = kit.getBase64EncodedWireTransaction(signed);
  const verdict = await scheme.verify({ x402Version: 2, accepted: requirements, payload: { transaction } }, requirements);
  const order = instructions.map((instruction) => names.get(instruction)).join(" ");
  results.push({ order, transaction, x402: verdict.isValid ? "valid" : verdict.invalidReason });
}
const [receiver] = await findAssociatedTokenPda({ mint: asset, owner: shop.address, tokenProgram });
writeFileSync("../results.json", JSON.stringify({ results, shop: shop.address, asset, receiver }));
PROGRAM

# Adds Solana Pay's verdict on each, with the balances that the transfer causes.
cat >"$folder/pay/run.mjs" <<'PROGRAM'
import { readFileSync } from "node:fs";
import * as kit from "@solana/kit";
import { validateTransfer } from "@solana/pay";

const { results, shop, asset, receiver } = JSON.parse(readFileSync("../results.json", "utf8"));
for (const { order, transaction, x402 } of results) {
  const { messageBytes } = kit.getTransactionDecoder().decode(Buffer.from(transaction, "base64"));
  const { staticAccounts } = kit.getCompiledTransactionMessageDecoder().decode(messageBytes);
  const accountIndex = staticAccounts.indexOf(receiver);
  const listBalance = (amount) => [{ accountIndex, mint: asset, uiTokenAmount: { amount, decimals: 6 } }];
  const tokenBalances = { preTokenBalances: listBalance("0"), postTokenBalances: listBalance("3210000") };
  const meta = { err: null, preBalances: [], postBalances: [], ...tokenBalances };
  const rpc = { getTransaction: () => ({ send: async () => ({ transaction: [transaction, "base64"], meta }) }) };
  const expected = { recipient: shop, amount: 3.21, splToken: asset, memo: "order 7" };
  const pay = await validateTransfer(rpc, "1".repeat(64), expected).then(
    () => "valid",
    (error) => error.message,
  );
  console.log(`${order}; x402: ${x402}; Solana Pay: ${pay}`);
}
PROGRAM
(cd "$folder/x402" && node run.mjs)
output=$(cd "$folder/pay" && node run.mjs)
accepted=$(grep ': valid' <<<"$output")
printf 'orders: %s, of them accepted:\n%s\n' "$(wc -l <<<"$output")" "$accepted"
[[ $(wc -l <<<"$output") == 24 && $(wc -l <<<"$accepted") == 3 ]]
[[ $(grep -c '; x402: valid; Solana Pay: missing instruction accounts$' <<<"$accepted") == 1 ]]
[[ $(grep -c '; x402: invalid.*; Solana Pay: valid$' <<<"$accepted") == 2 ]]
