import MiniSearch from "minisearch";
import type { SearchEntry } from "@/app/docs/_content/search-entries";

/** Loaded after the page, so that the search works offline from then on. */

export interface Found extends SearchEntry {
  /** The names that match the query, at most three. */
  matches: string[];
}

const MOST_RESULTS = 8;

/** Splits text into words, and a name into its parts as well: `slippageBps` is also `slippage` and `Bps`. */
const wordsOf = (text: string) =>
  text
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => [...new Set([word, ...word.split(/(?<=[a-z0-9])(?=[A-Z])/)])])
    .filter(Boolean);

/** Creates a search over the entries. Words match by their beginning, with one typing error in long ones. */
export function createSearch(entries: SearchEntry[]): (query: string) => Found[] {
  const index = new MiniSearch<SearchEntry>({
    idField: "href",
    fields: ["title", "place", "names"],
    tokenize: wordsOf,
  });
  index.addAll(entries);
  const byHref = new Map(entries.map((entry) => [entry.href, entry]));
  return (query) => {
    const found = index.search(query, {
      combineWith: "AND",
      prefix: true,
      fuzzy: (word) => (word.length > 5 ? 1 : false),
      boost: { title: 3, place: 2 },
    });
    return found.slice(0, MOST_RESULTS).map(({ id, match }) => {
      const entry = byHref.get(id)!;
      const isMatch = (name: string) => wordsOf(name).some((word) => Object.hasOwn(match, word.toLowerCase()));
      return { ...entry, matches: entry.names.filter(isMatch).slice(0, 3) };
    });
  };
}
