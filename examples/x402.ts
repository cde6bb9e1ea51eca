/**
 * An agent that pays for its HTTP calls by x402 in USDC, and saves the change of its payments in USDC by allowance. It
 * signs nothing above its own limits.
 */
import { readFileSync } from "node:fs";
import { createKeyPairSignerFromBytes } from "@solana/kit";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactSvmScheme } from "@x402/svm/exact/client";
import { type AllowanceBuild, createRoundup, keyWallet, type Spending } from "roundup-sdk";

const { ROUNDUP_URL = "http://localhost:3000", RPC_URL = "http://localhost:8899", KEYPAIR = "id.json" } = process.env;
const [url = "http://localhost:4021/", callCount = "5"] = process.argv.slice(2);
/** The agent refuses to pay more than this for a call, and to save more than this at once. */
const [MAX_CALL_USD, MAX_SAVED_USD] = [0.5, 2];
/** The most that the savings wallet may take in all. The network enforces it. */
const ALLOWANCE_USD = 10;
/** The agent refuses an allowance that costs more than this. Most of it stays in the savings wallet. */
const MAX_LAMPORTS = 10_000_000;

// 1. Paid calls. The payee's facilitator pays the network fees, so that a call costs its price and nothing more.
const keypair = readFileSync(KEYPAIR, "utf8");
const signer = await createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(keypair)));
const client = new x402Client()
  .register("solana:*", new ExactSvmScheme(signer, { rpcUrl: RPC_URL }))
  .setSpendControls({ maxAmountPerPayment: MAX_CALL_USD });
const fetchPaid = wrapFetchWithPayment(fetch, client);
for (let call = 1; call <= Number(callCount); call++) {
  const response = await fetchPaid(url);
  if (!response.ok) throw new Error(`Call ${call} failed with ${response.status}: ${await response.text()}`);
  console.log(`call ${call}: ${await response.text()}`);
}

// 2. The allowance. Its transaction also gives the savings wallet some SOL for the network fees of savings.
const roundup = createRoundup({ baseUrl: ROUNDUP_URL, origin: "sandbox", wallet: keyWallet(keypair) });
const { remainingUsd } = await roundup.allowance();
if (remainingUsd < MAX_SAVED_USD) {
  const isCheap = ({ breakdown }: AllowanceBuild) => breakdown.totalLamports <= MAX_LAMPORTS;
  const allowance = await roundup.allow({ amountUsd: ALLOWANCE_USD }, isCheap);
  console.log(`allowance of $${ALLOWANCE_USD}: ${allowance.status}`);
}

// 3. The change. Roundup finds the payments on the chain. Each request continues to read a long history.
let spending: Spending;
do spending = await roundup.spending();
while (!spending.isComplete);
const paidUsd = spending.items.reduce((sum, { usdValue }) => sum + (usdValue ?? 0), 0);
console.log(`payments to save: ${spending.items.length}, together $${paidUsd.toFixed(2)}`);

// 4. The savings wallet saves the change of a whole batch. `save` compares the transaction with the request first.
const terms = { plan: "forest", payWith: "USDC", by: "allowance" } as const;
for (const { txValuesUsd: purchasesUsd, through, after } of spending.batches) {
  const saving = await roundup.save({ ...terms, purchasesUsd, through, after }, ({ breakdown }) => {
    console.log(`change: $${breakdown.roundUpUsd}, of it $${breakdown.serviceFeeUsd} fee`);
    return breakdown.roundUpUsd <= MAX_SAVED_USD;
  });
  console.log(`saving: ${saving.status}${saving.status === "failed" ? ` (${saving.error.message})` : ""}`);
  if (saving.status !== "done") break; // The next batch may only follow one that has landed.
}
