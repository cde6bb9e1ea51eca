"use client";

import { useEffect } from "react";

/**
 * Replaces a page that threw an error. Every page loads this file, so it imports nothing from the other features. A
 * transaction may have been sent before the error, so the text does not claim that nothing happened.
 */
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

/** A failure within this time after a reload counts as repeated, and the page is not reloaded again. */
const MIN_RELOAD_INTERVAL_MS = 30_000;

/**
 * Reloads the page once the browser is online. The router keeps the failure of a part that did not download, so only a
 * new page load can repair it. An address that fails again soon after its own reload is not reloaded.
 * @returns a function that stops waiting for the browser to be online
 */
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
