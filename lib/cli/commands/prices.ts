import { formatExactUsd } from "../../domain/money";
import { describeDoubts } from "../../sdk/prices/guard";
import { listPriceEntries } from "../../sdk/prices/price-store";
import type { CommandContext } from "../io";
import { formatTable, printAnswer, type TableRow } from "../output/text";
import { addPriceOptions } from "../price-check/options";
import { EXIT_CODES } from "../run-payment";
import { type GlobalOptions, openSession } from "../state/session";

/** Adds `prices`, which shows the prices that payments would use and stores a price that the user accepts. */
export function addPricesCommand({ program, io, setAction }: CommandContext): void {
  const prices = program
    .command("prices")
    .description(
      "show the service's prices and the prices confirmed on this machine; payments stop if a price moved too far",
    );
  setAction(addPriceOptions(prices), async (command) => {
    const globals = command.optsWithGlobals<GlobalOptions>();
    const { roundup } = openSession(globals, io);
    const { priceGuard } = roundup;
    const { prices: currentPrices } = await roundup.prices();
    const confirmedPrices = await priceGuard.readConfirmed();
    if (globals.acceptPrice) await priceGuard.accept(await priceGuard.listDoubts(currentPrices));
    const doubts = await priceGuard.listDoubts(currentPrices);
    const rows = listPriceEntries(currentPrices).map(([asset, priceUsd]): TableRow => {
      const confirmedUsd = confirmedPrices[asset];
      const confirmation = confirmedUsd === undefined ? "" : `, confirmed before: ${formatExactUsd(confirmedUsd)}`;
      return [asset, `${formatExactUsd(priceUsd)}${confirmation}`];
    });
    const value = { prices: currentPrices, confirmed: confirmedPrices, doubts };
    printAnswer(io, globals.json, { value, lines: formatTable(rows) });
    for (const doubt of doubts) io.say(describeDoubts([doubt]));
    return doubts.length === 0 ? EXIT_CODES.done : EXIT_CODES.refused;
  });
}
