import { expect, test } from "vitest";
import { ApiError, createRoundup, keyWallet } from "@/lib/sdk";
import { AUTH_TEXT } from "../../support/fixtures/wallet-texts";

type Answer = number | "lost" | "busy" | "refused" | "no place";

const CODES = { busy: [503, "upstream_unavailable"], refused: [401, "credentials_invalid"] } as const;

/** Creates a client of a feed. A number is a page with that many events. After the last answer the feed is silent. */
function createFeed(answers: Answer[]) {
  const requests: string[] = [];
  const waits: number[] = [];
  const fetch = async (address: string): Promise<Response> => {
    const { pathname, searchParams } = new URL(address);
    if (pathname === "/api/auth") return Response.json({ ok: true, data: { message: AUTH_TEXT } });
    const answer = answers.shift();
    requests.push(searchParams.toString());
    if (answer === undefined) return new Promise(() => {});
    if (answer === "lost") throw new TypeError("fetch failed");
    if (answer === "no place") {
      const next = Number(searchParams.get("after"));
      return Response.json({ ok: true, data: { events: [], next, retryAfterMs: 5_000 } });
    }
    if (typeof answer === "number") {
      const after = Number(searchParams.get("after"));
      const events = Array.from({ length: answer }, (_, i) => ({ sequence: after + i + 1 }));
      return Response.json({ ok: true, data: { events, next: after + answer } });
    }
    const [status, code] = CODES[answer];
    return Response.json({ ok: false, error: `${code}.`, code }, { status, headers: { "retry-after": "7" } });
  };
  const clock = { now: () => 0, sleep: async (ms: number) => void waits.push(ms) };
  const wallet = keyWallet(new Uint8Array(32).fill(7));
  const options = { baseUrl: "https://roundup.example", origin: "sandbox", wallet, clock, fetch, retries: 0 };
  return { roundup: createRoundup({ ...options, maxWaitMs: 0 }), requests, waits };
}

const ABORTED = { name: "AbortError" };

test("events arrive in order across pages, starting after the stored sequence", async () => {
  const { roundup, requests } = createFeed([2, 0, 1]);
  const sequences: number[] = [];
  for await (const { sequence } of roundup.events({ after: 4 })) {
    sequences.push(sequence);
    if (sequences.length === 3) break;
  }
  expect(sequences).toEqual([5, 6, 7]);
  expect(requests).toEqual(["after=4&wait=20", "after=6&wait=20", "after=6&wait=20"]);
});

test("temporary failures are retried with longer waits", async () => {
  const { roundup, waits } = createFeed(["lost", "lost", "lost", "busy", 1, "lost", 1]);
  const codes: string[] = [];
  const events = roundup.events({ onRetry: ({ code }) => codes.push(code) });
  expect([await events.next(), await events.next()]).toMatchObject([
    { value: { sequence: 1 } },
    { value: { sequence: 2 } },
  ]);
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 1_000]);
  expect(codes).toEqual(["offline", "offline", "offline", "upstream_unavailable", "offline"]);
});

test("a call that found no place to wait is repeated when the service says", async () => {
  const { roundup, waits, requests } = createFeed(["no place", 0, 1]);
  expect(await roundup.events().next()).toMatchObject({ value: { sequence: 1 } });
  expect(waits).toEqual([5_000, 1_000]);
  expect(new Set(requests)).toEqual(new Set(["after=0&wait=20"]));
});

test("refused credentials end the loop", async () => {
  const { roundup } = createFeed(["refused"]);
  await expect(roundup.events().next()).rejects.toBeInstanceOf(ApiError);
});

test("an abort ends the loop at once, even within a page", async () => {
  const whileWaiting = new AbortController();
  const pendingEvent = createFeed([]).roundup.events({ signal: whileWaiting.signal }).next();
  whileWaiting.abort();
  await expect(pendingEvent).rejects.toMatchObject(ABORTED);

  const withinPage = new AbortController();
  const events = createFeed([2]).roundup.events({ signal: withinPage.signal });
  await events.next();
  withinPage.abort();
  await expect(events.next()).rejects.toMatchObject(ABORTED);
});
