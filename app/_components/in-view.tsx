"use client";

import { type ReactNode, useEffect, useRef } from "react";

/** Scrolls its content into view when it appears. On a phone, the tab bar could cover it. */
export function InView({ children }: { children: ReactNode }) {
  const elementRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    elementRef.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return <div ref={elementRef}>{children}</div>;
}
