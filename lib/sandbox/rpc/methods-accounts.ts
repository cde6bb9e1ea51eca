import { isTokenProgram, readMint, readTokenAccount } from "../chain/token-accounts";
import { type Json, refuseParams } from "../chain/types";
import { encodeAccount, encodeTokenAmount, readAccountConfig, readEncoding } from "./account-json";
import { type RpcContext, type RpcMethod, withContext } from "./context";
import { isObject, type Params, parseAddress, parseAddresses, parseConfig } from "./params";
import { getProgramAccounts } from "./program-accounts";

/** Maximum number of addresses per call. Source: MAX_MULTIPLE_ACCOUNTS, agave rpc-client-api. */
const MAX_ACCOUNTS = 100;

/** Reads a filter of exactly one member. @throws RpcError -32602 */
function readTokenFilter(chain: RpcContext["chain"], filter: unknown): { mint?: string; programId?: string } {
  if (!isObject(filter)) return refuseParams("Invalid params: a filter of mint or programId is expected");
  if ((filter.mint === undefined) === (filter.programId === undefined)) {
    return refuseParams("Invalid params: exactly one of mint and programId is expected");
  }
  if (filter.mint !== undefined) {
    const mint = parseAddress([filter.mint], 0);
    return readMint(chain.getAccount(mint)) ? { mint } : refuseParams("Invalid param: could not find mint");
  }
  const programId = parseAddress([filter.programId], 0);
  return isTokenProgram(programId) ? { programId } : refuseParams("Invalid param: unrecognized Token program id");
}

function getTokenAccountsByOwner(context: RpcContext, params: Params): Json {
  const { chain } = context;
  const owner = parseAddress(params, 0);
  const filter = readTokenFilter(chain, params[1]);
  const { config, encoding } = readAccountConfig(params, 2);
  return withContext(context, config, () =>
    chain.listTokenAccounts(owner).flatMap((pubkey) => {
      const account = chain.getAccount(pubkey);
      const token = readTokenAccount(account);
      if (!account || !token) return [];
      if (filter.mint !== undefined && filter.mint !== token.mint) return [];
      if (filter.programId !== undefined && filter.programId !== account.owner) return [];
      return [{ pubkey, account: encodeAccount(chain, account, encoding) }];
    }),
  );
}

function getTokenAccountBalance(context: RpcContext, params: Params): Json {
  const address = parseAddress(params, 0);
  const token = readTokenAccount(context.chain.getAccount(address));
  if (!token) return refuseParams("Invalid param: could not find account");
  const decimals = readMint(context.chain.getAccount(token.mint))?.decimals ?? 0;
  return withContext(context, parseConfig(params, 1), () => encodeTokenAmount(token.amount, decimals));
}

function getTokenSupply(context: RpcContext, params: Params): Json {
  const mint = readMint(context.chain.getAccount(parseAddress(params, 0)));
  if (!mint) return refuseParams("Invalid param: not a Token mint");
  return withContext(context, parseConfig(params, 1), () => encodeTokenAmount(mint.supply, mint.decimals));
}

function getAccountInfo(context: RpcContext, params: Params): Json {
  const address = parseAddress(params, 0);
  const { config, encoding } = readAccountConfig(params, 1);
  return withContext(context, config, () => encodeAccount(context.chain, context.chain.getAccount(address), encoding));
}

function getMultipleAccounts(context: RpcContext, params: Params): Json {
  const addresses = parseAddresses(params[0], MAX_ACCOUNTS);
  const config = parseConfig(params, 1);
  // On a cluster this method defaults to base64, and getAccountInfo to base58.
  const encoding = readEncoding({ encoding: "base64", ...config });
  return withContext(context, config, () =>
    addresses.map((address) => encodeAccount(context.chain, context.chain.getAccount(address), encoding)),
  );
}

/** RPC methods that read accounts. */
export const accountMethods: Record<string, RpcMethod> = {
  getBalance(context, params) {
    const address = parseAddress(params, 0);
    return withContext(context, parseConfig(params, 1), () =>
      Number(context.chain.getAccount(address)?.lamports ?? 0n),
    );
  },
  getAccountInfo,
  getMultipleAccounts,
  getProgramAccounts,
  getTokenAccountsByOwner,
  getTokenAccountBalance,
  getTokenSupply,
  requestAirdrop({ chain }, params) {
    const address = parseAddress(params, 0);
    const lamports = params[1];
    if (typeof lamports !== "number" || !Number.isSafeInteger(lamports)) {
      return refuseParams("Invalid params: lamports must be a whole number");
    }
    return chain.airdrop(address, BigInt(lamports));
  },
};
