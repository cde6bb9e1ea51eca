"use client";

import { type ReactNode, useEffect, useRef } from "react";

/** Scrolls its content into view when it appears. The phone's tab bar could cover what appears below a button. */
export function InView({ children }: { children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.scrollIntoView({ block: "nearest" }), []);
  return <div ref={element}>{children}</div>;
}
