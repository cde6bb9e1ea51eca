import type { ReactNode } from "react";
import { CoinLogo } from "./_components/coin-logo";
import { DashboardPicture } from "./_components/dashboard-picture";
import { SiteFooter } from "./_components/site-footer";
import { HEADER_LINK_CLASSES, SiteHeader } from "./_components/site-header";
import { LandingFacts, LandingSteps } from "./_landing/facts";
import { LandingLookup } from "./_landing/lookup";
import { ReplayEarlyInput } from "./_landing/replay-early-input";
import { LandingStart } from "./_landing/start";
import { LandingTry } from "./_landing/try";

const COINS = ["BTC", "ETH", "SOL", "USDC", "USDT"] as const;

export default function Home() {
  return (
    <>
      <SiteHeader HomeLink="a">
        <a href="/docs" className={HEADER_LINK_CLASSES}>
          API
        </a>
      </SiteHeader>
      <main id="main" className="mx-auto max-w-6xl px-4 sm:px-6">
        <LandingTry
          questions={
            <Part id="facts" title="Questions">
              <LandingFacts />
            </Part>
          }
        >
          <h1 className="text-4xl font-semibold leading-[1.08] sm:text-5xl">Spare change that becomes bitcoin</h1>
          <p className="mt-5 max-w-md text-lg text-soft">
            Each payment is rounded up. The change becomes yours, in a wallet that only you can open.
          </p>
          <p className="mt-6 flex gap-2.5">
            {COINS.map((asset) => (
              <CoinLogo key={asset} asset={asset} className="size-9" />
            ))}
          </p>
          <LandingStart />
        </LandingTry>
        <Part id="how" title="How it works" beside={<DashboardPicture className="lg:mr-20" />}>
          <LandingSteps />
        </Part>
        <Part id="lookup" title="Look up any address">
          <LandingLookup />
        </Part>
        <ReplayEarlyInput />
      </main>
      <SiteFooter DocsLink="a" />
    </>
  );
}

interface PartProps {
  id: string;
  title: string;
  children: ReactNode;
  beside?: ReactNode;
}

function Part({ id, title, children, beside }: PartProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className={`border-t border-line py-10 sm:py-14 ${beside ? "flex flex-wrap items-center justify-between gap-10" : ""}`}
    >
      <div>
        <h2 id={`${id}-title`} className="mb-6 text-2xl font-semibold sm:text-3xl">
          {title}
        </h2>
        {children}
      </div>
      {beside}
    </section>
  );
}
