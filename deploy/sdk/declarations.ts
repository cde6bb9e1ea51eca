import { join, posix, relative, sep } from "node:path";
import ts from "typescript";

/* Emits the SDK's type declarations from its entry points. Contract types are written out, so that users need no zod. */

/** The modules of lib/sdk that users can import. */
export const ENTRIES = ["index", "errors", "attach", "verify", "client"];
const REGISTRY_FILE = "lib/contracts/index.ts";

const CONTRACT_DECLARATIONS = `/** One operation: the body of a call and the data of its answer. */
export interface Contract<Body, Data, Method = string, Path = string> {
  readonly method: Method;
  readonly path: Path;
  readonly body: Body;
  readonly data: Data;
}
export type BodyOf<C> = C extends Contract<infer Body, unknown> ? Body : never;
export type DataOf<C> = C extends Contract<unknown, infer Data> ? Data : never;
`;

/** Returns the texts of the declaration files by path. Each path is relative to the package's folder. */
export function emitDeclarations(root: string): Record<string, string> {
  const program = createProgram(root);
  const declarations = new Map<string, string>();
  const { diagnostics } = program.emit(
    undefined,
    (path, text) => {
      declarations.set(relative(join(root, "lib"), path).split(sep).join("/"), text);
    },
    undefined,
    true,
  );
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, HOST));
  for (const [path, text] of writeContractTypes(program, root)) declarations.set(path, text);
  return collectReachable(declarations);
}

const HOST: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => "\n",
};

const ALL_CONTRACT_TYPES = "lib/contracts/__all.ts";

/** Creates a program with the SDK and one virtual file that names each contract's body and data. */
function createProgram(root: string): ts.Program {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const settings = {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    incremental: false,
    // The type check of the whole project covers these files. Emitting infers only the types that it writes.
    noCheck: true,
    allowJs: false,
  };
  const host = ts.createCompilerHost(settings);
  const [readFile, fileExists] = [host.readFile, host.fileExists];
  const virtualFile = join(root, ALL_CONTRACT_TYPES);
  const text = listContracts(root)
    .map(({ name, from }) => {
      const types = `export type ${name}_body = BodyOf<typeof ${name}>;\nexport type ${name}_data = DataOf<typeof ${name}>;
export type ${name}_method = (typeof ${name})["method"];\nexport type ${name}_path = (typeof ${name})["path"];`;
      return `import type { ${name} } from "${from}";\n${types}`;
    })
    .join("\n");
  const source = `import type { BodyOf, DataOf } from "./define";\n${text}`;
  host.readFile = (path) => (path === virtualFile ? source : readFile(path));
  host.fileExists = (path) => path === virtualFile || fileExists(path);
  const getSourceFile = host.getSourceFile;
  host.getSourceFile = (path, ...sourceOptions) =>
    path === virtualFile
      ? ts.createSourceFile(path, source, ts.ScriptTarget.ES2022, true)
      : getSourceFile(path, ...sourceOptions);
  return ts.createProgram([...ENTRIES.map((name) => join(root, `lib/sdk/${name}.ts`)), virtualFile], settings, host);
}

function listContracts(root: string): { name: string; from: string }[] {
  const text = ts.sys.readFile(join(root, REGISTRY_FILE))!;
  return [...text.matchAll(/import \{ (\w+Contract) \} from "(\.\/[\w-]+)"/g)].map(([, name, from]) => ({
    name: name!,
    from: from!,
  }));
}

/** Yields the declaration files of the contracts: one for each contract, and two that join them. */
function* writeContractTypes(program: ts.Program, root: string): Iterable<[path: string, text: string]> {
  const checker = program.getTypeChecker();
  const virtualFile = program.getSourceFile(join(root, ALL_CONTRACT_TYPES))!;
  const formatTypeOf = (name: string) => {
    const alias = virtualFile.statements.find((node) => ts.isTypeAliasDeclaration(node) && node.name.text === name);
    return formatType(checker, checker.getTypeAtLocation((alias as ts.TypeAliasDeclaration).name), virtualFile);
  };
  const contracts = listContracts(root);
  yield ["contracts/define.d.ts", CONTRACT_DECLARATIONS];
  const exports = contracts.map(({ name, from }) => `import { ${name} } from "${from}";\nexport * from "${from}";`);
  const types = contracts.map(({ name }) => `typeof ${name}`).join(", ");
  yield ["contracts/index.d.ts", [...exports, `export declare const CONTRACTS: readonly [${types}];`].join("\n")];
  for (const { name, from } of contracts) {
    const [body, data, method, path] = ["body", "data", "method", "path"].map((part) =>
      formatTypeOf(`${name}_${part}`),
    );
    const text = `import type { Contract } from "./define";\nexport declare const ${name}: Contract<${body}, ${data}, ${method}, ${path}>;\n`;
    yield [posix.join("contracts", `${from}.d.ts`), text];
  }
}

/** Formats a type in full, without names that need an import. @throws {Error} for a type that JSON cannot represent */
function formatType(checker: ts.TypeChecker, type: ts.Type, location: ts.Node): string {
  const formatPart = (part: ts.Type): string => formatType(checker, part, location);
  if (type.isUnion()) {
    const parts = type.types.map(formatPart);
    const isBoolean = parts.includes("true") && parts.includes("false");
    const typeNames = isBoolean ? [...parts.filter((part) => part !== "true" && part !== "false"), "boolean"] : parts;
    return typeNames.join(" | ");
  }
  if (checker.isTupleType(type) || checker.isArrayType(type)) {
    const items = checker
      .getTypeArguments(type as ts.TypeReference)
      .map(formatPart)
      .join(", ");
    return checker.isTupleType(type) ? `[${items}]` : `Array<${items}>`;
  }
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return checker.typeToString(type);
  if (type.getCallSignatures().length > 0) throw new Error(`JSON cannot represent ${checker.typeToString(type)}`);
  const members = checker.getPropertiesOfType(type).map((property) => {
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const value = checker.getTypeOfSymbolAtLocation(property, location);
    return `${JSON.stringify(property.name)}${isOptional ? "?" : ""}: ${formatPart(value)};`;
  });
  const indexSignatures = checker
    .getIndexInfosOfType(type)
    .map((info) => `[key: ${formatPart(info.keyType)}]: ${formatPart(info.type)};`);
  return `{ ${[...members, ...indexSignatures].join(" ")} }`;
}

/** Returns the files reachable from the entries and the registry, with the file endings that Node's imports require. */
function collectReachable(declarations: Map<string, string>): Record<string, string> {
  const files: Record<string, string> = {};
  const collectFile = (path: string): void => {
    const text = declarations.get(path);
    if (text === undefined) throw new Error(`${path} was not emitted`);
    if (files[`types/${path}`] !== undefined) return;
    const specifiers: string[] = [];
    files[`types/${path}`] = text.replace(/((?:from|import\() ?")(\.[^"]+)(")/g, (_all, before, specifier, after) => {
      specifiers.push(`${posix.join(posix.dirname(path), specifier)}.d.ts`);
      return `${before}${specifier}.js${after}`;
    });
    specifiers.forEach(collectFile);
  };
  for (const name of ENTRIES) collectFile(`sdk/${name}.d.ts`);
  collectFile("contracts/index.d.ts");
  return files;
}
