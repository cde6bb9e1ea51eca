import { sha256 } from "@noble/hashes/sha2";
import { encodeUtf8, toBase64 } from "../solana/bytes";
import { DAY_MS } from "./time";

/*
 * The families of keys in the store. No other file builds a key. `npm run docs` writes the table into docs/operations.md.
 */

/**
 * Defines the keys that consist of `name` and these parts, joined by colons.
 * @param ttlMs null: the entries never expire, or as `expiryText` says
 * @param bytes size of a usual entry, key and JSON value together
 * @param value what an entry holds
 */
const family = <const Parts extends readonly string[], Ttl extends number | null>(
  name: string,
  parts: Parts,
  ttlMs: Ttl,
  bytes: number,
  value: string,
  expiryText: string | null = null,
) => ({
  toKey: (...values: { [Index in keyof Parts]: string | number | bigint | null }) => [name, ...values].join(":"),
  name,
  parts,
  ttlMs,
  bytes,
  value,
  expiryText,
});

/** Returns half of a SHA-256 as text: 128 bits in 22 characters, so that keys and records are short. */
export const toShortHash = (content: string | Uint8Array) =>
  toBase64(sha256(typeof content === "string" ? encodeUtf8(content) : content).subarray(0, 16)).slice(0, 22);

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const ONCE_PARTS = ["topup or ref", "wallet", "period or reference"] as const;

