import ts from "typescript";
import { describe, expect, test } from "vitest";
import { CONTRACTS } from "../lib/contracts";
import { listFalseCleanups } from "./support/cleanups";
import {
  fileExists,
  findCircles,
  findPart,
  IMPORTS,
  type Import,
  listFiles,
  listFilesThatUse,
  listNodes,
  OWN_IMPORTS,
  parseFile,
  readCode,
  readFile,
  SOURCES,
} from "./support/source-tree";

/** The parts of lib that every part of the pages may import. */
const LIB_PARTS = ["sdk", "contracts", "domain", "solana"];
/** The parts that every feature of the pages may import. */
const SHARED_PARTS = ["_components", "_client", ...LIB_PARTS];

/** The parts that each part may import. Files of one part may import each other, and every part may import errors. */
const ALLOWED: Record<string, string[]> = {
  errors: [],
  "process-lock": [],
  solana: [],
  domain: ["solana"],
  contracts: ["domain", "solana"],
  ports: ["domain"],
  "env-schema": ["domain", "solana"],
  env: ["env-schema", "domain", "solana"],
  clients: ["ports", "domain", "solana"],
  "services/records": ["domain", "solana", "ports"],
  "services/steps": ["services/records", "contracts", "domain", "solana", "ports"],
  services: ["services/records", "services/steps", "contracts", "domain", "solana", "ports"],
  deps: ["clients", "env", "ports"],
  http: ["contracts", "deps", "ports", "domain", "solana"],
  sdk: ["contracts", "domain", "solana"],
  cli: ["sdk", "contracts", "domain", "solana", "process-lock", "package.json"],
  operator: ["clients", "domain", "solana", "env", "sdk"],
  "sandbox/chain": ["domain", "solana"],
  "sandbox/rpc": ["sandbox/chain", "domain", "solana"],
  "sandbox/market": ["sandbox/chain", "domain", "solana"],
  sandbox: ["sandbox/chain", "sandbox/rpc", "sandbox/market", "domain", "solana", "operator", "process-lock"],
  api: ["http", "contracts", "services"],
  cron: ["http", "services/steps"],
  _jsx: [],
  _components: LIB_PARTS,
  _client: ["_components", ...LIB_PARTS],
  _landing: SHARED_PARTS,
  _onboarding: SHARED_PARTS,
  docs: ["_onboarding", ...SHARED_PARTS],
  "dashboard/_components": SHARED_PARTS,
  "dashboard/_shell": ["dashboard/_components", "_onboarding", ...SHARED_PARTS],
  "dashboard/_flow": ["dashboard/_components", "_onboarding", ...SHARED_PARTS],
  "dashboard/_saving": ["dashboard/_flow", "dashboard/_components", "_onboarding", ...SHARED_PARTS],
  dashboard: ["dashboard/_shell", "dashboard/_overview", ...SHARED_PARTS],
  tx: ["_onboarding", "dashboard/_components", "dashboard/_shell", ...SHARED_PARTS],
  app: ["env", "_landing", "docs", "dashboard/_shell", ...SHARED_PARTS],
  "start-checks": ["deps", "domain", "env", "ports"],
  instrumentation: ["start-checks"],
  "next.config": ["http"],
  proxy: [],
  server: ["start-checks", "deps", "http", "sandbox", "api", "services/steps"],
};
/** The parts that every page of the dashboard may import. */
const PAGE_PARTS = ["dashboard/_components", "dashboard/_flow", "dashboard/_saving", "_onboarding", ...SHARED_PARTS];
const PARTS = [...new Set([...SOURCES.map(findPart), ...Object.keys(ALLOWED)])];
/** All pages of the dashboard, including the overview, share one row, and never import each other. */
const IMPORT_TABLE = PARTS.map(
  (part) => [part, ALLOWED[part] ?? (part.startsWith("dashboard/") ? PAGE_PARTS : undefined)] as const,
);

const formatImport = ({ from, to }: Import) => `${from} → ${to}`;
const findTopFolder = (file: string) => findPart(file).split("/")[0]!;
const listSources = (...folders: string[]) => SOURCES.filter((file) => folders.includes(findTopFolder(file)));

