import { readdir, readFile, writeFile } from "node:fs/promises";
import { buildContentSecurityPolicy, hashScripts } from "../lib/http/pages/security-headers.mjs";

/* Last step of `npm run build`: adds each page's policy to Next's header manifest, where Next serves the pages. */

const MANIFEST_FILE = ".next/routes-manifest.json";
const PAGES_FOLDER = ".next/server/app";
const POLICY_HEADER = "content-security-policy";

/** In Next's header manifest. */
interface Rule {
  source: string;
  regex: string;
  headers: { key: string; value: string }[];
}

const manifest = JSON.parse(await readFile(MANIFEST_FILE, "utf8")) as { headers: Rule[] };
const buildPolicy = async (name: string) =>
  buildContentSecurityPolicy(hashScripts(await readFile(`${PAGES_FOLDER}/${name}.html`, "utf8")));

// The first rule applies to every path, which may have no page. The later rules cover the pages that exist.
const firstRule = manifest.headers[0]!;
firstRule.headers.find(({ key }) => key === POLICY_HEADER)!.value = await buildPolicy("_not-found");

const files = (await readdir(PAGES_FOLDER, { recursive: true })).filter((file) => file.endsWith(".html"));
for (const file of files.filter((name) => !name.startsWith("_"))) {
  const name = file.replaceAll("\\", "/").slice(0, -".html".length);
  const policy = [{ key: POLICY_HEADER, value: await buildPolicy(name) }];
  const path = name === "index" ? "" : `/${name}`;
  // next.config.mjs rewrites every transaction's path to this page.
  if (name === "tx") manifest.headers.push({ source: "/tx/:signature", regex: "^/tx/[^/]+?(?:/)?$", headers: policy });
  manifest.headers.push({ source: path || "/", regex: `^${path}(?:/)?$`, headers: policy });
}
await writeFile(MANIFEST_FILE, JSON.stringify(manifest));
