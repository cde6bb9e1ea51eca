import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AUTH_TEXTS, type Contract } from "../lib/contracts/define";
import {
  createExampleRequest,
  EXAMPLE_KEY_ID,
  EXAMPLE_PLACEHOLDER,
  EXAMPLE_SERVICE_WALLET,
  EXAMPLE_WALLET,
} from "../lib/contracts/examples";
import { type KeyFamily, STORE_KEYS } from "../lib/domain/store-keys";
import { DAY_MS } from "../lib/domain/time";
import { ERRORS } from "../lib/errors";

/* Writes what `npm run docs` generates. tests/openapi.test.ts checks that it is current. */

const root = join(import.meta.dirname, "..");
const REGISTRY = "lib/contracts/index.ts";
const API_DOCUMENT = "docs/api.md";
const OPERATIONS_DOCUMENT = "docs/operations.md";
const ERROR_GUIDE = "docs/guides/errors.md";
/** The caption of each program is its file. */
const PROGRAM_GUIDES = ["checkout", "backend", "bot", "x402"];

const readText = (file: string) => readFile(join(root, file), "utf8");

/** By path from the root. */
export async function generateFiles(): Promise<Record<string, string>> {
  const [registry, apiDocument, operationsDocument, errorGuide] = await Promise.all(
    [REGISTRY, API_DOCUMENT, OPERATIONS_DOCUMENT, ERROR_GUIDE].map(readText),
  );
  const contracts = sortByRegistry(await readContracts(), registry!);
  return {
    [REGISTRY]: formatRegistry(contracts),
    [API_DOCUMENT]: replaceTable(
      apiDocument!,
      "operations",
      formatOperations(contracts.map(({ contract }) => contract)),
    ),
    [OPERATIONS_DOCUMENT]: replaceTable(operationsDocument!, "store keys", formatStoreKeys()),
    [ERROR_GUIDE]: replaceTable(errorGuide!, "errors", formatErrors()),
    ...Object.fromEntries(await Promise.all(PROGRAM_GUIDES.map(insertPrograms))),
  };
}

interface DeclaredContract {
  file: string;
  name: string;
  contract: Contract;
}

async function readContracts(): Promise<DeclaredContract[]> {
  const folder = join(root, "lib/contracts");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".ts") && file !== "index.ts").sort();
  const modules = await Promise.all(
    files.map(async (file) => ({ file: file.slice(0, -3), members: await import(join(folder, file)) })),
  );
  return modules.flatMap(({ file, members }) =>
    Object.keys(members)
      .filter((name) => /\wContract$/.test(name) && name !== "defineContract")
      .map((name) => ({ file, name, contract: members[name] as Contract })),
  );
}

/** A new contract follows the last one with the same tag. */
function sortByRegistry(contracts: DeclaredContract[], registry: string): DeclaredContract[] {
  const registeredNames = [...registry.matchAll(/^ {2}(\w+Contract),$/gm)].map(([, name]) => name);
  const sorted = registeredNames.flatMap((name) => contracts.filter((contract) => contract.name === name));
  for (const newContract of contracts.filter(({ name }) => !registeredNames.includes(name))) {
    const lastOfTag = sorted.findLastIndex(({ contract }) => contract.tag === newContract.contract.tag);
    sorted.splice(lastOfTag < 0 ? sorted.length : lastOfTag + 1, 0, newContract);
  }
  return sorted;
}

function formatRegistry(contracts: DeclaredContract[]): string {
  const imports = [...contracts, { file: "define", name: "type Contract" }]
    .sort((a, b) => (a.file < b.file ? -1 : 1))
    .map(({ file, name }) => `import ${/^type /.test(name) ? "type { Contract }" : `{ ${name} }`} from "./${file}";`);
  return `${imports.join("\n")}

/** Lists all operations in the documentation's order, which may be edited. \`npm run docs\` adds new operations. */
export const CONTRACTS = [
${contracts.map(({ name }) => `  ${name},`).join("\n")}
] as const satisfies readonly Contract[];
`;
}

/** The table follows its mark, for example `<!-- operations: written by npm run docs -->`. */
function replaceTable(document: string, mark: string, rows: string[]): string {
  const pattern = new RegExp(`(<!-- ${mark}:.*-->\\n)[\\s\\S]*?(?=\\n\\n|\\n$)`);
  if (!pattern.test(document)) throw new Error(`a document has no "${mark}" mark for its table`);
  return document.replace(pattern, (_, markLine: string) => markLine + rows.join("\n"));
}

