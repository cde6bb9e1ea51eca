"use client";

/**
 * Shown for a bug in a page. Every page loads this file, so it imports nothing from the other features. Transactions
 * are separate requests that may have succeeded, so the text does not claim that nothing happened.
 */
export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main id="main" className="mx-auto max-w-2xl px-4 py-16 sm:px-6 sm:py-24">
      <h1 className="text-3xl font-semibold">This page broke</h1>
      <div role="alert" className="mt-4 text-soft">
        <p>It could not be shown; that is our mistake.</p>
        <p className="mt-2">
          If you had just signed something, look at your activity before you sign it again: what was sent is on its way.
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
          onClick={reset}
          className="inline-flex min-h-11 items-center rounded-xl bg-accent px-4 font-medium text-accent-ink"
        >
          Try again
        </button>
        {/* A whole load: whatever state broke the page is gone with it. */}
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
