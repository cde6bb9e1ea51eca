import { cp, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";

/*
 * Builds the program that is deployed, after `next build`: `npm run build:ship [-- <folder>]`; the default folder is
 * dist/ship. It needs no npm install and runs from any folder, as any user, on a read-only tree.
 */

const root = join(import.meta.dirname, "..", "..");
const folder = process.argv[2] ?? join(root, "dist/ship");
const packageJson = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

await stat(join(root, ".next/BUILD_ID")).catch(() => {
  throw new Error("The pages are not built: run `npm run build`.");
});
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

/** Native code cannot be bundled. */
const nativePackages = ["lmdb", ...Object.keys(packageJson.optionalDependencies)];
await build({
  absWorkingDir: root,
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  entryPoints: { server: "server.ts", sandbox: "lib/sandbox/main.ts", "operator-command": "lib/operator/main.ts" },
  bundle: true,
  // Next runs only in development. Its import is never reached here.
  external: [...nativePackages, "next"],
  platform: "node",
  format: "esm",
  target: "node20",
  minify: true,
  keepNames: true,
  // Bundled CommonJS packages load Node's modules with `require`.
  banner: {
    js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
  },
  logOverride: { "empty-import-meta": "silent" },
});

for (const name of ["start.mjs", "operator.mjs", "ready.mjs"])
  await cp(join(import.meta.dirname, name), join(folder, name));
await copyMatching(".next/server/app", /\.(html|rsc|body|meta)$/);
await copyMatching(".next/static", /./);
await copyMatching("public", /./);
// The router lists the route modules' folders. Their code is in server.mjs.
await copyMatching("app/api", /^route\.ts$/);
for (const name of nativePackages) await copyPackage(name, root);
const manifest = {
  name: packageJson.name,
  version: packageJson.version,
  private: true,
  type: "module",
  engines: packageJson.engines,
  scripts: {
    start: "exec node --max-semi-space-size=32 --heap-growing-percent=60 start.mjs",
    operator: "node operator.mjs",
  },
};
await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
console.log(`${folder}: ${Math.round((await measureBytes(folder)) / 1_000_000)} MB`);

async function copyMatching(path: string, pattern: RegExp): Promise<void> {
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((file) => file.isFile() && pattern.test(file.name))) {
    const from = join(entry.parentPath, entry.name);
    const to = join(folder, from.slice(root.length));
    await mkdir(dirname(to), { recursive: true });
    await cp(from, to);
  }
}

/** Copies a package with its dependencies. One for another platform is not installed. */
async function copyPackage(name: string, importerFolder: string): Promise<void> {
  const source = await findPackage(name, importerFolder);
  const target = join(folder, "node_modules", name);
  if (!source || (await stat(target).catch(() => null))) return;
  await cp(source, target, { recursive: true, dereference: true });
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    await readFile(join(source, "package.json"), "utf8"),
  );
  for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies }))
    await copyPackage(dependency, source);
}

/** Returns the folder that Node would find for code in `importerFolder`. */
async function findPackage(name: string, importerFolder: string): Promise<string | null> {
  const paths = createRequire(join(importerFolder, "package.json")).resolve.paths(name) ?? [];
  for (const path of paths) {
    const packageFolder = await realpath(join(path, name)).catch(() => null);
    if (packageFolder) return packageFolder;
  }
  return null;
}

async function measureBytes(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
