import { type ApiCall, buildAddress, formatCurl, toExampleValues } from "@/app/docs/_components/call";

/* The examples of an operation, from its contract. Server only. */

export interface RequestSample {
  label: "curl" | "TypeScript" | "Python";
  language: "bash" | "python" | "typescript";
  code: string;
}

/** Credentials come from environment variables. */
export const buildRequestSamples = (call: ApiCall, origin: string): RequestSample[] => [
  { label: "curl", language: "bash", code: formatCurl(call, origin) },
  {
    label: "TypeScript",
    language: "typescript",
    code: call.hasNoEnvelope ? formatFetchCall(call, origin) : formatSdkCall(call, origin),
  },
  { label: "Python", language: "python", code: formatPythonCall(call, origin) },
];

const buildExamplePath = (call: ApiCall) => buildAddress(call, toExampleValues(call));

/** The SDK's client cannot read a response without the envelope. */
const formatFetchCall = (
  call: ApiCall,
  origin: string,
) => `const response = await fetch("${origin}${buildExamplePath(call)}");
console.log(await response.json());`;

function formatSdkCall(call: ApiCall, origin: string): string {
  const args = [JSON.stringify(buildExamplePath(call))];
  if (call.exampleBody) args.push(JSON.stringify(call.exampleBody, null, 2).replace(/^( +)"(\w+)":/gm, "$1$2:"));
  const lines = [
    'import { createClient } from "roundup-sdk/client";\n',
    `const client = createClient({ baseUrl: "${origin}" });`,
  ];
  if (call.auth !== "none") {
    args.push("{ credentials }");
    lines.push(
      'const { WALLET = "", SIGNATURE = "" } = process.env;',
      'const credentials = { "x-wallet": WALLET, "x-signature": SIGNATURE };',
    );
  }
  lines.push(`const data = await client.${call.method.toLowerCase()}(${args.join(", ")});`, "console.log(data);");
  return lines.join("\n");
}

const PYTHON_LITERALS: Record<string, string> = { true: "True", false: "False", null: "None" };

function formatPythonCall(call: ApiCall, origin: string): string {
  const args = [JSON.stringify(origin + buildExamplePath(call))];
  const lines = ["import requests\n"];
  if (call.exampleBody) {
    const body = JSON.stringify(call.exampleBody, null, 4);
    args.push(`json=${body.replace(/\b(true|false|null)(?=,?$)/gm, (name) => PYTHON_LITERALS[name]!)}`);
  }
  if (call.auth !== "none") {
    args.push("headers=headers");
    lines.unshift("import os");
    lines.push('headers = {"x-wallet": os.environ["WALLET"], "x-signature": os.environ["SIGNATURE"]}');
  }
  lines.push(
    `response = requests.${call.method.toLowerCase()}(${args.join(", ")}, timeout=30)`,
    "print(response.json())",
  );
  return lines.join("\n");
}
