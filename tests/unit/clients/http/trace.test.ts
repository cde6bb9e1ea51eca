import { expect, test } from "vitest";
import { sendRequest } from "../../../../lib/clients/http/send-request";
import { runWithTrace } from "../../../../lib/clients/http/trace";
import { startStagedServerForFile } from "../../../support/fakes/staged-server";

const upstream = await startStagedServerForFile();

test("an upstream call carries only the trace headers of its own request", async () => {
  upstream.stage = ({ headers }, response) =>
    response.end(JSON.stringify([headers["x-request-id"] ?? null, headers.traceparent ?? null]));
  const callUpstream = async () => {
    await Promise.resolve();
    const options = { upstream: "node", timeoutMs: 5_000, maxBytes: 1_000 };
    return JSON.parse((await sendRequest(new URL(upstream.url), options)).text);
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
