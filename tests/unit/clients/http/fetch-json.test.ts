import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type FetchJsonOptions, fetchJson } from "../../../../lib/clients/http/fetch-json";
import { runWithTrace, sendRequest } from "../../../../lib/clients/http/send-request";
import { describeFault } from "../../../../lib/http/log";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { catchAppError } from "../../../support/fakes/staged-rpc";
import {
  answerJson,
  answerText,
  cutConnection,
  dripBytes,
  floodBody,
  leaveUnanswered,
  type Stage,
  startStagedServer,
  startStagedServerForFile,
  truncateBody,
} from "../../../support/fakes/staged-server";

const SECRET = "upstream says: secret-token at /srv/private";
const clock = createManualClock();
const upstream = await startStagedServerForFile();

type Options = Partial<FetchJsonOptions<{ value: number }>>;
const requestJson = (options: Options = {}, url = upstream.url) =>
  fetchJson(new URL(url), {
    upstream: "market",
    timeoutMs: 20_000,
    maxBytes: 100_000,
    schema: z.object({ value: z.number() }),
    clock,
    ...options,
  });

const catchFailure = (...args: Parameters<typeof requestJson>) => catchAppError(requestJson(...args));

test.each([
  ["the upstream never answers", leaveUnanswered],
  ["the body arrives too slowly after timely headers", dripBytes],
])("fetchJson fails as upstream_timeout when %s", async (_caseName, stage) => {
  upstream.stage = stage;
  const { code, details } = await catchFailure({ timeoutMs: 60 });
  expect([code, describeFault(details.cause)]).toEqual(["upstream_timeout", "market timeout"]);
});

test.each<[string, Stage]>([
  ["endless", floodBody],
  [
    "declared longer than maxBytes",
    (_request, response) => response.writeHead(200, { "content-length": "200001" }).flushHeaders(),
  ],
  ["not JSON", answerText(`<html>${SECRET}`)],
  ["empty", answerText("")],
  ["of the wrong shape", answerJson({ value: SECRET })],
  ["null", answerText("null")],
  ["nested 50,000 deep", answerText("[".repeat(50_000) + "]".repeat(50_000))],
  ["a number beyond range", answerText('{"value":1e999}')],
])("fetchJson fails as upstream_invalid, long before the timeout, on a body that is %s", async (_caseName, stage) => {
  upstream.stage = stage;
  expect((await catchFailure({ maxBytes: 200_000 })).code).toBe("upstream_invalid");
});

describe("upstream_unavailable", () => {
  test("is thrown when the connection is refused", async () => {
    const closedServer = await startStagedServer();
    await closedServer.close();
    expect((await catchFailure({}, closedServer.url)).code).toBe("upstream_unavailable");
  });

  test.each([
    ["before", cutConnection],
    ["during", truncateBody],
  ])("is thrown when the connection is cut %s the answer", async (_caseName, stage) => {
    upstream.stage = stage;
    expect((await catchFailure()).code).toBe("upstream_unavailable");
  });

  test.each([401, 404, 429, 500])("is thrown for status %i, which alone is logged", async (status) => {
    upstream.stage = answerText(SECRET, status);
    const error = await catchFailure();
    expect([error.code, describeFault(error.details.cause)]).toEqual(["upstream_unavailable", `market ${status}`]);
    expect(JSON.stringify([error, String(error.details.cause)])).not.toContain("secret-token");
  });

  test("is thrown for a redirect, which is not followed", async () => {
    upstream.stage = (_request, response) => response.writeHead(302, { location: "/other" }).end();
    expect((await catchFailure()).code).toBe("upstream_unavailable");
    expect(upstream.requests).toHaveLength(1);
  });
});

test.each([
  ["seconds", "retry-after", "7", 7],
  ["a date", "retry-after", new Date(clock.now() + 9000).toUTCString(), 9],
  ["Jupiter's seconds", "x-ratelimit-reset", "3", 3],
  ["Jupiter's epoch", "x-ratelimit-reset", String(Math.ceil(clock.now() / 1000) + 12), 12],
  ["nothing", "retry-after", "", undefined],
  ["an absurd time", "retry-after", "86400", undefined],
  ["a negative time", "retry-after", "-1", undefined],
  ["a date in the past", "retry-after", new Date(clock.now() - 5000).toUTCString(), undefined],
  ["another text", "retry-after", "soon", undefined],
])("fetchJson reads when a 429 allows the next call: %s", async (_caseName, header, text, retryAfterSeconds) => {
  upstream.stage = answerJson({ message: SECRET }, 429, { [header]: text });
  const { code, details } = await catchFailure();
  expect([code, details.retryAfterSeconds]).toEqual(["upstream_unavailable", retryAfterSeconds]);
});

test("fetchJson retries on a new socket when the upstream has closed all pooled ones", async () => {
  const sockets = new Set<unknown>();
  upstream.stage = (request, response) => {
    sockets.add(response.socket);
    answerJson({ value: 1 })(request, response);
  };
  await Promise.all([requestJson(), requestJson(), requestJson()]);
  expect(sockets.size).toBe(3);
  // The server drops the connection when the next request arrives: a reused socket without an answer.
  upstream.stage = (request, response) =>
    (sockets.has(response.socket) ? cutConnection : answerJson({ value: 2 }))(request, response);
  expect(await requestJson()).toEqual({ value: 2 });
});

test("an upstream call carries only the trace headers of its own request", async () => {
  upstream.stage = ({ headers }, response) =>
    response.end(JSON.stringify({ value: [headers["x-request-id"] ?? null, headers.traceparent ?? null] }));
  const callUpstream = async () => {
    await Promise.resolve();
    const options = { upstream: "node", timeoutMs: 5_000, maxBytes: 1_000 };
    return JSON.parse((await sendRequest(new URL(upstream.url), options)).text).value;
  };
  const answers = await Promise.all([
    runWithTrace({ "x-request-id": "a", traceparent: "t" }, callUpstream),
    callUpstream(),
    runWithTrace({ "x-request-id": "b" }, callUpstream),
  ]);
  expect(answers).toEqual([
    ["a", "t"],
    [null, null],
    ["b", null],
  ]);
});