const formatOperations = (contracts: Contract[]): string[] => [
  "| Method | Path | Who | Try it |",
  "|---|---|---|---|",
  ...contracts.map(
    (contract) =>
      `| ${contract.method} | \`${contract.path.replace(/\{(\w+)\}/g, ":$1")}\` | ${formatCaller(contract)} | \`${formatCurl(contract)}\` |`,
  ),
];

const formatStoreKeys = (): string[] => [
  "| Key | Value | Expires | Bytes |",
  "|---|---|---|---|",
  ...Object.values(STORE_KEYS).map(
    ({ name, parts, value, bytes, ...family }) =>
      `| \`${[name, ...parts.map((part) => `<${part}>`)].join(":")}\` | ${value} | ${formatExpiry(family)} | ${bytes.toLocaleString("en")} |`,
  ),
];

const formatErrors = (): string[] => [
  "| Status | Code | Meaning |",
  "|---|---|---|",
  ...Object.entries(ERRORS).map(([code, [status, sentence]]) => `| ${status} | \`${code}\` | ${sentence} |`),
];

/** Updates the programs of a guide. @throws {Error} if it shows none */
async function insertPrograms(guide: string): Promise<[file: string, text: string]> {
  const file = `docs/guides/${guide}.md`;
  const [head = "", ...parts] = (await readText(file)).split(/(?<=^```\w+ (\S+\/\S+)\n)[\s\S]*?(?=^```$)/m);
  if (parts.length === 0) throw new Error(`${file} shows no program.`);
  const texts = await Promise.all(parts.map((part, i) => (i % 2 === 0 ? readText(part) : part)));
  return [file, [head, ...texts].join("")];
}

const UNITS = [
  [DAY_MS, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
] as const;

/** For example "after 30 days". */
function formatExpiry({ ttlMs, expiryText }: Pick<KeyFamily, "ttlMs" | "expiryText">): string {
  if (expiryText !== null) return expiryText;
  if (ttlMs === null) return "never";
  const [unitMs, unit] = UNITS.find(([ms]) => ttlMs >= ms)!;
  return `after ${ttlMs / unitMs} ${unit}${ttlMs === unitMs ? "" : "s"}`;
}

const formatCaller = ({ auth, onlyNetwork }: Contract) =>
  `${AUTH_TEXTS[auth]}${onlyNetwork ? `, ${onlyNetwork} only` : ""}`;

const SIGNED_IN = '-H "x-wallet: $WALLET" -H "x-signature: $SIGNATURE"';
const BY_KEY = '-H "x-api-key: $API_KEY"';

/** Uses the shell variables that tests/shell-wallet.mjs exports. */
function formatCurl(contract: Contract): string {
  const { path, query, body } = createExampleRequest(contract);
  const { auth, method } = contract;
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const address = insertVariables(`$BASE${path}${search.size > 0 ? `?${search}` : ""}`);
  return [
    "curl -s",
    ...(method === "DELETE" ? ["-X DELETE"] : []),
    address.includes("?") ? `"${address}"` : address,
    ...(auth === "none" ? [] : [auth === "wallet" || auth === "signer" ? SIGNED_IN : BY_KEY]),
    ...(body ? ['-H "content-type: application/json"', `-d ${quoteBody(body)}`] : []),
  ].join(" ");
}

function quoteBody(body: Record<string, unknown>): string {
  const members = Object.entries(body).map(([name, value]) => [
    name,
    value === EXAMPLE_PLACEHOLDER ? toVariable(name) : value,
  ]);
  const text = insertVariables(JSON.stringify(Object.fromEntries(members)));
  return text.includes("$") ? `"${text.replaceAll('"', '\\"')}"` : `'${text}'`;
}

const insertVariables = (text: string) =>
  text
    .replaceAll(EXAMPLE_WALLET, "$WALLET")
    .replaceAll(EXAMPLE_SERVICE_WALLET, "$SERVICE_WALLET")
    .replaceAll(EXAMPLE_KEY_ID, "$KEY_ID");

/** `signedTransaction` becomes `$SIGNED_TRANSACTION`. */
const toVariable = (name: string) => `$${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;

if (process.argv[1] === import.meta.filename) {
  for (const [file, text] of Object.entries(await generateFiles())) await writeFile(join(root, file), text);
}
