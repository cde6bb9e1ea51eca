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
  const args = [
    JSON.stringify(buildExamplePath(call)),
    ...(call.exampleBody ? [formatLiteral(call.exampleBody, JAVASCRIPT)] : []),
    ...(call.auth === "none" ? [] : ["{ credentials }"]),
  ];
  return [
    'import { createClient } from "roundup-sdk/client";\n',
    `const client = createClient({ baseUrl: "${origin}" });`,
    ...(call.auth === "none"
      ? []
      : [
          'const { WALLET = "", SIGNATURE = "" } = process.env;',
          'const credentials = { "x-wallet": WALLET, "x-signature": SIGNATURE };',
        ]),
    `const data = await client.${call.method.toLowerCase()}(${args.join(", ")});`,
    "console.log(data);",
  ].join("\n");
}

function formatPythonCall(call: ApiCall, origin: string): string {
  const isPublic = call.auth === "none";
  const args = [
    JSON.stringify(origin + buildExamplePath(call)),
    ...(call.exampleBody ? [`json=${formatLiteral(call.exampleBody, PYTHON, PYTHON.indent)}`] : []),
    ...(isPublic ? [] : ["headers=headers"]),
    "timeout=30",
  ];
  return [
    ...(isPublic ? [] : ["import os"]),
    "import requests\n",
    ...(isPublic ? [] : ['headers = {"x-wallet": os.environ["WALLET"], "x-signature": os.environ["SIGNATURE"]}']),
    `response = requests.${call.method.toLowerCase()}${formatList("(", args, ")", PYTHON)}`,
    "print(response.json())",
  ].join("\n");
}

interface LiteralStyle {
  indent: string;
  /** White space inside the braces of an object on one line. */
  padding: string;
  formatKey(name: string): string;
  /** How the language writes true, false and null, where it differs from JSON. */
  literals: Record<string, string>;
}

const JAVASCRIPT: LiteralStyle = { indent: "  ", padding: " ", formatKey: (name) => name, literals: {} };
const PYTHON: LiteralStyle = {
  indent: "    ",
  padding: "",
  formatKey: (name) => JSON.stringify(name),
  literals: { true: "True", false: "False", null: "None" },
};

/** Characters of a list, an object or arguments on one line. */
const MAX_LINE_LENGTH = 64;

/** @param indent of the line on which the value starts */
function formatLiteral(value: unknown, style: LiteralStyle, indent = ""): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value === null || typeof value !== "object") return style.literals[String(value)] ?? String(value);
  const innerIndent = indent + style.indent;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((element) => formatLiteral(element, style, innerIndent))
    : Object.entries(value).map(
        ([name, element]) => `${style.formatKey(name)}: ${formatLiteral(element, style, innerIndent)}`,
      );
  const [openBracket, closeBracket] = isList ? ["[", "]"] : [`{${style.padding}`, `${style.padding}}`];
  return formatList(openBracket, members, closeBracket, style, indent);
}

/** One line if it fits. */
function formatList(
  openBracket: string,
  members: string[],
  closeBracket: string,
  style: LiteralStyle,
  indent = "",
): string {
  const line = openBracket + members.join(", ") + closeBracket;
  if (members.length === 0) return line.replaceAll(" ", "");
  if (line.length <= MAX_LINE_LENGTH && !line.includes("\n")) return line;
  const innerIndent = indent + style.indent;
  const memberLines = members.map((member) => `${innerIndent}${member},\n`).join("");
  return `${openBracket.trim()}\n${memberLines}${indent}${closeBracket.trim()}`;
}
