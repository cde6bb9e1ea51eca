import type { Metadata } from "next";
import { ButtonLink } from "./_components/button";
import { SiteHeader } from "./_components/site-header";

export const metadata: Metadata = { title: "Nothing here" };

export default function NotFound() {
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto max-w-2xl px-4 py-16 sm:px-6 sm:py-24">
        <h1 className="text-3xl font-semibold">There is no page at this address</h1>
        <p className="mt-3 text-soft">It may have moved, or the link has a typing mistake.</p>
        <div className="mt-6 flex flex-wrap gap-3">
          <ButtonLink href="/">Back to the start</ButtonLink>
          <ButtonLink href="/docs" look="secondary" prefetch={false}>
            API reference
          </ButtonLink>
        </div>
      </main>
    </>
  );
}
