import { VersionedMessage } from "@solana/web3.js";
import { ASSET_SYMBOLS } from "../../domain/assets";
import { MAX_ACCOUNT_BYTES } from "../chain/ledger";
import { GENESIS_SLOT, PAST_SLOTS, SLOTS_PER_EPOCH } from "../chain/slot-clock";
import { FEE_MODELS, isFeeModel, type Json, refuseParams } from "../chain/types";
import { API_VERSION, type RpcContext, type RpcMethod, withContext } from "./context";
import {
  checkMinContextSlot,
  decodeBytes,
  type Params,
  parseAddress,
  parseAddresses,
  parseConfig,
  parseText,
  parseWholeNumber,
} from "./params";

/** Number of slots covered by getRecentPrioritizationFees. Source: MAX_ENTRIES of agave's prioritization fee cache. */
const FEE_SLOTS = 150;
/** Maximum number of addresses in a fee query. Source: MAX_TX_ACCOUNT_LOCKS, solana-transaction. */
const MAX_FEE_ADDRESSES = 128;
/** The most that sandbox_setRent accepts. */
const MAX_LAMPORTS_PER_BYTE = 1_000_000;
/** The largest airdrop of USDC, base units: a million dollars. */
const MAX_USDC_UNITS = 1_000_000_000_000;
/** Maximum number of shops that receive past payments. */
const MAX_SHOPS = 20;

/** Answers getSlot. Other methods call it to check `minContextSlot`. @throws RpcError -32016 */
function getSlot({ chain }: RpcContext, params: Params): number {
  checkMinContextSlot(parseConfig(params, 0), chain.getSlot());
  return chain.getSlot();
}

function getEpochInfo(context: RpcContext, params: Params): Json {
  const absoluteSlot = getSlot(context, params);
  return {
    absoluteSlot,
    blockHeight: context.chain.getBlockHeight(),
    epoch: Math.floor(absoluteSlot / SLOTS_PER_EPOCH),
    slotIndex: absoluteSlot % SLOTS_PER_EPOCH,
    slotsInEpoch: SLOTS_PER_EPOCH,
    transactionCount: context.chain.countTransactions(),
  };
}

function getFeeForMessage(context: RpcContext, params: Params): Json {
  const bytes = decodeBytes(parseText(params, 0, "message"), "base64");
  return withContext(context, parseConfig(params, 1), () => {
    let message: VersionedMessage;
    try {
      message = VersionedMessage.deserialize(bytes);
    } catch {
      return null;
    }
    return context.chain.isBlockhashValid(message.recentBlockhash) ? Number(context.chain.computeFee(message)) : null;
  });
}

/** The RPC methods about the whole cluster: slots, blockhashes, fees, rent. */
export const clusterMethods: Record<string, RpcMethod> = {
  getHealth: () => "ok",
  getVersion: () => ({ "feature-set": 0, "solana-core": API_VERSION }),
  getGenesisHash: ({ chain }) => chain.getGenesisHash(),
  // The sandbox has not migrated to Alpenglow. A cluster that has migrated returns the certificate of its first block.
  getAgGenesisCert: () => null,
  getFirstAvailableBlock: () => GENESIS_SLOT - PAST_SLOTS,
  getSlot,
  getBlockHeight(context, params) {
    getSlot(context, params);
    return context.chain.getBlockHeight();
  },
  getTransactionCount(context, params) {
    getSlot(context, params);
    return context.chain.countTransactions();
  },
  getEpochInfo,
  getLatestBlockhash: (context, params) =>
    withContext(context, parseConfig(params, 0), () => context.chain.getLatestBlockhash()),
  isBlockhashValid(context, params) {
    const blockhash = parseAddress(params, 0);
    return withContext(context, parseConfig(params, 1), () => context.chain.isBlockhashValid(blockhash));
  },
  getMinimumBalanceForRentExemption({ chain }, params) {
    return Number(chain.computeRentExemptMinimum(parseWholeNumber(params[0], "data length", 0, MAX_ACCOUNT_BYTES)));
  },
  getFeeForMessage,
  getSupply: (context, params) =>
    withContext(context, parseConfig(params, 0), () => {
      const total = Number(context.chain.sumLamports());
      return { total, circulating: total, nonCirculating: 0, nonCirculatingAccounts: [] };
    }),
  getRecentPrioritizationFees({ chain }, params) {
    parseAddresses(params[0] ?? [], MAX_FEE_ADDRESSES);
    const newestSlot = chain.getSlot();
    return Array.from({ length: FEE_SLOTS }, (_, age) => ({ slot: newestSlot - age, prioritizationFee: 0 })).reverse();
  },
};

/** The methods that no cluster has. Tests and the service's sandbox client use them. */
export const sandboxMethods: Record<string, RpcMethod> = {
  sandbox_info: ({ getInfo }) => getInfo(),
  sandbox_addPastPayments({ chain }, params) {
    return chain.addPastPayments(parseAddress(params, 0), parseAddresses(params[1], MAX_SHOPS));
  },
  sandbox_airdropUsdc({ issueUsdc }, params) {
    return issueUsdc(parseAddress(params, 0), BigInt(parseWholeNumber(params[1], "base units", 1, MAX_USDC_UNITS)));
  },
  sandbox_advanceSlots({ chain }, params) {
    chain.advanceSlots(parseWholeNumber(params[0], "slots", 1, 100 * SLOTS_PER_EPOCH));
    return chain.getSlot();
  },
  sandbox_setFees({ chain }, [model]) {
    if (!isFeeModel(model)) return refuseParams(`Invalid params: fees must be one of ${FEE_MODELS.join(", ")}`);
    chain.setFeeModel(model);
    return model;
  },
  sandbox_setRent({ chain }, params) {
    const lamportsPerByte = parseWholeNumber(params[0], "lamports per byte", 1, MAX_LAMPORTS_PER_BYTE);
    chain.setRent(BigInt(lamportsPerByte));
    return lamportsPerByte;
  },
  sandbox_setPrice(context, [symbol, usd]) {
    const asset = ASSET_SYMBOLS.find((assetSymbol) => assetSymbol === symbol);
    if (!asset) return refuseParams(`Invalid params: symbol must be one of ${ASSET_SYMBOLS.join(", ")}`);
    const price = usd ?? null;
    if (price !== null && (typeof price !== "number" || !(price >= 0.000001 && price <= 1e9))) {
      return refuseParams("Invalid params: usd must be null or a number from 0.000001 to 1,000,000,000");
    }
    context.setPrice(asset, price);
    return true;
  },
  sandbox_dailyPrices({ listDailyPrices }, [firstDay, days]) {
    return listDailyPrices(parseWholeNumber(firstDay, "first day", 0, 100_000), parseWholeNumber(days, "days", 1, 366));
  },
};
