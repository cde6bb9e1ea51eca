import { formatExactUsd, solToLamports } from "../../domain/money";
import type { InvestRequest } from "../../sdk/requests";
import type { CommandContext } from "../io";
import {
  addKeepSolOption,
  addPayOptions,
  addPurchaseOptions,
  addTermsOptions,
  createDollarOption,
  createStorableOption,
  createWholeNumberParser,
  pickPayTerms,
  pickTerms,
  type TermsOptions,
} from "../options";
import { formatLogLine, formatSol } from "../output/text";
import { addPriceCheckOptions } from "../price-check";
import { EXIT_CODES } from "../run-payment";
import { openLedger } from "../state/ledger";
import { openSession } from "../state/session";
import { UsageError, withUsageErrors } from "../usage-error";
import { followWallet } from "../watch/account-changes";
import { listLimits } from "../watch/pay-within-limits";
import { runWatch } from "../watch/watch";
import { createWatchMemory, type WatchEvent, type WatchSettings } from "../watch/watch-context";

interface WatchOptions extends TermsOptions, InvestRequest {
  everyUsd: number;
  maxPerDayUsd: number;
  maxPerMonthUsd?: number;
  keepSol: number;
  allowance?: boolean;
  wallet?: string;
  weeklyUsd?: number;
  intervalSeconds: number;
  dryRun?: boolean;
}

const NO_WEBSOCKET_NOTE =
  "This version of Node has no WebSocket (22 and later have), so the watch polls every --interval-seconds.";

export function addWatchCommand({ program, io, setAction }: CommandContext): void {
  const command = program
    .command("watch")
    .description("save the change of your wallet's payments and invest it, until you stop it")
    .addOption(
      createDollarOption(
        "--every-usd <usd>",
        "save once this much change has accumulated; smaller change is saved after a day",
        1,
      ),
    )
    .addOption(
      createDollarOption(
        "--max-per-day-usd <usd>",
        "the most to save in any 24 hours; savings by other programs count",
        10,
      ),
    )
    .addOption(
      createDollarOption("--max-per-month-usd <usd>", "the most to save in a calendar month, local time (no limit)"),
    )
    .addOption(createDollarOption("--weekly-usd <usd>", "top up by this amount each week"))
    .addOption(
      createStorableOption(
        "--ws <url>",
        "websocket of a node, to react to payments at once (Node 22 or later; sandbox: ws://localhost:8900)",
      ),
    )
    .option("--interval-seconds <n>", "seconds between two polls", createWholeNumberParser(15, 86_400), 60)
    .option("--dry-run", "print what it would do and sign nothing");
  setAction(
    addPriceCheckOptions(addPurchaseOptions(addPayOptions(addTermsOptions(addKeepSolOption(command))))),
    async () => {
      const options = command.optsWithGlobals();
      const settings = toSettings(options as WatchOptions);
      if (!options.yes && !settings.isDryRun)
        throw new UsageError("The watch signs without asking: give --yes, or --dry-run to sign nothing.");
      // `runWatch` retries failed and rate-limited calls itself, and logs each reason once.
      const session = openSession(options, io, { retries: 0, maxWaitMs: 0, onLimit: () => {} });
      const { ws } = options;
      const { WebSocket, pause } = io;
      const hasAddress = ws !== undefined;
      if (hasAddress && !WebSocket) io.say(NO_WEBSOCKET_NOTE);
      // An empty address is refused: without a message, the watch would only poll.
      const accountChanges =
        hasAddress && WebSocket ? withUsageErrors(() => followWallet(ws, session.wallet, { WebSocket, pause })) : null;
      const logEvent = (event: WatchEvent) => io.print(formatLogLine(event, io.clock.now(), options.json === true));
      logEvent({ event: "started", text: `watching ${session.wallet}: ${describeSettings(settings)}` });
      try {
        await runWatch({
          ...session,
          settings,
          log: logEvent,
          random: io.random,
          pause,
          isEnding: () => io.stopSignal.aborted,
          ledger: openLedger(session),
          memory: createWatchMemory(session.storage, session.wallet),
          waitForChange: () => accountChanges?.waitForChange() ?? null,
        });
      } finally {
        accountChanges?.close();
      }
      logEvent({ event: "ended", text: "ended" });
      return EXIT_CODES.done;
    },
  );
}

/** Converts the options to settings. @throws {UsageError} when one payment or top-up may exceed a limit */
function toSettings(options: WatchOptions): WatchSettings {
  const { everyUsd, allocations, thresholdUsd, slippageBps, maxPerDayUsd } = options;
  const { maxPerMonthUsd = null, weeklyUsd = null } = options;
  const terms = pickTerms(options);
  // The default ceiling is one dollar, times the multiplier.
  const maxPaymentUsd = terms.ceilingUsd ?? terms.multiplier ?? 1;
  for (const { period, limitUsd } of listLimits({ maxPerDayUsd, maxPerMonthUsd })) {
    const flag = `--max-per-${period}-usd`;
    if (weeklyUsd !== null && weeklyUsd > limitUsd) throw new UsageError(`--weekly-usd is more than ${flag}.`);
    if (maxPaymentUsd > limitUsd)
      throw new UsageError(
        `One payment may save ${formatExactUsd(maxPaymentUsd)}, which is more than ${flag}; lower --ceiling-usd.`,
      );
  }
  return {
    terms,
    everyUsd,
    allocations,
    thresholdUsd,
    slippageBps,
    ...pickPayTerms(options),
    maxPerDayUsd,
    maxPerMonthUsd,
    keepLamports: solToLamports(options.keepSol),
    weeklyUsd,
    isDryRun: options.dryRun === true,
    intervalMs: options.intervalSeconds * 1_000,
  };
}

function describeSettings({ allocations, weeklyUsd, ...settings }: WatchSettings): string {
  const allocationsText = allocations.map(({ asset, pct }) => `${pct} % ${asset}`).join(", ");
  return [
    `saves once ${formatExactUsd(settings.everyUsd)} of change has accumulated`,
    ...listLimits(settings).map(({ period, limitUsd }) => `at most ${formatExactUsd(limitUsd)} a ${period}`),
    settings.payWith === "USDC"
      ? `saves in USDC${settings.by === "allowance" ? ", by your allowance" : ""}`
      : `keeps ${formatSol(settings.keepLamports)}`,
    `invests from ${formatExactUsd(settings.thresholdUsd)} of ${settings.payWith ?? "SOL"} into ${allocationsText}`,
    ...(weeklyUsd === null ? [] : [`tops up ${formatExactUsd(weeklyUsd)} a week`]),
    ...(settings.isDryRun ? ["signs nothing"] : []),
  ].join(", ");
}
