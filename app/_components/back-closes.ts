"use client";

import { createContext, useEffect, useRef } from "react";

/**
 * Closes the sheet around a link; null outside a sheet. A link in a sheet replaces the sheet's history entry, so that
 * Back leads to the previous page.
 */
export const SheetContext = createContext<(() => void) | null>(null);

/** Pending history step of the sheet closed last. A sheet that opens immediately afterwards reuses its entry. */
let leaving: ReturnType<typeof setTimeout> | undefined;
/** Whether this page itself started the current step back. */
let returning = false;

const isOwn = () => history.state?.sheet === true;
const push = () => history.pushState({ ...history.state, sheet: true }, "");

function leave(): void {
  if (!isOwn()) return;
  returning = true;
  const arrived = () => setTimeout(() => (returning = false));
  window.addEventListener("popstate", arrived, { once: true });
  history.back();
}

/**
 * Makes the browser's Back button close the open sheet, as people expect on phones. While locked, Back does nothing.
 */
export function useBackCloses(open: boolean, locked: boolean, onClose: () => void): void {
  const latest = useRef({ locked, onClose });
  useEffect(() => {
    latest.current = { locked, onClose };
  });
  useEffect(() => {
    if (!open) return;
    const back = () => {
      if (isOwn()) return;
      if (returning || latest.current.locked) push();
      else latest.current.onClose();
    };
    clearTimeout(leaving);
    if (!isOwn()) push();
    window.addEventListener("popstate", back);
    return () => {
      window.removeEventListener("popstate", back);
      leaving = setTimeout(leave);
    };
  }, [open]);
}
