import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import ts from "typescript";

/*
 * Reads the project's sources for architecture.test.ts: files, the parts of the tree they belong to, and their imports.
 */

const root = join(import.meta.dirname, "..", "..");
/** Returns the text of a file. @param file path from the root */
export const readFile = (file: string) => readFileSync(join(root, file), "utf8");
/** Returns whether a file or folder exists. @param file path from the root */
export const fileExists = (file: string) => existsSync(join(root, file));

/** Lists all files below a folder as paths from the root, optionally only those with the given endings. */
export function listFiles(folder: string, ...endings: string[]): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && (endings.length === 0 || endings.some((end) => entry.name.endsWith(end))))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

export const SOURCES = [
  ...listFiles("lib", ".ts", ".tsx", ".mjs"),
  ...listFiles("app", ".ts", ".tsx"),
  "instrumentation.ts",
  "next.config.mjs",
  "proxy.ts",
  "server.ts",
];

/** Matches a feature of the pages, a folder that features share, and folders of lib with their own import rules. */
const PART_PATTERN =
  /^app\/(_\w+|api|cron|docs|tx|dashboard\/[\w-]+)\/|^lib\/(services\/(?:records|steps)|sandbox\/(?:chain|rpc|market))\//;

/**
 * Returns the part of the tree that a file belongs to: a group of PART_PATTERN, a folder under lib, or the file's own
 * name.
 */
export function findPart(file: string): string {
  const match = PART_PATTERN.exec(file);
  if (match) return (match[1] ?? match[2])!;
  if (file.startsWith("app/dashboard/")) return "dashboard";
  return /^(app|tests)\//.exec(file)?.[1] ?? file.replace(/^lib\//, "").replace(/\/.*|\.(tsx?|mjs)$/, "");
}

export interface Import {
  from: string;
  /** A file of this tree, or the name of a package. */
  to: string;
  /** True if `to` is a file of this tree. */
  isOwn: boolean;
  /** True for a type-only import, which does not exist at run time. */
  isTypeOnly: boolean;
}

/** Wraps a function so that it runs once per file. */
function cachePerFile<T>(compute: (file: string) => T): (file: string) => T {
  const cache = new Map<string, T>();
  return (file) => {
    if (!cache.has(file)) cache.set(file, compute(file));
    return cache.get(file)!;
  };
}

/** Returns the syntax tree of a file. */
export const parseFile = cachePerFile((file) =>
  ts.createSourceFile(file, readFile(file), ts.ScriptTarget.Latest, true),
);

/** Lists all nodes of a file's syntax tree, each before its children. */
export const listNodes = cachePerFile((file) => {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(parseFile(file));
  return nodes;
});

/** Lists static imports, dynamic imports and re-exports. */
function listImports(file: string): Import[] {
  const imports: Import[] = [];
  const add = (specifier: ts.Node | undefined, isTypeOnly: boolean) => {
    if (specifier && ts.isStringLiteralLike(specifier))
      imports.push({ from: file, ...resolve(file, specifier.text), isTypeOnly });
  };
  for (const node of listNodes(file)) {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
  }
  return imports;
}

/** Resolves the specifier of an import. @throws {Error} when a file of this tree is missing */
function resolve(file: string, specifier: string): { to: string; isOwn: boolean } {
  const path = specifier.startsWith("@/")
    ? specifier.slice(2)
    : specifier.startsWith(".")
      ? posix.join(posix.dirname(file), specifier)
      : null;
  if (path === null) return { to: specifier, isOwn: false };
  const ending = ["", ".ts", ".tsx", "/index.ts", "/index.tsx"].find(
    (candidate) => /\.\w+$/.test(path + candidate) && fileExists(path + candidate),
  );
  if (ending === undefined) throw new Error(`${file} imports ${specifier}, which does not exist`);
  return { to: path + ending, isOwn: true };
}

export const IMPORTS = SOURCES.flatMap(listImports);
export const OWN_IMPORTS = IMPORTS.filter(({ isOwn }) => isOwn);

/**
 * Returns the edges of a graph that lie on or between circles. Repeatedly removes edges that start at a node without
 * incoming edges, or end at a node without outgoing edges.
 */
export function findCircles(edges: readonly { from: string; to: string }[]): string[] {
  const remainingEdges = edges.filter(
    ({ from, to }) => edges.some((edge) => edge.from === to) && edges.some((edge) => edge.to === from),
  );
  return remainingEdges.length === edges.length
    ? edges.map(({ from, to }) => `${from} → ${to}`)
    : findCircles(remainingEdges);
}

/** Returns a file's code without comments and string literals, so that a word in them does not count as a use. */
export const readCode = cachePerFile((file) => {
  const source = parseFile(file);
  let [code, end] = ["", 0];
  const cut = (from: number, to: number) => {
    if (from >= end) code += source.text.slice(end, from);
    end = Math.max(end, to);
  };
  for (const node of listNodes(file)) {
    for (const range of ts.getLeadingCommentRanges(source.text, node.pos) ?? []) cut(range.pos, range.end);
    if (ts.isStringLiteralLike(node)) cut(node.getStart(), node.end);
  }
  return code + source.text.slice(end);
});

/** Lists the files whose code matches. Comments and strings do not count. */
export const listFilesThatUse = (word: RegExp, files: string[]) => files.filter((file) => word.test(readCode(file)));
