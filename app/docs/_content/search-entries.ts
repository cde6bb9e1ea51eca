import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ERRORS } from "@/lib/errors";
import { GUIDES } from "./guide-list";
import { listOperations } from "./reference";

/** A place of the documentation that the search can find. */
export interface SearchEntry {
  href: string;
  title: string;
  /** What kind of place it is, shown beside the title. */
  place: string;
  /** Further names that find it: parameters and fields. */
  names: string[];
}

/** Lists operations, guides with their sections, and error codes. Runs in the build; server only. */
export const searchEntries = (): SearchEntry[] => [
  ...listOperations().map(({ id, summary, method, path, parameters, body, answer }) => ({
    href: `/docs#${id}`,
    title: summary,
    place: `${method} ${path}`,
    names: [...new Set([...parameters, ...(body?.fields ?? []), ...answer].map((row) => lastName(row.path)))],
  })),
  ...GUIDES.flatMap(({ slug, title, lead }) => [
    { href: `/docs/${slug}`, title, place: lead, names: [] },
    ...[...sectionsOf(slug)].map(([, id, section]) => ({
      href: `/docs/${slug}#${id}`,
      title: section!,
      place: title,
      names: [],
    })),
  ]),
  ...Object.entries(ERRORS).map(([code, [status]]) => ({
    href: `/docs/errors#${code}`,
    title: code,
    place: `Error ${status}`,
    names: [],
  })),
];

/** Returns a field's own name: `minimumOutputAmount` of `transactions[].quote.minimumOutputAmount`. */
const lastName = (path: string) =>
  path
    .split(".")
    .findLast((name) => name !== "*")!
    .replace("[]", "");

const sectionsOf = (slug: string) =>
  readFileSync(join(process.cwd(), `app/docs/_guides/${slug}.tsx`), "utf8").matchAll(
    /<Section id="([^"]+)" title="([^"]+)"/g,
  );
