"use client";

import { createContext, useEffect, useRef } from "react";

/** Within what Back closes: a link there takes the place of its entry in the history, so that Back leads to the page before. */
export const InSheet = createContext(false);

/** The browser's Back closes what is open, as on a phone everybody expects; while it is locked, Back changes nothing. */
export function useBackCloses(open: boolean, locked: boolean, onClose: () => void): void {
  const latest = useRef({ locked, onClose });
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = { locked, onClose };
  });
  useEffect(() => {
    if (!open) return;
    const isOwn = () => history.state?.sheet === true;
    const push = () => history.pushState({ ...history.state, sheet: true }, "");
    const back = () => {
      if (isOwn()) return;
      if (latest.current.locked) push();
      else latest.current.onClose();
    };
    clearTimeout(leaving.current);
    if (!isOwn()) push();
    window.addEventListener("popstate", back);
    return () => {
      window.removeEventListener("popstate", back);
      // Closed otherwise, its entry goes too; not at once, since what opens again right away takes it over.
      leaving.current = setTimeout(() => isOwn() && history.back());
    };
  }, [open]);
}
