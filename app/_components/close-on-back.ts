"use client";

import { createContext, useEffect, useRef, useSyncExternalStore } from "react";
import { createObservable } from "@/lib/sdk/observable";

/** Closes the sheet around a link. It replaces the sheet's history entry, so that Back leads to the page before. */
export const CloseSheetContext = createContext<(() => void) | null>(null);

/** Removes the closed sheet's history entry. A sheet that opens before takes over the entry. */
let pendingStepBack: ReturnType<typeof setTimeout> | undefined;
let isSteppingBack = false;

const openSheetCount = createObservable(0);

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

/** Makes the browser's Back button close the open sheet, as expected on phones. While locked, the sheet stays open. */
export function useCloseOnBack(isOpen: boolean, isLocked: boolean, onClose: () => void): void {
  const latestOptionsRef = useRef({ isLocked, onClose });
  useEffect(() => {
    latestOptionsRef.current = { isLocked, onClose };
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
      // Push the entry again if the removal of a closed sheet's entry took it, or if Back must not close the sheet.
      if (isSteppingBack || latestOptionsRef.current.isLocked) pushSheetEntry();
      else latestOptionsRef.current.onClose();
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