test("every upstream failure except a missing part of an overview has a name in the log", () => {
  const unnamedPattern = /new AppError\("upstream_\w+"\)|cause: new Error\(/;
  expect(listSources("clients", "services").filter((file) => unnamedPattern.test(readFile(file)))).toEqual([
    "lib/services/get-overview.ts",
  ]);
});

describe("who imports whom", () => {
  test.each(IMPORT_TABLE)("%s imports only itself, errors and %j", (part, allowed) => {
    const permittedParts = [part, "errors", ...(allowed ?? [])];
    const forbiddenImports = OWN_IMPORTS.filter(
      ({ from, to }) => findPart(from) === part && !to.endsWith(".css") && !permittedParts.includes(findPart(to)),
    );
    expect(allowed, "the part has a row in the table").toBeDefined();
    expect(forbiddenImports.map(formatImport)).toEqual([]);
  });

  test("neither the files nor the table contain a circular import", () => {
    expect(findCircles(OWN_IMPORTS)).toEqual([]);
    const rows = IMPORT_TABLE.flatMap(([from, allowed = []]) => allowed.map((to) => ({ from, to })));
    expect(findCircles(rows)).toEqual([]);
    const circle = ["ab", "bc", "ca"].map(([from, to]) => ({ from: from!, to: to! }));
    expect(findCircles(circle)).toHaveLength(3);
  });

  test("no operation imports a different operation", () => {
    const forbiddenImports = OWN_IMPORTS.filter(
      ({ from, to }) => findPart(from) === "services" && findPart(to) === "services",
    );
    expect(forbiddenImports.map(formatImport)).toEqual([]);
  });

  test("the SDK imports only types from contracts", () => {
    const forbiddenImports = OWN_IMPORTS.filter(
      ({ from, to, isTypeOnly }) => findPart(from) === "sdk" && findPart(to) === "contracts" && !isTypeOnly,
    );
    expect(forbiddenImports.map(formatImport)).toEqual([]);
  });

  test("the sandbox's chain and RPC share only addresses with the service", () => {
    const sharedImports = OWN_IMPORTS.filter(
      ({ from, to }) => /^lib\/sandbox\/(chain|rpc)\//.test(from) && !to.startsWith("lib/sandbox/"),
    );
    expect([...new Set(sharedImports.map(({ to }) => to))].sort()).toEqual([
      "lib/domain/assets.ts",
      "lib/solana/programs.ts",
    ]);
  });

  /** Returns the features that use a file, directly or through another file of the same folder. */
  function findFeatures(file: string): Set<string> {
    const users = OWN_IMPORTS.filter(({ to }) => to === file).map(({ from }) => from);
    return new Set(
      users.flatMap((user) => (findPart(user) === findPart(file) ? [...findFeatures(user)] : [findPart(user)])),
    );
  }

  test.each(["_components", "dashboard/_components"])("at least two features use every file in %s", (part) => {
    const singleUseFiles = SOURCES.filter((file) => findPart(file) === part && findFeatures(file).size < 2);
    expect(singleUseFiles).toEqual([]);
  });

  test.each([
    ...["solana", "domain", "contracts", "sdk"].map((part) => [part, /^(node:|next|react|server-only)/] as const),
    ...["services", "services/records", "services/steps"].map(
      (part) => [part, /^(node:|next|react|@vercel|lmdb|pino)/] as const,
    ),
    ["errors", /./] as const,
  ])("%s imports no packages like %s", (part, forbidden) => {
    const forbiddenImports = IMPORTS.filter(
      ({ from, to, isOwn }) => findPart(from) === part && !isOwn && forbidden.test(to),
    );
    expect(forbiddenImports.map(formatImport)).toEqual([]);
  });

  test("only the listed files import web3.js outside lib/solana, the operator and the sandbox", () => {
    const users = IMPORTS.filter(({ to }) => to === "@solana/web3.js").map(({ from }) => from);
    // The operator holds key files. The sandbox checks lib/solana, so it must not share its code.
    const otherUsers = users.filter((file) => !["solana", "operator", "sandbox"].includes(findTopFolder(file)));
    expect([...new Set(otherUsers)].sort()).toEqual([
      "app/_client/wallet/use-sign-transaction.ts",
      "lib/cli/commands/recover.ts",
      "lib/sdk/attach.ts",
      "lib/sdk/recover/chain-reads.ts",
      "lib/sdk/recover/recover.ts",
    ]);
  });

  test("only the registry of contracts and the SDK have an index file", () => {
    expect(SOURCES.filter((file) => file.startsWith("lib/") && file.endsWith("/index.ts"))).toEqual([
      "lib/contracts/index.ts",
      "lib/sdk/index.ts",
    ]);
  });
});

describe("the SDK runs anywhere", () => {
  const SDK_FILES = SOURCES.filter((file) => findPart(file) === "sdk");

  test("the SDK and its imports use only four packages at run time", () => {
    const visited = new Set<string>();
    const visit = (file: string): void => {
      if (visited.has(file)) return;
      visited.add(file);
      for (const { to, isOwn, isTypeOnly } of IMPORTS.filter(({ from }) => from === file))
        if (!isTypeOnly) isOwn ? visit(to) : visited.add(to);
    };
    SDK_FILES.forEach(visit);
    const packages = [...visited].filter((name) => !SOURCES.includes(name));
    expect(packages.filter((name) => !/^(bs58|tweetnacl|@noble\/.*|@solana\/web3\.js)$/.test(name))).toEqual([]);
  });

  test.each([
    ["globals of a page", /\b(window|document|localStorage|sessionStorage|navigator|location|self)\b/],
    ["globals of Node", /\b(process|Buffer|require)\b/],
    [
      "the clock, randomness, the network or timers",
      /\bDate\b|\brandom|\bfetch\(|\bset(Timeout|Interval)\b|\bperformance\b/,
    ],
  ])("no file of the SDK except platform.ts uses %s", (_caseName, wordPattern) => {
    const otherFiles = SDK_FILES.filter((file) => file !== "lib/sdk/platform.ts");
    expect(listFilesThatUse(wordPattern, otherFiles)).toEqual([]);
  });
});

test.each<[string, RegExp, string[]]>([
  [
    "only browser-storage.ts uses the browser's storage, which may be blocked, missing or full",
    /\b(localStorage|sessionStorage|indexedDB)\b/,
    ["app/_client/local-storage/browser-storage.ts"],
  ],
  [
    "only lib/domain/money.ts and the sandbox convert money",
    /\b1e-?[69]\b|\b10n? \*\* |[*/] ?1(_?000){2,3}n?\b/,
    ["lib/domain/money.ts"],
  ],
  ["one constant names the commitment, except in the sandbox", /\bcommitment: "|[,(]\s*"confirmed"\)/, []],
])("%s", (_title, wordPattern, users) => {
  const files = SOURCES.filter((file) => !file.startsWith("lib/sandbox/"));
  expect(listFilesThatUse(wordPattern, files)).toEqual(users);
});

describe("no hidden inputs", () => {
  test("only lib/env.ts, the command and instrumentation.ts read the environment", () => {
    const readers = listFilesThatUse(/\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[/, SOURCES);
    expect(readers.filter((file) => file !== "lib/env.ts")).toEqual(["lib/cli/io.ts", "instrumentation.ts"]);
    expect(readCode("instrumentation.ts").match(/process\.env\W+\w+/g)).toEqual(["process.env.NEXT_RUNTIME"]);
  });

  test.each([
    ["the clock", /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bperformance\b/],
    ["randomness", /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b|\brandomBytes\b/],
    ["the network", /\bfetch\s*\(|\bXMLHttpRequest\b|\bWebSocket\b|\bnew Connection\b/],
    ["timers", /\bset(Timeout|Interval|Immediate)\b/],
    ["shared state of the process", /\bglobalThis\b|\bprocess\b/],
    ["the terminal", /\bconsole\b/],
  ])("services, domain and solana use %s only through their parameters", (_caseName, wordPattern) => {
    expect(listFilesThatUse(wordPattern, listSources("services", "domain", "solana"))).toEqual([]);
  });
});

describe("no key of the store is built outside lib/domain/store-keys.ts", () => {
  const FILES = SOURCES.filter((file) => /^lib\/(domain|services|clients|http|operator|[\w-]+\.ts$)/.test(file));
  /** Templates that look like a key and are the name of something else. */
  const OTHER_NAMES: Record<string, string[]> = {
    "lib/domain/marks.ts": ["roundup:1:"],
    "lib/domain/service-wallet.ts": ["solana:"],
    "lib/env-schema.ts": ["roundup:"],
    "lib/http/rate-limit.ts": ["probe:", "options:", "key:", "key:"],
    "lib/operator/collectors.ts": ["collector:"],
    "lib/services/records/feeds.ts": ["key-id:", "key:"],
  };
  const STORE_METHOD = /(kv|store)\)?\??\.(get|getMany|set|setIfAbsent|replace|delete|\w+Members?)$/i;

  test("no other file has a template that begins with a word and a colon", () => {
    const heads = FILES.map((file) => {
      const texts = listNodes(file)
        .filter(ts.isTemplateHead)
        .map(({ text }) => text);
      return [file, texts.filter((text) => /^[a-z-]+:(?!\/\/)/.test(text))] as const;
    });
    expect(Object.fromEntries(heads.filter(([, texts]) => texts.length > 0))).toEqual(OTHER_NAMES);
  });

  test("no call of the store names its key in place", () => {
    const calls = FILES.flatMap((file) => listNodes(file).filter(ts.isCallExpression));
    const storeCalls = calls.filter(({ expression }) => STORE_METHOD.test(expression.getText()));
    const isText = (node: ts.Node | undefined) =>
      node && (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node));
    expect(storeCalls.length).toBeGreaterThan(50);
    expect(storeCalls.filter((call) => isText(call.arguments[0])).map((call) => call.getText())).toEqual([]);
  });
});

/**
 * Tests that cover several files, or a page and its texts. Every other test has its file's name, with an optional
 * aspect after it.
 */
const TESTS_OF_SEVERAL: Record<string, string> = {
  "clients/kv-store": "both stores pass one suite",
  "clients/kv-failures": "both stores report failures in the same way",
  "solana/readers": "readers return the fields that the writers encoded, for all instructions",
  "services/price-cases": "every operation that reads a price, with any answer of the source",
  "services/payment-value": "spending, activity and batch builds, with each source of a payment's price",
  "services/claim-protocol": "listing, build and execute, under any interleaving of store calls, and after lost data",
  "services/pool-property": "wrap and execute through the page's engine, against pools of bad nodes",
  "services/not-run": "every reader of transactions, with one that was included and has not run",
  "services/usdc-savings": "read, build and execute savings in USDC over the real Token program, beside forged ones",
  "sandbox/rpc/methods": "the methods that read blocks, the accounts of a program and the whole cluster",
  "solana/unit-limits": "the shapes of transactions, whose compute units are measured on the runtime",
  "sdk/flow/specs": "how an investment and a withdrawal continue after a part of them",
  "sdk/sign/identity": "signing in and the service wallet, with wallets that misbehave",
  "sdk/exit-fees": "withdrawing through the service and without it, while the network changes how it charges",
  "sdk/exits": "withdrawing through the service and without it, while a stranger acts between any two steps",
  "sdk/red-team": "hostile builds, which client and server must refuse",
  "app/check-swap": "a sample of the documentation",
  "app/docs-content": "the documentation's texts and samples",
  "app/stored-choices": "the choices that the browser stores, each of which a person or an older page may have damaged",
};

describe("unit tests mirror the tree", () => {
  const tests = listFiles("tests/unit", ".test.ts").map((file) => file.replace(/^tests\/unit\/|\.test\.ts$/g, ""));
  /** The names of the sources. Pages count by name alone, because they are in the folders of their features. */
  const sourceNames = SOURCES.map((file) =>
    (file.startsWith("app/") ? `app/${file.split("/").at(-1)}` : file).replace(/^lib\/|\.tsx?$/g, ""),
  );

  test.each(tests)("%s has the name of a source file or a listed reason", (name) => {
    const hasSource = sourceNames.some((source) => name === source || name.startsWith(`${source}-`));
    expect(
      hasSource !== name in TESTS_OF_SEVERAL,
      "a test has a file of its name, or a reason in TESTS_OF_SEVERAL",
    ).toBe(true);
  });

  test("every listed reason belongs to a test", () => {
    expect(Object.keys(TESTS_OF_SEVERAL).filter((name) => !tests.includes(name))).toEqual([]);
  });
});

test("every element of the pages comes from app/_jsx, which keeps texts apart from their siblings", () => {
  expect(JSON.parse(readFile("tsconfig.json")).compilerOptions.jsxImportSource).toBe("@/app/_jsx");
  const otherFiles = SOURCES.filter((file) => file.startsWith("app/") && findPart(file) !== "_jsx");
  expect(listFilesThatUse(/\b(createElement|cloneElement)\b(?<!document\.createElement)/, otherFiles)).toEqual([]);
  expect(otherFiles.filter((file) => /@jsx|"react\/jsx-/.test(readFile(file)))).toEqual([]);
});

describe("an operation has one name everywhere", () => {
  const toCamelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const operationNames = CONTRACTS.map(({ operation }) => operation);
  const ROUTES = listFiles("app/api", "route.ts");

  test("the names and paths of operations are unique", () => {
    expect(new Set(operationNames).size).toBe(operationNames.length);
    expect(new Set(CONTRACTS.map(({ method, path }) => `${method} ${path}`)).size).toBe(CONTRACTS.length);
  });

  test("the registry lists every declared contract", () => {
    const declaringFiles = listFiles("lib/contracts").filter((file) => /=\s*defineContract\(/.test(readCode(file)));
    expect(declaringFiles).toEqual(operationNames.map((name) => `lib/contracts/${name}.ts`).sort());
  });

  test.each(operationNames)("%s has a contract, a service and an API test", (name) => {
    expect(readFile(`lib/contracts/${name}.ts`)).toContain(`export const ${toCamelCase(name)}Contract = `);
    expect(readFile(`lib/services/${name}.ts`)).toContain(`export async function ${toCamelCase(name)}(`);
    expect(fileExists(`tests/api/${name}.test.ts`), `tests/api/${name}.test.ts`).toBe(true);
  });

  /** Returns the `bindRoute(service, contract)` pairs of a module, by name. */
  function readBindings(file: string): { service: string; contract: string }[] {
    const pairs = readCode(file).matchAll(/\bbindRoute\(\s*(\w+),\s*(\w+),?\s*\)/g);
    return [...pairs].map(([, service, contract]) => ({ service: service!, contract: contract! }));
  }

  test.each(CONTRACTS)("the module of $path binds $method once to the service of $operation", ({ operation, path }) => {
    const contract = `${toCamelCase(operation)}Contract`;
    const modules = ROUTES.filter((file) => readBindings(file).some((pair) => pair.contract === contract));
    expect(modules).toEqual([`app${path.replace(/\{(\w+)\}/g, "[$1]")}/route.ts`]);
    expect(readBindings(modules[0]!).filter((pair) => pair.contract === contract)).toEqual([
      { service: toCamelCase(operation), contract },
    ]);
    const importedFiles = OWN_IMPORTS.filter(({ from }) => from === modules[0]).map(({ to }) => to);
    expect(importedFiles).toContain(`lib/contracts/${operation}.ts`);
    expect(importedFiles).toContain(`lib/services/${operation}.ts`);
  });

  test("every module of app/api except the catch-all binds an operation", () => {
    expect(listFiles("app/api")).toEqual(ROUTES);
    expect(ROUTES.filter((file) => readBindings(file).length === 0)).toEqual(["app/api/[[...path]]/route.ts"]);
  });

  test.each(ROUTES)("%s contains only imports and one export", (file) => {
    const statements = [...parseFile(file).statements];
    const exportStatement = statements.pop()!;
    expect(statements.every(ts.isImportDeclaration)).toBe(true);
    expect(exportStatement.getText().replace(/\s+/g, " ")).toMatch(
      /^export const \{ GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE \} = createHandlers\(( ?bindRoute\(\w+, \w+\),?)* ?\);$/,
    );
  });
});

const countLines = (file: string) => readFile(file).trimEnd().split("\n").length;

/** The most lines of each room. The commit that raises a figure says why. */
const LINE_BUDGETS = {
  "lib/cli/": 4_300,
  "lib/clients/": 6_050,
  "lib/contracts/": 2_960,
  "lib/domain/": 5_200,
  "lib/http/": 1_700,
  "lib/operator/": 1_550,
  "lib/sandbox/": 4_900,
  "lib/sdk/": 5_650,
  "lib/services/": 7_250,
  "lib/solana/": 1_700,
  "app/": 22_500,
  "tests/": 56_900,
};

test.each(Object.entries(LINE_BUDGETS))("%s has at most %i lines", (room, budget) => {
  const files = listFiles(room.slice(0, -1), ".ts", ".tsx", ".mjs", ".css");
  const ownFiles = files.filter((file) => !file.startsWith("tests/.tmp/"));
  expect(ownFiles.reduce((sum, file) => sum + countLines(file), 0)).toBeLessThanOrEqual(budget);
});

test("a source file has at most 300 lines and server.ts at most 80", () => {
  const longFiles = SOURCES.filter((file) => countLines(file) > (file === "server.ts" ? 80 : 300));
  expect(longFiles.map((file) => `${file}: ${countLines(file)}`)).toEqual([]);
});

/** Lists functions of more than `maxLines` lines, including markup, which lint does not count. */
function findLongFunctions(maxLines: number, file: string): string[] {
  const source = parseFile(file);
  const findLine = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const countNodeLines = (node: ts.Node) => findLine(node.end) - findLine(node.getStart()) + 1;
  const longFunctions = listNodes(file).filter((node) => ts.isFunctionLike(node) && countNodeLines(node) > maxLines);
  return longFunctions.map((node) => `${file}:${findLine(node.getStart()) + 1}: ${countNodeLines(node)}`);
}

test("a function or component has at most 80 lines", () => {
  expect(SOURCES.flatMap((file) => findLongFunctions(80, file))).toEqual([]);
  expect(findLongFunctions(10, "server.ts").length).toBeGreaterThan(0);
});

describe("effects and ref callbacks return only a cleanup", () => {
  // Browsers change what a method returns. From Chromium 152 on, `scrollIntoView` returns a promise.
  test("no effect and no ref callback in app returns anything else", () => {
    const files = SOURCES.filter((file) => file.startsWith("app/"));
    expect(files.flatMap((file) => listFalseCleanups(parseFile(file)))).toEqual([]);
  });

  test.each([
    "useEffect(() => node.scrollIntoView())",
    "useEffect(() => (isOpen ? open() : undefined))",
    "useLayoutEffect(() => { if (isOpen) return open(); })",
    "useEffect(openSheet)",
    "<p ref={(node) => node.focus()} />",
    "<p ref={useCallback((node) => node.focus(), [])} />",
    "const focus = (node) => node.focus(); const view = <p ref={focus} />",
    "function focus(node) { return node.focus(); } const view = <p ref={focus} />",
  ])("%s is refused", (code) => {
    expect(listFalseCleanups(ts.createSourceFile("a.tsx", code, ts.ScriptTarget.Latest, true))).toHaveLength(1);
  });

  test.each([
    "useEffect(() => () => close(), [])",
    "useEffect(() => { if (!isOpen) return; const list = nodes.map((node) => node.id); return () => close(list); })",
    "const nodeRef = useRef(null); const view = <p ref={nodeRef} />",
    "const focus = (node) => { node.focus(); }; const view = <p ref={focus} />",
  ])("%s is allowed", (code) => {
    expect(listFalseCleanups(ts.createSourceFile("a.tsx", code, ts.ScriptTarget.Latest, true))).toEqual([]);
  });
});

test("these checks read the whole tree", () => {
  expect(SOURCES.length).toBeGreaterThan(100);
  expect(OWN_IMPORTS.length).toBeGreaterThan(300);
});

describe("texts for maintainers", () => {
  /** Returns the files and folders of this tree that a text names, except those with a placeholder. */
  const findPaths = (text: string) =>
    [...text.matchAll(/(?<![\w/.-])(?:app|lib|tests|public|docs|\.ci|\.github)\/[\w./[\]-]*(?![\w./[\]-]*[<…*])/g)].map(
      ([path]) => path.replace(/[./]+$/, ""),
    );

  test("the tree of ARCHITECTURE.md names every part and folder", () => {
    const tree = readFile("ARCHITECTURE.md").split("## The tree")[1]!.split("```")[1]!;
    const parts = SOURCES.map((file) => /^(lib\/[^/]+\/?|app\/api|[^/]+)/.exec(file)![0]);
    const otherFolders = ["tests", "deploy", "docs", "public"];
    const testFolders = listFiles("tests", ".test.ts", ".spec.ts").flatMap((file) => /^tests\/\w+\//.exec(file) ?? []);
    const requiredNames = [...parts, ...otherFolders, ...testFolders.map((folder) => folder.slice("tests/".length))];
    expect([...new Set(requiredNames)].filter((name) => !tree.includes(name))).toEqual([]);
  });

  test.each(["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"])("every file that %s names exists", (text) => {
    const namedPaths = findPaths(readFile(text));
    expect(namedPaths.length).toBeGreaterThan(3);
    expect(namedPaths.filter((path) => !fileExists(path))).toEqual([]);
  });
});