export const STORE_KEYS = {
  // What is saved. A claim and a landed mark keep a payment from being saved twice.
  claim: family(
    "claim",
    ["hash of kind, wallet, and period or reference"],
    null,
    155,
    "the newest saved payment, or the saving of the period or reference; and the saving in flight",
    "never; for a dated period one day after it is closed",
  ),
  // An app may put built transfers into its own transaction, and post it, up to 30 days later.
  markedPayee: family("marked-into", ["wallet", "payee"], 30 * DAY_MS, 105, "`true`: such a saving was built here"),
  // Expired progress only makes the next search read more of the history.
  markSearch: family("mark-look:through", ["wallet"], 30 * DAY_MS, 530, "how far the history was searched for marks"),
  // A period or a reference is saved once, so its progress serves only the retries of one saving.
  markSearchOnce: family("mark-look", ONCE_PARTS, DAY_MS, 400, "how far the history was searched for it"),
  spending: family("unsaved", ["wallet", "since", "savings wallet"], DAY_MS, 750, "the unsaved payments read so far"),
  spendingCursor: family(
    "spending-cursor",
    ["wallet", "since", "savings wallet", "address"],
    DAY_MS,
    270,
    "where the next call continues the list",
  ),

  // Sending. A blockhash lives 150 blocks. Ten minutes outlive them, and every retry of a well-behaved client.
  decision: family(
    "relayed-message",
    ["digest"],
    10 * MINUTE_MS,
    85,
    '`true` when it is sent, `"refused"` when refused',
  ),
  lastValidHeight: family(
    "valid-until",
    ["blockhash"],
    10 * MINUTE_MS,
    85,
    "its last block height, if handed out here",
  ),
  firstPosting: family(
    "first-posting",
    ["blockhash"],
    10 * MINUTE_MS,
    105,
    "the chain's head when it was first posted",
  ),
  pending: family("pending", [], null, 760, "a set of posted transactions without an event", "with the event"),
  pendingRound: family("pending-round", [], 5 * SECOND_MS, 17, "the process that finishes pending transactions"),
  // Afterwards the outcome is read from the chain, and amounts are valued at daily prices.
  landing: family("landed", ["signature's hash"], 30 * DAY_MS, 60, "slot, error and prices of a landed transaction"),
  feedHead: family("events", ["feed"], null, 60, "the number of the feed's last event"),
  event: family("event", ["feed", "page"], 30 * DAY_MS, 970, "eight events: type, time, wallet, signature, amounts"),
  // A client may post the same bytes again after they have expired, and they must not get a second event.
  eventOfExpired: family("event-of", ["signature", "feed"], 400 * DAY_MS, 155, "`true`: the feed has its event"),

  // Wallets and orders. The record of an unpaid wallet must expire: any caller can derive 256 wallets at no cost.
  serviceWallet: family(
    "service-wallet",
    ["address"],
    30 * DAY_MS,
    145,
    "the wallets that have registered it",
    "30 days after its last build; never once it was paid",
  ),
  // Each entry costs its owner a payment, so the sets stay small.
  paidServiceWallets: family(
    "paid-service-wallets",
    ["owner"],
    null,
    150,
    "the savings wallets that the owner has registered, once they were paid",
  ),
  // 30 days, as for events: the chain shows only the reference's hash.
  referenceText: family("reference-text", ["wallet", "hash"], 30 * DAY_MS, 100, "the text of a reference"),
  referenceBuild: family(
    "built",
    ["feed", "wallet", "reference"],
    30 * DAY_MS,
    145,
    "the least that the caller has built",
  ),
  // Strangers can name a wallet in any number of transactions.
  untouched: family("untouched", ["wallet"], DAY_MS, 5_400, "up to 100 transactions that did not touch the wallet"),

  // API keys.
  apiKey: family(
    "key",
    ["id"],
    null,
    250,
    "hash, wallet, name and times",
    "with the API key; a blocked id after 1 day",
  ),
  keyPlace: family(
    "key-place",
    ["wallet", "0 to 9"],
    null,
    105,
    "the API key in this place",
    "1 minute after the API key",
  ),
  revokedKey: family("key-revoked", ["id"], null, 120, "wallet and place of a revoked API key", "with the API key"),
  // Longer than any key lives.
  keyLastUsed: family("key-last-used", ["id"], 400 * DAY_MS, 45, "when an API key was last used"),
  keyUsedRecently: family("key-used-recently", ["id"], HOUR_MS, 40, "`true`: the last use was written in this hour"),
  // A year and a month, for a yearly invoice.
  keyUsage: family("key-usage", ["day"], 400 * DAY_MS, 100, "the calls of each static key on a UTC day"),

  // The deployment.
  storeNetwork: family("network", [], null, 20, "the network that the store belongs to"),
  walletOrigin: family("wallet-origin", [], null, 35, "the origin that savings wallets are derived from"),
  storeFormat: family("store-format", [], null, 13, "the format of these records"),
  signInSecret: family("sign-in-secret", [], null, 80, "the secret behind the nonces of sign-in messages"),
  pause: family("pause", [], null, 50, "what the operator has paused, and why", "when the operator ends it"),

  // Readings of upstreams. `toReadingKey` puts the network and the source before their keys.
  dayPrices: family(
    "prices-of",
    ["day"],
    30 * DAY_MS,
    90,
    "the prices of a UTC day",
    "never; a day without prices after 30 days",
  ),
  dayPricesFill: family("prices-of:filling", [], 10 * MINUTE_MS, 21, "the instance that fills earlier days"),
  priceMemory: family("price-memory", [], null, 410, "the price of each asset against which the next one is checked"),

  // What several instances share. A single instance with the embedded store writes none of these.
  currentPrices: family("prices:newest", [], MINUTE_MS, 190, "shared: the newest reading of the prices"),
  currentPricesLease: family("prices:reading", [], 5 * SECOND_MS, 18, "shared: the instance that reads the prices"),
  quote: family("quote", ["request"], 2 * SECOND_MS, 245, "shared: a quote of the aggregator"),
  rent: family("rent", ["bytes"], MINUTE_MS, 12, "shared: the rent-exempt minimum"),
  measure: family("measured", ["shape"], 5 * MINUTE_MS, 30, "shared: units or fee of a shape of transaction"),
  tokenAccounts: family(
    "token-accounts",
    ["wallet"],
    2 * MINUTE_MS,
    850,
    "shared: the addresses of its token accounts",
  ),
  transaction: family("transaction", ["signature"], 2 * MINUTE_MS, 1_000, "shared: a node's answer, once it is final"),
  // Several resends take less, so an instance that still sends keeps its lease.
  sendLease: family("sending", ["signature"], 5 * SECOND_MS, 130, "shared: the instance that sends the transaction"),
  rateLimit: family("rate-calls", ["address or key"], MINUTE_MS, 900, "shared: the calls of the last minute"),
  callBudget: family("calls", ["upstream"], null, 30, "shared: the calls of an upstream that are due", "when unused"),
  probe: family("probe", ["name"], SECOND_MS, 10, "a value that tests whether the store can be written"),
};

export type KeyFamily = (typeof STORE_KEYS)[keyof typeof STORE_KEYS];

/** Returns the key of a reading, which counts only for the same network and the same source. */
export const toReadingKey = (network: string, source: string, key: string) => `${network}:${source}:${key}`;
