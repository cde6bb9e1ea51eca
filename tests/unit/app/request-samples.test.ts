import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { listOperations } from "@/app/docs/_content/reference";
import { buildRequestSamples } from "@/app/docs/_content/request-samples";

const ORIGIN = "http://localhost:3000";
const samplesOf = (operation: ReturnType<typeof listOperations>[number]) =>
  buildRequestSamples({ ...operation, example: operation.body?.example ?? null }, ORIGIN);
const codeOf = (id: string, label: string) =>
  samplesOf(listOperations().find((operation) => operation.id === id)!).find((sample) => sample.label === label)!.code;

test("writes a body as a TypeScript object and as a Python dictionary", () => {
  expect(codeOf("calculate-round-up", "TypeScript")).toBe(`import { createClient } from "roundup-sdk/client";

const client = createClient({ baseUrl: "${ORIGIN}" });
const { WALLET = "", SIGNATURE = "" } = process.env;
const credentials = { "x-wallet": WALLET, "x-signature": SIGNATURE };
const data = await client.post("/api/roundup", { txValueUsd: 27.63, plan: "tree" }, { credentials });
console.log(data);`);
  expect(codeOf("calculate-round-up", "Python")).toBe(`import os
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

test("sends no credentials to a public operation, and reads an answer without envelope with fetch", () => {
  expect(codeOf("get-prices", "Python")).not.toContain("headers");
  expect(codeOf("get-prices", "TypeScript")).not.toContain("credentials");
  expect(codeOf("get-openapi", "TypeScript")).toContain(`fetch("${ORIGIN}/api/openapi.json")`);
});

test("writes Python without a syntax error for every operation", (context) => {
  const codes = listOperations().map((operation) => samplesOf(operation)[2]!.code);
  const program = "import ast, json, sys\nfor code in json.load(sys.stdin): ast.parse(code)";
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
  } catch {
    context.skip("python3 is not installed");
  }
  execFileSync("python3", ["-c", program], { input: JSON.stringify(codes) });
});
