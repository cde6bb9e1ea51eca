import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generateFiles } from "../docs/generate";
import { CONTRACTS } from "../lib/contracts";
import type { Contract } from "../lib/contracts/define";
import { createExampleRequest } from "../lib/contracts/examples";
import { getOpenapiDocument } from "../lib/contracts/openapi";
import { listErrorCodes } from "../lib/contracts/openapi-answers";
import { ERRORS } from "../lib/errors";

type Json = Record<string, unknown>;

interface Operation {
  operationId: string;
  summary: string;
  security: Json[];
  parameters?: { name: string; in: string; required: boolean; schema: Json; example?: unknown }[];
  requestBody?: { required: boolean; content: { "application/json": { schema: Json; example?: unknown } } };
  responses: Record<string, ResponseObject | { $ref: string }>;
}

interface ResponseObject {
  description: string;
  headers: Json;
  content: { "application/json": { schema: Json; example?: unknown; examples?: Record<string, { $ref: string }> } };
}

/** As a client receives it, through JSON. */
const document = JSON.parse(JSON.stringify(getOpenapiDocument())) as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
};
const documentText = JSON.stringify(document);

const findOperation = ({ path, method }: Contract) => document.paths[path]![method.toLowerCase()]!;

/** Yields every object with its JSON pointer. */
function* listObjects(value: unknown, pointer = "#"): Generator<[string, Json]> {
  if (value === null || typeof value !== "object") return;
  yield [pointer, value as Json];
  for (const [key, member] of Object.entries(value))
    yield* listObjects(member, `${pointer}/${key.replaceAll("/", "~1")}`);
}

const resolvePointer = (ref: string) =>
  ref
    .slice(2)
    .split("/")
    .reduce<unknown>((value, key) => (value as Json | undefined)?.[key.replaceAll("~1", "/")], document);

const findResponse = (operation: Operation, status: number | string) => {
  const response = operation.responses[status]!;
  return ("$ref" in response ? resolvePointer(response.$ref) : response) as ResponseObject;
};

describe("the document", () => {
  // The linter checks, among other things, references, unused components, path parameters, security schemes and examples.
  test("passes Redocly's linter", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] });
    const findings = await lintFromString({ source: documentText, config });
    expect(findings.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    expect(document.openapi).toBe("3.1.0");
  });

  test("allows new fields in the objects of answers", () => {
    const answerObjects = [...listObjects(document)].filter(([pointer]) => !pointer.includes("/requestBody/"));
    const closedObjects = answerObjects.filter(([, { additionalProperties }]) => additionalProperties === false);
    expect(closedObjects.map(([pointer]) => pointer)).toEqual([]);
  });

  test("names the headers of every answer, and Retry-After only for 429 and 503", () => {
    const commonNames = ["X-Request-Id", "Roundup-Version", "X-RateLimit-Remaining"];
    for (const contract of CONTRACTS) {
      const operation = findOperation(contract);
      for (const status of Object.keys(operation.responses)) {
        const headerNames = Object.keys(findResponse(operation, status).headers);
        expect(headerNames).toEqual(expect.arrayContaining(commonNames));
        expect(headerNames.includes("Retry-After")).toBe(["429", "503"].includes(status));
      }
    }
  });

  test("describes exactly the operations of the registry", () => {
    const describedOperations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`),
    );
    const declaredOperations = CONTRACTS.map(({ operation, method, path }) => `${operation}: ${method} ${path}`);
    expect(describedOperations.sort()).toEqual(declaredOperations.sort());
  });
});

test.each(CONTRACTS.filter(({ isFixed }) => isFixed))(
  "$operation has a fixed answer and takes no input",
  ({ method, auth, params, query, statuses }: Contract) => {
    expect({ method, auth, params, query, statuses }).toEqual({ method: "GET", auth: "none" });
  },
);

test("operations that return cached objects document only the status 200", () => {
  const cachedContracts = CONTRACTS.filter(({ returnsCachedObjects }) => returnsCachedObjects) as Contract[];
  expect(cachedContracts.map(({ statuses }) => statuses)).toEqual(cachedContracts.map(() => undefined));
});

describe.each(CONTRACTS)("$operation", (contract) => {
  const operation = findOperation(contract);

  test("has a summary and a response for each possible status", () => {
    expect(operation.summary).not.toBe("");
    const failures = listErrorCodes(contract).map((code) => String(ERRORS[code][0]));
    const successes = Object.keys(contract.statuses?.descriptions ?? { 200: "" });
    expect(Object.keys(operation.responses).sort()).toEqual([...new Set([...successes, ...failures])].sort());
  });

  test("names each failure's code in the response of its status", () => {
    for (const code of listErrorCodes(contract)) {
      const response = findResponse(operation, ERRORS[code][0]);
      expect(response.description).toContain(`\`${code}\``);
      const { schema, examples } = response.content["application/json"];
      expect(schema).toEqual({ $ref: "#/components/schemas/Failure" });
      expect(resolvePointer(examples![code]!.$ref)).toMatchObject({ value: { ok: false, code } });
    }
  });

  test("requires credentials exactly when its contract does", () => {
    expect(operation.security.length > 0).toBe(contract.auth !== "none");
  });

  test("shows an example request that its contract accepts", () => {
    const { path, query, body } = createExampleRequest(contract);
    expect(path).not.toMatch(/undefined|[{}]/);
    expect((contract.params as z.ZodObject | undefined)?.strip().safeParse(contract.example).error).toBeUndefined();
    expect((contract.query ?? z.strictObject({})).safeParse(query).error).toBeUndefined();
    expect(contract.body?.safeParse(body).error).toBeUndefined();
    expect(operation.requestBody?.content["application/json"].example).toEqual(body);
    for (const { name, example } of operation.parameters ?? []) expect(example).toEqual(contract.example?.[name]);
  });

  test("shows an example answer that its contract accepts", () => {
    const { data, exampleAnswer, statuses, hasNoEnvelope }: Contract = contract;
    expect(data.safeParse(exampleAnswer)).toEqual({ success: true, data: exampleAnswer });
    const documentedExamples = Object.keys(operation.responses).flatMap((status) => {
      const json = findResponse(operation, status).content["application/json"];
      return "example" in json ? [[status, json.example]] : [];
    });
    const status = String(statuses?.chooseStatus(exampleAnswer) ?? 200);
    expect(documentedExamples).toEqual([[status, hasNoEnvelope ? exampleAnswer : { ok: true, data: exampleAnswer }]]);
  });

  test("describes a body without undeclared fields", () => {
    if (!contract.body) return;
    expect(operation.requestBody!.content["application/json"].schema.additionalProperties).toBe(false);
  });
});

describe("parameters and bodies", () => {
  test("each field accepts its example value", () => {
    let exampleCount = 0;
    for (const contract of CONTRACTS) {
      for (const part of [contract.params, contract.body]) {
        if (!(part instanceof z.ZodObject)) continue;
        for (const field of Object.values(part.shape as Record<string, z.ZodType>)) {
          for (const example of (field.meta()?.examples as unknown[] | undefined) ?? []) {
            expect(field.safeParse(example).success).toBe(true);
            exampleCount++;
          }
        }
      }
    }
    expect(exampleCount).toBeGreaterThan(3);
  });
});

describe("a file that npm run docs writes", async () => {
  test.each(Object.entries(await generateFiles()))("%s matches the current contracts", (file, text) => {
    expect(readFileSync(file, "utf8"), "run npm run docs").toBe(text);
  });
});
