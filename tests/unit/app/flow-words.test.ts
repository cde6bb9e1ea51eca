import { expect, test } from "vitest";
import { chooseTitle, describeSent, type FlowWords, isPartlySent } from "@/app/dashboard/_flow/flow-words";

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
