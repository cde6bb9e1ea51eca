import Link from "next/link";
import type { ReactNode } from "react";
import { ButtonLink } from "./_components/button";
import { SiteFooter } from "./_components/site-footer";
import { SiteHeader } from "./_components/site-header";
import { LandingCalculator } from "./_landing/calculator";
import { LandingFacts } from "./_landing/facts";
import { LandingLookup } from "./_landing/lookup";
import { LandingNote } from "./_landing/note";
import { LandingPlans } from "./_landing/plans";

export default function Home() {
  return (
    <>
      <SiteHeader>
        <Link
          href="/docs"
          prefetch={false}
          className="inline-flex min-h-11 items-center rounded-lg px-3 text-soft hover:bg-raised hover:text-ink"
        >
          API
        </Link>
      </SiteHeader>
      <main id="main" className="mx-auto max-w-6xl px-4 sm:px-6">
        <section className="grid items-start gap-8 py-8 sm:py-12 lg:grid-cols-[minmax(0,1fr)_minmax(0,30rem)] lg:gap-14 lg:py-16">
          <div className="lg:pt-10">
            <h1 className="text-4xl font-semibold leading-[1.08] sm:text-5xl">Spare change that becomes bitcoin</h1>
            <p className="mt-5 max-w-xl text-lg text-soft">
              Roundup rounds each purchase up and puts the change aside in a second wallet that only you can open. Once
              there is enough, you turn it into BTC, ETH, USDC or USDT on Solana, and you can take everything back at
              any time.
            </p>
            <div className="mt-7 flex flex-wrap items-center gap-3">
              <ButtonLink href="/dashboard" prefetch={false} className="min-h-12 px-6 text-lg">
                Start saving
              </ButtonLink>
            </div>
            <div className="mt-4 min-h-7">
              <LandingNote />
            </div>
          </div>
          <LandingCalculator />
        </section>
        <Part
          id="plans"
          title="What a year would bring"
          lead="Each plan with your own spending, and what it costs. Network fees come on top."
        >
          <LandingPlans />
        </Part>
        <Part id="how" title="How it works" lead="Your wallet stays yours. Each step asks you first.">
          <LandingFacts />
          <ButtonLink href="/dashboard" prefetch={false} className="mt-8 max-sm:w-full">
            Set up in three steps
          </ButtonLink>
        </Part>
        <Part
          id="lookup"
          title="Look up any address"
          lead="Balances on a public chain are public. See what a wallet holds, without connecting one."
        >
          <LandingLookup />
        </Part>
      </main>
      <SiteFooter />
    </>
  );
}

function Part({ id, title, lead, children }: { id: string; title: string; lead: string; children: ReactNode }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="border-t border-line py-10 sm:py-14">
      <h2 id={`${id}-title`} className="text-2xl font-semibold sm:text-3xl">
        {title}
      </h2>
      <p className="mb-6 mt-2 max-w-2xl text-soft">{lead}</p>
      {children}
    </section>
  );
}
