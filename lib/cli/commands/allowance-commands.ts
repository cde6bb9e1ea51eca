import { formatExactUsd } from "../../domain/money";
import type { Allowance } from "../../sdk/reads";
import type { CommandContext } from "../io";
import { parsePositiveDollars } from "../options";
import { toAllowanceRows, toRevocationRows } from "../output/payment-rows";
import { formatTable, type OptionalRow } from "../output/text";
import { openSession } from "../state/session";
import { createPaymentAction } from "./money-commands";

export function addAllowanceCommands(context: CommandContext): void {
  const { program, io, setAction } = context;
  const addPaymentAction = createPaymentAction(context);
  const allowance = program
    .command("allowance")
    .description("show how much USDC your savings wallet may still take; set or revoke it");
  setAction(allowance, async () => {
    const value = await openSession(program.opts(), io).roundup.allowance();
    return { value, lines: formatTable(toRows(value)) };
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

const toRows = ({ delegate, isServiceWallet, remainingUsd }: Allowance): OptionalRow[] => [
  ["Your savings wallet may take", isServiceWallet ? formatExactUsd(remainingUsd) : "nothing"],
  delegate !== null && !isServiceWallet && ["Another delegate", `${delegate}, e.g. of a subscription`],
];
