import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { CONTRACTS } from "../../lib/contracts";
import { ERRORS } from "../../lib/errors";
import { type Answer, call, get, newWallet } from "../support/client";

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
  document = answer.body;
});

test("200: bare, cacheable, for anyone", () => {
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
  expect(answer.body.ok).toBeUndefined();
  expect(document).toMatchObject({ openapi: "3.1.0", servers: [{ url: "/" }] });
});

test("200: valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(answer.body));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test("200: every operation of the service, and no other", () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  );
  const operations = CONTRACTS.map(({ operation, method, path }) => `${operation} ${method} ${path}`);
  expect(described.sort()).toEqual(operations.sort());
});

test("200: every error code there is", () => {
  const failure = document.components.schemas.Failure as { properties: { code: { enum: string[] } } };
  expect(failure.properties.code.enum.sort()).toEqual(Object.keys(ERRORS).sort());
});

describe("what is documented is what is answered", () => {
  const PARAMS: Record<string, string> = {
    address: "9ePUvnibeajwyfBS3Eg1zg8pyAzJg1w2zhpHvWCBBCJs",
    id: "0123456789abcdef",
  };

  /** Throws where an answer does not fit the schema of its status. */
  function check(schema: Json, value: unknown): void {
    const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
    z.fromJSONSchema(JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/"))).parse(value);
  }

  test.each(CONTRACTS.map(({ operation, method, path }) => ({ operation, method, path })))(
    "$method $path",
    async ({ method, path }) => {
      const operation = document.paths[path]![method.toLowerCase()]!;
      const where = path.replace(/\{(\w+)\}/g, (_, name: string) => PARAMS[name]!);
      const example = operation.requestBody?.content["application/json"].example ?? {};
      const { headers } = await newWallet();
      const asked = await call(method, where, { headers, ...(operation.requestBody && { body: example }) });
      // The only thing that is not there is the made-up key.
      expect([404, 405].includes(asked.status)).toBe(path === "/api/keys/{id}");
      const response = operation.responses[asked.status];
      expect(response, `${asked.status} is not documented`).toBeDefined();
      check(response!.content["application/json"].schema, asked.body);
      // An example in the documentation is one that works.
      if (operation.requestBody?.content["application/json"].example) expect(asked.status).toBe(200);

      const wrong = await call(method, `${where}?nonsense=1`, {
        headers,
        ...(operation.requestBody && { body: example }),
      });
      expect(wrong.status).toBe(400);
      check(operation.responses["400"]!.content["application/json"].schema, wrong.body);
    },
  );
});
