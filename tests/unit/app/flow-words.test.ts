import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { chooseTitle, describeSent, type FlowWords, isPartlySent } from "@/app/dashboard/_flow/flow-words";
import { Minimum } from "@/app/dashboard/_flow/review";
import { describeUnfinished } from "@/app/dashboard/_shell/unfinished-payments";

const WORDS: FlowWords = {
  reviewTitle: "Review",
  runningTitle: "Saving",
  doneTitle: "Saved",
  confirmLabel: "Sign",
  failedTitle: "Nothing was saved",
};

test.each([
  ["nothing was sent", { done: [], inFlight: null }, false],
  ["a part has landed", { done: [{}], inFlight: null }, true],
  ["a part may land", { done: [], inFlight: {} }, true],
])("a failed payment says what was sent when %s", (_caseName, record, isPartly) => {
  const state = { phase: "failed" as const, record, build: null };
  expect(isPartlySent(state)).toBe(isPartly);
  expect(chooseTitle(state, WORDS)).toBe(isPartly ? "Not all of it was done" : "Nothing was saved");
  expect(describeSent(isPartlySent(state)) === "Nothing was sent.").toBe(!isPartly);
});

const createQuote = (minimumOutputAmount: string) => ({ outputAmount: "0", minimumOutputAmount, outputDecimals: 9 });

/** Returns the text that a review shows for a minimum, in coins with nine decimals. */
const renderMinimum = (minimum: string, previousMinimum?: string) =>
  renderToStaticMarkup(
    createElement(Minimum, {
      quote: createQuote(minimum),
      symbol: "X",
      previousQuote: previousMinimum === undefined ? undefined : createQuote(previousMinimum),
    }),
  ).replace(/<[^>]*>/g, "");

test("a review shows the earlier minimum only if the new one is displayed as a lower number, however small the drop", () => {
  expect(renderMinimum("1999999000", "2000000000")).toBe("1.99999 X, was 2: you would get less now");
  expect(renderMinimum("2000000000", "2000000900"), "both show 2").toBe("2 X");
  expect(renderMinimum("2000000000", "1999999000")).toBe("2 X");
  expect(renderMinimum("2000000000")).toBe("2 X");
});

test.each([true, false])("a payment is called stored only if the browser stores it, in flight: %s", (isInFlight) => {
  expect(describeUnfinished("withdrawal", isInFlight, true)).toContain("is stored here");
  const text = describeUnfinished("withdrawal", isInFlight, false);
  expect(text).not.toContain("stored here");
  expect(text).toContain("This browser does not store it: a reload forgets it");
});
