"use client";

import { createContext, useEffect, useRef, useSyncExternalStore } from "react";
import { createObservable } from "@/lib/sdk/observable";

/**
 * Provides the function that closes the sheet around a link; null outside a sheet. A link in a sheet replaces the
 * sheet's history entry, so that Back leads to the previous page.
 */
export const SheetContext = createContext<(() => void) | null>(null);

/** Timer of the step back for the sheet closed last. A sheet that opens before it fires reuses that history entry. */
let pendingStepBack: ReturnType<typeof setTimeout> | undefined;
/** True while a step back that this module started is under way. */
let isSteppingBack = false;

/** Number of open sheets. */
const openSheetCount = createObservable(0);

/** Returns whether a sheet is open on the page. */
export const useIsSheetOpen = (): boolean =>
  useSyncExternalStore(
    openSheetCount.subscribe,
    () => openSheetCount.get() > 0,
    () => false,
  );

const isSheetEntry = () => history.state?.sheet === true;
const pushSheetEntry = () => history.pushState({ ...history.state, sheet: true }, "");

function stepBackFromSheet(): void {
  if (!isSheetEntry()) return;
  isSteppingBack = true;
  // Other listeners of this event must still see the flag.
  const clearFlag = () => setTimeout(() => (isSteppingBack = false));
  window.addEventListener("popstate", clearFlag, { once: true });
  history.back();
}

/**
 * Makes the browser's Back button close the open sheet, as people expect on phones. While locked, the sheet stays open.
 */
export function useCloseOnBack(isOpen: boolean, isLocked: boolean, onClose: () => void): void {
  const latestPropsRef = useRef({ isLocked, onClose });
  useEffect(() => {
    latestPropsRef.current = { isLocked, onClose };
  });
  useEffect(() => {
    if (!isOpen) return;
    openSheetCount.set(openSheetCount.get() + 1);
    return () => openSheetCount.set(openSheetCount.get() - 1);
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return;
    const handlePopState = () => {
      if (isSheetEntry()) return;
      if (isSteppingBack || latestPropsRef.current.isLocked) pushSheetEntry();
      else latestPropsRef.current.onClose();
    };
    clearTimeout(pendingStepBack);
    if (!isSheetEntry()) pushSheetEntry();
    window.addEventListener("popstate", handlePopState);
    return () => {
      window.removeEventListener("popstate", handlePopState);
      pendingStepBack = setTimeout(stepBackFromSheet);
    };
  }, [isOpen]);
}
