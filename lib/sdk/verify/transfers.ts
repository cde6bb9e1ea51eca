import type { buildWrapContract } from "../../contracts/build-wrap";
import type { DataOf } from "../../contracts/define";
import { ASSETS } from "../../domain/assets";
import { deriveUsdcAccount } from "../../domain/dollar-accounts";
import { applyBps, fromMicroUsd, microUsdToLamports, toMicroUsd } from "../../domain/money";
import { assertAsShown } from "../../domain/not-as-shown";
import { computeMaxLamports, DEFAULT_PRICE_BOUNDS } from "../../domain/prices/price-bounds";
import { computeMaxDeposit, requireAccountOpening, requireInMessage } from "../../domain/transaction-check";
import type { DecodedInstruction } from "../../solana/instructions";
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from "../../solana/programs";
import { computeHighestRent } from "../../solana/rent";
import { readSystemTransfer } from "../../solana/system-instructions";
import { readTransferChecked } from "../../solana/token-instructions";
import { findSigner, type PayTerms } from "../requests";

type Breakdown = DataOf<typeof buildWrapContract>["breakdown"];

/** The amount and fee that a saving or a top-up must have. */
export interface ExpectedWrap extends PayTerms {
  wallet: string;
  serviceWallet: string;
  memo?: string | undefined;
  reference?: string | undefined;
  microUsd: bigint;
  feeBps: bigint;
}

/** A wrap as read from its bytes; amounts in lamports and base units of USDC. */
export interface WrapFigures {
  /** The saved amount plus the service fee, without the activation deposit. */
  roundUpLamports: bigint;
  serviceFeeLamports: bigint;
  userInvestmentLamports: bigint;
  /** Rent-exempt deposit for a new service wallet; it belongs to the user. */
  activationLamports: bigint;
  roundUpUnits: bigint;
  serviceFeeUnits: bigint;
  userInvestmentUnits: bigint;
  /** The most that the opening of the service wallet's USDC account costs; it belongs to the user. */
  tokenAccountDepositLamports: bigint;
  /** The network fee that the service read from a node. The bytes bound it. */
  networkFeeLamports: bigint;
  totalLamports: bigint;
  /** US dollars, computed locally from the request. */
  roundUpUsd: number;
}

type TransferFigures = Omit<WrapFigures, "roundUpUsd">;
type Check = (
  transfers: readonly DecodedInstruction[],
  breakdown: Breakdown,
  expectedWrap: ExpectedWrap,
  referenceKey: string | undefined,
) => TransferFigures;

/**
 * Allows one transfer to a fee collector, then one to the service wallet. Only the second transfer may carry a further
 * account: the key of the requested reference.
 */
export const checkSolTransfers: Check = (transfers, breakdown, expectedWrap, referenceKey = "") => {
  const { wallet, serviceWallet, microUsd } = expectedWrap;
  const [fee, saving, ...otherTransfers] = transfers.map((instruction, i) => {
    const keys = instruction.accounts.slice(2);
    assertAsShown(keys.join() === (i === 1 ? referenceKey : ""), "unknown_instruction");
    const transfer = readSystemTransfer({ ...instruction, accounts: instruction.accounts.slice(0, 2) });
    assertAsShown(transfer !== null && requireInMessage(transfer.from) === wallet, "unknown_instruction");
    return { to: requireInMessage(transfer.to), lamports: transfer.lamports };
  });
  assertAsShown(saving !== undefined && fee !== undefined && otherTransfers.length === 0, "unknown_instruction");
  assertAsShown(saving.to === serviceWallet, "other_wallet");
  assertAsShown(fee.to === breakdown.feeCollector && fee.to !== serviceWallet, "sol_elsewhere");

  const activationLamports = BigInt(breakdown.activationLamports);
  const figures = {
    ...NO_FIGURES,
    roundUpLamports: saving.lamports + fee.lamports - activationLamports,
    serviceFeeLamports: fee.lamports,
    userInvestmentLamports: saving.lamports - activationLamports,
    activationLamports,
    networkFeeLamports: BigInt(breakdown.networkFeeLamports),
    totalLamports: saving.lamports + fee.lamports + BigInt(breakdown.networkFeeLamports),
  };
  requireRequestedFigures(figures, expectedWrap);
  requireShown(figures, breakdown);
  assertAsShown(breakdown.roundUpUsd === fromMicroUsd(microUsd), "not_asked_for");
  const solPriceMicroUsd = toMicroUsd(breakdown.solPriceUsd ?? 0);
  assertAsShown(
    solPriceMicroUsd > 0n && figures.roundUpLamports <= microUsdToLamports(microUsd, solPriceMicroUsd),
    "other_amount",
  );
  requireShownFee(figures.serviceFeeLamports, figures.roundUpLamports, breakdown, microUsd);
  return figures;
};

/**
 * Allows the opening of the service wallet's USDC account, one transfer of USDC to a fee collector's account, then one to
 * the service wallet's. The second names the wallet, if the service wallet signs, and the key of the requested reference.
 */
