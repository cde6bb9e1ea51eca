import { addressOf, type Call, curlOf, exampleValues } from "@/app/docs/_components/call";
import type { Language } from "./highlight";

/** Generates the example of an operation in each language from its contract. Server only. */

export interface RequestSample {
  label: "curl" | "TypeScript" | "Python";
  language: Language;
  code: string;
}

/** Returns the same call in each language. Credentials stay environment variables. */
export const requestSamples = (call: Call, origin: string): RequestSample[] => [
  { label: "curl", language: "bash", code: curlOf(call, origin) },
  { label: "TypeScript", language: "typescript", code: call.bare ? fetchOf(call, origin) : clientOf(call, origin) },
  { label: "Python", language: "python", code: requestsOf(call, origin) },
];

const addressOfExample = (call: Call) => addressOf(call, exampleValues(call));

/** The SDK's client reads the envelope only, so a bare answer needs fetch. */
const fetchOf = (call: Call, origin: string) => `const response = await fetch("${origin}${addressOfExample(call)}");
console.log(await response.json());`;

function clientOf(call: Call, origin: string): string {
  const given = [
    JSON.stringify(addressOfExample(call)),
    ...(call.example ? [literal(call.example, JAVASCRIPT)] : []),
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
    `const data = await client.${call.method.toLowerCase()}(${given.join(", ")});`,
    "console.log(data);",
  ].join("\n");
}

function requestsOf(call: Call, origin: string): string {
  const isPublic = call.auth === "none";
  const given = [
    JSON.stringify(origin + addressOfExample(call)),
    ...(call.example ? [`json=${literal(call.example, PYTHON, PYTHON.indent)}`] : []),
    ...(isPublic ? [] : ["headers=headers"]),
    "timeout=30",
  ];
  return [
    ...(isPublic ? [] : ["import os"]),
    "import requests\n",
    ...(isPublic ? [] : ['headers = {"x-wallet": os.environ["WALLET"], "x-signature": os.environ["SIGNATURE"]}']),
    `response = requests.${call.method.toLowerCase()}${list("(", given, ")", PYTHON)}`,
    "print(response.json())",
  ].join("\n");
}

interface Style {
  indent: string;
  /** White space inside the braces of an object on one line. */
  padding: string;
  key(name: string): string;
  words: Record<string, string>;
}

const JAVASCRIPT: Style = { indent: "  ", padding: " ", key: (name) => name, words: {} };
const PYTHON: Style = {
  indent: "    ",
  padding: "",
  key: (name) => JSON.stringify(name),
  words: { true: "True", false: "False", null: "None" },
};

/** Longest list, object or list of arguments that stays on one line, in characters. */
const MAX_LINE = 64;

/** Returns a JSON value as source code. @param indent of the line that the value starts on */
function literal(value: unknown, style: Style, indent = ""): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value === null || typeof value !== "object") return style.words[String(value)] ?? String(value);
  const inner = indent + style.indent;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((item) => literal(item, style, inner))
    : Object.entries(value).map(([name, item]) => `${style.key(name)}: ${literal(item, style, inner)}`);
  const [open, close] = isList ? ["[", "]"] : [`{${style.padding}`, `${style.padding}}`];
  return list(open, members, close, style, indent);
}

/** Puts short members on one line, and long ones each on a line of their own. */
function list(open: string, members: string[], close: string, style: Style, indent = ""): string {
  const line = open + members.join(", ") + close;
  if (members.length === 0) return line.replaceAll(" ", "");
  if (line.length <= MAX_LINE && !line.includes("\n")) return line;
  const inner = indent + style.indent;
  return `${open.trim()}\n${members.map((member) => `${inner}${member},\n`).join("")}${indent}${close.trim()}`;
}
