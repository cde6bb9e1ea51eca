"use client";

import { type ComponentType, lazy, type ReactNode, Suspense, useSyncExternalStore } from "react";
import { retryLoad } from "./retry-load";

/** For a value that never changes after the page was hydrated. */
export const subscribeToNothing = () => () => {};

/** Loads the component's code after the page was hydrated. next/dynamic would make the landing page larger. */
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
