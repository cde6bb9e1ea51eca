import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { CONTRACTS } from "../../lib/contracts";
import { createExampleRequest, EXAMPLE_GAP } from "../../lib/contracts/examples";
import { getOpenapiDocument } from "../../lib/contracts/openapi";
import { type Answer, call, get, newWallet } from "../support/client/client";

type Json = Record<string, unknown>;
type Media = { "application/json": { schema: Json; example?: Json } };

interface Operation {
  operationId: string;
  requestBody?: { content: Media };
  responses: Record<string, { content: Media } | { $ref: string }>;
}

interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; responses: Record<string, { content: Media }> };
}

let answer: Answer;
let document: Document;

beforeAll(async () => {
  answer = await get("/api/openapi.json");
  document = JSON.parse(answer.text);
});

test("200: answers without an envelope and without credentials, and may be cached", () => {
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
  expect(document).not.toHaveProperty("ok");
  expect(document).toMatchObject({ openapi: "3.1.0", servers: [{ url: "/" }] });
});

test("200: returns the document that the contracts describe", () => {
  expect(document).toEqual(JSON.parse(JSON.stringify(getOpenapiDocument())));
});

describe("answers match the document", () => {
  function findSchema(operation: Operation, status: number): Json {
    const response = operation.responses[status];
    expect(response, `${status} is not documented`).toBeDefined();
    const inline = "$ref" in response! ? document.components.responses[response.$ref.split("/").at(-1)!]! : response!;
    return inline.content["application/json"].schema;
  }

  /** Checks a value against a schema. @throws Error when the value does not match */
  function expectMatches(schema: Json, value: unknown): void {
    const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
    z.fromJSONSchema(JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/"))).parse(value);
  }

  test.each(CONTRACTS.map((contract) => [`${contract.method} ${contract.path}`, contract] as const))(
    "%s",
    async (_name, contract) => {
      const { method, path } = contract;
      const operation = document.paths[path]![method.toLowerCase()]!;
      const { path: examplePath, body } = createExampleRequest(contract);
      expect(operation.requestBody?.content["application/json"].example).toEqual(body);
      const { headers } = await newWallet();
      const exampleAnswer = await call(method, examplePath, { headers, body });
      expectMatches(findSchema(operation, exampleAnswer.status), exampleAnswer.body);
      // Only the invented key does not exist. Requests with a signature that only their caller can make are refused.
      if (path === "/api/keys/{id}") expect(exampleAnswer.status).toBe(404);
      else if (Object.values(body ?? {}).includes(EXAMPLE_GAP)) expect([400, 422]).toContain(exampleAnswer.status);
      else expect(exampleAnswer.status).toBe(200);

      const wrong = await call(method, `${examplePath}?nonsense=1`, { headers, body });
      expect(wrong.status).toBe(400);
      expectMatches(findSchema(operation, 400), wrong.body);
    },
  );
});