export const checkUsdcTransfers: Check = (instructions, breakdown, expectedWrap, referenceKey) => {
  const { wallet, serviceWallet, by, microUsd, feeBps } = expectedWrap;
  const signer = findSigner(expectedWrap);
  const [source, destination] = [deriveUsdcAccount(wallet), deriveUsdcAccount(serviceWallet)];
  const openings = instructions.filter(({ program }) => program === ASSOCIATED_TOKEN_PROGRAM);
  assertAsShown(openings.length <= 1, "unknown_instruction");
  for (const opening of openings) requireAccountOpening(opening, signer, serviceWallet, [destination]);
  const extraKeys = [...(by === "allowance" ? [wallet] : []), ...(referenceKey === undefined ? [] : [referenceKey])];
  const [fee, saving, ...otherTransfers] = instructions
    .filter((instruction) => !openings.includes(instruction))
    .map((instruction, i) => {
      assertAsShown(instruction.accounts.slice(4).join() === (i === 1 ? extraKeys.join() : ""), "unknown_instruction");
      const transfer = readTransferChecked({ ...instruction, accounts: instruction.accounts.slice(0, 4) });
      assertAsShown(transfer !== null, "unknown_instruction");
      const isUsdc = transfer.program === TOKEN_PROGRAM && transfer.mint === ASSETS.USDC.mint;
      assertAsShown(isUsdc && transfer.decimals === ASSETS.USDC.decimals, "other_token");
      assertAsShown(requireInMessage(transfer.source) === source, "other_source");
      assertAsShown(requireInMessage(transfer.authority) === signer, "other_authority");
      return { to: requireInMessage(transfer.destination), amount: transfer.amount };
    });
  assertAsShown(saving !== undefined && fee !== undefined && otherTransfers.length === 0, "unknown_instruction");
  assertAsShown(saving.to === destination, "other_wallet");
  const { feeCollector } = breakdown;
  assertAsShown(![wallet, serviceWallet].includes(feeCollector), "tokens_elsewhere");
  assertAsShown(fee.to === deriveUsdcAccount(feeCollector), "tokens_elsewhere");

  const shownDeposit = BigInt(breakdown.tokenAccountDepositLamports);
  assertAsShown(shownDeposit <= computeMaxDeposit(openings), "other_amount");
  const figures = {
    ...NO_FIGURES,
    roundUpUnits: saving.amount + fee.amount,
    serviceFeeUnits: fee.amount,
    userInvestmentUnits: saving.amount,
    networkFeeLamports: BigInt(breakdown.networkFeeLamports),
  };
  // One unit is a micro-dollar: the service saves in USDC only while it is worth a dollar.
  assertAsShown(figures.roundUpUnits === microUsd, "not_asked_for");
  assertAsShown(fee.amount <= applyBps(microUsd, feeBps), "fee_too_high");
  requireShown(addDeposit(figures, shownDeposit), breakdown);
  assertAsShown(breakdown.roundUpUsd === fromMicroUsd(microUsd), "not_asked_for");
  requireShownFee(fee.amount, microUsd, breakdown, microUsd);
  // The bytes do not show whether the account exists, so a review shows the most that its opening can cost.
  return addDeposit(figures, computeMaxDeposit(openings));
};

const addDeposit = <Figures extends { networkFeeLamports: bigint }>(figures: Figures, depositLamports: bigint) => ({
  ...figures,
  tokenAccountDepositLamports: depositLamports,
  totalLamports: figures.networkFeeLamports + depositLamports,
});

const NO_FIGURES = {
  roundUpLamports: 0n,
  serviceFeeLamports: 0n,
  userInvestmentLamports: 0n,
  activationLamports: 0n,
  roundUpUnits: 0n,
  serviceFeeUnits: 0n,
  userInvestmentUnits: 0n,
  tokenAccountDepositLamports: 0n,
};

function requireShown(figures: TransferFigures, breakdown: Breakdown): void {
  for (const [name, amount] of Object.entries(figures)) {
    const shownAmount = BigInt(breakdown[name as keyof typeof figures]);
    assertAsShown(amount === shownAmount, name === "totalLamports" ? "total" : "other_amount");
  }
}

/** Requires that the shown fee, in percent and in dollars, is not lower than the actual fee. */
function requireShownFee(
  fee: bigint,
  roundUpAmount: bigint,
  { serviceFeePercent, serviceFeeUsd }: Breakdown,
  microUsd: bigint,
): void {
  const shownBps = BigInt(Math.round(serviceFeePercent * 100));
  assertAsShown(fee <= applyBps(roundUpAmount, shownBps), "fee_too_high");
  assertAsShown(toMicroUsd(serviceFeeUsd) >= applyBps(microUsd, shownBps), "fee_too_high");
}

function requireRequestedFigures(figures: TransferFigures, { microUsd, feeBps }: ExpectedWrap): void {
  const { roundUpLamports, serviceFeeLamports, userInvestmentLamports, activationLamports } = figures;
  assertAsShown(userInvestmentLamports >= 0n && activationLamports <= computeHighestRent(0n), "not_asked_for");
  // The most that these dollars can buy within the package's own price bounds, whatever price the service names.
  assertAsShown(roundUpLamports <= computeMaxLamports(microUsd, DEFAULT_PRICE_BOUNDS), "implausible");
  assertAsShown(serviceFeeLamports <= applyBps(roundUpLamports, feeBps), "fee_too_high");
}
