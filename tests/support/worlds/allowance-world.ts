import { buildAllowanceContract } from "../../../lib/contracts/build-allowance";
import { buildRevocationContract } from "../../../lib/contracts/build-revocation";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { buildWrapBatchContract } from "../../../lib/contracts/build-wrap-batch";
import { getAllowanceContract } from "../../../lib/contracts/get-allowance";
import { ASSETS } from "../../../lib/domain/assets";
import { buildAllowance } from "../../../lib/services/build-allowance";
import { buildRevocation } from "../../../lib/services/build-revocation";
import { buildWrap } from "../../../lib/services/build-wrap";
import { buildWrapBatch } from "../../../lib/services/build-wrap-batch";
import { getAllowance } from "../../../lib/services/get-allowance";
import { putTokens } from "../chain/sandbox-rig";
import { callService } from "../client/contract-input";
import { FEE_COLLECTORS, runFor } from "../fakes/fake-deps";
import { signTransaction, type TestWallet } from "../fixtures/test-wallets";
import { stagePulls } from "./pull-world";
import { deriveServiceWallet, ownServiceWallet, startPosting, user } from "./relay-rig";

/* The sandbox's real Token program, on which a user lets the service wallet take USDC by itself. */

/** Creates the sandbox with a funded user, whose service wallet is registered and empty, and collectors with USDC. */
export async function stageAllowance() {
  const world = await stagePulls({ isApproved: false });
  const { deps, chain } = world;
  await deriveServiceWallet(deps);
  const serviceWallet = ownServiceWallet;
  for (const collector of FEE_COLLECTORS) putTokens(chain, collector, ASSETS.USDC.mint, 0n);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet.address };
  const byAllowance = { ...wallets, payWith: "USDC", by: "allowance" };
  const signAs = (signer: TestWallet, { transaction }: { transaction: { base64: string } | null }) =>
    signTransaction(Buffer.from(transaction!.base64, "base64"), signer);
  /** Calls a service, and advances the time until a transaction has landed and its slot is full. */
  const run = <T>(pending: Promise<T>) => runFor(5_000, deps, pending);
  const post = (signed: Uint8Array) => run(startPosting(deps, signed));
  return {
    ...world,
    serviceWallet,
    byAllowance,
    signAs,
    run,
    post,
    build: (amountUsd = 25) => callService(buildAllowanceContract, buildAllowance, deps, { ...wallets, amountUsd }),
    buildRevocation: () => callService(buildRevocationContract, buildRevocation, deps, { userPubkey: user.address }),
    read: (address = serviceWallet.address) =>
      callService(getAllowanceContract, getAllowance, deps, { address: user.address, serviceWallet: address }),
    buildSaving: (txValueUsd: number) =>
      callService(buildWrapContract, buildWrap, deps, { ...byAllowance, plan: "forest", txValueUsd }),
    buildBatch: ({ txValuesUsd, through, after }: { txValuesUsd: number[]; through: string; after: string }) =>
      run(
        callService(buildWrapBatchContract, buildWrapBatch, deps, {
          ...byAllowance,
          plan: "forest",
          txValuesUsd,
          through,
          after,
        }),
      ),
    async allow(amountUsd = 25) {
      const build = await this.build(amountUsd);
      return post(signAs(user, build));
    },
  };
}
