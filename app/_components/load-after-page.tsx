"use client";

import { type ComponentType, lazy, type ReactNode, Suspense, useSyncExternalStore } from "react";
import { retryLoad } from "./retry-load";

const never = () => () => {};

/**
 * Loads a component in the browser after the page. A smaller substitute for next/dynamic, for a page whose size
 * matters.
 */
export function loadAfterPage<P extends object>(load: () => Promise<ComponentType<P>>, placeholder: ReactNode = null) {
  const Part = lazy(async () => ({ default: await retryLoad(load)() }));
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
