import bs58 from "bs58";
import type { ChainAccount, Json } from "../chain/types";
import { refuseParams } from "../chain/types";
import { encodeAccount, readAccountConfig } from "./account-json";
import { type RpcContext, withContext } from "./context";
import { type Config, isObject, type Params, parseAddress, parseFlag, parseWholeNumber } from "./params";

/** Maximum number of accounts per answer. A cluster has no such limit, but its operators do. */
const MAX_PROGRAM_ACCOUNTS = 5_000;
/** Maximum number of filters and length of a compared value. Source: MAX_GET_PROGRAM_ACCOUNT_FILTERS and filter.rs, agave. */
const MAX_FILTERS = 4;
const MAX_MEMCMP_BYTES = 128;

type Filter = (data: Uint8Array) => boolean;

/** Decodes the value of a memcmp filter: base58 by default, or base64. @throws RpcError -32602 */
function decodeMemcmpBytes({ bytes, encoding = "base58" }: Record<string, unknown>): Uint8Array {
  const isReadable = typeof bytes === "string" && bytes.length <= 2 * MAX_MEMCMP_BYTES;
  if (!isReadable || (encoding !== "base58" && encoding !== "base64"))
    return refuseParams("Invalid param: memcmp bytes must be base58 or base64");
  const value = encoding === "base64" ? Buffer.from(bytes, "base64") : bs58.decodeUnsafe(bytes);
  if (!value || value.length > MAX_MEMCMP_BYTES)
    return refuseParams("Invalid param: memcmp bytes are invalid or too long");
  return value;
}

function parseFilter(filter: unknown): Filter {
  if (!isObject(filter)) return refuseParams("Invalid params: a filter must be { memcmp } or { dataSize }");
  const { memcmp, dataSize } = filter;
  if (dataSize !== undefined) {
    const size = parseWholeNumber(dataSize, "dataSize", 0, Number.MAX_SAFE_INTEGER);
    return (data) => data.length === size;
  }
  if (!isObject(memcmp)) return refuseParams("Invalid params: a filter must be { memcmp } or { dataSize }");
  const offset = parseWholeNumber(memcmp.offset, "offset", 0, Number.MAX_SAFE_INTEGER);
  const value = decodeMemcmpBytes(memcmp);
  return (data) => Buffer.compare(data.subarray(offset, offset + value.length), value) === 0;
}

/** Reads the filters of a config, as one that accepts what all of them accept. @throws RpcError -32602 */
export function parseFilters({ filters }: Config): Filter {
  if (filters === undefined || filters === null) return () => true;
  if (!Array.isArray(filters)) return refuseParams("Invalid params: filters must be a list");
  if (filters.length > MAX_FILTERS) return refuseParams(`Too many filters provided; max ${MAX_FILTERS}`);
  const accepts = filters.map(parseFilter);
  return (data) => accepts.every((accept) => accept(data));
}

/** Answers getProgramAccounts. @throws RpcError -32602 for more than MAX_PROGRAM_ACCOUNTS accounts */
export function getProgramAccounts(context: RpcContext, params: Params): Json {
  const { chain } = context;
  const programId = parseAddress(params, 0);
  const { config, encoding } = readAccountConfig(params, 1);
  const accept = parseFilters(config);
  const answer = withContext(context, config, () => {
    const accounts = chain.listProgramAccounts(programId).filter(({ account }) => accept(account.data));
    if (accounts.length > MAX_PROGRAM_ACCOUNTS)
      refuseParams(
        `${accounts.length} accounts match; add filters, the sandbox returns ${MAX_PROGRAM_ACCOUNTS} at most`,
      );
    return accounts.map(({ address, account }) => encodeProgramAccount(chain, address, account, encoding));
  }) as { value: Json };
  return parseFlag(config, "withContext") ? answer : answer.value;
}

/** Encodes an account with its address, for getProgramAccounts and programSubscribe. */
export function encodeProgramAccount(
  chain: RpcContext["chain"],
  pubkey: string,
  account: ChainAccount,
  encoding: Parameters<typeof encodeAccount>[2],
): Json {
  return { pubkey, account: encodeAccount(chain, account, encoding) };
}
