"use client";

import { type ReactNode, useEffect, useRef } from "react";

/**
 * Takes the focus when a focused button inside is disabled or removed. Otherwise keyboard navigation would restart at
 * the top of the page.
 */
export function KeepFocus({ className = "", children }: { className?: string; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const here = place.current!;
    let last: Element | null = null;
    const note = () => {
      last = here.contains(document.activeElement) ? document.activeElement : null;
    };
    const observer = new MutationObserver(() => {
      if (!last || (last.isConnected && !last.matches(":disabled"))) return;
      const { activeElement, body } = document;
      if (activeElement === null || activeElement === body || activeElement === last)
        here.focus({ preventScroll: true });
    });
    observer.observe(here, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    document.addEventListener("focusin", note);
    // A click outside moves the focus on purpose.
    document.addEventListener("pointerdown", note);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", note);
      document.removeEventListener("pointerdown", note);
    };
  }, []);
  return (
    <div ref={place} tabIndex={-1} className={`outline-none ${className}`}>
      {children}
    </div>
  );
}
