import { airdropContract } from "./airdrop";
import { buildAllowanceContract } from "./build-allowance";
import { buildPaymentsContract } from "./build-payments";
import { buildRevocationContract } from "./build-revocation";
import { buildSaleContract } from "./build-sale";
import { buildSwapContract } from "./build-swap";
import { buildTopupContract } from "./build-topup";
import { buildWithdrawContract } from "./build-withdraw";
import { buildWrapContract } from "./build-wrap";
import { buildWrapBatchContract } from "./build-wrap-batch";
import { calculateRoundUpContract } from "./calculate-round-up";
import type { Contract } from "./define";
import { deriveWalletContract } from "./derive-wallet";
import { executeTransactionContract } from "./execute-transaction";
import { findServiceWalletsContract } from "./find-service-wallets";
import { generateKeyContract } from "./generate-key";
import { getAccumulatorContract } from "./get-accumulator";
import { getActivityContract } from "./get-activity";
import { getAllowanceContract } from "./get-allowance";
import { getAuthMessageContract } from "./get-auth-message";
import { getAuthNonceContract } from "./get-auth-nonce";
import { getDerivationMessageContract } from "./get-derivation-message";
import { getEventsContract } from "./get-events";
import { getHealthContract } from "./get-health";
import { getOpenapiContract } from "./get-openapi";
import { getOverviewContract } from "./get-overview";
import { getPortfolioContract } from "./get-portfolio";
import { getPriceHistoryContract } from "./get-price-history";
import { getPricesContract } from "./get-prices";
import { getReferenceContract } from "./get-reference";
import { getSpendingContract } from "./get-spending";
import { listKeysContract } from "./list-keys";
import { listPlansContract } from "./list-plans";
import { quoteSwapContract } from "./quote-swap";
import { revokeKeyContract } from "./revoke-key";

/** Lists all operations in the documentation's order, which may be edited. `npm run docs` adds new operations. */
export const CONTRACTS = [
  getAuthMessageContract,
  getAuthNonceContract,
  listPlansContract,
  getPricesContract,
  getPriceHistoryContract,
  getPortfolioContract,
  getAccumulatorContract,
  getActivityContract,
  getOverviewContract,
  getAllowanceContract,
  calculateRoundUpContract,
  buildWrapContract,
  buildWrapBatchContract,
  getSpendingContract,
  buildTopupContract,
  getReferenceContract,
  buildAllowanceContract,
  buildRevocationContract,
  quoteSwapContract,
  buildSwapContract,
  executeTransactionContract,
  buildSaleContract,
  getEventsContract,
  buildWithdrawContract,
  getDerivationMessageContract,
  deriveWalletContract,
  findServiceWalletsContract,
  generateKeyContract,
  listKeysContract,
  revokeKeyContract,
  getHealthContract,
  getOpenapiContract,
  airdropContract,
  buildPaymentsContract,
] as const satisfies readonly Contract[];
