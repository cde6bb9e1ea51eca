"use client";

import { useState } from "react";
import { tabStore } from "@/app/_client/local-storage/browser-storage";
import { isSandbox } from "@/app/_client/network";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { loadOnRender } from "@/app/_components/load-on-render";

/** Only a desktop without a wallet shows it. */
const PageQrCode = loadOnRender(() => import("./page-qr-code").then((module) => module.PageQrCode));

const LINK_CLASSES =
  "flex min-h-12 items-center justify-center rounded-xl border border-line-strong bg-card px-4 py-2 text-center font-medium hover:bg-raised";

/** Offers wallet apps on a phone, and extensions on a desktop. */
export function NoWallet() {
  const isPlayMoney = isSandbox();
  const pageUrl = toPublicPageUrl(
    document.documentElement.dataset.origin ?? "",
    window.location.pathname + window.location.search,
  );
  return (
    <Notice
      className="mt-5"
      tone={isPlayMoney ? "plain" : "warn"}
      title={hasLookedAgain() ? "Still no wallet found in this browser" : "No wallet found in this browser"}
      action={<LookAgain />}
    >
      {isPhone(navigator) ? <OpenInApp pageUrl={pageUrl} /> : <InstallOrScan pageUrl={pageUrl} />}
      {isPlayMoney ? (
        <p className="mt-3">Your wallet would use play money here. No real money can be sent.</p>
      ) : (
        <p className="mt-3">Write down the wallet’s recovery words on paper. Nobody can restore them for you.</p>
      )}
    </Notice>
  );
}

/** A wallet that was just installed shows up only in a page that loads after it. */
function LookAgain() {
  const [isReloading, setIsReloading] = useState(false);
  const reload = () => {
    setIsReloading(true);
    tabStore.keep(LOOKED_KEY, "true");
    window.location.reload();
  };
  return (
    <Button variant="secondary" isBusy={isReloading} onClick={reload}>
      Look again
    </Button>
  );
}

/** In this tab. */
const LOOKED_KEY = "roundup-looked-for-wallet";

const hasLookedAgain = () => tabStore.get(LOOKED_KEY) !== null;

function OpenInApp({ pageUrl }: { pageUrl: string | null }) {
  if (!pageUrl) {
    return (
      <>
        <p>Open this page on a computer whose browser has a wallet extension.</p>
        <NoPublicAddress />
      </>
    );
  }
  return (
    <>
      <p>On a phone, wallets are apps with a browser inside. Open this page there.</p>
      <ul className="mt-3 grid gap-2">
        {WALLET_APPS.map((app) => (
          <li key={app.name}>
            <a className={LINK_CLASSES} href={buildAppLink(app, pageUrl)} rel="noreferrer">
              Open in {app.name}
            </a>
          </li>
        ))}
      </ul>
      <p className="mt-3">
        No wallet app yet? Install{" "}
        {WALLET_APPS.map(({ name, installUrl }, i) => (
          <span key={name}>
            {i > 0 && (i === WALLET_APPS.length - 1 ? " or " : ", ")}
            <a className="text-accent underline underline-offset-2" href={installUrl} rel="noreferrer">
              {name}
            </a>
          </span>
        ))}
        , create a wallet in it, then come back.
      </p>
    </>
  );
}

function InstallOrScan({ pageUrl }: { pageUrl: string | null }) {
  return (
    <>
      <p>Install a wallet extension, create a wallet in it, then come back and look again.</p>
      <InstallLinks />
      {pageUrl ? (
        <div className="mt-4 flex flex-wrap items-center gap-4">
          <PageQrCode url={pageUrl} />
          <p className="min-w-40 flex-1">
            Wallet on your phone? Scan this code with its camera, then open the page in your wallet’s app.
          </p>
        </div>
      ) : (
        <NoPublicAddress />
      )}
    </>
  );
}

export function InstallLinks() {
  return (
    <ul className="mt-3 grid gap-2 sm:grid-cols-3">
      {WALLET_APPS.map(({ name, installUrl }) => (
        <li key={name}>
          <a className={LINK_CLASSES} href={installUrl} target="_blank" rel="noreferrer">
            Install {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

function NoPublicAddress() {
  return (
    <p className="mt-3">
      A phone’s wallet app cannot open this page, because it has no public https address. The operator of this site can
      set one as <code className="break-words">PUBLIC_URL</code>.
    </p>
  );
}

interface WalletApp {
  name: string;
  installUrl: string;
  /** A universal link, which the page's address follows. It works when tapped, not when typed. */
  browsePrefix: string;
}

const WALLET_APPS: readonly WalletApp[] = [
  { name: "Phantom", installUrl: "https://phantom.com/download", browsePrefix: "https://phantom.app/ul/browse/" },
  { name: "Solflare", installUrl: "https://solflare.com/download", browsePrefix: "https://solflare.com/ul/v1/browse/" },
  { name: "Backpack", installUrl: "https://backpack.app/download", browsePrefix: "https://backpack.app/ul/v1/browse/" },
];

/** Opens `pageUrl`, an absolute https URL, in the app's own browser. The app shows the origin to the person. */
function buildAppLink({ browsePrefix }: WalletApp, pageUrl: string): string {
  const { origin } = new URL(pageUrl);
  return `${browsePrefix}${encodeURIComponent(pageUrl)}?ref=${encodeURIComponent(origin)}`;
}

/** Null without https in PUBLIC_URL: a phone can reach neither `localhost` nor a wallet app over http. */
function toPublicPageUrl(publicOrigin: string, path: string): string | null {
  return publicOrigin.startsWith("https://") ? publicOrigin + path : null;
}

/** On a phone or tablet, wallets are apps and not extensions. */
function isPhone({ userAgent, maxTouchPoints }: Pick<Navigator, "userAgent" | "maxTouchPoints">): boolean {
  // An iPad names itself "Macintosh". No Mac has a touch screen.
  return /Android|iPhone|iPad|iPod/i.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}
