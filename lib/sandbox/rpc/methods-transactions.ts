import { decodeTransaction } from "../chain/decode-transaction";
import {
  AGE_SLOTS,
  hasReachedCommitment,
  type Json,
  refuseParams,
  type SignatureInfo,
  type SimulationResult,
} from "../chain/types";
import { encodeAccount, readEncoding } from "./account-json";
import { type RpcContext, type RpcMethod, withContext } from "./context";
import {
  type Config,
  checkMinContextSlot,
  decodeBytes,
  isObject,
  type Params,
  parseAddress,
  parseAddresses,
  parseCommitment,
  parseConfig,
  parseFlag,
  parseHistoryCommitment,
  parseSignature,
  parseText,
  parseWholeNumber,
} from "./params";
import {
  encodeBalances,
  encodeInnerInstructions,
  encodeTransaction,
  parseTransactionEncoding,
  parseVersionLimit,
} from "./transaction-json";

/**
 * Maximum numbers of entries per call. Sources: MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS and
 * MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave.
 */
const MAX_STATUSES = 256;
const MAX_SIGNATURES = 1000;
/** Slots in a node's status cache. Older statuses need searchTransactionHistory. Source: MAX_CACHE_ENTRIES, agave. */
const STATUS_CACHE_SLOTS = 300;

function parseTransaction(params: Params): Uint8Array {
  const { encoding = "base58" } = parseConfig(params, 1);
  return decodeBytes(parseText(params, 0, "transaction"), encoding);
}

function sendTransaction({ chain }: RpcContext, params: Params): Json {
  const config = parseConfig(params, 1);
  const skipPreflight = parseFlag(config, "skipPreflight");
  parseCommitment(config, "preflightCommitment");
  parseWholeNumber(config.maxRetries, "maxRetries", 0, Number.MAX_SAFE_INTEGER, 0);
  checkMinContextSlot(config, chain.getSlot());
  return chain.send(parseTransaction(params), { skipPreflight });
}

function toSimulationJson({ chain }: RpcContext, result: SimulationResult, config: Config): Json {
  const { err, logs, unitsConsumed, fee, returnData, accounts, replacementBlockhash = null, balances } = result;
  const encoding = readEncoding({ encoding: "base64", ...(isObject(config.accounts) ? config.accounts : {}) });
  return {
    err,
    logs,
    unitsConsumed,
    fee: fee === null ? null : Number(fee),
    returnData,
    accounts: accounts?.map((account) => encodeAccount(chain, account, encoding)) ?? null,
    ...(parseFlag(config, "innerInstructions")
      ? { innerInstructions: encodeInnerInstructions(result.innerInstructions, result.accountKeys) }
      : {}),
    replacementBlockhash,
    loadedAccountsDataSize: result.loadedAccountsDataSize,
    loadedAddresses: balances && result.loadedAddresses,
    preBalances: balances?.preBalances ?? null,
    postBalances: balances?.postBalances ?? null,
    preTokenBalances: balances && encodeBalances(balances.preTokenBalances),
    postTokenBalances: balances && encodeBalances(balances.postTokenBalances),
  };
}

function simulateTransaction(context: RpcContext, params: Params): Json {
  const config = parseConfig(params, 1);
  const sigVerify = parseFlag(config, "sigVerify");
  const replaceRecentBlockhash = parseFlag(config, "replaceRecentBlockhash");
  if (sigVerify && replaceRecentBlockhash) return refuseParams("sigVerify may not be used with replaceRecentBlockhash");
  const wireBytes = parseTransaction(params);
  const requestedAccounts = config.accounts ?? null;
  if (requestedAccounts !== null && !isObject(requestedAccounts))
    return refuseParams("Invalid params: accounts must be { addresses, encoding }");
  const accounts =
    requestedAccounts === null
      ? undefined
      : parseAddresses(requestedAccounts.addresses, decodeTransaction(wireBytes).keyCount);
  const result = context.chain.simulate(wireBytes, { sigVerify, replaceRecentBlockhash, accounts });
  return withContext(context, config, () => toSimulationJson(context, result, config));
}

function toStatusJson({ chain }: RpcContext, info: SignatureInfo): Json {
  const confirmationStatus = chain.findCommitment(info);
  const confirmations =
    confirmationStatus === "finalized" ? null : Math.min(chain.getSlot() - info.slot, AGE_SLOTS.finalized - 1);
  const { slot, err } = info;
  return { slot, confirmations, err, status: err === null ? { Ok: null } : { Err: err }, confirmationStatus };
}

function getSignatureStatuses(context: RpcContext, params: Params): Json {
  const signatures = params[0];
  if (!Array.isArray(signatures)) return refuseParams("Invalid params: a list of signatures is expected");
  if (signatures.length > MAX_STATUSES) return refuseParams(`Too many inputs provided; max ${MAX_STATUSES}`);
  const config = parseConfig(params, 1);
  const searchHistory = parseFlag(config, "searchTransactionHistory");
  const oldestSlot = searchHistory ? 0 : context.chain.getSlot() - STATUS_CACHE_SLOTS;
  return withContext(context, config, () =>
    signatures.map((_, index) => {
      const info = context.chain.findSignature(parseSignature(signatures, index));
      return info && info.slot >= oldestSlot ? toStatusJson(context, info) : null;
    }),
  );
}

function getSignaturesForAddress({ chain }: RpcContext, params: Params): Json {
  const address = parseAddress(params, 0);
  const config = parseConfig(params, 1);
  const commitment = parseHistoryCommitment(config);
  checkMinContextSlot(config, chain.getSlot());
  const limit = parseWholeNumber(config.limit, "limit", 1, MAX_SIGNATURES, MAX_SIGNATURES);
  const parseCursor = (name: "before" | "until") =>
    (config[name] ?? null) === null ? undefined : parseSignature([config[name]], 0);
  const [before, until] = [parseCursor("before"), parseCursor("until")];
  const page = chain.listSignatures(address, { limit, before, until, commitment });
  return page.map((info) => ({ ...info, confirmationStatus: chain.findCommitment(info) }));
}

function getTransaction({ chain }: RpcContext, params: Params): Json {
  const signature = parseSignature(params, 0);
  // Older clients pass only the encoding instead of the config.
  const config = typeof params[1] === "string" ? { encoding: params[1] } : parseConfig(params, 1);
  const commitment = parseHistoryCommitment(config);
  const encoding = parseTransactionEncoding(config);
  const record = chain.findTransaction(signature);
  if (!record || !hasReachedCommitment(chain.findCommitment(record), commitment)) return null;
  return encodeTransaction(record, encoding, parseVersionLimit(config));
}

/** RPC methods that run and look up transactions. */
export const transactionMethods: Record<string, RpcMethod> = {
  sendTransaction,
  simulateTransaction,
  getSignatureStatuses,
  getSignaturesForAddress,
  getTransaction,
};
