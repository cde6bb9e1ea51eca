import { expect, test } from "vitest";
import { getOpenapiDocument } from "../../lib/contracts/openapi";
import { get } from "../support/client/client";

// tests/openapi.test.ts tests the document. Every API test checks its answers against the contracts that it describes.
test("200: returns the OpenAPI document itself, not wrapped in `{ ok, data }`", async () => {
  const { status, headers, text } = await get("/api/openapi.json");
  expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=300"]);
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(getOpenapiDocument())));
});
