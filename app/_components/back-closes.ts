"use client";

import { createContext, useEffect, useRef } from "react";

/** Within what Back closes: a link there takes the place of its entry in the history, so that Back leads to the page before. */
export const InSheet = createContext(false);

/** Of whichever sheet was closed last: one that opens right away takes its entry over. */
let leaving: ReturnType<typeof setTimeout> | undefined;
/** Whether the step back under way is this page's own. */
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

/** The browser's Back closes what is open, as on a phone everybody expects; while it is locked, Back changes nothing. */
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
