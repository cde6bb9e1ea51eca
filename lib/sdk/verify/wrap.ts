import type { buildWrapContract } from "../../contracts/build-wrap";
import type { DataOf } from "../../contracts/define";
import { must, mustBeSignedByAlone, readBuilt, systemTransfers } from "./built-transaction";

type Wrap = DataOf<typeof buildWrapContract>;

/**
 * Whether the transaction of a wrap is the two transfers that were shown, and nothing else.
 * @throws {NotAsShown}
 */
export function verifyWrap({ transaction, breakdown }: Wrap, wallet: string, serviceWallet: string): void {
  must(transaction !== null, "There is no transaction to sign.");
  const built = readBuilt(transaction.base64);
  mustBeSignedByAlone(built, wallet);
  must(built.instructions.length === 2, "It does more than the two transfers that were shown.");
  const [saving, fee, ...more] = systemTransfers(built);
  must(saving !== undefined && fee !== undefined && more.length === 0, "It is not the two transfers that were shown.");
  const saved = breakdown.userInvestmentLamports + breakdown.activationLamports;
  must(saving.to === serviceWallet && saving.lamports === BigInt(saved), "It does not save what was shown.");
  must(
    fee.to === breakdown.feeCollector && fee.lamports === BigInt(breakdown.serviceFeeLamports),
    "Its fee is not the one that was shown.",
  );
  must(built.networkFeeLamports <= BigInt(breakdown.networkFeeLamports), "Its network fee is higher than was shown.");
}
