import { authText, serviceWalletText } from "@/lib/domain/texts";

/** The part of /SKILL.md that is prose. A test holds its length and runs what it says about fields against the contracts. */

export const SKILL_HEAD = `---
name: roundup
description: Save the spare change of purchases on Solana and invest it into BTC, ETH, USDC or USDT through the Roundup HTTP API. Use it when somebody wants purchases rounded up, savings swapped, balances read or everything withdrawn.
---

# Roundup

Plain HTTP and JSON; paths are relative to the origin this file came from. You need an Ed25519 key pair (a Solana wallet), HKDF-SHA256 and base58; no SDK. Success is \`{ ok: true, data }\`, failure \`{ ok: false, error, code, requestId }\`. /api/openapi.json has every field.`;

export const SKILL_LOOP = `## Before you spend

- \`GET /api/plans\` → \`network\`. \`mainnet-beta\` is real money: show your human \`breakdown\` or \`costs\` and get a yes before you sign.
- Sign only what you have checked: decode the transaction, compare payer, recipients and amounts with the answer (/docs/verifying).
- Two signatures are secret. The one over the sign-in text is your credential. The one over the service-wallet text is a private key: keep it where you derive.

## The loop

1. **Sign in.** \`GET /api/auth\` → \`message\`:
   "${authText("<deployment>")}"
   Sign its UTF-8 bytes. Send \`x-wallet\` (base58 public key) and \`x-signature\` (base64) with every protected call. Or send \`x-api-key\`.
2. **Service wallet, once.** \`GET /api/wallet/derive\` → \`message\`, \`link\`, \`kdf\`. The text:
   "${serviceWalletText("<deployment>")}"
   Both texts name the deployment: this origin, or "sandbox, play money". Refuse one that names another.
   Sign it twice; both signatures must be the same bytes. Derive the key yourself: seed = HKDF-SHA256(ikm = the 64 signature bytes, salt = "roundup/service-wallet/v1", info = "solana:<owner base58>:0", 32 bytes); the seed's Ed25519 key pair is the service wallet.
   Make it known: fill owner and public key into \`link\`, sign that with the service key, and \`POST /api/wallet/derive { publicKey, proof }\`.
   Only if you have no HKDF: \`POST /api/wallet/derive { signature }\` → \`publicKey\`; then your key material was sent.
3. **Play money**, sandbox only: \`POST /api/sandbox/airdrop { address, sol }\`, at most 10 SOL a call.
4. **Preview a round-up**, optional: \`POST /api/roundup { txValueUsd, plan }\` → \`roundUpUsd\`, \`serviceFeeUsd\`, \`userInvestmentUsd\`, \`skipped\`, \`capped\`. Plans: seed, sprout (default), tree, forest; or \`roundToUsd\`; \`ceiling\` is the most, default 1.
5. **Save it.** \`POST /api/wrap { txValueUsd, userPubkey, serviceWalletPubkey, plan }\`.
   - \`breakdown.skipped\`: nothing to save, \`transaction\` is null. Go on with the next purchase.
   - \`affordable: false\`: the wallet is short of SOL. Stop and say so.
   - Else sign \`transaction.base64\` with the owner's key and execute it (step 8). \`activationLamports\` is the owner's own refundable money, paid once.
   - Many at once: \`POST /api/wrap/batch { txValuesUsd, … }\` (1 to 500), one transaction.
6. **Wait for the threshold.** \`GET /api/accumulator/{serviceWallet}?threshold=5\` → \`thresholdReached\`, \`remaining\`.
7. **Invest.** \`POST /api/swap/build { serviceWalletPubkey, targetAsset }\` (BTC default, ETH, USDC, USDT; or \`allocations: [{ asset, pct }]\` that sum to 100).
   - \`ready: false\`: \`reason\` says why, nothing was built. Not an error.
   - Else, for each of \`transactions\`: check \`quote.minimumOutputAmount\` and \`quote.priceImpact\`, sign \`transaction\` with the service key, execute it.
8. **Execute.** \`POST /api/swap/execute { signedTransaction }\` takes wraps, swaps and withdrawals alike.
   - 200 \`confirmed: true\`: done, \`txSignature\`. 202 \`confirmed: false\`: not known yet, post the same bytes again.
   - Posting the same bytes again is always safe: after a timeout, a lost connection, a 429, 502, 503 or 504 do exactly that.
   - 422 \`transaction_expired\`, \`simulation_failed\`, \`transaction_failed\`: it did not happen; read \`error\`, then build anew. Never build anew while the outcome is unknown: you would pay twice.
   - A blockhash lives 150 blocks, about half a minute: sign and send at once.
9. **Look.** \`GET /api/portfolio/{serviceWallet}\` → \`balances\`, \`totalUsd\` (null is unknown, not 0). \`GET /api/activity/{serviceWallet}\` → \`items\`.
10. **Take it back.** \`POST /api/withdraw/build { serviceWalletPubkey, destination, all: true }\` → sign each of \`transactions\` with the service key and execute them in order. While \`complete\` is false, build again.

## Signing without an SDK

A transaction is base64 of \`[n][n signatures of 64 bytes][message]\`, n in one byte. In the message, version byte 0x80 and three header bytes are followed by the number of keys and then the keys, 32 bytes each. Sign the message bytes with Ed25519 and put the signature at \`1 + 64 × (place of your key)\`. Leave other signatures as they are.

## Manners

- 60 calls a minute per address; on 429 wait \`Retry-After\` seconds. Prices are cached for 30 seconds: do not ask more often.
- For long work make a key: \`POST /api/keys/generate { wallet, signature, name, expiresInDays }\` with the sign-in signature → \`apiKey\`, shown once. Keys cannot make, list or revoke keys.
- Quote \`requestId\` when you report a failure.`;
