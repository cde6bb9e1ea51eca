import { expect, test } from "vitest";
import { ApiError, createRoundup, keyWallet } from "@/lib/sdk";
import { AUTH_TEXT } from "../../support/fixtures/texts";

type Answer = number | "lost" | "busy" | "refused";

const CODES = { busy: [503, "upstream_unavailable"], refused: [401, "credentials_invalid"] } as const;

/** Creates a client of a feed. Each number is a page with that many events; a feed without answers left is silent. */
function feed(answers: Answer[]) {
  const requests: string[] = [];
  const waits: number[] = [];
  const fetch = async (address: string): Promise<Response> => {
    const { pathname, searchParams } = new URL(address);
    if (pathname === "/api/auth") return Response.json({ ok: true, data: { message: AUTH_TEXT } });
    const answer = answers.shift();
    requests.push(searchParams.toString());
    if (answer === undefined) return new Promise(() => {});
    if (answer === "lost") throw new TypeError("fetch failed");
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

const aborted = { name: "AbortError" };

test("events arrive in order across pages, and a new loop continues after the stored sequence", async () => {
  const { roundup, requests } = feed([2, 0, 1]);
  const handled: number[] = [];
  for await (const { sequence } of roundup.events({ after: 4 })) {
    handled.push(sequence);
    if (handled.length === 3) break;
  }
  expect(handled).toEqual([5, 6, 7]);
  expect(requests).toEqual(["after=4&wait=20", "after=6&wait=20", "after=6&wait=20"]);
});

test("temporary failures are retried with longer waits, and the service's own wait is kept", async () => {
  const { roundup, waits } = feed(["lost", "lost", "lost", "busy", 1, "lost", 1]);
  const codes: string[] = [];
  const events = roundup.events({ onRetry: ({ code }) => codes.push(code) });
  expect([await events.next(), await events.next()]).toMatchObject([
    { value: { sequence: 1 } },
    { value: { sequence: 2 } },
  ]);
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 1_000]);
  expect(codes).toEqual(["offline", "offline", "offline", "upstream_unavailable", "offline"]);
});

test("refused credentials end the loop", async () => {
  const { roundup } = feed(["refused"]);
  await expect(roundup.events().next()).rejects.toBeInstanceOf(ApiError);
});

test("an abort ends a waiting call at once, and no event of the page follows it", async () => {
  const waiting = new AbortController();
  const silent = feed([]).roundup.events({ signal: waiting.signal }).next();
  waiting.abort();
  await expect(silent).rejects.toMatchObject(aborted);

  const between = new AbortController();
  const events = feed([2]).roundup.events({ signal: between.signal });
  await events.next();
  between.abort();
  await expect(events.next()).rejects.toMatchObject(aborted);
});
