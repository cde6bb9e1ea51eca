// Shows every step of a user with Roundup, from sign-in to withdrawal.
// The first part uses plain HTTP: fetch, Ed25519 (tweetnacl), base58 (bs58) and no Roundup code.
// The second part does the same through the client of lib/sdk.
// Start a server, then run: npm run tour [-- http://localhost:3000]
import { hkdfSync } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { createRoundup, keyWallet } from "../lib/sdk/index.ts";

const baseUrl = process.argv[2] ?? "http://localhost:3000";
const encodeUtf8 = (text) => new TextEncoder().encode(text);
const toBase64 = (bytes) => Buffer.from(bytes).toString("base64");

let stepCount = 0;
const printStep = (title, ...figures) =>
  console.log(`${String(++stepCount).padStart(2)}. ${title}`, ...figures.map((figure) => `\n    ${figure}`));

/** Calls the API. A refusal ends the tour, unless it has the code `expectedCode`. */
async function callApi(method, path, { headers = {}, body, expectedCode } = {}) {
  const init = { method, headers: { ...headers, ...(body && { "content-type": "application/json" }) } };
  const response = await fetch(baseUrl + path, { ...init, ...(body && { body: JSON.stringify(body) }) });
  const answer = await response.json();
  if (expectedCode) {
    if (answer.code !== expectedCode)
      throw new Error(`${method} ${path} should be refused as ${expectedCode}: ${JSON.stringify(answer)}`);
    return answer;
  }
  if (!answer.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.code}: ${answer.error}`);
  return answer.data;
}

/**
 * Signs an unsigned transaction: [count][signatures 64 each][message]. The message has a version byte (v0: 0x80), three
 * header bytes, the number of account keys, and the keys. Signatures are in the order of those keys.
 */
function signTransaction(transactionBase64, keyPair) {
  const bytes = Buffer.from(transactionBase64, "base64");
  const message = bytes.subarray(1 + 64 * bytes[0]);
  const keysOffset = message[0] & 0x80 ? 5 : 4;
  for (let i = 0; i < bytes[0]; i++) {
    const key = message.subarray(keysOffset + 32 * i, keysOffset + 32 * (i + 1));
    if (!key.equals(keyPair.publicKey)) continue;
    bytes.set(nacl.sign.detached(message, keyPair.secretKey), 1 + 64 * i);
    return bytes.toString("base64");
  }
  throw new Error("this key is not a signer of that transaction");
}

/** Posts the signed bytes until their outcome is known. Posting the same bytes again is always safe. */
async function executeTransaction(signedTransaction, headers) {
  for (let attempt = 0; attempt < 5; attempt++) {
    const result = await callApi("POST", "/api/swap/execute", { headers, body: { signedTransaction } });
    if (result.confirmed) return result;
  }
  throw new Error("the transaction stayed pending");
}

const formatSol = (lamports) => `${(lamports / 1e9).toFixed(9)} SOL`;

// --- sign-in ---------------------------------------------------------------------------------------------------------
const user = nacl.sign.keyPair();
const wallet = bs58.encode(user.publicKey);
printStep("A new key pair", `wallet ${wallet}`);

const { message: authText } = await callApi("GET", "/api/auth");
const headers = {
  "x-wallet": wallet,
  "x-signature": toBase64(nacl.sign.detached(encodeUtf8(authText), user.secretKey)),
};
printStep("Signed in: no account, two headers", `"${authText}"`);

const airdrop = await callApi("POST", "/api/sandbox/airdrop", { body: { address: wallet, sol: 1, usdc: 5 } });
printStep(
  "Play money from the sandbox",
  `${airdrop.sol} SOL and ${airdrop.usdc} USDC, transaction ${airdrop.txSignature.slice(0, 16)}…`,
);

// --- the service wallet: the tour derives its key, and sends neither key nor signature -------------------------------
const { message: walletText, link, kdf } = await callApi("GET", "/api/wallet/derive");
const keyMaterial = nacl.sign.detached(encodeUtf8(walletText), user.secretKey);
const seed = new Uint8Array(hkdfSync("sha256", keyMaterial, kdf.salt, `solana:${wallet}:0`, kdf.length));
const service = nacl.sign.keyPair.fromSeed(seed);
const serviceWallet = bs58.encode(service.publicKey);
const linkText = link.replace("{owner}", wallet).replace("{publicKey}", serviceWallet);
const proof = toBase64(nacl.sign.detached(encodeUtf8(linkText), service.secretKey));
await callApi("POST", "/api/wallet/derive", { headers, body: { publicKey: serviceWallet, proof } });
printStep("Savings wallet, derived by me alone and made known by its own signature", serviceWallet);

// --- round-ups -------------------------------------------------------------------------------------------------------
const coffee = { txValueUsd: 4.98, plan: "sprout" };
const purchase = { txValueUsd: 27.03, plan: "forest" };
const preview = await callApi("POST", "/api/roundup", { headers, body: purchase });
printStep(
  `Round-up of a $${purchase.txValueUsd} purchase`,
  `to $${preview.roundedToUsd}: $${preview.roundUpUsd} of change, fee $${preview.serviceFeeUsd} (${preview.serviceFeePercent} %), invested $${preview.userInvestmentUsd}`,
);

// The first saving, of a few cents, also activates the service wallet: it adds the rent-exempt minimum.
for (let savingCount = 0, isReached = false; !isReached; savingCount++) {
  const { transaction, breakdown } = await callApi("POST", "/api/wrap", {
    headers,
    body: { ...(savingCount === 0 ? coffee : purchase), userPubkey: wallet, serviceWalletPubkey: serviceWallet },
  });
  const { txSignature, slot } = await executeTransaction(signTransaction(transaction.base64, user), headers);
  const state = await callApi("GET", `/api/accumulator/${serviceWallet}`);
  printStep(
    `Saved $${breakdown.roundUpUsd}`,
    `investment ${formatSol(breakdown.userInvestmentLamports)}, fee ${formatSol(breakdown.serviceFeeLamports)}, activation ${formatSol(breakdown.activationLamports)}`,
    `confirmed in slot ${slot}: ${txSignature.slice(0, 16)}…; now $${state.balanceUsd} of $${state.thresholdUsd}`,
  );
  isReached = state.thresholdReached;
}

// --- the swap into BTC -----------------------------------------------------------------------------------------------
const { pendingLamports } = await callApi("GET", `/api/portfolio/${serviceWallet}`);
const quote = await callApi("POST", "/api/swap/quote", {
  headers,
  body: { inputLamports: pendingLamports, targetAsset: "BTC" },
});
printStep(
  "Quote",
  `${quote.inputSol} SOL for about ${Number(quote.outputAmount) / 1e8} BTC through ${quote.route.join(", ")}`,
);

const build = await callApi("POST", "/api/swap/build", {
  headers,
  body: { serviceWalletPubkey: serviceWallet, targetAsset: "BTC" },
});
if (!build.ready) throw new Error(`the swap is not ready: ${build.reason}`);
const [swap] = build.transactions;
printStep(
  "Swap built",
  `swaps ${formatSol(build.swappableLamports)}, at least ${Number(swap.quote.minimumOutputAmount) / 1e8} BTC`,
  `refundable deposit ${formatSol(build.costs.tokenAccountDepositLamports)}, network at most ${formatSol(build.costs.networkFeeLamports)}, stays ${formatSol(build.costs.reserveLamports)}`,
);
const swapOutcome = await executeTransaction(signTransaction(swap.transaction, service), headers);
printStep(
  "Swap signed with the service key and confirmed",
  `slot ${swapOutcome.slot}: ${swapOutcome.txSignature.slice(0, 16)}…`,
);

const portfolio = await callApi("GET", `/api/portfolio/${serviceWallet}`);
const btc = portfolio.balances.find(({ asset }) => asset === "BTC");
if (!btc) throw new Error("the portfolio shows no BTC");
printStep(
  "Portfolio",
  ...portfolio.balances.map(({ balance, symbol, usdValue }) => `${balance} ${symbol} ($${usdValue})`),
  `total $${portfolio.totalUsd}`,
);

// --- an API key ------------------------------------------------------------------------------------------------------
const key = await callApi("POST", "/api/keys/generate", { headers, body: { name: "tour", expiresInDays: 1 } });
const keyHeaders = { "x-api-key": key.apiKey };
await callApi("POST", "/api/roundup", { headers: keyHeaders, body: purchase });
await callApi("DELETE", `/api/keys/${key.id}`, { headers });
const refusal = await callApi("POST", "/api/roundup", {
  headers: keyHeaders,
  body: purchase,
  expectedCode: "credentials_invalid",
});
printStep("API key: made, used, revoked, refused", `${key.apiKey.slice(0, 24)}…`, `"${refusal.error}"`);

// --- the same steps through the client of lib/sdk --------------------------------------------------------------------
const roundup = createRoundup({ baseUrl, origin: "sandbox", wallet: keyWallet(user.secretKey) });
if ((await roundup.serviceWallet()) !== serviceWallet) throw new Error("the client derived a different savings wallet");
printStep("The client signed in and derived the same savings wallet");

/** Creates a review that prints the build before it is signed, and confirms it. */
const reviewWith = (describe) => (build) => {
  printStep(...describe(build));
  return true;
};
/** Returns a line for each transaction. @throws Error unless the client has finished */
function listTransactions({ status, reason, error, transactions }) {
  if (status !== "done") throw new Error(`the client ended ${status}: ${reason ?? error}`);
  return transactions.map(({ label, txSignature }) => `${label}: ${txSignature.slice(0, 16)}…`);
}

const purchasesUsd = [27.03, 4.02, 12.05, 99.01, 3.04, 8.02];
const saved = await roundup.save(
  { purchasesUsd, plan: "forest" },
  reviewWith(({ breakdown }) => [
    `The client saves the change of ${purchasesUsd.length} purchases`,
    `$${breakdown.roundUpUsd}: investment ${formatSol(breakdown.userInvestmentLamports)}, fee ${formatSol(breakdown.serviceFeeLamports)}`,
  ]),
);
printStep("Saved by the client", ...listTransactions(saved));

const savedUsdc = await roundup.save(
  { purchasesUsd: [9.35], plan: "forest", payWith: "USDC" },
  reviewWith(({ breakdown }) => [
    "The client saves in USDC",
    `$${breakdown.roundUpUsd}: investment ${breakdown.userInvestmentUnits / 1e6} USDC, fee ${breakdown.serviceFeeUnits / 1e6} USDC`,
  ]),
);
printStep("Saved in USDC by the client", ...listTransactions(savedUsdc));

const invested = await roundup.invest(
  { allocations: [{ asset: "ETH", pct: 100 }], slippageBps: 100, thresholdUsd: 5 },
  reviewWith(({ transactions: [swap] }) => [
    "The client invests",
    `at least ${Number(swap.quote.minimumOutputAmount) / 1e8} ETH for ${formatSol(swap.inputLamports)}`,
  ]),
);
printStep("Invested by the client", ...listTransactions(invested));

const sold = await roundup.sell(
  { asset: "ETH", into: "USDC", amountBaseUnits: null, slippageBps: 100 },
  reviewWith(({ transactions: [sale] }) => [
    "The client sells it again",
    `at least ${Number(sale.quote.minimumOutputAmount) / 1e6} USDC for ${Number(sale.inputAmount) / 1e8} ETH`,
  ]),
);
printStep("Sold by the client", ...listTransactions(sold));

const withdrawn = await roundup.withdraw(
  { destination: wallet, asset: null, amountBaseUnits: null },
  reviewWith(({ transactions }) => [
    "The client takes everything out again",
    ...transactions.flatMap(({ assets }) => assets.map(({ symbol, amount }) => `${amount} base units of ${symbol}`)),
  ]),
);
printStep("Withdrawn by the client, deposits included", ...listTransactions(withdrawn));
console.log("\nThe tour is complete.");
