#!/usr/bin/env bash
# @solana-program/token-2022 0.15.0, and the Token-2022 program in litesvm 1.4.1. On Node 20, npm warns about engines.
# Guess: "scaled UI amount", the extension of tokenised stocks, only multiplies what wallets show. Multiplier 1, as before
# the first dividend or split, changes nothing: "8.2" becomes the units that are shown as 8.2. The package's helpers
# ("WithoutSimulation") answer what the program answers.
# Seen: with multiplier 1 the program turns "8.2" into 819,999,999 units, and without the extension into 820,000,000. It
# divides by 1e-8 in floats and cuts off the rest. With multiplier 1.0087 the program shows the units of "8.2" as
# 8.19999999. The helper rounds and shows 8.2. Token-2022's pull requests 1480 and 1481 took that rounding out of the
# source of both after this release. Typed amounts are still cut off there.
# Meaning: one price in eight loses a unit on its way through a shown amount. A check `shown >= price` then fails on what
# was paid, or passes by the helper and fails by the program. Pay, compare and store units, and convert at the input only.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts litesvm@1.4.1 @solana/kit@7.1.1 @solana-program/system@0.13.0 \
  @solana-program/token-2022@0.15.0 >/dev/null
cat >run.mjs <<'PROGRAM'
import { isDeepStrictEqual } from "node:util";
import * as kit from "@solana/kit";
import { getCreateAccountInstruction } from "@solana-program/system";
import * as token from "@solana-program/token-2022";
import { LiteSVM } from "litesvm";

const decimals = 8;
const svm = new LiteSVM();
const payer = await kit.generateKeyPairSigner();
svm.airdrop(payer.address, kit.lamports(10_000_000_000n));

/** Runs instructions on the chain, and returns the data that the last one returned. */
async function run(...instructions) {
  const message = kit.pipe(
    kit.createTransactionMessage({ version: 0 }),
    (empty) => kit.setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => svm.setTransactionMessageLifetimeUsingLatestBlockhash(paid),
    (alive) => kit.appendTransactionMessageInstructions(instructions, alive),
  );
  const result = svm.sendTransaction(await kit.signTransactionMessageWithSigners(message));
  svm.expireBlockhash();
  return Buffer.from(result.returnData().data());
}

async function createMint(multiplier) {
  const mint = await kit.generateKeyPairSigner();
  const scaling = { mint: mint.address, authority: payer.address, multiplier };
  const times = { newMultiplierEffectiveTimestamp: 0n, newMultiplier: multiplier };
  const space = BigInt(token.getMintSize(multiplier && [{ __kind: "ScaledUiAmountConfig", ...scaling, ...times }]));
  const lamports = svm.minimumBalanceForRentExemption(space);
  const programAddress = token.TOKEN_2022_PROGRAM_ADDRESS;
  await run(
    getCreateAccountInstruction({ payer, newAccount: mint, lamports, space, programAddress }),
    ...(multiplier ? [token.getInitializeScaledUiAmountMintInstruction(scaling)] : []),
    token.getInitializeMintInstruction({ mint: mint.address, decimals, mintAuthority: payer.address }),
  );
  return mint.address;
}

const seen = {};
for (const multiplier of [undefined, 1, 1.0087]) {
  const mint = await createMint(multiplier);
  const units = (await run(token.getUiAmountToAmountInstruction({ mint, uiAmount: "8.2" }))).readBigUInt64LE();
  const program = (await run(token.getAmountToUiAmountInstruction({ mint, amount: units }))).toString();
  const helper = multiplier && token.amountToUiAmountForScaledUiAmountMintWithoutSimulation(units, decimals, multiplier);
  seen[multiplier ?? "none"] = { units: String(units), program, helper };
}
console.log('What "8.2" becomes, and how that is shown, by multiplier:');
console.table(seen);
const cents = Array.from({ length: 10_000 }, (_, index) => index + 1);
const toUnits = token.uiAmountToAmountForScaledUiAmountMintWithoutSimulation;
const lost = cents.filter((cent) => toUnits((cent / 100).toFixed(2), decimals, 1) !== BigInt(cent) * 1_000_000n);
console.log(`With multiplier 1, ${lost.length} of the 10,000 amounts from 0.01 to 100.00 lose a unit.`);
const expected = {
  1: { units: "819999999", program: "8.19999999", helper: "8.19999999" },
  1.0087: { units: "812927530", program: "8.19999999", helper: "8.2" },
  none: { units: "820000000", program: "8.2", helper: undefined },
};
process.exit(isDeepStrictEqual(seen, expected) && lost.length === 1213 ? 0 : 1);
PROGRAM
node run.mjs
