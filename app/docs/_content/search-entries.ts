import { ERRORS } from "@/lib/errors";
import { GUIDES } from "./guides";
import { listOperations } from "./reference";

/** What the search can find. */
export interface SearchEntry {
  href: string;
  title: string;
  /** Method and path, the guide's lead or title, or the error's status. */
  context: string;
  /** Parameters and fields that also find this entry. */
  names: string[];
}

/** Server only. */
export const listSearchEntries = (): SearchEntry[] => [
  ...listOperations().map(({ id, summary, method, path, parameters, body, answer }) => ({
    href: `/docs#${id}`,
    title: summary,
    context: `${method} ${path}`,
    names: [...new Set([...parameters, ...(body?.fields ?? []), ...answer].map((row) => getFieldName(row.path)))],
  })),
  ...GUIDES.flatMap(({ slug, title, lead, sections }) => [
    { href: `/docs/${slug}`, title, context: lead, names: [] },
    ...sections.map((section) => ({
      href: `/docs/${slug}#${section.id}`,
      title: section.title,
      context: title,
      names: [],
    })),
  ]),
  ...Object.entries(ERRORS).map(([code, [status]]) => ({
    href: `/docs/errors#${code}`,
    title: code,
    context: `Error ${status}`,
    names: [],
  })),
];

/** `minimumOutputAmount` for `transactions[].quote.minimumOutputAmount`. Skips `*`. */
const getFieldName = (path: string) =>
  path
    .split(".")
    .findLast((name) => name !== "*")!
    .replace("[]", "");
