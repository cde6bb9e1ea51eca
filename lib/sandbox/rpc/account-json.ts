import bs58 from "bs58";
import { TOKEN_PROGRAM } from "../../solana/programs";
import { readMint, readTokenAccount } from "../chain/token-accounts";
import { type Chain, type ChainAccount, type Json, refuseParams } from "../chain/types";
import { type Config, isObject, type Params, parseConfig, parseWholeNumber } from "./params";

/* Encodes accounts as JSON like a cluster's RPC. */

export interface AccountEncoding {
  encoding: "base58" | "base64" | "jsonParsed";
  slice: { offset: number; length: number } | null;
}

/** Largest account data that base58 may encode. Source: MAX_BASE58_BYTES, agave account-decoder. */
const MAX_BASE58_BYTES = 128;
/** Rent epoch of a rent-exempt account: the largest u64 as a JSON number. */
const RENT_EXEMPT_EPOCH = 2 ** 64;

/** Reads encoding and dataSlice from a method's config. @throws RpcError -32602 */
export function readEncoding(config: Config): AccountEncoding {
  const encoding = config.encoding ?? "base58";
  if (encoding !== "base58" && encoding !== "base64" && encoding !== "jsonParsed") {
    return refuseParams(`Invalid params: encoding ${JSON.stringify(encoding)} is not supported by the sandbox`);
  }
  const { dataSlice } = config;
  if (dataSlice === undefined || dataSlice === null) return { encoding, slice: null };
  if (!isObject(dataSlice)) return refuseParams("Invalid params: dataSlice must be { offset, length }");
  const parseSlicePart = (name: string) =>
    parseWholeNumber(dataSlice[name], `dataSlice.${name}`, 0, Number.MAX_SAFE_INTEGER);
  return { encoding, slice: { offset: parseSlicePart("offset"), length: parseSlicePart("length") } };
}

/** Reads a method's config, which also says how to encode its accounts. @throws RpcError -32602 */
export function readAccountConfig(params: Params, index: number): { config: Config; encoding: AccountEncoding } {
  const config = parseConfig(params, index);
  return { config, encoding: readEncoding(config) };
}

/** Encodes a token amount in the three forms clients read: base units, a rounded number, and exact decimals. */
export function encodeTokenAmount(amount: bigint, decimals: number): { [key: string]: Json } {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  const uiAmountString = fraction === "" ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}

/** Encodes an account as jsonParsed. Returns null unless it is a token account or a mint. */
function toParsedJson(chain: Chain, account: ChainAccount): Json {
  const program = account.owner === TOKEN_PROGRAM ? "spl-token" : "spl-token-2022";
  const space = account.data.length;
  const token = readTokenAccount(account);
  if (token) {
    const decimals = readMint(chain.getAccount(token.mint))?.decimals ?? 0;
    const info: { [key: string]: Json } = {
      isNative: token.nativeReserve !== null,
      mint: token.mint,
      owner: token.owner,
      state: token.state,
      tokenAmount: encodeTokenAmount(token.amount, decimals),
    };
    if (token.nativeReserve !== null) info.rentExemptReserve = encodeTokenAmount(token.nativeReserve, decimals);
    if (token.closeAuthority !== null) info.closeAuthority = token.closeAuthority;
    if (token.delegate !== null) {
      info.delegate = token.delegate;
      info.delegatedAmount = encodeTokenAmount(token.delegatedAmount, decimals);
    }
    return { program, parsed: { info, type: "account" }, space };
  }
  const mint = readMint(account);
  return mint && { program, parsed: { info: { ...mint, supply: mint.supply.toString() }, type: "mint" }, space };
}

function encodeData(chain: Chain, account: ChainAccount, { encoding, slice }: AccountEncoding): Json {
  if (encoding === "jsonParsed") {
    const json = toParsedJson(chain, account);
    if (json !== null) return json;
  }
  const data = slice ? account.data.subarray(slice.offset, slice.offset + slice.length) : account.data;
  if (encoding !== "base58") return [Buffer.from(data).toString("base64"), "base64"];
  if (data.length > MAX_BASE58_BYTES) {
    const limit = `${MAX_BASE58_BYTES} bytes, please use Base64 encoding`;
    return refuseParams(`Encoded binary (base 58) data should be less than ${limit}.`);
  }
  return [bs58.encode(data), "base58"];
}

export function encodeAccount(chain: Chain, account: ChainAccount | null, encoding: AccountEncoding): Json {
  return (
    account && {
      lamports: Number(account.lamports),
      owner: account.owner,
      data: encodeData(chain, account, encoding),
      executable: account.executable,
      rentEpoch: RENT_EXEMPT_EPOCH,
      space: account.data.length,
    }
  );
}
