import type { SearchEntry } from "@/app/docs/_content/search-entries";

export interface FoundEntry extends SearchEntry {
  /** The names of the entry's fields that match the query, at most MAX_FIELD_NAMES. */
  matchingFields: string[];
}

const MAX_RESULTS = 8;
const MAX_FIELD_NAMES = 3;

/** Returns the entries that contain every word of the query. Titles count most. */
export function searchEntries(entries: SearchEntry[], query: string): FoundEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hasWord = (text: string) => (word: string) => text.toLowerCase().includes(word);
  const found = entries.filter(({ title, context, names }) =>
    words.every(hasWord([title, context, ...names].join("\n"))),
  );
  const ranked = [
    found.filter(({ title }) => words.every(hasWord(title))),
    found.filter(({ title, context }) => words.every(hasWord(`${title}\n${context}`))),
    found.filter(({ names }) => names.some((name) => words.some((word) => name.toLowerCase().startsWith(word)))),
    found,
  ];
  return [...new Set(ranked.flat())].slice(0, MAX_RESULTS).map((entry) => ({
    ...entry,
    matchingFields: entry.names.filter((name) => words.some(hasWord(name))).slice(0, MAX_FIELD_NAMES),
  }));
}
