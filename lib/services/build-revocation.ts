import type { buildRevocationContract } from "../contracts/build-revocation";
import type { DataOf, InputOf } from "../contracts/define";
import { deriveUsdcAccount } from "../domain/dollar-accounts";
import type { Deps } from "../ports/deps";
import { TOKEN_ACCOUNT_BYTES } from "../solana/token-accounts";
import { buildRevoke } from "../solana/token-instructions";
import { readPriority } from "./steps/budget";
import { requireOwnUsdcAccount } from "./steps/saving/allowance";
import { composePlan, NOTHING_BUILT } from "./steps/saving/compose-plan";

/** Builds the removal of the delegate of a wallet's USDC account. Neither a pause nor a price stops it. */
export async function buildRevocation(
  deps: Deps,
  { userPubkey }: InputOf<typeof buildRevocationContract>,
): Promise<DataOf<typeof buildRevocationContract>> {
  const account = deriveUsdcAccount(userPubkey);
  const [[userAccount, usdcAccount], rentLamports, blockhash, priority] = await Promise.all([
    deps.rpc.readAccounts([userPubkey, account], { firstBytes: TOKEN_ACCOUNT_BYTES }),
    deps.rpc.readRentExemptMinimum(0),
    deps.rpc.readLatestBlockhash(),
    readPriority(deps, [account]),
  ]);
  const { delegate } = requireOwnUsdcAccount(userPubkey, usdcAccount ?? null);
  if (delegate === null) return { delegate, breakdown: { networkFeeLamports: 0, totalLamports: 0 }, ...NOTHING_BUILT };
  const plan = {
    payer: userPubkey,
    instructions: [buildRevoke({ account, owner: userPubkey })],
    balanceLamports: userAccount?.lamports ?? 0n,
    paidLamports: 0n,
    hasTokens: true,
  };
  const composed = await composePlan(deps, plan, { rentLamports, blockhash, priority });
  const { networkFeeLamports, totalLamports, ...answer } = composed;
  return { delegate, breakdown: { networkFeeLamports, totalLamports }, ...answer };
}
