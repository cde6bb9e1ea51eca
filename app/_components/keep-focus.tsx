"use client";

import { type ReactNode, useEffect, useRef } from "react";

/** Takes the focus of a control that is disabled or removed, or keyboards would restart at the top of the page. */
export function KeepFocus({ className = "", children }: { className?: string; children: ReactNode }) {
  const containerRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = containerRef.current!;
    let lastFocusedElement: Element | null = null;
    const recordFocus = () => {
      lastFocusedElement = element.contains(document.activeElement) ? document.activeElement : null;
    };
    // A click outside moves the focus away on purpose, even if no other element receives it.
    const handlePointerDown = ({ target }: PointerEvent) => {
      if (!element.contains(target as Node)) lastFocusedElement = null;
    };
    const observer = new MutationObserver(() => {
      if (!lastFocusedElement || (lastFocusedElement.isConnected && !lastFocusedElement.matches(":disabled"))) return;
      const { activeElement, body } = document;
      if (activeElement === null || activeElement === body || activeElement === lastFocusedElement)
        element.focus({ preventScroll: true });
    });
    observer.observe(element, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    document.addEventListener("focusin", recordFocus);
    document.addEventListener("pointerdown", handlePointerDown);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", recordFocus);
      document.removeEventListener("pointerdown", handlePointerDown);
    };
  }, []);
  return (
    <div ref={containerRef} tabIndex={-1} className={`outline-none ${className}`}>
      {children}
    </div>
  );
}
