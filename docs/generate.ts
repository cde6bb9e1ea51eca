import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AuthRule, Contract } from "../lib/contracts/define";
import {
  EXAMPLE_GAP,
  EXAMPLE_KEY_ID,
  EXAMPLE_SERVICE_WALLET,
  EXAMPLE_WALLET,
  exampleRequest,
} from "../lib/contracts/examples";

/**
 * Generates the files derived from the contracts. Run by `npm run docs`; tests/openapi.test.ts checks they are current.
 */

const root = join(import.meta.dirname, "..");
const REGISTRY = "lib/contracts/index.ts";
const API_DOCUMENT = "docs/api.md";

/** Returns the expected files by path from the root. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const [registry, document] = await Promise.all(
    [REGISTRY, API_DOCUMENT].map((file) => readFile(join(root, file), "utf8")),
  );
  const declared = inOrder(await declaredContracts(), registry!);
  return {
    [REGISTRY]: registryOf(declared),
    [API_DOCUMENT]: withTable(
      document!,
      declared.map(({ contract }) => contract),
    ),
  };
}

interface Declared {
  /** File name without its extension. */
  file: string;
  /** Name of the export. */
  name: string;
  contract: Contract;
}

async function declaredContracts(): Promise<Declared[]> {
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

/** Sorts contracts in the registry's order. New ones follow the last one with the same tag. */
function inOrder(declared: Declared[], registry: string): Declared[] {
  const known = [...registry.matchAll(/^ {2}(\w+Contract),$/gm)].map(([, name]) => name);
  const list = known.flatMap((name) => declared.filter((one) => one.name === name));
  for (const one of declared.filter(({ name }) => !known.includes(name))) {
    const last = list.findLastIndex(({ contract }) => contract.tag === one.contract.tag);
    list.splice(last < 0 ? list.length : last + 1, 0, one);
  }
  return list;
}

function registryOf(declared: Declared[]): string {
  const imports = [...declared, { file: "define", name: "type Contract" }]
    .sort((a, b) => (a.file < b.file ? -1 : 1))
    .map(({ file, name }) => `import ${/^type /.test(name) ? "type { Contract }" : `{ ${name} }`} from "./${file}";`);
  return `${imports.join("\n")}

/**
 * The registry: all operations, in the order of the documentation. \`npm run docs\` adds new ones; the order may be edited
 * by hand.
 */
export const CONTRACTS = [
${declared.map(({ name }) => `  ${name},`).join("\n")}
] as const satisfies readonly Contract[];
`;
}

const TABLE = /(<!-- operations:.*-->\n)[\s\S]*?(?=\n\n)/;

function withTable(document: string, contracts: Contract[]): string {
  if (!TABLE.test(document)) throw new Error(`${API_DOCUMENT} has no "operations" mark for its table`);
  const rows = contracts.map(
    (contract) =>
      `| ${contract.method} | \`${contract.path.replace(/\{(\w+)\}/g, ":$1")}\` | ${callerOf(contract)} | \`${curlOf(contract)}\` |`,
  );
  const table = ["| Method | Path | Who | Try it |", "|---|---|---|---|", ...rows].join("\n");
  return document.replace(TABLE, (_, mark: string) => mark + table);
}

const CALLERS: Record<AuthRule, string> = {
  none: "anyone",
  caller: "signature or key",
  wallet: "signature",
  signer: "signature",
  optional: "anyone, more with a signature or key",
};
const callerOf = ({ auth, only }: Contract) => `${CALLERS[auth]}${only ? `, ${only} only` : ""}`;

const SIGNED_IN = '-H "x-wallet: $WALLET" -H "x-signature: $SIGNATURE"';
const BY_KEY = '-H "x-api-key: $API_KEY"';
const CREDENTIALS: Record<AuthRule, string[]> = {
  none: [],
  caller: [BY_KEY],
  wallet: [SIGNED_IN],
  signer: [SIGNED_IN],
  optional: [BY_KEY],
};

/** Formats the example as a shell command, with the variables that tests/shell-wallet.mjs exports. */
function curlOf(contract: Contract): string {
  const { path, query, body } = exampleRequest(contract);
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const address = withVariables(`$BASE${path}${search.size > 0 ? `?${search}` : ""}`);
  return [
    "curl -s",
    ...(contract.method === "DELETE" ? ["-X DELETE"] : []),
    address.includes("?") ? `"${address}"` : address,
    ...CREDENTIALS[contract.auth],
    ...(body ? ['-H "content-type: application/json"', `-d ${quoted(body)}`] : []),
  ].join(" ");
}

function quoted(body: Record<string, unknown>): string {
  const members = Object.entries(body).map(([name, value]) => [name, value === EXAMPLE_GAP ? variable(name) : value]);
  const text = withVariables(JSON.stringify(Object.fromEntries(members)));
  return text.includes("$") ? `"${text.replaceAll('"', '\\"')}"` : `'${text}'`;
}

const withVariables = (text: string) =>
  text
    .replaceAll(EXAMPLE_WALLET, "$WALLET")
    .replaceAll(EXAMPLE_SERVICE_WALLET, "$SERVICE_WALLET")
    .replaceAll(EXAMPLE_KEY_ID, "$KEY_ID");

/** Returns the shell variable of a member: `signedTransaction` becomes `$SIGNED_TRANSACTION`. */
const variable = (name: string) => `$${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;

if (process.argv[1] === import.meta.filename) {
  for (const [file, text] of Object.entries(await generatedFiles())) await writeFile(join(root, file), text);
}
