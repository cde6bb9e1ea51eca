import { useEffect } from "react";

const QUESTION = "Leave without copying your new key? It cannot be shown again.";

/** Asks before a link, a reload or a closed tab removes what the page shows. */
export function useLeaveWarning(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const leaving = new AbortController();
    const onLink = (event: MouseEvent) => {
      const link = event.target instanceof Element && event.target.closest("a[href]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.getAttribute("target") === "_blank") return;
      if (window.confirm(QUESTION)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener("click", onLink, { capture: true, signal: leaving.signal });
    window.addEventListener("beforeunload", (event) => event.preventDefault(), { signal: leaving.signal });
    return () => leaving.abort();
  }, [active]);
}
