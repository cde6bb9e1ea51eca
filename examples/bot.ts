/**
 * A bot with its own wallet. It saves the change of each of its purchases once, however often it is started, and
 * invests what has accumulated. It signs nothing above its own limits.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRoundup, keyWallet, type Storage } from "roundup-sdk";

const { ROUNDUP_URL = "http://localhost:3000", KEYPAIR = "id.json", STATE = ".bot" } = process.env;
/** The bot's purchases. `reference` is the bot's own name for one, and `usd` is its price in US dollars. */
const purchases: { reference: string; usd: number }[] = JSON.parse(readFileSync(process.argv[2]!, "utf8"));
/** The bot refuses to save more than this for one purchase. */
const MAX_SAVED_USD = 2;

// Unfinished payments must survive a restart. A key can contain characters that a file name cannot, so encode it.
mkdirSync(STATE, { recursive: true });
const toFilePath = (key: string) => `${STATE}/${encodeURIComponent(key)}`;
const storage: Storage = {
  get: (key) => {
    try {
      return readFileSync(toFilePath(key), "utf8") || null;
    } catch {
      return null;
    }
  },
  set: (key, value) => {
    writeFileSync(`${STATE}/draft`, value ?? "", { flush: true });
    renameSync(`${STATE}/draft`, toFilePath(key));
  },
};

const wallet = keyWallet(readFileSync(KEYPAIR, "utf8"));
const roundup = createRoundup({ baseUrl: ROUNDUP_URL, origin: "sandbox", wallet, storage });

for (const { reference, usd } of purchases) {
  const saveResult = await roundup.save(
    { purchasesUsd: [usd], plan: "forest", reference },
    ({ breakdown }) => breakdown.roundUpUsd <= MAX_SAVED_USD,
  );
  // `elsewhere` means that this reference was saved before.
  console.log(`${reference}: ${saveResult.status}`);
}

const allocations = [{ asset: "BTC" as const, pct: 100 }];
const investResult = await roundup.invest(
  { allocations, slippageBps: 100, thresholdUsd: 1 },
  ({ costs }) => costs.networkFeeLamports <= 100_000,
);
console.log(`invest: ${investResult.status}${investResult.status === "refused" ? ` (${investResult.reason})` : ""}`);
