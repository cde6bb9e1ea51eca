import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Env } from "../../deps";
import { buildContentSecurityPolicy, hashScripts, PAGE_HEADERS } from "./security-headers.mjs";

export type Encoding = "br" | "gzip" | "identity";

export interface StoredFile {
  status: number;
  headers: Record<string, string>;
  bodies: Partial<Record<Encoding, Buffer>> & { identity: Buffer };
}

/** Files by request path. The data that a navigation loads is stored under the page's path with an ending. */
export type StoredFiles = ReadonlyMap<string, StoredFile>;

export const NOT_FOUND_PATH = "/_not-found";

const CONTENT_TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".rsc": "text/x-component",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/** Matches files whose format is compressed already. */
const COMPRESSED_FORMAT_PATTERN = /\.(png|webp|woff2)$/;

const REVALIDATED = "no-cache";
const IMMUTABLE = "public, max-age=31536000, immutable";

/**
 * Reads the output of `next build` and the public folder, adapts it to the settings and compresses it, once.
 * @throws {Error} if the pages were not built, or if a file has an unknown type
 */
export async function loadStoredFiles(env: PageEnv, programFolder: string): Promise<StoredFiles> {
  const pagesFolder = join(programFolder, ".next/server/app");
  const assetsFolder = join(programFolder, ".next/static");
  const publicFolder = join(programFolder, "public");
  const builtNames = await listFiles(pagesFolder, /\.(html|rsc|body)$/);
  // Skip Next's page for a crash of its renderer. The renderer does not run in this server.
  const pageNames = builtNames.filter((name) => !name.startsWith("_global-error"));
  if (!pageNames.includes("index.html")) throw new Error("The pages are not built: run `npm run build`.");
  const [assetNames, publicNames] = await Promise.all([listFiles(assetsFolder), listFiles(publicFolder)]);
  const entries = await Promise.all([
    ...pageNames.map((name) => loadPage(join(pagesFolder, name), name, env)),
    ...assetNames.map((name) => loadAsset(`/_next/static/${name}`, join(assetsFolder, name), IMMUTABLE)),
    ...publicNames.map((name) => loadAsset(`/${name}`, join(publicFolder, name), REVALIDATED)),
  ]);
  return new Map(entries);
}

async function listFiles(folder: string, pattern = /./): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"));
}

type FileEntry = [path: string, file: StoredFile];

async function loadPage(filePath: string, name: string, env: PageEnv): Promise<FileEntry> {
  const extension = extname(name);
  const text = adaptToSettings(await readFile(filePath, "utf8"), env);
  const body = Buffer.from(text);
  if (extension === ".body") {
    const { headers } = JSON.parse(await readFile(filePath.replace(/body$/, "meta"), "utf8"));
    const path = `/${name.slice(0, -".body".length)}`.replace(/\/markdown$/, ".md");
    return [path, await compressFile(body, headers["content-type"], REVALIDATED)];
  }
  const storedFile = await compressFile(body, CONTENT_TYPES[extension]!, REVALIDATED);
  storedFile.headers.vary += ", rsc, next-router-prefetch, next-router-segment-prefetch";
  if (name.includes("_not-found")) storedFile.status = 404;
  if (extension === ".html") {
    storedFile.headers["content-security-policy"] = buildContentSecurityPolicy(hashScripts(text));
    return [name === "index.html" ? "/" : `/${name.slice(0, -".html".length)}`, storedFile];
  }
  // Next's router accepts a prefetched segment only with this header.
  if (name.endsWith(".segment.rsc")) storedFile.headers["x-nextjs-postponed"] = "2";
  return [`/${name}`, storedFile];
}

async function loadAsset(path: string, filePath: string, cacheControl: string): Promise<FileEntry> {
  const type = CONTENT_TYPES[extname(filePath)];
  if (!type) throw new Error(`${path}: the type of such a file is unknown.`);
  const isCompressible = !COMPRESSED_FORMAT_PATTERN.test(filePath);
  return [path, await compressFile(await readFile(filePath), type, cacheControl, isCompressible)];
}

type PageEnv = Pick<Env, "NETWORK" | "PUBLIC_URL" | "PORT">;

/** The origin that `next build` writes into the examples of the documentation. */
const EXAMPLE_ORIGIN = "http://localhost:3000";

/** Adapts a page, built once for all deployments: its network, public origin, preview image and examples. */
export function adaptToSettings(text: string, { NETWORK, PUBLIC_URL, PORT }: PageEnv): string {
  const origin = PUBLIC_URL ? new URL(PUBLIC_URL).origin : "";
  // The network occurs in HTML, in script data with escaped quotes, and in navigation data.
  return text
    .replace(/(data-network(?:="|\\?":\\?"))[\w-]*/g, `$1${NETWORK}`)
    .replace(/(data-origin(?:="|\\?":\\?"))[^"\\]*/g, `$1${origin}`)
    .replace(/"(https?:\/\/[^"\\]*)?\/social\.png/g, `"${origin}/social.png`)
    .replaceAll(EXAMPLE_ORIGIN, origin || `http://localhost:${PORT}`);
}

const compressBrotli = promisify<Buffer, object, Buffer>(brotliCompress);
const compressGzip = promisify<Buffer, Buffer>(gzip);
/** Brotli quality 5 of 11 compresses all files in a third of a second. Quality 9 takes ten times as long, for 2 %. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Compresses a file and computes its headers. @param isCompressible false for a format that is compressed already */
export async function compressFile(
  content: Buffer,
  contentType: string,
  cacheControl: string,
  isCompressible = true,
): Promise<StoredFile> {
  const headers: Record<string, string> = {
    ...PAGE_HEADERS,
    "content-type": contentType,
    "cache-control": cacheControl,
    etag: `W/"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`,
    vary: "accept-encoding",
  };
  if (!isCompressible) return { status: 200, headers, bodies: { identity: content } };
  const [brotliBody, gzipBody] = await Promise.all([compressBrotli(content, BROTLI_OPTIONS), compressGzip(content)]);
  return { status: 200, headers, bodies: { br: brotliBody, gzip: gzipBody, identity: content } };
}
