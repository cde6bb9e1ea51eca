import { isTokenProgram, readMint, readTokenAccount } from "../chain/token-accounts";
import { invalid, type Json } from "../chain/types";
import { accountConfigAt, encodeAccount, encodingOf, tokenAmount } from "./account-json";
import { type RpcContext, type RpcMethod, withContext } from "./context";
import { addressAt, addressList, commitmentOf, configAt, isObject, type Params } from "./params";

/** Source: MAX_MULTIPLE_ACCOUNTS, agave rpc-client-api. */
const MAX_ACCOUNTS = 100;

function tokenFilter(chain: RpcContext["chain"], filter: unknown): { mint?: string; programId?: string } {
  if (!isObject(filter)) return invalid("Invalid params: a filter of mint or programId is expected");
  if ((filter.mint === undefined) === (filter.programId === undefined)) {
    return invalid("Invalid params: exactly one of mint and programId is expected");
  }
  if (filter.mint !== undefined) {
    const mint = addressAt([filter.mint], 0);
    return readMint(chain.account(mint)) ? { mint } : invalid("Invalid param: could not find mint");
  }
  const programId = addressAt([filter.programId], 0);
  return isTokenProgram(programId) ? { programId } : invalid("Invalid param: unrecognized Token program id");
}

function tokenAccountsByOwner(context: RpcContext, params: Params): Json {
  const { chain } = context;
  const owner = addressAt(params, 0);
  const filter = tokenFilter(chain, params[1]);
  const { config, encoding } = accountConfigAt(params, 2);
  return withContext(context, config, () =>
    chain.tokenAccountsOf(owner).flatMap((pubkey) => {
      const account = chain.account(pubkey);
      const token = readTokenAccount(account);
      if (!account || !token) return [];
      if (filter.mint !== undefined && filter.mint !== token.mint) return [];
      if (filter.programId !== undefined && filter.programId !== account.owner) return [];
      return [{ pubkey, account: encodeAccount(chain, account, encoding) }];
    }),
  );
}

function tokenAccountBalance(context: RpcContext, params: Params): Json {
  const address = addressAt(params, 0);
  const token = readTokenAccount(context.chain.account(address));
  if (!token) return invalid("Invalid param: could not find account");
  const decimals = readMint(context.chain.account(token.mint))?.decimals ?? 0;
  return withContext(context, configAt(params, 1), () => tokenAmount(token.amount, decimals));
}

function tokenSupply(context: RpcContext, params: Params): Json {
  const mint = readMint(context.chain.account(addressAt(params, 0)));
  if (!mint) return invalid("Invalid param: not a Token mint");
  return withContext(context, configAt(params, 1), () => tokenAmount(mint.supply, mint.decimals));
}

function accountInfo(context: RpcContext, params: Params): Json {
  const address = addressAt(params, 0);
  const { config, encoding } = accountConfigAt(params, 1);
  return withContext(context, config, () => encodeAccount(context.chain, context.chain.account(address), encoding));
}

function multipleAccounts(context: RpcContext, params: Params): Json {
  const addresses = addressList(params[0], MAX_ACCOUNTS);
  const config = configAt(params, 1);
  commitmentOf(config);
  // Unlike getAccountInfo, these methods default to base64 on a cluster.
  const encoding = encodingOf({ encoding: "base64", ...config });
  return withContext(context, config, () =>
    addresses.map((address) => encodeAccount(context.chain, context.chain.account(address), encoding)),
  );
}

/** RPC methods that read accounts. */
export const accountMethods: Record<string, RpcMethod> = {
  getBalance(context, params) {
    const address = addressAt(params, 0);
    const config = configAt(params, 1);
    commitmentOf(config);
    return withContext(context, config, () => Number(context.chain.account(address)?.lamports ?? 0n));
  },
  getAccountInfo: accountInfo,
  getMultipleAccounts: multipleAccounts,
  getTokenAccountsByOwner: tokenAccountsByOwner,
  getTokenAccountBalance: tokenAccountBalance,
  getTokenSupply: tokenSupply,
  requestAirdrop({ chain }, params) {
    const address = addressAt(params, 0);
    const lamports = params[1];
    if (typeof lamports !== "number" || !Number.isSafeInteger(lamports)) {
      return invalid("Invalid params: lamports must be a whole number");
    }
    return chain.airdrop(address, BigInt(lamports));
  },
};
