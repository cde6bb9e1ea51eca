import { readdir, readFile, writeFile } from "node:fs/promises";

// @ts-expect-error The package has no types.
import { gfm } from "@joplin/turndown-plugin-gfm";
import TurndownService from "turndown";

/*
 * Step of `npm run build`. Writes each guide as Markdown beside its page, for programs and models, as /docs/errors.md.
 * Also writes /llms-full.txt: /SKILL.md and then all guides. server.ts serves these files like the built pages.
 */

const PAGES_FOLDER = ".next/server/app";

const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
turndown.use(gfm);
turndown.remove(["button", "script", "style"]);
turndown.addRule("hidden", {
  filter: (node) => node.getAttribute("aria-hidden") === "true",
  replacement: () => "",
});
turndown.addRule("anchor of a heading", {
  filter: (node) => node.nodeName === "A" && /^H\d$/.test(node.parentNode?.nodeName ?? ""),
  replacement: (title) => title,
});
// A table repeats its last column for phones.
turndown.addRule("copy for phones", {
  filter: (node) => node.classList.contains("sm:hidden"),
  replacement: () => "",
});
turndown.addRule("power", { filter: "sup", replacement: (power) => `^${power}` });
const LANGUAGES = { Shell: "sh", TypeScript: "ts", JavaScript: "js", Python: "python", Configuration: "json" };
// The caption of a code block names its language or file, and stands above the block.
turndown.addRule("code", {
  filter: "figure",
  replacement: (_, figure) => {
    const caption = figure.querySelector("figcaption")?.firstChild?.textContent ?? "";
    const language = Object.entries(LANGUAGES).find(([name]) => caption.startsWith(name))?.[1] ?? "";
    return `\n\n${caption}:\n\n\`\`\`${language}\n${figure.querySelector("pre")?.textContent}\n\`\`\`\n\n`;
  },
});

/** Returns the article of a guide's page as Markdown. @throws {Error} for a page without an article */
function toMarkdown(html: string): string {
  const article = /<article[^>]*>([\s\S]*)<\/article>/.exec(html)?.[1];
  if (!article) throw new Error("A guide's page has no article.");
  return `${turndown.turndown(article)}\n`;
}

/** Writes an answer in the form in which Next stores the answer of a route: a body file and a file with its headers. */
async function writeAnswer(path: string, text: string, contentType: string): Promise<void> {
  await writeFile(`${PAGES_FOLDER}/${path}.body`, text);
  await writeFile(
    `${PAGES_FOLDER}/${path}.meta`,
    JSON.stringify({ headers: { "content-type": `${contentType}; charset=utf-8` } }),
  );
}

const pageFiles = (await readdir(`${PAGES_FOLDER}/docs`)).filter((file) => file.endsWith(".html")).sort();
const guides = await Promise.all(
  pageFiles.map(async (file) => {
    const text = toMarkdown(await readFile(`${PAGES_FOLDER}/docs/${file}`, "utf8"));
    await writeAnswer(`docs/${file.replace(/html$/, "md")}`, text, "text/markdown");
    return text;
  }),
);
const skill = await readFile(`${PAGES_FOLDER}/SKILL.md.body`, "utf8");
await writeAnswer("llms-full.txt", [skill, ...guides].join("\n"), "text/plain");
