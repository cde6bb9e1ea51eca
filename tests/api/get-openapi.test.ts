import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { CONTRACTS } from "../../lib/contracts";
import { EXAMPLE_GAP, exampleRequest } from "../../lib/contracts/examples";
import { ERRORS } from "../../lib/errors";
import { type Answer, call, get, newWallet } from "../support/client/client";

type Json = Record<string, unknown>;
type Media = { "application/json": { schema: Json; example?: Json } };

interface Operation {
  operationId: string;
  requestBody?: { content: Media };
  responses: Record<string, { content: Media }>;
}

interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}

let answer: Answer;
let document: Document;

beforeAll(async () => {
  answer = await get("/api/openapi.json");
  document = JSON.parse(answer.text);
});

test("200: has no envelope, is cacheable and needs no credentials", () => {
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
  expect(document).not.toHaveProperty("ok");
  expect(document).toMatchObject({ openapi: "3.1.0", servers: [{ url: "/" }] });
});

test("200: contains every error code", () => {
  const failure = document.components.schemas.Failure as { properties: { code: { enum: string[] } } };
  expect(failure.properties.code.enum.sort()).toEqual(Object.keys(ERRORS).sort());
});

describe("answers match the document", () => {
  /** Checks a value against a schema. @throws Error when the value does not match */
  function check(schema: Json, value: unknown): void {
    const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
    z.fromJSONSchema(JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/"))).parse(value);
  }

  test.each(CONTRACTS.map((contract) => [`${contract.method} ${contract.path}`, contract] as const))(
    "%s",
    async (_name, contract) => {
      const { method, path } = contract;
      const operation = document.paths[path]![method.toLowerCase()]!;
      const { path: where, body } = exampleRequest(contract);
      expect(operation.requestBody?.content["application/json"].example).toEqual(body);
      const { headers } = await newWallet();
      const asked = await call(method, where, { headers, body });
      const response = operation.responses[asked.status];
      expect(response, `${asked.status} is not documented`).toBeDefined();
      check(response!.content["application/json"].schema, asked.body);
      // Only the invented key does not exist. Requests with a signature that only their caller can make are refused.
      if (path === "/api/keys/{id}") expect(asked.status).toBe(404);
      else if (Object.values(body ?? {}).includes(EXAMPLE_GAP)) expect([400, 422]).toContain(asked.status);
      else expect(asked.status).toBe(200);

      const wrong = await call(method, `${where}?nonsense=1`, { headers, body });
      expect(wrong.status).toBe(400);
      check(operation.responses["400"]!.content["application/json"].schema, wrong.body);
    },
  );
});
