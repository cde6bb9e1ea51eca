import { expect, test } from "vitest";
import { createCalls } from "@/lib/sdk/calls/calls";
import { type RelayOutcome, relay } from "@/lib/sdk/flow/relay";
import type { Clock } from "@/lib/sdk/platform";

/** Creates the answer of one post, or throws as `fetch` does. */
type Answer = () => Response;

const createFailure =
  (status: number, code: string, retryAfter?: string): Answer =>
  () => {
    const headers = retryAfter === undefined ? undefined : { "retry-after": retryAfter };
    return Response.json({ ok: false, error: `${code}.`, code }, { status, headers });
  };
const createSuccess = (status: number, data: object) => () => Response.json({ ok: true, data }, { status });
const createText = (status: number, text: string | null) => () => new Response(text, { status });
const pending = createSuccess(202, {
  confirmed: false,
  status: "pending",
  txSignature: "sig",
  lastValidBlockHeight: 1,
});
const loseAnswer: Answer = () => {
  throw new TypeError("fetch failed");
};

/** Creates a service that gives the answers in turn and repeats the last one. */
function createService(...answers: Answer[]) {
  const waits: number[] = [];
  const posts: string[] = [];
  const now = () => waits.reduce((sum, ms) => sum + ms, 0);
  const clock: Clock = { now, sleep: async (ms) => void waits.push(ms) };
  const calls = createCalls({
    baseUrl: "https://roundup.example",
    clock,
    fetch: async (address, init) => {
      posts.push(`${address} ${init.body}`);
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      return answer();
    },
  });
  const runRelay = (mayHaveBeenPosted = false) => relay("bytes", { calls, clock, mayHaveBeenPosted });
  return { run: runRelay, waits, posts };
}

const getKind = (outcome: RelayOutcome) => Object.keys(outcome)[0];

test.each<[string, Answer]>([
  ["an HTML refusal of a proxy", createText(403, "<h1>Forbidden</h1>")],
  ["a JSON refusal of a proxy", createText(403, '{"message":"blocked","code":"waf"}')],
  ["a truncated answer", createText(200, '{"ok":tr')],
  ["a 200 with HTML", createText(200, "<html>")],
  ["an internal error of the service", createFailure(500, "internal")],
  ["a bad gateway", createText(502, "Bad Gateway")],
  ["an unavailable upstream", createFailure(503, "upstream_unavailable")],
  ["a lost connection", loseAnswer],
  ["the rate limit", createFailure(429, "rate_limited")],
  ["a redirect", createText(304, null)],
  ["an outcome that stays pending", pending],
])("%s leaves the outcome unknown", async (_caseName, answer) => {
  const { run } = createService(answer);
  expect(getKind(await run())).toBe("unknown");
});

test.each([
  [422, "transaction_expired", "refused", "refused"],
  [422, "transaction_failed", "refused", "refused"],
  [422, "simulation_failed", "refused", "refused"],
  [400, "invalid_transaction", "refused", "refused"],
  [400, "transaction_not_signed", "refused", "refused"],
  [401, "credentials_invalid", "refused", "unknown"],
  [403, "fee_missing", "refused", "unknown"],
  [409, "too_many_keys", "refused", "unknown"],
  [413, "body_too_large", "refused", "unknown"],
  [409, "already_saved", "elsewhere", "elsewhere"],
  [503, "already_saved", "unknown", "unknown"],
] as const)("%i %s means %s, and after an earlier post %s", async (status, code, atFirst, afterPost) => {
  const failure = createFailure(status, code);
  expect(await createService(failure).run()).toMatchObject({ [atFirst]: { code } });
  expect(await createService(failure).run(true)).toMatchObject({ [afterPost]: { code } });
  for (const firstAnswer of [loseAnswer, pending])
    expect(await createService(firstAnswer, failure).run()).toMatchObject({ [afterPost]: { code } });
});

test("a refusal after a rate-limited post is certain, because nothing was sent", async () => {
  const { run } = createService(createFailure(429, "rate_limited"), createFailure(401, "credentials_invalid"));
  expect(await run()).toMatchObject({ refused: { code: "credentials_invalid" } });
});

test("relay waits at most a minute between two posts", async () => {
  const { run, waits } = createService(createFailure(429, "rate_limited", "86400"));
  expect(getKind(await run())).toBe("unknown");
  expect(new Set(waits)).toEqual(new Set([60_000]));
});

test("a resumed relay gives up after a minute without an outcome", async () => {
  const { run, waits } = createService(createFailure(503, "upstream_unavailable", "30"));
  expect(getKind(await run(true))).toBe("unknown");
  expect(waits).toEqual([30_000, 30_000]);
});

test("relay posts the same bytes until they land, with the pauses that the service asks for", async () => {
  const confirmed = { confirmed: true, status: "confirmed", txSignature: "sig", slot: 5, network: "sandbox" };
  const answers = [loseAnswer, createFailure(429, "rate_limited", "7"), pending, createSuccess(200, confirmed)];
  const { run, waits, posts } = createService(...answers);
  expect(await run()).toEqual({ landed: { txSignature: "sig" } });
  expect(waits).toEqual([2000, 7000]);
  const post = 'https://roundup.example/api/swap/execute {"signedTransaction":"bytes"}';
  expect(posts).toEqual(Array(4).fill(post));
});
