import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import ts from "typescript";

/** The project's own sources as architecture.test.ts looks at them: files, the parts they belong to, and their imports. */

const root = join(import.meta.dirname, "..", "..");
export const read = (file: string) => readFileSync(join(root, file), "utf8");
export const exists = (file: string) => existsSync(join(root, file));

/** All files below a folder, as paths from the root; only those of the given endings when there are any. */
export function filesOf(folder: string, ...endings: string[]): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && (endings.length === 0 || endings.some((end) => entry.name.endsWith(end))))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

export const SOURCES = [
  ...filesOf("lib", ".ts", ".tsx"),
  ...filesOf("app", ".ts", ".tsx"),
  "instrumentation.ts",
  "next.config.ts",
  "proxy.ts",
  "server.ts",
];

/** A feature of the pages, or what several of them share; folders of lib whose rooms have rules of their own. */
const ROOM =
  /^app\/(_\w+|api|docs|tx|dashboard\/[\w-]+)\/|^lib\/(services\/steps|sandbox\/(?:chain|rpc|market)|sdk\/cli)\//;

/** Which part of the tree a file belongs to: a room, the folder under lib, or the single file's own name. */
export function partOf(file: string): string {
  const room = ROOM.exec(file);
  if (room) return (room[1] ?? room[2])!;
  if (file.startsWith("app/dashboard/")) return "dashboard";
  return /^(app|tests)\//.exec(file)?.[1] ?? file.replace(/^lib\//, "").replace(/\/.*|\.tsx?$/, "");
}

export interface Import {
  from: string;
  /** A file of this tree, or a package's name. */
  to: string;
  own: boolean;
  /** Only types: gone at run time. */
  typeOnly: boolean;
}

export const parse = (file: string) => ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);

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
    (end) => /\.\w+$/.test(path + end) && exists(path + end),
  );
  if (found === undefined) throw new Error(`${file} imports ${specifier}, which does not exist`);
  return { to: path + found, own: true };
}

export const IMPORTS = SOURCES.flatMap(importsOf);
export const OWN = IMPORTS.filter(({ own }) => own);

/** What is left of a graph when everything that leads nowhere, or comes from nowhere, is taken off again and again: its circles. */
export function circlesOf(edges: readonly { from: string; to: string }[]): string[] {
  const rest = edges.filter(
    ({ from, to }) => edges.some((edge) => edge.from === to) && edges.some((edge) => edge.to === from),
  );
  return rest.length === edges.length ? edges.map(({ from, to }) => `${from} → ${to}`) : circlesOf(rest);
}

/** The file's code without comments and texts, so that a word in either is no use of it. */
export function codeOf(file: string): string {
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

export const usersOf = (word: RegExp, files: string[]) => files.filter((file) => word.test(codeOf(file)));
