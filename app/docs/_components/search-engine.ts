import MiniSearch from "minisearch";
import type { SearchEntry } from "@/app/docs/_content/search-entries";

export interface FoundEntry extends SearchEntry {
  /** The names of the entry's fields that match the query, at most MAX_FIELD_NAMES. */
  matchingFields: string[];
}

const MAX_RESULTS = 8;
const MAX_FIELD_NAMES = 3;
/** A longer word may have one typing error. */
const EXACT_WORD_LETTERS = 5;

/** Splits text into words. Also splits names into parts: `slippageBps` gives `slippageBps`, `slippage` and `Bps`. */
const splitWords = (text: string) =>
  text
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => [...new Set([word, ...word.split(/(?<=[a-z0-9])(?=[A-Z])/)])])
    .filter(Boolean);

/** Creates a search over the entries that needs no request. Every word of the query must begin a word of the entry. */
export function createSearch(entries: SearchEntry[]): (query: string) => FoundEntry[] {
  const index = new MiniSearch<SearchEntry>({
    idField: "href",
    fields: ["title", "context", "names"],
    tokenize: splitWords,
  });
  index.addAll(entries);
  const entryByHref = new Map(entries.map((entry) => [entry.href, entry]));
  return (query) => {
    const results = index.search(query, {
      combineWith: "AND",
      prefix: true,
      fuzzy: (word) => (word.length > EXACT_WORD_LETTERS ? 1 : false),
      boost: { title: 3, context: 2 },
    });
    return results.slice(0, MAX_RESULTS).map(({ id, match: matchedWords }) => {
      const entry = entryByHref.get(id)!;
      const isMatch = (name: string) =>
        splitWords(name).some((word) => Object.hasOwn(matchedWords, word.toLowerCase()));
      return { ...entry, matchingFields: entry.names.filter(isMatch).slice(0, MAX_FIELD_NAMES) };
    });
  };
}
