"use client";

import { type KeyboardEvent, useId, useRef, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { storeValue, useStoredValue } from "@/app/_client/local-storage/stored-value";
import { subscribeToNothing } from "@/app/_components/load-after-page";
import type { Token } from "@/app/docs/_content/highlight";
import type { RequestSample } from "@/app/docs/_content/request-samples";
import { Code } from "./prose";

interface HighlightedSample extends Pick<RequestSample, "label"> {
  tokens: Token[];
}

const LANGUAGE_STORAGE_KEY = "roundup-docs-language";

/** The language applies to all operations, and the browser stores it. @param origin is replaced by the page's own */
export function RequestSamples({ samples, origin }: { samples: HighlightedSample[]; origin: string }) {
  const id = useId();
  const tabsRef = useRef<HTMLDivElement>(null);
  const storedLanguage = useStoredValue(LANGUAGE_STORAGE_KEY);
  const chosenSample = samples.find(({ label }) => JSON.stringify(label) === storedLanguage) ?? samples[0]!;
  const pageOrigin = useSyncExternalStore(
    subscribeToNothing,
    () => window.location.origin,
    () => origin,
  );
  const tokens = chosenSample.tokens.map(({ text, kind }) => ({ text: text.replaceAll(origin, pageOrigin), kind }));
  const chooseLanguage = (label: string) => {
    const measureTop = () => tabsRef.current!.getBoundingClientRect().top;
    const topBefore = measureTop();
    flushSync(() => storeValue(LANGUAGE_STORAGE_KEY, label));
    // The samples above change their height too. Safari has no scroll anchoring, so this keeps the tabs in place.
    window.scrollBy({ top: measureTop() - topBefore, behavior: "instant" });
  };
  const chooseByKey = (event: KeyboardEvent) => {
    const currentIndex = samples.indexOf(chosenSample);
    const targetIndex = { ArrowRight: currentIndex + 1, ArrowLeft: currentIndex - 1, Home: 0, End: -1 }[event.key];
    if (targetIndex === undefined) return;
    event.preventDefault();
    const nextIndex = (targetIndex + samples.length) % samples.length;
    chooseLanguage(samples[nextIndex]!.label);
    tabsRef.current?.querySelectorAll("button")[nextIndex]?.focus();
  };
  const caption = (
    <div
      ref={tabsRef}
      role="tablist"
      aria-label="Language of the example"
      className="-ml-2.5 flex"
      onKeyDown={chooseByKey}
    >
      {samples.map(({ label }) => {
        const isChosen = label === chosenSample.label;
        return (
          <button
            key={label}
            type="button"
            role="tab"
            id={`${id}-${label}`}
            aria-selected={isChosen}
            aria-controls={`${id}-code`}
            tabIndex={isChosen ? 0 : -1}
            onClick={() => chooseLanguage(label)}
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
      label={chosenSample.label}
      caption={caption}
      panel={{ role: "tabpanel", id: `${id}-code`, "aria-labelledby": `${id}-${chosenSample.label}`, tabIndex: 0 }}
      isWrapped={chosenSample.label === "curl"}
      tokens={tokens}
    >
      {tokens.map(({ text }) => text).join("")}
    </Code>
  );
}
