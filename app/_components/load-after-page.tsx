"use client";

import { type ComponentType, lazy, type ReactNode, Suspense, useSyncExternalStore } from "react";
import { retryLoad } from "./retry-load";

/** The `subscribe` of useSyncExternalStore for a value that never changes after the page was hydrated. */
export const subscribeToNothing = () => () => {};

/**
 * Returns a component that loads its code after the page was hydrated, and shows `placeholder` until then. It replaces
 * next/dynamic, whose code would make the landing page larger.
 */
export function loadAfterPage<P extends object>(load: () => Promise<ComponentType<P>>, placeholder: ReactNode = null) {
  const LazyComponent = lazy(async () => ({ default: await retryLoad(load)() }));
  return function AfterPage(props: P) {
    // False on the server and while hydrating, then true.
    const isHydrated = useSyncExternalStore(
      subscribeToNothing,
      () => true,
      () => false,
    );
    return isHydrated ? (
      <Suspense fallback={placeholder}>
        <LazyComponent {...props} />
      </Suspense>
    ) : (
      placeholder
    );
  };
}
