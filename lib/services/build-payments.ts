import type { buildPaymentsContract } from "../contracts/build-payments";
import type { DataOf, InputOf } from "../contracts/define";
import { ASSETS } from "../domain/assets";
import { deriveUsdcAccount } from "../domain/dollar-accounts";
import { fromMicroUsd, MICRO_PER_CENT, microUsdToLamports } from "../domain/money";
import { listSandboxShops } from "../domain/spending/shops";
import type { Payment } from "../domain/spending/spending";
import type { Deps } from "../ports/deps";
import { buildBudgetInstructions, NO_PRIORITY_FEE } from "../solana/budget";
import { toBase64 } from "../solana/bytes";
import { buildSystemTransfer } from "../solana/system-instructions";
import { TOKEN_ACCOUNT_BYTES } from "../solana/token-accounts";
import {
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../solana/token-instructions";
import { toPaidAmounts } from "./steps/amounts";
import { readBudget } from "./steps/budget";
import { requireSoundPrices, toSolPriceMicroUsd } from "./steps/prices/read-prices";
import { composeUnique } from "./steps/relay/compose-unique";
import { isOpen, readHeldAmount } from "./steps/swap/swap-budget";

const DEFAULT_COUNT = 3;
/** The amount of one payment, micro-dollars: $1.10 plus 0 to 1,499 cents. Never a small one, even if SOL falls by 5 %. */
const MIN_PAYMENT_MICRO_USD = 1_100_000n;
const CENT_STEP_COUNT = 1_500n;

/** The most that a payment costs the wallet besides its amount and the shop's account, lamports. */
const MAX_FEE_LAMPORTS = 100_000n;

/** Funds that a wallet can pay with, in base units. Payments use up its USDC first, then its SOL. */
interface PaymentSource {
  lamports: bigint;
  usdc: bigint;
}

/** Builds `count` random payments to sandbox shops, without those that the wallet cannot pay. */
export async function buildPayments(
  deps: Deps,
  { address, count = DEFAULT_COUNT }: InputOf<typeof buildPaymentsContract>,
): Promise<DataOf<typeof buildPaymentsContract>> {
  const { rpc, random } = deps;
  const shops = listSandboxShops();
  const shopAccounts = shops.map((shop) => deriveUsdcAccount(shop.address));
  const tokenAccount = deriveUsdcAccount(address);
  const [prices, [account, tokenState, ...shopStates], walletRentLamports, tokenRentLamports, blockhash] =
    await Promise.all([
      requireSoundPrices(deps),
      rpc.readAccounts([address, tokenAccount, ...shopAccounts]),
      rpc.readRentExemptMinimum(0),
      rpc.readRentExemptMinimum(TOKEN_ACCOUNT_BYTES),
      rpc.readLatestBlockhash(),
    ]);
  const source: PaymentSource = {
    lamports: (account?.lamports ?? 0n) - walletRentLamports,
    usdc: readHeldAmount(tokenState ?? null),
  };
  // Two random 32-bit numbers for each payment: one for its amount, one for its shop.
  const randomNumbers = new DataView(random.bytes(count * 8).buffer);
  // Opening an account that exists uses fewer units than opening a missing one, and both have one shape.
  const missingAccounts = new Set(shopAccounts.filter((_, i) => !isOpen(shopStates[i] ?? null)));
  const payments = Array.from({ length: count }, (_, i) => i).flatMap((i) => {
    const microUsd =
      MIN_PAYMENT_MICRO_USD + MICRO_PER_CENT * (BigInt(randomNumbers.getUint32(i * 8)) % CENT_STEP_COUNT);
    const shop = shops[randomNumbers.getUint32(i * 8 + 4) % shops.length]!;
    const payment = takePayment(source, microUsd, toSolPriceMicroUsd(prices), tokenRentLamports);
    return payment
      ? [{ shop, microUsd, payment, instructions: buildInstructions(address, shop.address, payment, missingAccounts) }]
      : [];
  });
  const instructionLists = await Promise.all(
    payments.map(async ({ instructions }) => {
      const parts = { payer: address, instructions, blockhash: blockhash.blockhash };
      return [
        ...buildBudgetInstructions(await readBudget(deps, parts, NO_PRIORITY_FEE, source.lamports)),
        ...instructions,
      ];
    }),
  );
  const { transactions, ...validity } = await composeUnique(deps, address, instructionLists, blockhash);
  return {
    address,
    payments: payments.map(({ shop, microUsd, payment }, i) => ({
      shop: shop.name,
      amounts: toPaidAmounts(payment),
      usdValue: fromMicroUsd(microUsd),
      unsigned: { base64: toBase64(transactions[i]!), ...validity },
    })),
  };
}

/** Deducts a payment from `source` and returns it. Returns null if `source` holds too little. */
function takePayment(
  source: PaymentSource,
  microUsd: bigint,
  solPriceMicroUsd: bigint,
  tokenRentLamports: bigint,
): Payment | null {
  // USDC has 6 decimals, so its base unit is one micro-dollar.
  if (source.usdc >= microUsd && source.lamports >= tokenRentLamports + MAX_FEE_LAMPORTS) {
    source.usdc -= microUsd;
    source.lamports -= tokenRentLamports + MAX_FEE_LAMPORTS;
    return { lamports: 0n, tokens: [{ mint: ASSETS.USDC.mint, amount: microUsd, decimals: ASSETS.USDC.decimals }] };
  }
  const lamports = microUsdToLamports(microUsd, solPriceMicroUsd);
  if (source.lamports < lamports + MAX_FEE_LAMPORTS) return null;
  source.lamports -= lamports + MAX_FEE_LAMPORTS;
  return { lamports, tokens: [] };
}

function buildInstructions(
  wallet: string,
  shop: string,
  { lamports, tokens }: Payment,
  missingAccounts: ReadonlySet<string>,
) {
  const tokenInstructions = tokens.flatMap(({ mint, amount, decimals }) => {
    const destination = deriveAssociatedTokenAddress(shop, mint);
    const source = deriveAssociatedTokenAddress(wallet, mint);
    const opening = buildCreateAssociatedTokenAccount({ payer: wallet, owner: shop, mint });
    const transfer = buildTransferChecked({ source, destination, authority: wallet, mint, amount, decimals });
    return missingAccounts.has(destination) ? [opening, transfer] : [transfer];
  });
  return lamports > 0n ? [buildSystemTransfer(wallet, shop, lamports), ...tokenInstructions] : tokenInstructions;
}
