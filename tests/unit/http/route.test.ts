import { expect, test } from "vitest";
import { z } from "zod";
import { defineContract } from "../../../lib/contracts/define";
import { route, routes } from "../../../lib/http/route";
import { stageRuntime } from "../../support/app/staged-runtime";
import { fakeDeps } from "../../support/fakes/fake-deps";

const contract = defineContract({
  operation: "get-prices",
  method: "GET",
  path: "/api/price",
  auth: "none",
  tag: "Public",
  summary: "As the price",
  data: z.strictObject({ usd: z.number() }),
  repeats: true,
  errors: [],
  exampleAnswer: { usd: 1 },
});

function answering(service: () => { usd: number }) {
  stageRuntime(fakeDeps());
  const { GET } = routes(route(async () => service(), contract));
  return async () => {
    const response = await GET(new Request("http://localhost/api/price"), { params: Promise.resolve({}) });
    return { headers: response.headers, body: await response.text() };
  };
}

test("encodes a repeated result once, and gives each call its own request id and limit headers", async () => {
  let reads = 0;
  const output = {
    get usd() {
      reads++;
      return 7;
    },
  };
  const ask = answering(() => output);
  const first = await ask();
  const readsOfOne = reads;
  const second = await ask();
  expect(readsOfOne).toBeGreaterThan(0);
  expect(reads).toBe(readsOfOne);
  expect(second.body).toBe(first.body);
  expect(first.body).toBe('{"ok":true,"data":{"usd":7}}');
  expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
  const left = [first, second].map(({ headers }) => headers.get("x-ratelimit-remaining"));
  expect(left).toEqual(["59", "58"]);
});

test("encodes another result object separately and leaves the first unchanged", async () => {
  const outputs = [{ usd: 7 }, { usd: 8 }];
  const order = [0, 1, 0, 1];
  const ask = answering(() => outputs[order.shift()!]!);
  const bodies = [await ask(), await ask(), await ask(), await ask()].map(({ body }) => JSON.parse(body).data.usd);
  expect(bodies).toEqual([7, 8, 7, 8]);
});
