import { execFileSync } from "node:child_process";
import { test } from "vitest";
import { listOperations } from "@/app/docs/_content/reference";
import { buildRequestSamples } from "@/app/docs/_content/request-samples";

const ORIGIN = "http://localhost:3000";
const buildSamples = (operation: ReturnType<typeof listOperations>[number]) =>
  buildRequestSamples({ ...operation, exampleBody: operation.body?.example ?? null }, ORIGIN);

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
