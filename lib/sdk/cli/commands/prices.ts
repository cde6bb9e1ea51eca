import { formatExactUsd } from "../../../domain/money";
import type { Roundup } from "../../index";
import { describeDoubts } from "../../prices/guard";
import { listEntries } from "../../prices/memory";
import type { CommandPart } from "../command-part";
import type { Io } from "../io";
import { printAnswer } from "../output/format";
import { withAcceptPrice } from "../price-check/options";
import { EXIT, type Figure, formatTable } from "../run-payment";
import { type Globals, openSession } from "../state/session";

/** Adds `prices`, which shows the prices that payments would use and stores a price that the user accepts. */
export function addPrices({ program, io, setAction }: CommandPart): void {
  const prices = program
    .command("prices")
    .description(
      "show the service's prices and the prices confirmed on this machine; payments stop if a price moved too far",
    );
  setAction(withAcceptPrice(prices), async (command) => {
    const options = command.optsWithGlobals();
    const { roundup } = openSession(options, io);
    return showPrices(roundup, options, io);
  });
}

/** Shows the prices that payments would use. @returns the exit code; `refused` while a price is in doubt */
async function showPrices({ prices, priceGuard }: Roundup, { json, acceptPrice }: Globals, io: Io): Promise<number> {
  const { prices: now } = await prices();
  const confirmed = await priceGuard.readConfirmed();
  let doubts = await priceGuard.listDoubts(now);
  if (acceptPrice) {
    await priceGuard.accept(doubts);
    doubts = await priceGuard.listDoubts(now);
  }
  const figures = listEntries(now).map(([asset, price]): Figure => {
    const before = confirmed[asset];
    return [
      asset,
      `${formatExactUsd(price)}${before === undefined ? "" : `, confirmed before: ${formatExactUsd(before)}`}`,
    ];
  });
  printAnswer(io, json, { prices: now, confirmed, doubts }, formatTable(figures));
  for (const doubt of doubts) io.say(describeDoubts([doubt]));
  return doubts.length === 0 ? EXIT.done : EXIT.refused;
}
