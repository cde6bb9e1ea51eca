#!/usr/bin/env bash
# @solana/pay 1.0.16 with @solana/kit 6.10.0, on Node 20. No chain is needed.
# Guess: `amount` in a Solana Pay link is what wallets show, because the specification says to use `uiAmountString` for
# tokens. So a link over one share of a tokenised stock asks for one share, after a split as before.
# Seen: such stocks carry Token-2022's "scaled UI amount". A split of 5 to 1 sets the multiplier to 5 and changes no
# balance. `createTransfer` scales by the decimals only. It moves 100,000,000 units, which nodes and wallets show as 5
# shares. One share is 20,000,000 units, and `validateTransfer` answers "amount not transferred" to them.
# Meaning: the reference code overcharges for such a token, and its check refuses a wallet that follows the specification.
# Dividends move the multiplier too. Price such tokens in units, or use a transaction request.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @solana/pay@1.0.16 @solana/kit@6.10.0 @solana-program/memo@0.11.2 \
  @solana-program/system@0.12.2 @solana-program/token@0.12.0 @solana-program/token-2022@0.9.0 >/dev/null
cat >run.mjs <<'PROGRAM'
import { isDeepStrictEqual } from "node:util";
import * as kit from "@solana/kit";
import { createTransfer, encodeURL, parseURL, validateTransfer } from "@solana/pay";
import * as token from "@solana-program/token-2022";

const { none, some } = kit;
const tokenProgram = token.TOKEN_2022_PROGRAM_ADDRESS;
const [customer, shop, { address: mint }] = await Promise.all([1, 2, 3].map(() => kit.generateKeyPairSigner()));
const accounts = new Map();
const fill = (address, owner, bytes) =>
  accounts.set(address, { data: [Buffer.from(bytes).toString("base64"), "base64"], executable: false, lamports: 1n, owner });
const rpc = { getAccountInfo: (address) => ({ send: async () => ({ value: accounts.get(address) ?? null }) }) };
for (const owner of [customer.address, shop.address]) {
  const [address] = await token.findAssociatedTokenPda({ owner, tokenProgram, mint });
  const state = token.AccountState.Initialized;
  const empty = { delegate: none(), isNative: none(), delegatedAmount: 0n, closeAuthority: none(), extensions: none() };
  fill(address, tokenProgram, token.getTokenEncoder().encode({ mint, owner, amount: 10n ** 10n, state, ...empty }));
}
fill("SysvarC1ock11111111111111111111111111111111", "Sysvar1111111111111111111111111111111111111", Buffer.alloc(40));

function setMultiplier(multiplier) {
  const authority = shop.address;
  const times = { multiplier, newMultiplierEffectiveTimestamp: 0n, newMultiplier: multiplier };
  const extensions = some([{ __kind: "ScaledUiAmountConfig", authority, ...times }]);
  const supply = { supply: 10n ** 12n, decimals: 8, isInitialized: true };
  const authorities = { mintAuthority: some(authority), freezeAuthority: none() };
  fill(mint, tokenProgram, token.getMintEncoder().encode({ ...authorities, ...supply, extensions }));
}

/** Returns what `validateTransfer` says about the link's payment if a wallet moves this many units. */
async function validate(request, units) {
  const [transfer] = await createTransfer(rpc, customer, { ...request, amount: Number(units) / 1e8 });
  const message = kit.pipe(
    kit.createTransactionMessage({ version: 0 }),
    (empty) => kit.setTransactionMessageFeePayerSigner(customer, empty),
    (paid) => kit.setTransactionMessageLifetimeUsingBlockhash({ blockhash: mint, lastValidBlockHeight: 1n }, paid),
    (alive) => kit.appendTransactionMessageInstruction(transfer, alive),
  );
  const transaction = await kit.signTransactionMessageWithSigners(message);
  const { staticAccounts } = kit.getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  const accountIndex = staticAccounts.indexOf(transfer.accounts[2].address);
  const list = (amount) => [{ accountIndex, uiTokenAmount: { amount: String(amount), decimals: 8 } }];
  const meta = { err: null, preTokenBalances: list(0n), postTokenBalances: list(units) };
  const answer = { meta, transaction: [kit.getBase64EncodedWireTransaction(transaction), "base64"] };
  const node = { getTransaction: () => ({ send: async () => answer }) };
  return validateTransfer(node, "signature", request).then(() => "valid", ({ message }) => message);
}

const link = encodeURL({ recipient: shop.address, splToken: mint, amount: 1 });
const { recipient, splToken, amount } = parseURL(link);
const request = { recipient, splToken, amount };
const seen = {};
for (const multiplier of [1, 5]) {
  setMultiplier(multiplier);
  const [transfer] = await createTransfer(rpc, customer, request);
  const units = token.parseTransferCheckedInstruction(transfer).data.amount;
  const shown = await token.amountToUiAmountForMintWithoutSimulation(rpc, mint, units);
  const oneShare = await token.uiAmountToAmountForMintWithoutSimulation(rpc, mint, "1");
  seen[multiplier] = { units, shown, oneShare, verdictOnOneShare: await validate(request, oneShare) };
}
console.log("A link with amount=1, by the multiplier of the stock:");
console.table(seen);
const expected = {
  1: { units: 100000000n, shown: "1", oneShare: 100000000n, verdictOnOneShare: "valid" },
  5: { units: 100000000n, shown: "5", oneShare: 20000000n, verdictOnOneShare: "amount not transferred" },
};
process.exit(isDeepStrictEqual(seen, expected) ? 0 : 1);
PROGRAM
node run.mjs
