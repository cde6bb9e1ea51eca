import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { ENTRIES, emitDeclarations } from "./declarations";

/* Builds the SDK's package. `npm run build:sdk [-- <folder>]`; the default folder is dist/sdk. */

const root = join(import.meta.dirname, "..", "..");
const folder = process.argv[2] ?? join(root, "dist/sdk");
const project = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

const manifest = {
  name: "roundup-sdk",
  version: project.version,
  description: "Roundup for programs: save spare change, invest it, take it out, and leave without the service",
  license: project.license,
  // Same as the project: nothing here is licensed for publication.
  private: project.private,
  type: "module",
  sideEffects: false,
  engines: project.engines,
  exports: {
    ...Object.fromEntries(
      ENTRIES.map((name) => [
        name === "index" ? "." : `./${name}`,
        { types: `./types/sdk/${name}.d.ts`, default: `./${name}.js` },
      ]),
    ),
    "./contracts": { types: "./types/contracts/index.d.ts" },
  },
  bin: { roundup: "cli.js" },
  peerDependencies: { "@solana/web3.js": `^${project.dependencies["@solana/web3.js"]}` },
};

await rm(folder, { recursive: true, force: true });
const sharedOptions = {
  absWorkingDir: root,
  outdir: folder,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  // LICENSES.txt contains the legal comments.
  legalComments: "none",
  metafile: true,
} as const;
const external = ["@solana/web3.js"];
const sdk = await build({
  ...sharedOptions,
  entryPoints: Object.fromEntries(ENTRIES.map((name) => [name, `lib/sdk/${name}.ts`])),
  // Entry points share their code, so that an error of one is an instance of the other's class.
  splitting: true,
  chunkNames: "chunks/[hash]",
  platform: "browser",
  external,
  sourcemap: true,
  // This build of tweetnacl is 4 kB smaller after gzip. A signature takes a few ms longer, but users sign rarely.
  alias: { tweetnacl: "tweetnacl/nacl.js" },
});
const command = await build({
  ...sharedOptions,
  entryPoints: { cli: "lib/cli/main.ts" },
  platform: "node",
  external,
  // Bundled CommonJS packages load Node's modules with `require`.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
});
const files = {
  "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
  "README.md": await readFile(join(root, "deploy/sdk/README.md"), "utf8"),
  "LICENSES.txt": await collectLicences(Object.keys({ ...sdk.metafile.inputs, ...command.metafile.inputs })),
  ...emitDeclarations(root),
};
for (const [path, text] of Object.entries(files)) {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}
await chmod(join(folder, "cli.js"), 0o755);
console.log(folder);

/** Collects the licences of the bundled packages, which must be distributed with them. */
async function collectLicences(inputs: string[]): Promise<string> {
  const packages = inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  const texts = [...new Set(packages)].sort().map(async (name) => {
    const packageFolder = join(root, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
    const text = await readFile(join(packageFolder, "LICENSE"), "utf8").catch(() => "");
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}
