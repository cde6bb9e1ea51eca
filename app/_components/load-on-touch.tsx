"use client";

import { type ComponentType, useEffect, useRef } from "react";
import { loadOnRender } from "./load-on-render";

/** Preloads the component's code on the first interaction, and renders it once `isNeeded` was true. */
export function loadOnTouch<P extends object>(
  load: () => Promise<ComponentType<P>>,
  isNeeded: (props: P) => boolean,
): ComponentType<P> {
  const LazyComponent = loadOnRender(load);
  return function OnTouch(props: P) {
    const wasNeededRef = useRef(false);
    wasNeededRef.current ||= isNeeded(props);
    useEffect(() => {
      // A failed preload is harmless: the component loads, with retries, when it is needed.
      const preloadComponent = () => void load().catch(() => {});
      const events = ["pointerdown", "keydown"];
      for (const event of events) window.addEventListener(event, preloadComponent, { once: true });
      return () => {
        for (const event of events) window.removeEventListener(event, preloadComponent);
      };
    }, []);
    return wasNeededRef.current ? <LazyComponent {...props} /> : null;
  };
}
