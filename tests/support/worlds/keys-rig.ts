import type { DataOf } from "../../../lib/contracts/define";
import { generateKeyContract } from "../../../lib/contracts/generate-key";
import { listKeysContract } from "../../../lib/contracts/list-keys";
import { revokeKeyContract } from "../../../lib/contracts/revoke-key";
import type { Caller, RequestContext } from "../../../lib/ports/request-context";
import { generateKey } from "../../../lib/services/generate-key";
import { listKeys } from "../../../lib/services/list-keys";
import { revokeKey } from "../../../lib/services/revoke-key";
import { parseInput } from "../client/contract-input";
import type { FakeDeps } from "../fakes/fake-deps";
import { type TestWallet, toTestWallet } from "../fixtures/test-wallets";

export const owner = toTestWallet("key owner");
export const otherOwner = toTestWallet("another key owner");

/** Returns the request context of a caller who is not the operator. */
export const toContext = (caller: Caller): RequestContext => ({
  caller,
  walletHeader: caller.wallet,
  hasStaticKey: () => false,
});
/** Returns the request context of a caller who signed in with this wallet. */
export const toWalletContext = (wallet: TestWallet) => toContext({ kind: "wallet", wallet: wallet.address });
/** The request context of a caller without credentials. */
export const PUBLIC_CONTEXT = toContext({ kind: "public", wallet: null });

type NewKey = DataOf<typeof generateKeyContract>;

/** Makes a key through the service. Checks the answer against its contract. */
export async function makeKey(deps: FakeDeps, wallet = owner, query: Record<string, unknown> = {}): Promise<NewKey> {
  return generateKeyContract.data.parse(
    await generateKey(deps, parseInput(generateKeyContract, query), toWalletContext(wallet)),
  );
}

/** Lists a wallet's keys through the service. Checks the answer against its contract. */
export const readKeys = async (deps: FakeDeps, wallet = owner) =>
  listKeysContract.data.parse(await listKeys(deps, {}, toWalletContext(wallet))).keys;

/** Revokes a key of the owner through the service. */
export const revokeById = (deps: FakeDeps, id: string) =>
  revokeKey(deps, parseInput(revokeKeyContract, { id }), toWalletContext(owner));
