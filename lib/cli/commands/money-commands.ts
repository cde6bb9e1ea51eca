import type { Command } from "commander";
import { KNOWN_TOKEN_SYMBOLS, type PayAsset } from "../../domain/assets";
import { formatExactUsd } from "../../domain/money";
import { toBaseUnits } from "../../sdk/amounts";
import { readStoredRecord } from "../../sdk/flow/record";
import { suggestPayWith } from "../../sdk/pay-with";
import type { Allowance } from "../../sdk/reads";
import type { InvestRequest } from "../../sdk/requests";
import type { CommandContext } from "../io";
import {
  addPayOptions,
  addPurchaseOptions,
  addSlippageOption,
  addTermsOptions,
  createPayWithOption,
  parseAsset,
  parseDollars,
  parseKnownToken,
  parsePositiveDollars,
  pickPayTerms,
  pickTerms,
} from "../options";
import {
  toAllowanceRows,
  toInvestmentRows,
  toRevocationRows,
  toSaleRows,
  toSavingRows,
  toWithdrawalRows,
} from "../output/payment-rows";
import { formatTable, type OptionalRow } from "../output/text";
import { addPriceOptions, createPriceAcceptance } from "../price-check";
import { type Payment, runPayment } from "../run-payment";
import { openSession, type Session } from "../state/session";
import { withUsageErrors } from "../usage-error";

/** Adds the commands that sign transactions. Each shows verified figures. Each asks before it signs, unless with `--yes`. */
export function addMoneyCommands(context: CommandContext): void {
  const { program } = context;
  const addPaymentAction = createPaymentAction(context);
  addSaveAndTopupCommands(program, addPaymentAction);
  addInvestAndSellCommands(program, addPaymentAction);
  addWithdrawCommand(program, addPaymentAction);
  addAllowanceCommands(context, addPaymentAction);
}

type AddPaymentAction = <Build, About>(
  command: Command,
  createPayment: (session: Session, command: Command) => Payment<Build, About>,
) => void;

const createPaymentAction =
  ({ io, setAction }: CommandContext): AddPaymentAction =>
  (command, createPayment) =>
    setAction(command.option("--dry-run", "show the figures and sign nothing"), async () => {
      const options = command.optsWithGlobals();
      const session = openSession(options, io, { acceptPrices: createPriceAcceptance(options, io) });
      return runPayment(options, io, createPayment(session, command));
    });

function addSaveAndTopupCommands(program: Command, addPaymentAction: AddPaymentAction): void {
  const save = program
    .command("save")
    .description("save the change of your purchases")
    .argument(
      "<usd...>",
      "amounts of your purchases in US dollars, e.g. 4.02 27.03; each is rounded up separately",
      (text: string, amountsUsd: number[] = []) => [...amountsUsd, parseDollars(text)],
    )
    .option("--reference <name>", REFERENCE_HELP);
  addPaymentAction(addPriceOptions(addTermsOptions(addPayOptions(save))), ({ roundup }, command) => {
    const { reference, ...options } = command.optsWithGlobals();
    const [purchasesUsd] = command.processedArgs;
    const payTerms = pickPayTerms(options);
    return {
      run: (confirm) => roundup.save({ purchasesUsd, ...pickTerms(options), ...payTerms, reference }, confirm),
      toRows: toSavingRows(payTerms),
    };
  });
  const topup = program
    .command("topup")
    .description("save a fixed amount")
    .argument("<usd>", "amount in US dollars, fee included", parsePositiveDollars)
    .option("--period <name>", "the period of a recurring top-up, e.g. 2026-W47; each period is topped up once")
    .option("--reference <name>", REFERENCE_HELP);
  addPaymentAction(addPriceOptions(addPayOptions(topup)), ({ roundup }, command) => {
    const { period, reference, ...options } = command.optsWithGlobals();
    const [amountUsd] = command.processedArgs;
    const payTerms = pickPayTerms(options);
    return {
      run: (confirm) => roundup.topup({ amountUsd, period, reference, ...payTerms }, confirm),
      toRows: toSavingRows(payTerms),
      hiddenMembers: ROUND_UP_MEMBERS,
    };
  });
}

const REFERENCE_HELP = "your name for an order, e.g. order-1001; each order is saved once";

/** Members of a build that describe how purchases were rounded up. A top-up hides them, because it rounds nothing. */
const ROUND_UP_MEMBERS = "txValueUsd plan roundToUsd ceilingUsd multiplier roundedToUsd skipped capped".split(" ");

