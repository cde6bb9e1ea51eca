import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type FetchJsonOptions, fetchJson } from "../../../../lib/clients/http/fetch-json";
import { AppError } from "../../../../lib/errors";
import { describeFault } from "../../../../lib/http/log";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { catchAppError as failureOf } from "../../../support/fakes/staged-rpc";
import {
  answerJson,
  answerText,
  cutConnection,
  dripBytes,
  floodBody,
  hang,
  startStagedServer,
  startStagedServerForFile,
  truncateBody,
} from "../../../support/fakes/staged-server";

const SECRET = "upstream says: secret-token at /srv/private";
const clock = createManualClock();
const upstream = await startStagedServerForFile();

type Options = Partial<FetchJsonOptions<{ value: number }>>;
const ask = (options: Options = {}, path = "/") =>
  fetchJson(new URL(upstream.url + path), {
    upstream: "market",
    timeoutMs: 20_000,
    maxBytes: 100_000,
    schema: z.object({ value: z.number() }),
    clock,
    ...options,
  });

const failure = (options: Options = {}) => failureOf(ask(options));

test("logs only the upstream's name and status", async () => {
  for (const status of [401, 429, 500]) {
    upstream.stage = (_request, response) => void response.writeHead(status).end(SECRET);
    expect(describeFault((await failure()).details.cause)).toBe(`market ${status}`);
  }
  upstream.stage = hang;
  expect(describeFault((await failure({ timeoutMs: 40 })).details.cause)).toBe("market timeout");
});

test("returns a valid answer without its unknown members", async () => {
  upstream.stage = answerJson({ value: 1, more: true });
  expect(await ask()).toEqual({ value: 1 });
});

test("sends method, headers and body", async () => {
  upstream.stage = answerJson({ value: 1 });
  await ask({ method: "POST", headers: { "x-api-key": "k" }, body: '{"ä":1}' }, "/path?q=1");
  expect(upstream.requests[0]).toMatchObject({ method: "POST", path: "/path", body: '{"ä":1}' });
  expect(upstream.requests[0]!.headers["x-api-key"]).toBe("k");
});

describe("upstream_timeout", () => {
  test("is thrown when the upstream never answers", async () => {
    upstream.stage = hang;
    expect((await failure({ timeoutMs: 40 })).code).toBe("upstream_timeout");
  });

  test("is thrown when the body arrives too slowly, even after timely headers", async () => {
    upstream.stage = dripBytes;
    expect((await failure({ timeoutMs: 60 })).code).toBe("upstream_timeout");
  });
});

describe("upstream_invalid", () => {
  test("is thrown for an endless body at maxBytes, long before the timeout", async () => {
    upstream.stage = floodBody;
    expect((await failure({ maxBytes: 50_000 })).code).toBe("upstream_invalid");
  });

  test("is thrown for a declared length above maxBytes", async () => {
    upstream.stage = answerText("x".repeat(2000));
    expect((await failure({ maxBytes: 1000 })).code).toBe("upstream_invalid");
  });

  test.each([
    ["not JSON", `<html>${SECRET}`],
    ["empty", ""],
    ["wrong shape", JSON.stringify({ value: SECRET })],
    ["null", "null"],
    ["nested 100,000 deep", "[".repeat(50_000) + "]".repeat(50_000)],
    ["a number beyond range", '{"value":1e999}'],
  ])("is thrown for a body that is %s", async (_what, body) => {
    upstream.stage = answerText(body);
    expect((await failure({ maxBytes: 200_000 })).code).toBe("upstream_invalid");
  });
});

describe("upstream_unavailable", () => {
  test("is thrown when the connection is refused", async () => {
    const gone = await startStagedServer();
    await gone.close();
    const options = { upstream: "market", timeoutMs: 20_000, maxBytes: 1000, schema: z.unknown(), clock };
    await expect(fetchJson(new URL(gone.url), options)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("is thrown when the connection is cut before or during the answer", async () => {
    upstream.stage = cutConnection;
    expect((await failure()).code).toBe("upstream_unavailable");
    upstream.stage = truncateBody;
    expect((await failure()).code).toBe("upstream_unavailable");
  });

  test.each([401, 404, 500, 503])("is thrown for status %i, without the upstream's text", async (status) => {
    upstream.stage = answerJson({ error: SECRET }, status);
    const error = await failure();
    expect(error.code).toBe("upstream_unavailable");
    expect(JSON.stringify([error, String(error.details.cause)])).not.toContain("secret-token");
  });

  test("is thrown for a redirect, which is not followed", async () => {
    upstream.stage = (request, response) =>
      request.path === "/"
        ? response.writeHead(302, { location: "/other" }).end()
        : answerJson({ value: 1 })(request, response);
    expect((await failure()).code).toBe("upstream_unavailable");
    expect(upstream.requests).toHaveLength(1);
  });
});

describe("429", () => {
  const inSeconds = (seconds: number) => String(Math.floor(clock.now() / 1000) + seconds);
  test.each([
    ["retry-after in seconds", { "retry-after": "7" }, 7],
    ["retry-after as a date", { "retry-after": new Date(clock.now() + 9000).toUTCString() }, 9],
    ["x-ratelimit-reset as an epoch", { "x-ratelimit-reset": inSeconds(12) }, 12],
    ["x-ratelimit-reset in seconds", { "x-ratelimit-reset": "3" }, 3],
    ["none", {}, undefined],
    ["absurd", { "retry-after": "86400" }, undefined],
    ["negative", { "retry-after": "-1" }, undefined],
    ["past", { "x-ratelimit-reset": inSeconds(-5) }, undefined],
    ["not a number", { "retry-after": "soon" }, undefined],
  ])("sets retryAfterSeconds from its headers: %s", async (_what, headers, expected) => {
    upstream.stage = answerJson({ message: SECRET }, 429, headers);
    const error = await failure();
    expect(error.code).toBe("upstream_unavailable");
    expect(error.details.retryAfterSeconds).toBe(expected);
  });
});

test("lets onStatus replace the error of a status", async () => {
  upstream.stage = answerJson({ error: SECRET }, 400);
  const onStatus = (status: number) => (status === 400 ? new AppError("no_route") : undefined);
  expect((await failure({ onStatus })).code).toBe("no_route");
  upstream.stage = answerJson({ error: SECRET }, 500);
  expect((await failure({ onStatus })).code).toBe("upstream_unavailable");
});

test("retries on a new socket when the upstream has closed a pooled one", async () => {
  upstream.stage = answerJson({ value: 1 });
  await ask();
  // The server drops the connection when the next request arrives: a reused socket without an answer.
  let drops = 1;
  upstream.stage = (request, response) =>
    drops-- > 0 ? cutConnection(request, response) : answerJson({ value: 2 })(request, response);
  expect(await ask()).toEqual({ value: 2 });
});
