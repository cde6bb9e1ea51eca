"use client";

import { useEffect } from "react";

/** Every page loads this file, so it imports no feature. A transaction may have been sent before the error. */
export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const isDownloadError = error.name === "ChunkLoadError";
  useEffect(() => {
    if (!isDownloadError) return;
    const stopReload = reloadOnline();
    return () => stopReload();
  }, [isDownloadError]);
  return (
    <main id="main" className="mx-auto max-w-2xl px-4 py-16 sm:px-6 sm:py-24">
      <h1 className="text-3xl font-semibold">{isDownloadError ? "This page did not load" : "This page broke"}</h1>
      <div role="alert" className="mt-4 text-soft">
        <p>
          {isDownloadError
            ? "A part of it could not be downloaded. Check your connection."
            : "It could not be shown; that is our mistake."}
        </p>
        <p className="mt-2">
          If you had just signed something, look at{" "}
          <a href="/dashboard/activity" className="text-accent underline underline-offset-2">
            your activity
          </a>{" "}
          before you sign it again: what was sent is on its way.
        </p>
        {error.digest && (
          <p className="mt-2 text-sm">
            Reference <code>{error.digest}</code>
          </p>
        )}
      </div>
      <div className="mt-6 flex flex-wrap items-center gap-3">
        <button
          type="button"
          onClick={isDownloadError ? () => location.reload() : reset}
          className="inline-flex min-h-11 items-center rounded-xl bg-accent px-4 font-medium text-accent-ink"
        >
          Try again
        </button>
        {/* A plain link reloads everything, and so discards the state that broke the page. */}
        <a
          href="/"
          className="inline-flex min-h-11 items-center px-2 font-medium text-accent underline-offset-4 hover:underline"
        >
          Back to the start
        </a>
      </div>
    </main>
  );
}

/** A failure this soon after a reload is a repeated one. */
const MIN_RELOAD_INTERVAL_MS = 30_000;

/** Reloads once the browser is online, except soon after a reload: the router keeps a failed download. */
function reloadOnline(): () => void {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const reloadPage = () => {
    const isRepeated =
      navigation?.type === "reload" && navigation.name === location.href && performance.now() < MIN_RELOAD_INTERVAL_MS;
    if (navigator.onLine && !isRepeated) location.reload();
  };
  reloadPage();
  window.addEventListener("online", reloadPage);
  return () => window.removeEventListener("online", reloadPage);
}
