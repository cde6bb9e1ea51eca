"use client";

import { useEffect } from "react";

/** Replays input that arrived before the page's code had loaded. */
export function ReplayEarlyInput() {
  useEffect(() => {
    const main = document.querySelector("main")!;
    for (const input of main.querySelectorAll("input")) replayInput(input);
    for (const fold of main.querySelectorAll("details[open]")) fold.dispatchEvent(new Event("toggle"));
  }, []);
  return null;
}

/** Sets the value again. React ignores an event that leaves the value as it was on mount. */
function replayInput(input: HTMLInputElement): void {
  const { value, defaultValue, checked, defaultChecked } = input;
  if (checked && !defaultChecked) {
    input.checked = false;
    input.click();
  } else if (value !== defaultValue) {
    input.value = defaultValue;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!.call(input, value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
