"use client";

import { type ComponentType, lazy, type ReactNode, Suspense, useSyncExternalStore } from "react";

const never = () => () => {};

/** A part whose code comes after the page, in the browser alone: next/dynamic without the server, for a page whose every kB counts. */
export function afterPage<P extends object>(load: () => Promise<ComponentType<P>>, placeholder: ReactNode = null) {
  const Part = lazy(async () => ({ default: await load() }));
  return function AfterPage(props: P) {
    const inBrowser = useSyncExternalStore(
      never,
      () => true,
      () => false,
    );
    return inBrowser ? (
      <Suspense fallback={placeholder}>
        <Part {...props} />
      </Suspense>
    ) : (
      placeholder
    );
  };
}
