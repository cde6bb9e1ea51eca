import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { CONTRACTS } from "../lib/contracts";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** All files below a folder, as paths from the root; only those of the given endings when there are any. */
function filesOf(folder: string, ...endings: string[]): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && (endings.length === 0 || endings.some((end) => entry.name.endsWith(end))))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

const SOURCES = [
  ...filesOf("lib", ".ts", ".tsx"),
  ...filesOf("app", ".ts", ".tsx"),
  "instrumentation.ts",
  "proxy.ts",
  "server.ts",
];

/** Which part of the tree a file belongs to: the folder under lib, or the single file's own name. */
function partOf(file: string): string {
  if (file.startsWith("app/api/")) return "api";
  if (file.startsWith("app/")) return "ui";
  if (file.startsWith("tests/")) return "tests";
  return file.replace(/^lib\//, "").replace(/\/.*|\.tsx?$/, "");
}

/** Who may import whom. Files of one part may import each other, and everybody may import errors. */
const ALLOWED: Record<string, string[]> = {
  errors: [],
  solana: [],
  domain: ["solana"],
  contracts: ["domain", "solana"],
  ports: ["domain"],
  env: ["domain", "solana"],
  clients: ["ports", "domain", "solana"],
  services: ["contracts", "domain", "solana", "ports"],
  deps: ["clients", "env", "ports"],
  http: ["contracts", "deps", "env", "ports", "domain", "solana"],
  api: ["http", "contracts", "services"],
  sdk: ["contracts", "domain", "solana"],
  ui: ["sdk", "contracts", "domain", "solana"],
  operator: ["clients", "domain", "solana", "env"],
  sandbox: ["domain", "solana", "operator"],
  boot: ["deps", "env"],
  instrumentation: ["boot"],
  proxy: [],
  server: ["deps", "http", "sandbox", "api"],
};

interface Import {
  from: string;
  /** A file of this tree, or a package's name. */
  to: string;
  own: boolean;
  /** Only types: gone at run time. */
  typeOnly: boolean;
}

const parse = (file: string) => ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);

