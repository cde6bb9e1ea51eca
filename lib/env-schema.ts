import { z } from "zod";
import { parseClientIp } from "./domain/client-ip";
import { isPauseReason, PAUSABLE_ACTIONS, parsePausableActions } from "./domain/pause";
import { parsePriceBounds } from "./domain/prices/price-bounds";
import { parseRedisHosts, parseRedisUrl } from "./domain/shared-store-settings";
import { parseStaticKeys } from "./domain/static-keys";
import { MAX_PRIORITY_FEE_LAMPORTS } from "./solana/compute-budget";

/** A text, or undefined if the variable is empty or not set. */
const optionalText = z.preprocess((value) => (value === "" ? undefined : value), z.string().optional());
export const commaList = optionalText.transform((text) =>
  (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean),
);
const defineWholeNumber = (fallback: number, max: number) =>
  optionalText.transform((text) => Number(text ?? fallback)).pipe(z.int().min(0).max(max));
const definePort = (fallback: number) => defineWholeNumber(fallback, 65_535);
/** A number, or `fallback` for a variable that is not set. */
const defineNumber = <Fallback extends null | undefined>(fallback: Fallback) =>
  optionalText.transform((text): number | Fallback => (text === undefined ? fallback : Number(text)));
/** A number of calls per second, or undefined for a variable that is not set. */
const defineCallsPerSecond = (min: number) => defineNumber(undefined).pipe(z.number().min(min).max(100_000).optional());
const httpUrl = z.url({ protocol: /^https?$/ });
const optionalUrl = optionalText.pipe(httpUrl.optional());
const urlList = commaList.transform((parts, ctx): string[] => {
  // The message names the position only, because an address may contain a key.
  const wrongIndex = parts.findIndex((part) => !httpUrl.safeParse(part).success);
  if (wrongIndex >= 0) ctx.addIssue({ code: "custom", message: `address ${wrongIndex + 1} is not an http(s) URL` });
  return parts;
});
/** A setting that `parse` reads. `parse` returns a text for a wrong value, which describes the fault. */
const defineParsed = <T extends object | undefined>(parse: (text: string | undefined) => T | string) =>
  optionalText.transform((text, ctx): T => {
    const value = parse(text);
    if (typeof value !== "string") return value;
    ctx.addIssue({ code: "custom", message: value });
    return z.NEVER;
  });
const optionalOrigin = optionalUrl.transform((text) => text && new URL(text).origin);

/** The settings of the network and of its store, which the web process and the operator command share. */
export const storeSettings = {
  NETWORK: optionalText
    .pipe(z.enum(["sandbox", "mainnet-beta", "mainnet"]).default("sandbox"))
    .transform((name) => (name === "mainnet" ? "mainnet-beta" : name)),
  DATA_DIR: optionalText,
  KV_REST_API_URL: optionalUrl,
  KV_REST_API_TOKEN: optionalText,
  REDIS_URL: defineParsed((text) => (text === undefined ? undefined : parseRedisUrl(text))),
  REDIS_SENTINELS: defineParsed((text) => parseRedisHosts(text ?? "", 26_379)),
  REDIS_CLUSTER: defineParsed((text) => parseRedisHosts(text ?? "", 6_379)),
  REDIS_PREFIX: optionalText.pipe(
    z
      .string()
      .regex(/^[\w:.-]{1,64}$/, "has other characters than letters, digits and :._-")
      .optional(),
  ),
  REDIS_WAIT_REPLICAS: defineWholeNumber(0, 10),
  KV_TIMEOUT_MS: defineNumber(undefined).pipe(z.int().min(100).max(60_000).optional()),
};

export const EnvSchema = z.object({
  HOST: optionalText.pipe(z.string().default("127.0.0.1")),
  PORT: definePort(3000),
  METRICS_PORT: defineNumber(null).pipe(z.int().min(0).max(65_535).nullable()),
  LOG_LEVEL: optionalText.pipe(z.enum(["debug", "info", "warn", "error", "silent"]).default("info")),
  CLIENT_IP: defineParsed(parseClientIp),
  DRAIN_SECONDS: defineWholeNumber(10, 60),
  PUBLIC_URL: optionalUrl,
  WALLET_ORIGIN: optionalOrigin,
  SOLANA_RPC_URL: optionalUrl,
  SOLANA_RPC_URLS: urlList,
  SOLANA_SEND_URLS: urlList,
  SENDS_PER_SECOND: defineNumber(null).pipe(z.number().min(0.1).max(1000).nullable()),
  RPC_CALLS_PER_SECOND: defineCallsPerSecond(5),
  JUPITER_URL: optionalUrl.default("https://api.jup.ag"),
  JUPITER_API_KEY: optionalText,
  JUPITER_CALLS_PER_SECOND: defineCallsPerSecond(0.1),
  PRIORITY_FEE_PERCENTILE: defineWholeNumber(50, 100),
  PRIORITY_FEE_MAX_LAMPORTS: defineWholeNumber(Number(MAX_PRIORITY_FEE_LAMPORTS), Number(MAX_PRIORITY_FEE_LAMPORTS)),
  HERMES_URL: optionalUrl.default("https://pyth.dourolabs.app/hermes"),
  HERMES_API_KEY: optionalText,
  PRICE_BOUNDS: defineParsed((text) => parsePriceBounds(commaList.parse(text))),
  FEE_COLLECTORS: commaList,
  PAUSE: defineParsed(
    (text) =>
      parsePausableActions(commaList.parse(text)) ?? `names something other than ${PAUSABLE_ACTIONS.join(" and ")}`,
  ),
  PAUSE_REASON: optionalText.refine(
    (text) => text === undefined || isPauseReason(text),
    "is too long or not printable",
  ),
  API_KEYS: defineParsed((text) => parseStaticKeys(text ?? "")),
  API_KEYS_FILE: optionalText,
  ...storeSettings,
  SANDBOX_URL: optionalUrl,
  SANDBOX_PORT: definePort(8899),
  SANDBOX_PRICES: optionalText.pipe(z.enum(["fixed", "walk"]).default("walk")),
  SANDBOX_SLOT_MS: defineNumber(undefined).pipe(z.int().min(50).max(2000).default(200)),
  SANDBOX_FEES: optionalText.pipe(z.enum(["flat", "resource-10", "resource-4", "resource-2"]).default("flat")),
  CRON_SECRET: optionalText.pipe(z.string().min(16, "needs at least 16 characters").optional()),
  VERCEL: optionalText,
});

/** Fills in the defaults that carry the network's name, so that two networks do not meet in one folder or server. */
export const addNetworkDefaults = <Settings extends z.output<z.ZodObject<typeof storeSettings>>>(
  settings: Settings,
) => ({
  ...settings,
  DATA_DIR: settings.DATA_DIR ?? `.data/${settings.NETWORK}`,
  REDIS_PREFIX: settings.REDIS_PREFIX ?? `roundup:${settings.NETWORK}:`,
});

export type Env = ReturnType<typeof addNetworkDefaults<z.output<typeof EnvSchema>>>;
