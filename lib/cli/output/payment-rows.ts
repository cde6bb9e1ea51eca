import { formatDecimal, formatExactUsd } from "../../domain/money";
import type { AllowanceBuild, RevocationBuild } from "../../sdk/flow/allowance";
import type { SwapBuild } from "../../sdk/flow/invest";
import type { SaveBuild } from "../../sdk/flow/save";
import type { SaleBuild } from "../../sdk/flow/sell";
import type { WithdrawBuild } from "../../sdk/flow/withdraw";
import { isInUsdc } from "../../sdk/flow/wraps";
import type { PayTerms } from "../../sdk/requests";
import { formatSol, formatUsdc, type OptionalRow, type TableRow } from "./text";

/* The tables that the command shows before each kind of action. The dashboard shows the same figures. */

export const toSavingRows =
  (payTerms: PayTerms) =>
  ({ breakdown }: SaveBuild): OptionalRow[] =>
    isInUsdc(breakdown) ? toUsdcSavingRows(breakdown, payTerms) : toSolSavingRows(breakdown);

type Breakdown = SaveBuild["breakdown"];

const toUsdcSavingRows = (breakdown: Breakdown, { by }: PayTerms): OptionalRow[] => [
  ["Saves", `${formatExactUsd(breakdown.roundUpUsd)} (${formatUsdc(breakdown.roundUpUnits)})`],
  ["Leaves your wallet", formatUsdc(breakdown.roundUpUnits)],
  ["Arrives in your savings wallet", formatUsdc(breakdown.userInvestmentUnits)],
  ["Service fee", formatFee(breakdown, formatUsdc(breakdown.serviceFeeUnits))],
  ["Network fee", `${formatSol(breakdown.networkFeeLamports)}, at most`],
  breakdown.tokenAccountDepositLamports > 0 && [
    "Deposit to open its USDC account",
    `${formatSol(breakdown.tokenAccountDepositLamports)}, at most; it stays yours`,
  ],
  by === "allowance" && ["Signs, and pays the SOL", "your savings wallet, by your allowance"],
];

const formatFee = ({ serviceFeeUsd, serviceFeePercent }: Breakdown, amountText: string) =>
  `${formatExactUsd(serviceFeeUsd)} (${serviceFeePercent} %, ${amountText})`;

const toSolSavingRows = (breakdown: Breakdown): OptionalRow[] => [
  ["Saves", `${formatExactUsd(breakdown.roundUpUsd)} (${formatSol(breakdown.roundUpLamports)})`],
  ["Leaves your wallet", `${formatSol(breakdown.totalLamports)}, at most`],
  ["Arrives in your savings wallet", formatSol(breakdown.userInvestmentLamports + breakdown.activationLamports)],
  breakdown.activationLamports > 0 && ["  of it to open that wallet, yours", formatSol(breakdown.activationLamports)],
  ["Service fee", formatFee(breakdown, formatSol(breakdown.serviceFeeLamports))],
  ["Network fee", `${formatSol(breakdown.networkFeeLamports)}, at most`],
];

export const toAllowanceRows = ({ breakdown }: AllowanceBuild): OptionalRow[] => [
  ["Your savings wallet may take", `${formatExactUsd(breakdown.amountUsd)} of your USDC, at most`],
  ["Leaves your wallet now", `${formatSol(breakdown.totalLamports)}, at most`],
  breakdown.reserveLamports > 0 && [
    "  of it for your savings wallet's network fees, yours",
    formatSol(breakdown.reserveLamports),
  ],
  breakdown.tokenAccountDepositLamports > 0 && [
    "  of it a refundable deposit",
    `${formatSol(breakdown.tokenAccountDepositLamports)}, at most`,
  ],
  breakdown.serviceFeeLamports > 0 && ["Service fee", formatSol(breakdown.serviceFeeLamports)],
  ["Network fee", `${formatSol(breakdown.networkFeeLamports)}, at most`],
];

export const toRevocationRows = ({ breakdown }: RevocationBuild): TableRow[] => [
  ["Your savings wallet may take", "nothing more"],
  ["Network fee", `${formatSol(breakdown.networkFeeLamports)}, at most`],
];

type Quote = (SwapBuild | SaleBuild)["transactions"][number]["quote"];

const formatOutput = (asset: string, { outputAmount, minimumOutputAmount, outputDecimals }: Quote) =>
  `→ ${formatDecimal(outputAmount, outputDecimals)} ${asset}, at least ${formatDecimal(minimumOutputAmount, outputDecimals)}`;

const toCostRows = (costs: SwapBuild["costs"]): TableRow[] => [
  ["Network fee", `${formatSol(costs.networkFeeLamports)}, at most`],
  ["Deposit, refundable", `${formatSol(costs.tokenAccountDepositLamports)}, at most`],
];

export const toInvestmentRows = ({ payWith, transactions, costs }: SwapBuild): TableRow[] => [
  ...transactions.map(
    ({ inputAmount, asset, quote }): TableRow => [
      `${formatDecimal(inputAmount, quote.inputDecimals)} ${payWith}`,
      formatOutput(asset, quote),
    ],
  ),
  ...toCostRows(costs),
  [
    "Stays as SOL",
    `${formatSol(costs.reserveLamports)}, as the service says. It comes back when you withdraw everything. A part may need a top-up first.`,
  ],
];

export const toSaleRows =
  (asset: string, into: string) =>
  ({ transactions, costs }: SaleBuild): TableRow[] => [
    ...transactions.map(
      ({ inputAmount, quote }): TableRow => [
        `${formatDecimal(inputAmount, quote.inputDecimals)} ${asset}`,
        formatOutput(into, quote),
      ],
    ),
    ...toCostRows(costs),
  ];

export const toWithdrawalRows = (build: WithdrawBuild): OptionalRow[] => [
  ["To", build.destination],
  ...build.transactions
    .flatMap(({ assets }) => assets)
    .map(({ symbol, amount, decimals }): TableRow => ["Sends", `${formatDecimal(amount, decimals)} ${symbol}`]),
  ["Network fee", formatSol(build.costs.networkFeeLamports)],
  ["Deposit at the destination", `${formatSol(build.costs.tokenAccountDepositLamports)}, at most`],
  ...build.leftBehind.map(
    ({ symbol, amount, decimals, reason }): TableRow => [
      "Stays",
      `${formatDecimal(amount, decimals)} ${symbol}: ${reason}`,
    ],
  ),
  build.keepsRentMinimum && ["Keeps", formatRemainder(build)],
  !!build.missingToKeep && ["If refused again", formatTopupAdvice(build.missingToKeep)],
  !build.complete && ["More", "than fits into one go; the rest is built after it"],
];

const formatTopupAdvice = (lamports: number) =>
  `add ${formatSol(lamports)} to your savings wallet, as the service says: then nothing sent to it can stop this.`;

const formatRemainder = ({ remainingLamports }: WithdrawBuild) =>
  `${formatSol(remainingLamports)}, as the service says, and other tokens: an earlier withdrawal was refused. Withdraw again later for the rest.`;
