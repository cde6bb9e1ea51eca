import { useEffect } from "react";

const LEAVE_TEXT = "Leave without copying your new key? It cannot be shown again.";

/** While `isActive`, asks before a link, a reload or a closed tab removes what the page shows. */
export function useLeaveWarning(isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return;
    const listeners = new AbortController();
    const warnOnLink = (event: MouseEvent) => {
      const link = event.target instanceof Element && event.target.closest("a[href]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.getAttribute("target") === "_blank") return;
      if (window.confirm(LEAVE_TEXT)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener("click", warnOnLink, { capture: true, signal: listeners.signal });
    window.addEventListener("beforeunload", (event) => event.preventDefault(), { signal: listeners.signal });
    return () => listeners.abort();
  }, [isActive]);
}
