import { readFileSync } from "node:fs";
import { join } from "node:path";

/* Reads the guides of docs/guides, which the pages render and programs get as they are. Server only. */

/** In the order to read them. */
const SLUGS = [
  "authentication",
  "service-wallet",
  "the-loop",
  "sdk",
  "checkout",
  "backend",
  "bot",
  "x402",
  "any-language",
  "errors",
  "limits",
  "sandbox",
  "agent",
  "verifying",
  "models",
  "changelog",
];

export const GUIDES = SLUGS.map((slug) => {
  const markdown = readGuide(slug);
  const [head, ...parts] = markdown.split(/^## (?=.* \{#)/m);
  const [, title = "", lead = "", introduction = ""] = /^# (.+)\n\n(.+)\n\n([\s\S]*)$/.exec(head!)!;
  const sections = parts.map((part) => {
    const [, heading = "", id = "", text = ""] = /^(.+) \{#([\w-]+)\}\n([\s\S]*)$/.exec(part)!;
    return { id, title: heading, text };
  });
  return { slug, title, lead, introduction, sections, markdown };
});

/** Reads a guide. Its links are absolute, because llms-full.txt is in another folder. Appends the changelog to its guide. */
function readGuide(slug: string): string {
  const file = readFileSync(join(process.cwd(), "docs/guides", `${slug}.md`), "utf8");
  const text = file.replace(/\]\(([\w-]+\.md)(?=[#)])/g, "](/docs/$1").replace(/^<!--.*-->\n/gm, "");
  if (slug !== "changelog") return text;
  const changelog = readFileSync(join(process.cwd(), "CHANGELOG.md"), "utf8");
  return `${text}\n${changelog.slice(changelog.indexOf("## ")).replace(/^#/gm, "##")}`;
}
