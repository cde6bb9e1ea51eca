"use client";

import { type ReactNode, useSyncExternalStore } from "react";
import {
  browserStore,
  checkRoom,
  findStorageProblem,
  type StorageProblem,
  subscribeToStorageProblem,
} from "@/app/_client/local-storage/browser-storage";
import { Button, SecondaryButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";

export const STORAGE_PROBLEM_TITLES: Record<StorageProblem, string> = {
  blocked: "This browser blocks storage for this site",
  full: "This browser’s storage for this site is full",
};

export const ALLOW_STORAGE_TEXT =
  "Allow cookies and site data for this site in the browser’s settings, then reload. If another app shows this page, open it in your browser instead.";

/** Returns why this page's changes are lost with the next reload; null when the browser stores them. */
export const useStorageProblem = (): StorageProblem | null =>
  useSyncExternalStore(subscribeToStorageProblem, findStorageProblem, () => null);

interface Props {
  problem: StorageProblem;
  /** Called after the person has made room. Default: stores what did not fit. */
  recheck?: () => void;
  className?: string;
  children: ReactNode;
}

export function StorageNote({ problem, recheck = checkRoom, className, children }: Props) {
  const otherLength = browserStore.measureOtherEntries();
  const makeRoom = () => {
    browserStore.removeOtherEntries();
    recheck();
  };
  return (
    <Notice
      role="alert"
      tone="warn"
      className={className}
      title={STORAGE_PROBLEM_TITLES[problem]}
      action={
        problem === "full" && (
          <>
            {otherLength > 0 && <Button onClick={makeRoom}>Delete their data</Button>}
            <SecondaryButton onClick={recheck}>Check again</SecondaryButton>
          </>
        )
      }
    >
      {children}
      {problem === "blocked" ? (
        <p>{ALLOW_STORAGE_TEXT}</p>
      ) : otherLength > 0 ? (
        <p>Other pages at this address use {formatMegabytes(otherLength)} MB of it.</p>
      ) : (
        <p>Your device may have no space left. Make room on it, then check again.</p>
      )}
    </Notice>
  );
}

/** Formats a number of characters. Browsers allow about 5 million. */
const formatMegabytes = (length: number) => (length / 2 ** 20).toFixed(1);
