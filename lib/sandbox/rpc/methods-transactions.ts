import { VersionedTransaction } from "@solana/web3.js";
import { decodeTransaction } from "../chain/guard";
import {
  type Commitment,
  hasReached,
  type Json,
  RPC_CODES,
  RpcError,
  type SignatureInfo,
  type SimResult,
  throwInvalid,
} from "../chain/types";
import { encodeAccount, readEncoding } from "./account-json";
import { type RpcContext, type RpcMethod, withContext } from "./context";
import {
  addressAt,
  addressList,
  type Config,
  checkMinContextSlot,
  commitmentOf,
  configAt,
  encodedBytes,
  flag,
  isObject,
  type Params,
  signatureAt,
  textAt,
  wholeNumber,
} from "./params";
import { encodeInner, encodeTransaction, transactionEncodingOf } from "./transaction-json";

/** Source: MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS and MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT, agave. */
const MAX_STATUSES = 256;
const MAX_SIGNATURES = 1000;
/** Slots in a node's status cache. Older ones need searchTransactionHistory. Source: MAX_CACHE_ENTRIES, agave. */
const STATUS_CACHE_SLOTS = 300;
const FINALIZED_CONFIRMATIONS = 32;

function rawTransaction(params: Params): Uint8Array {
  const { encoding = "base58" } = configAt(params, 1);
  return encodedBytes(textAt(params, 0, "transaction"), encoding);
}

function sendTransaction({ chain, faults }: RpcContext, params: Params): Json {
  const config = configAt(params, 1);
  const skipPreflight = flag(config, "skipPreflight");
  commitmentOf(config, "preflightCommitment");
  wholeNumber(config.maxRetries, "maxRetries", 0, Number.MAX_SAFE_INTEGER, 0);
  checkMinContextSlot(config, chain.getSlot());
  const raw = rawTransaction(params);
  if (!faults.dropTransactions) return chain.send(raw, { skipPreflight });
  return decodeTransaction(raw).signature;
}

function simulationJson({ chain }: RpcContext, result: SimResult, config: Config): Json {
  const { err, logs, unitsConsumed, returnData, accounts, replacementBlockhash } = result;
  const encoding = readEncoding({ encoding: "base64", ...(isObject(config.accounts) ? config.accounts : {}) });
  return {
    err,
    logs,
    unitsConsumed,
    returnData: returnData && { ...returnData, data: [returnData.data, "base64"] },
    accounts: accounts?.map((account) => encodeAccount(chain, account, encoding)) ?? null,
    ...(flag(config, "innerInstructions")
      ? { innerInstructions: encodeInner(result.innerInstructions, result.accountKeys) }
      : {}),
    ...(replacementBlockhash ? { replacementBlockhash } : {}),
  };
}

function simulateTransaction(context: RpcContext, params: Params): Json {
  const config = configAt(params, 1);
  const sigVerify = flag(config, "sigVerify");
  const replaceRecentBlockhash = flag(config, "replaceRecentBlockhash");
  if (sigVerify && replaceRecentBlockhash) return throwInvalid("sigVerify may not be used with replaceRecentBlockhash");
  commitmentOf(config);
  const raw = rawTransaction(params);
  const wanted = config.accounts ?? null;
  if (wanted !== null && !isObject(wanted))
    return throwInvalid("Invalid params: accounts must be { addresses, encoding }");
  const accounts = wanted === null ? undefined : addressList(wanted.addresses, decodeTransaction(raw).keyCount);
  const result = context.chain.simulate(raw, { sigVerify, replaceRecentBlockhash, accounts });
  return withContext(context, config, () => simulationJson(context, result, config));
}

function status({ chain }: RpcContext, info: SignatureInfo): Json {
  const confirmationStatus = chain.findCommitment(info);
  const confirmations =
    confirmationStatus === "finalized" ? null : Math.min(chain.getSlot() - info.slot, FINALIZED_CONFIRMATIONS - 1);
  const { slot, err } = info;
  return { slot, confirmations, err, status: err === null ? { Ok: null } : { Err: err }, confirmationStatus };
}

function signatureStatuses(context: RpcContext, params: Params): Json {
  const signatures = params[0];
  if (!Array.isArray(signatures)) return throwInvalid("Invalid params: a list of signatures is expected");
  if (signatures.length > MAX_STATUSES) return throwInvalid(`Too many inputs provided; max ${MAX_STATUSES}`);
  const config = configAt(params, 1);
  const search = flag(config, "searchTransactionHistory");
  const oldest = search ? 0 : context.chain.getSlot() - STATUS_CACHE_SLOTS;
  return withContext(context, config, () =>
    signatures.map((_, index) => {
      const info = context.chain.findSignature(signatureAt(signatures, index));
      return info && info.slot >= oldest ? status(context, info) : null;
    }),
  );
}

/** Reads the commitment of a history method. @throws RpcError -32602 for `processed`, which has no history */
function historyCommitment(params: Params): Commitment {
  const commitment = commitmentOf(configAt(params, 1));
  return commitment === "processed" ? throwInvalid("Method does not support commitment below `confirmed`") : commitment;
}

function signaturesForAddress({ chain }: RpcContext, params: Params): Json {
  const address = addressAt(params, 0);
  const config = configAt(params, 1);
  const commitment = historyCommitment(params);
  checkMinContextSlot(config, chain.getSlot());
  const limit = wholeNumber(config.limit, "limit", 1, MAX_SIGNATURES, MAX_SIGNATURES);
  const cursor = (name: "before" | "until") =>
    (config[name] ?? null) === null ? undefined : signatureAt([config[name]], 0);
  const [before, until] = [cursor("before"), cursor("until")];
  const page = chain.listSignatures(address, { limit, before, until, commitment });
  return page.map((info) => ({ ...info, confirmationStatus: chain.findCommitment(info) }));
}

function getTransaction({ chain }: RpcContext, params: Params): Json {
  const signature = signatureAt(params, 0);
  // Older clients pass only the encoding instead of the config.
  const config = typeof params[1] === "string" ? { encoding: params[1] } : configAt(params, 1);
  const commitment = historyCommitment([signature, config]);
  const encoding = transactionEncodingOf(config);
  const record = chain.findTransaction(signature);
  if (!record || !hasReached(chain.findCommitment(record), commitment)) return null;
  const { version } = VersionedTransaction.deserialize(Buffer.from(record.raw, "base64"));
  const supported = config.maxSupportedTransactionVersion ?? null;
  if (supported === null && version !== "legacy") {
    throw new RpcError(
      RPC_CODES.unsupportedTransactionVersion,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with ` +
        `the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  }
  return encodeTransaction(record, encoding, supported === null ? null : version);
}

/** RPC methods that run and look up transactions. */
export const transactionMethods: Record<string, RpcMethod> = {
  sendTransaction,
  simulateTransaction,
  getSignatureStatuses: signatureStatuses,
  getSignaturesForAddress: signaturesForAddress,
  getTransaction,
};