function addInvestAndSellCommands(program: Command, addPaymentAction: AddPaymentAction): void {
  const invest = program
    .command("invest")
    .description("buy assets with your savings")
    .addOption(createPayWithOption("USDC if it reaches the threshold alone, otherwise SOL; with --yes SOL"));
  addPaymentAction(addPriceOptions(addPurchaseOptions(invest)), (session, command) => {
    const { allocations, thresholdUsd, slippageBps, payWith, yes } = command.optsWithGlobals();
    const request: InvestRequest = { allocations, thresholdUsd, slippageBps, payWith };
    return {
      run: async (confirm) => {
        // An unattended run spends nothing that its user has not named.
        if (payWith === undefined && !yes) request.payWith = await choosePayWith(session, request);
        return session.roundup.invest(request, confirm);
      },
      toRows: toInvestmentRows,
    };
  });
  const sell = program
    .command("sell")
    .description("sell an asset for SOL or USDC; the proceeds stay in your savings wallet")
    .argument("<asset>", "BTC, ETH, USDC or USDT", parseAsset)
    .argument("[coins]", "how many coins to sell (all)")
    .requiredOption("--into <asset>", "SOL or USDC", parseAsset, "SOL")
    .option("--from-own-wallet", "sell what your own wallet holds, for example USDC for the SOL that fees take");
  addPaymentAction(addPriceOptions(addSlippageOption(sell)), ({ roundup }, command) => {
    const { into, slippageBps, fromOwnWallet } = command.opts();
    const [asset, coinsText] = command.processedArgs;
    const amountBaseUnits = coinsText === undefined ? null : withUsageErrors(() => toBaseUnits(asset, coinsText));
    return {
      run: (confirm) =>
        roundup[fromOwnWallet ? "sellOwn" : "sell"]({ asset, into, amountBaseUnits, slippageBps }, confirm),
      toRows: toSaleRows(asset, into),
    };
  });
}

/** Returns what an unfinished investment spends, or what suits the savings. Undefined is SOL. @throws {ApiError} */
async function choosePayWith(
  { roundup, storage }: Session,
  { allocations, thresholdUsd }: InvestRequest,
): Promise<PayAsset | undefined> {
  const serviceWallet = await roundup.serviceWallet();
  const unfinishedRecord = await readStoredRecord<InvestRequest, unknown>(storage, "invest", serviceWallet);
  if (unfinishedRecord) return unfinishedRecord.request.payWith;
  const { usdcUsd } = await roundup.accumulator(serviceWallet, thresholdUsd);
  return suggestPayWith(usdcUsd, allocations, thresholdUsd) === "USDC" ? "USDC" : undefined;
}

function addWithdrawCommand(program: Command, addPaymentAction: AddPaymentAction): void {
  const withdraw = program
    .command("withdraw")
    .description("send savings from your savings wallet: everything, one asset, or an amount of it")
    .argument("[asset]", KNOWN_TOKEN_SYMBOLS.join(", "), parseKnownToken)
    .argument("[coins]", "how many coins of the asset (all)")
    .option("--destination <address>", "the address to send to (your own wallet)");
  addPaymentAction(withdraw, ({ roundup, wallet }, command) => {
    const [asset = null, coinsText] = command.processedArgs;
    const amountBaseUnits = coinsText === undefined ? null : withUsageErrors(() => toBaseUnits(asset, coinsText));
    const destination = command.opts().destination ?? wallet;
    return {
      run: (confirm) => roundup.withdraw({ destination, asset, amountBaseUnits }, confirm),
      toRows: toWithdrawalRows,
    };
  });
}

function addAllowanceCommands({ program, io, setAction }: CommandContext, addPaymentAction: AddPaymentAction): void {
  const allowance = program
    .command("allowance")
    .description("show how much USDC your savings wallet may still take; set or revoke it");
  setAction(allowance, async () => {
    const value = await openSession(program.opts(), io).roundup.allowance();
    return { value, lines: formatTable(toAllowanceStateRows(value)) };
  });
  const set = allowance
    .command("set")
    .description("let your savings wallet take up to an amount of USDC; it replaces what was left of the old allowance")
    .argument("<usd>", "amount in USDC, 1 to 1000", parsePositiveDollars);
  addPaymentAction(set, ({ roundup }, command) => {
    const [amountUsd] = command.processedArgs;
    return { run: (confirm) => roundup.allow({ amountUsd }, confirm), toRows: toAllowanceRows };
  });
  const revoke = allowance.command("revoke").description("end the allowance");
  addPaymentAction(revoke, ({ roundup }) => ({
    run: (confirm) => roundup.revokeAllowance({}, confirm),
    toRows: toRevocationRows,
  }));
}

const toAllowanceStateRows = ({ delegate, isServiceWallet, remainingUsd }: Allowance): OptionalRow[] => [
  ["Your savings wallet may take", isServiceWallet ? formatExactUsd(remainingUsd) : "nothing"],
  delegate !== null && !isServiceWallet && ["Another delegate", `${delegate}, e.g. of a subscription`],
];
