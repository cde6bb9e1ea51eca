import { BulletList, Li, P, Section, Table } from "@/app/docs/_components/prose";
import { DEFAULT_KEY_DAYS, MAX_KEY_DAYS, MAX_KEYS_PER_WALLET } from "@/lib/domain/api-key";
import {
  BATCH_SIZE_RANGE,
  CALL_RATE_LIMIT,
  CEILING_USD_RANGE,
  OPTIONS_RATE_LIMIT,
  PAGE_RATE_LIMIT,
  PLACES_PER_ADDRESS,
  PROBE_RATE_LIMIT,
  PURCHASE_USD_RANGE,
  RATE_WINDOW_MS,
  ROUND_TO_USD_RANGE,
  SLIPPAGE_BPS_RANGE,
  THRESHOLD_USD_RANGE,
} from "@/lib/domain/limits";
import {
  DEFAULT_CEILING_USD,
  DEFAULT_PLAN,
  DEFAULT_SLIPPAGE_BPS,
  DEFAULT_THRESHOLD_USD,
  PLANS,
} from "@/lib/domain/plans";

const formatThousands = (amount: number) => amount.toLocaleString("en-US");
const formatRange = ({ min, max }: { min: number; max: number }) => `${min} to ${formatThousands(max)}`;

const WINDOW_TEXT = `any rolling ${RATE_WINDOW_MS / 1000} seconds`;

const LIMITS = [
  ["Calls", `${CALL_RATE_LIMIT} in ${WINDOW_TEXT}, per client address, over all of /api`],
  [
    "Preflights",
    `${OPTIONS_RATE_LIMIT} OPTIONS requests in ${WINDOW_TEXT}, per client address; they are not counted as calls`,
  ],
  [
    "Health probes",
    `${PROBE_RATE_LIMIT} in ${WINDOW_TEXT}, per client address: GET /api/health?probe=… and HEAD; they are not counted as calls`,
  ],
  ["Pages", `${PAGE_RATE_LIMIT} in ${WINDOW_TEXT}, per client address; scripts and pictures are not counted`],
  ["Body of a request", "16 KiB, JSON"],
  ["Purchase", `${formatRange(PURCHASE_USD_RANGE)} dollars; ${BATCH_SIZE_RANGE.max} purchases in a batch`],
  ["Custom step", `${formatRange(ROUND_TO_USD_RANGE)} dollars`],
  [
    "Ceiling of a round-up",
    `up to ${CEILING_USD_RANGE.max} dollars; ${DEFAULT_CEILING_USD} times the multiplier by default`,
  ],
  [
    "Minimum to invest",
    `up to ${formatThousands(THRESHOLD_USD_RANGE.max)} dollars; ${DEFAULT_THRESHOLD_USD} by default`,
  ],
  [
    "Slippage",
    `${formatRange(SLIPPAGE_BPS_RANGE)} basis points; ${DEFAULT_SLIPPAGE_BPS} (${DEFAULT_SLIPPAGE_BPS / 100} %) by default`,
  ],
  ["Prices", "cached for 30 seconds; builds refuse a price older than a minute; reads refuse one older than 5 minutes"],
  ["Signed transaction", "1,232 bytes, legacy or version 0, with a recent blockhash"],
  [
    "Transactions without an outcome",
    `${PLACES_PER_ADDRESS} of a client address; of a static key a third of its calls a minute, and at least ${PLACES_PER_ADDRESS}. A new one beyond that gets 429; the same bytes may always be posted again`,
  ],
  [
    "Calls that wait for an event",
    `as many as transactions; a call beyond that does not wait, and its answer says in retryAfterMs when to call again`,
  ],
  ["Waiting for an outcome", "25 seconds, then 202"],
  ["Waiting for anything else", "5 seconds, then 504"],
  [
    "API keys",
    `${MAX_KEYS_PER_WALLET} live ones a wallet, 1 to ${MAX_KEY_DAYS} days each; ${DEFAULT_KEY_DAYS} by default`,
  ],
];

export default function LimitsGuide() {
  return (
    <>
      <P>
        The limits count per client address, with or without credentials. The one exception is a static key with its own
        limit: its calls count by key, from any address. When the service has used up its quota of chain reads, callers
        take turns: each client address, and each static key. Builds and submitted transactions go before reads without
        valid credentials. A request that has waited 3 seconds for its turn gets 503 with `Retry-After`.
      </P>
      <Section id="numbers" title="The numbers">
        <Table caption="Limits" head={["What", "Limit"]} rows={LIMITS} />
      </Section>
      <Section id="plans" title="The plans">
        <Table
          caption="Plans"
          head={["Plan", "Rounds up to the next", "Service fee, share of the round-up"]}
          rows={Object.entries(PLANS).map(([plan, { roundToUsd, serviceFeePercent }]) => [
            `\`${plan}\`${plan === DEFAULT_PLAN ? " (default)" : ""}`,
            `$${roundToUsd.toFixed(2)}`,
            `${serviceFeePercent} %`,
          ])}
        />
        <P>
          A custom step pays the fee of the largest plan whose step is not above it. A step below all plans pays the fee
          of `seed`.
        </P>
      </Section>
      <Section id="headers" title="Where you stand">
        <P>Every answer of the API carries these headers.</P>
        <BulletList>
          <Li>`X-RateLimit-Limit`, `X-RateLimit-Remaining`, and `X-RateLimit-Reset` in Unix seconds.</Li>
          <Li>
            `RateLimit` and `RateLimit-Policy` carry the same figures in the standard form. The policy names the limit
            that counted the call: `default`, `options`, or `key:` and the name.
          </Li>
          <Li>`Retry-After`, in seconds, with 429 and 503.</Li>
        </BulletList>
      </Section>
    </>
  );
}
