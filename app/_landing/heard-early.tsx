"use client";

import { useEffect } from "react";

/** Whoever was faster than the page's code is heard after all: what was typed, chosen or opened by then is told again. */
export function HeardEarly() {
  useEffect(() => {
    const main = document.querySelector("main")!;
    for (const input of main.querySelectorAll("input")) tellAgain(input);
    for (const fold of main.querySelectorAll("details[open]")) fold.dispatchEvent(new Event("toggle"));
  }, []);
  return null;
}

/** React holds for heard what it finds in a field, though it shows what it had; so it is taken back first. */
function tellAgain(input: HTMLInputElement): void {
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