/** Static and dynamic imports and re-exports alike. */
function importsOf(file: string): Import[] {
  const list: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (specifier && ts.isStringLiteralLike(specifier))
      list.push({ from: file, ...resolve(file, specifier.text), typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return list;
}

function resolve(file: string, specifier: string): { to: string; own: boolean } {
  const path = specifier.startsWith("@/")
    ? specifier.slice(2)
    : specifier.startsWith(".")
      ? posix.join(posix.dirname(file), specifier)
      : null;
  if (path === null) return { to: specifier, own: false };
  const found = ["", ".ts", ".tsx", "/index.ts", "/index.tsx"].find(
    (end) => /\.\w+$/.test(path + end) && existsSync(join(root, path + end)),
  );
  if (found === undefined) throw new Error(`${file} imports ${specifier}, which does not exist`);
  return { to: path + found, own: true };
}

const IMPORTS = SOURCES.flatMap(importsOf);
const OWN = IMPORTS.filter(({ own }) => own);
const describeImport = ({ from, to }: Import) => `${from} → ${to}`;

/** The file's code without comments and texts, so that a word in either is no use of it. */
function codeOf(file: string): string {
  const source = parse(file);
  const cuts: [number, number][] = [];
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(source.text, node.pos) ?? []) cuts.push([range.pos, range.end]);
    if (ts.isStringLiteralLike(node)) cuts.push([node.getStart(), node.end]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const text = source.text.split("");
  for (const [start, end] of cuts) text.fill(" ", start, end);
  return text.join("");
}

const usersOf = (word: RegExp, files: string[]) => files.filter((file) => word.test(codeOf(file)));
const inParts = (...parts: string[]) => SOURCES.filter((file) => parts.includes(partOf(file)));

describe("who imports whom", () => {
  test("every part of the tree has its row in the table", () => {
    expect([...new Set(SOURCES.map(partOf))].filter((part) => !(part in ALLOWED))).toEqual([]);
  });

  test.each(Object.entries(ALLOWED))("%s imports only itself, errors and %j", (part, allowed) => {
    const permitted = [part, "errors", ...allowed];
    const wrong = OWN.filter(
      ({ from, to }) => partOf(from) === part && !to.endsWith(".css") && !permitted.includes(partOf(to)),
    );
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test("http knows only the types of the configuration", () => {
    const wrong = OWN.filter(({ from, to, typeOnly }) => partOf(from) === "http" && partOf(to) === "env" && !typeOnly);
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test("nobody imports tests", () => {
    expect(OWN.filter(({ to }) => partOf(to) === "tests").map(describeImport)).toEqual([]);
  });

  test("the operator, who knows the treasury, is imported by the sandbox alone, and the sandbox by server.ts alone", () => {
    const importersOf = (part: string) =>
      new Set(
        OWN.filter(({ from, to }) => partOf(to) === part && partOf(from) !== part).map(({ from }) => partOf(from)),
      );
    expect([...importersOf("operator")]).toEqual(["sandbox"]);
    expect([...importersOf("sandbox")]).toEqual(["server"]);
  });

  test.each([
    ["domain", /^(node:|next|react|server-only)/],
    ["contracts", /^(node:|next|react|server-only)/],
    ["services", /^(node:|next|react|@vercel|lmdb|pino)/],
    ["errors", /./],
  ])("%s stays free of packages like %s", (part, forbidden) => {
    const wrong = IMPORTS.filter(({ from, to, own }) => partOf(from) === part && !own && forbidden.test(to));
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test("files of lib are imported by their own name: no folder gathers others but the registry of contracts", () => {
    expect(SOURCES.filter((file) => file.startsWith("lib/") && file.endsWith("/index.ts"))).toEqual([
      "lib/contracts/index.ts",
    ]);
  });
});

describe("no hidden inputs", () => {
  test("lib/env.ts alone reads the environment; the two files that only Next runs ask for what it replaces at build time", () => {
    const readers = usersOf(/\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[/, SOURCES);
    expect(readers.filter((file) => file !== "lib/env.ts")).toEqual(["instrumentation.ts", "proxy.ts"]);
    expect(codeOf("instrumentation.ts").match(/process\.env\W+\w+/g)).toEqual(["process.env.NEXT_RUNTIME"]);
    expect(codeOf("proxy.ts").match(/process\.env\W+\w+/g)).toEqual(["process.env.NODE_ENV"]);
  });

  test.each([
    ["the clock", /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bperformance\b/],
    ["chance", /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b|\brandomBytes\b/],
    ["the network", /\bfetch\s*\(|\bXMLHttpRequest\b|\bWebSocket\b|\bnew Connection\b/],
    ["timers", /\bset(Timeout|Interval|Immediate)\b/],
    ["shared state of the process", /\bglobalThis\b|\bprocess\b/],
    ["the terminal", /\bconsole\b/],
  ])("services and domain use %s only through what they are given", (_what, word) => {
    expect(usersOf(word, inParts("services", "domain"))).toEqual([]);
  });
});

test("money is converted in lib/domain/money.ts alone; the sandbox has its own arithmetic, to be held against", () => {
  const power = /\b1e-?[69]\b|\b10n? \*\* /;
  const users = usersOf(power, SOURCES).filter((file) => !file.startsWith("lib/sandbox/"));
  expect(users).toEqual(["lib/domain/money.ts"]);
});

describe("an operation has one name everywhere", () => {
  const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const operations = CONTRACTS.map(({ operation }) => operation);
  const ROUTES = filesOf("app/api", "route.ts");

  test("names and addresses are unique", () => {
    expect(new Set(operations).size).toBe(operations.length);
    expect(new Set(CONTRACTS.map(({ method, path }) => `${method} ${path}`)).size).toBe(CONTRACTS.length);
  });

  test("every file that declares a contract is in the registry", () => {
    const declaring = filesOf("lib/contracts").filter((file) => /=\s*defineContract\(/.test(codeOf(file)));
    expect(declaring).toEqual(operations.map((name) => `lib/contracts/${name}.ts`).sort());
  });

  test.each(operations)("%s: its contract, its service and its API test exist", (name) => {
    expect(read(`lib/contracts/${name}.ts`)).toContain(`export const ${camelCase(name)}Contract = `);
    expect(read(`lib/services/${name}.ts`)).toContain(`export async function ${camelCase(name)}(`);
    expect(existsSync(join(root, `tests/api/${name}.test.ts`)), `tests/api/${name}.test.ts`).toBe(true);
  });

  /** The `route(service, contract)` pairs of a module, by name. */
  function bindingsOf(file: string): { service: string; contract: string }[] {
    const pairs = codeOf(file).matchAll(/\broute\(\s*(\w+),\s*(\w+),?\s*\)/g);
    return [...pairs].map(([, service, contract]) => ({ service: service!, contract: contract! }));
  }

  test.each(CONTRACTS)(
    "$operation: $method $path is bound once, in the module of that path, to its own service",
    ({ operation, path }) => {
      const contract = `${camelCase(operation)}Contract`;
      const homes = ROUTES.filter((file) => bindingsOf(file).some((pair) => pair.contract === contract));
      expect(homes).toEqual([`app${path.replace(/\{(\w+)\}/g, "[$1]")}/route.ts`]);
      expect(bindingsOf(homes[0]!).filter((pair) => pair.contract === contract)).toEqual([
        { service: camelCase(operation), contract },
      ]);
      const imported = OWN.filter(({ from }) => from === homes[0]).map(({ to }) => to);
      expect(imported).toContain(`lib/contracts/${operation}.ts`);
      expect(imported).toContain(`lib/services/${operation}.ts`);
    },
  );

  test("app/api holds route modules alone, each binds something, and one answers every other path", () => {
    expect(filesOf("app/api")).toEqual(ROUTES);
    expect(ROUTES.filter((file) => bindingsOf(file).length === 0)).toEqual(["app/api/[[...path]]/route.ts"]);
  });

  test.each(ROUTES)("%s: imports and the one export, no logic", (file) => {
    const statements = [...parse(file).statements];
    const last = statements.pop()!;
    expect(statements.every(ts.isImportDeclaration)).toBe(true);
    expect(last.getText().replace(/\s+/g, " ")).toMatch(
      /^export const \{ GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE \} = routes\(( ?route\(\w+, \w+\),?)* ?\);$/,
    );
  });
});

test("a file of lib has at most 300 lines, server.ts at most 80", () => {
  const linesOf = (file: string) => read(file).trimEnd().split("\n").length;
  const tooLong = SOURCES.filter((file) => linesOf(file) > (file === "server.ts" ? 80 : 300));
  expect(tooLong.map((file) => `${file}: ${linesOf(file)}`)).toEqual([]);
});

test("what this file reads is the whole tree", () => {
  expect(SOURCES.length).toBeGreaterThan(100);
  expect(OWN.length).toBeGreaterThan(300);
});
