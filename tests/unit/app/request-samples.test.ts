import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { listOperations } from "@/app/docs/_content/reference";
import { buildRequestSamples } from "@/app/docs/_content/request-samples";

const ORIGIN = "http://localhost:3000";
const buildSamples = (operation: ReturnType<typeof listOperations>[number]) =>
  buildRequestSamples({ ...operation, exampleBody: operation.body?.example ?? null }, ORIGIN);
const findCode = (id: string, label: string) =>
  buildSamples(listOperations().find((operation) => operation.id === id)!).find((sample) => sample.label === label)!
    .code;

test("the samples write a body as a TypeScript object and as a Python dictionary", () => {
  expect(findCode("calculate-round-up", "TypeScript")).toBe(`import { createClient } from "roundup-sdk/client";

const client = createClient({ baseUrl: "${ORIGIN}" });
const { WALLET = "", SIGNATURE = "" } = process.env;
const credentials = { "x-wallet": WALLET, "x-signature": SIGNATURE };
const data = await client.post("/api/roundup", { txValueUsd: 27.63, plan: "tree" }, { credentials });
console.log(data);`);
  expect(findCode("calculate-round-up", "Python")).toBe(`import os
import requests

headers = {"x-wallet": os.environ["WALLET"], "x-signature": os.environ["SIGNATURE"]}
response = requests.post(
    "${ORIGIN}/api/roundup",
    json={"txValueUsd": 27.63, "plan": "tree"},
    headers=headers,
    timeout=30,
)
print(response.json())`);
});

test("the samples send no credentials to a public operation", () => {
  expect(findCode("get-prices", "Python")).not.toContain("headers");
  expect(findCode("get-prices", "TypeScript")).not.toContain("credentials");
});

test("the TypeScript sample reads an answer without an envelope with fetch", () => {
  expect(findCode("get-openapi", "TypeScript")).toContain(`fetch("${ORIGIN}/api/openapi.json")`);
});

test("every operation's Python sample is valid Python", (context) => {
  const programs = listOperations().map((operation) => buildSamples(operation)[2]!.code);
  const syntaxCheck = "import ast, json, sys\nfor code in json.load(sys.stdin): ast.parse(code)";
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
  } catch {
    context.skip("python3 is not installed");
  }
  execFileSync("python3", ["-c", syntaxCheck], { input: JSON.stringify(programs) });
});
