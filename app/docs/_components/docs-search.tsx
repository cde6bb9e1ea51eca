"use client";

import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { retryLoad } from "@/app/_components/retry-load";
import { SoftLink } from "@/app/_components/soft-link";
import type { SearchEntry } from "@/app/docs/_content/search-entries";

type EntriesState = SearchEntry[] | "loading" | "failed";

/** The search itself needs no request. */
const loadEntries = retryLoad(async (): Promise<SearchEntry[]> => {
  const response = await fetch("/docs/search.json", { priority: "low" });
  return response.json();
});

/** The key `/` moves the focus to the input. */
export function DocsSearch() {
  const id = useId();
  const formRef = useRef<HTMLFormElement>(null);
  const inputRef = useRef<HTMLInputElement>(null);
  const entries = useEntries();
  const [query, setQuery] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  const hasQuery = query.trim() !== "";
  const results = hasQuery && typeof entries !== "string" ? searchEntries(entries, query) : null;

  useSlashKey(inputRef);

  const clearQuery = () => setQuery("");
  const leaveSearch = () => {
    clearQuery();
    inputRef.current?.blur();
  };
  const moveFocusByKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") clearQuery();
    const step = { ArrowDown: 1, ArrowUp: -1, Escape: 0 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const focusable = [...formRef.current!.querySelectorAll<HTMLElement>("input, a")];
    const nextIndex = step === 0 ? 0 : focusable.indexOf(document.activeElement as HTMLElement) + step;
    focusable[Math.max(0, Math.min(nextIndex, focusable.length - 1))]?.focus();
  };

  return (
    <search className="needs-script relative block">
      <form
        ref={formRef}
        onKeyDown={moveFocusByKey}
        onFocus={() => setIsOpen(true)}
        onBlur={({ currentTarget, relatedTarget }) => setIsOpen(currentTarget.contains(relatedTarget))}
        onSubmit={(event) => {
          event.preventDefault();
          formRef.current?.querySelector("a")?.click();
        }}
      >
        <label htmlFor={id} className="sr-only">
          Search the documentation
        </label>
        <input
          ref={inputRef}
          id={id}
          type="search"
          autoComplete="off"
          spellCheck={false}
          aria-keyshortcuts="/"
          placeholder="Search titles and fields"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className="peer min-h-11 w-full rounded-xl border border-line-strong bg-card px-3.5 placeholder:text-soft [&::-webkit-search-cancel-button]:grayscale"
        />
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-2.5 right-3 rounded-md border border-line bg-raised px-2 font-mono text-sm text-soft peer-focus:hidden max-lg:hidden"
        >
          /
        </span>
        <p role="status" className="sr-only">
          {results && `${results.length} ${results.length === 1 ? "result" : "results"}`}
        </p>
        {isOpen && hasQuery && (
          // Safari does not focus a clicked link. This box takes the focus, or it would close before the click.
          <div
            tabIndex={-1}
            className="absolute inset-x-0 top-full z-20 mt-2 max-h-[70dvh] overflow-y-auto rounded-xl border border-line-strong bg-card p-2 shadow-lg lg:w-md"
          >
            {results?.length ? (
              <Results results={results} onOpen={leaveSearch} />
            ) : (
              <NoResult query={query} entries={entries} />
            )}
          </div>
        )}
      </form>
    </search>
  );
}

function useEntries(): EntriesState {
  const [entries, setEntries] = useState<EntriesState>("loading");
  useEffect(() => {
    loadEntries().then(setEntries, () => setEntries("failed"));
  }, []);
  return entries;
}

/** Does nothing while the person is typing elsewhere. */
function useSlashKey(inputRef: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const focusOnSlash = (event: globalThis.KeyboardEvent) => {
      const isTyping = (event.target as Element).matches("input, textarea, select");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      inputRef.current?.focus();
    };
    document.addEventListener("keydown", focusOnSlash);
    return () => document.removeEventListener("keydown", focusOnSlash);
  }, [inputRef]);
}

function Results({ results, onOpen }: { results: FoundEntry[]; onOpen: () => void }) {
  return (
    <ul>
      {results.map(({ href, title, context, matchingFields }) => (
        <li key={href}>
          <SoftLink href={href} onClick={onOpen} className="block rounded-lg px-3 py-2 hover:bg-raised focus:bg-raised">
            <span className="font-medium">{title}</span>
            <span className="block text-sm break-words text-soft">{context}</span>
            {matchingFields.length > 0 && (
              <span className="block font-mono text-sm text-accent">{matchingFields.join(", ")}</span>
            )}
          </SoftLink>
        </li>
      ))}
    </ul>
  );
}

function NoResult({ query, entries }: { query: string; entries: EntriesState }) {
  const text = {
    loading: "Loading the search…",
    failed: "The search could not be loaded. Reload the page to try again.",
    ready: `Nothing matches “${query.trim()}”. Try a field such as slippageBps, or an error code.`,
  }[typeof entries === "string" ? entries : "ready"];
  return <p className="px-3 py-2 text-soft wrap-anywhere">{text}</p>;
}

interface FoundEntry extends SearchEntry {
  /** The fields that match. */
  matchingFields: string[];
}

const MAX_RESULTS = 8;
const MAX_FIELD_NAMES = 3;

/** Returns the entries that contain every word of the query. Titles count most. */
function searchEntries(entries: SearchEntry[], query: string): FoundEntry[] {
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
