"use client";

import { type KeyboardEvent, useId, useRef, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { storeValue, useStoredValue } from "@/app/_client/local-storage/stored-value";
import type { Token } from "@/app/docs/_content/highlight";
import type { RequestSample } from "@/app/docs/_content/request-samples";
import { Code } from "./prose";
import { Tokens } from "./tokens";

export interface HighlightedSample extends Pick<RequestSample, "label"> {
  tokens: Token[];
}

const KEY = "roundup-docs-language";
const never = () => () => {};

/**
 * Shows a call in one of several languages. The choice holds for all operations and is stored in the browser. Without
 * scripts the first sample is shown.
 * @param origin the origin in the built samples; replaced by the page's own
 */
export function RequestSamples({ samples, origin }: { samples: HighlightedSample[]; origin: string }) {
  const id = useId();
  const tabs = useRef<HTMLDivElement>(null);
  const stored = useStoredValue(KEY);
  const chosen = samples.find(({ label }) => JSON.stringify(label) === stored) ?? samples[0]!;
  const here = useSyncExternalStore(
    never,
    () => window.location.origin,
    () => origin,
  );
  const tokens = chosen.tokens.map(({ text, kind }) => ({ text: text.replaceAll(origin, here), kind }));
  const choose = (label: string) => {
    const topOf = () => tabs.current!.getBoundingClientRect().top;
    const top = topOf();
    flushSync(() => storeValue(KEY, label));
    // The examples above change their height too, and Safari has no scroll anchoring.
    window.scrollBy({ top: topOf() - top, behavior: "instant" });
  };
  const move = (event: KeyboardEvent) => {
    const at = samples.indexOf(chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + samples.length) % samples.length;
    choose(samples[next]!.label);
    tabs.current?.querySelectorAll("button")[next]?.focus();
  };
  const caption = (
    <div ref={tabs} role="tablist" aria-label="Language of the example" className="-ml-2.5 flex" onKeyDown={move}>
      {samples.map(({ label }) => {
        const isChosen = label === chosen.label;
        return (
          <button
            key={label}
            type="button"
            role="tab"
            id={`${id}-${label}`}
            aria-selected={isChosen}
            aria-controls={`${id}-code`}
            tabIndex={isChosen ? 0 : -1}
            onClick={() => choose(label)}
            className={`min-h-11 border-b-2 px-2.5 ${isChosen ? "border-accent font-medium text-ink" : "needs-script border-transparent hover:text-ink"}`}
          >
            {label}
          </button>
        );
      })}
    </div>
  );
  return (
    <Code
      label={chosen.label}
      caption={caption}
      panel={{ role: "tabpanel", id: `${id}-code`, "aria-labelledby": `${id}-${chosen.label}`, tabIndex: 0 }}
      wrap={chosen.label === "curl"}
      shown={<Tokens tokens={tokens} />}
    >
      {tokens.map(({ text }) => text).join("")}
    </Code>
  );
}
