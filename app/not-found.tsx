import type { Metadata } from "next";
import { Logo } from "./_components/logo";

export const metadata: Metadata = { title: "Nothing here" };

/** Every page loads this file's imports, so none runs in a browser. */
export default function NotFound() {
  return (
    <>
      <header className="border-b border-line bg-page">
        <div className="mx-auto max-w-6xl px-4 py-3.5 sm:px-6">
          <a href="/" className="inline-flex rounded-lg py-1" aria-label="Roundup, home">
            <Logo />
          </a>
        </div>
      </header>
      <main id="main" className="mx-auto max-w-2xl px-4 py-16 sm:px-6 sm:py-24">
        <h1 className="text-3xl font-semibold">There is no page at this address</h1>
        <p className="mt-3 text-soft">It may have moved, or the link has a typing mistake.</p>
        <div className="mt-6 flex flex-wrap items-center gap-3">
          <a
            href="/"
            className="inline-flex min-h-11 items-center rounded-xl bg-accent px-4 font-medium text-accent-ink hover:brightness-110"
          >
            Back to the start
          </a>
          <a
            href="/docs"
            className="inline-flex min-h-11 items-center px-2 font-medium text-accent underline-offset-4 hover:underline"
          >
            API reference
          </a>
        </div>
      </main>
    </>
  );
}
