"use client";

import dynamic from "next/dynamic";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { Notice } from "@/app/_components/card";
import { SiteHeader } from "@/app/_components/site-header";
import { PageSkeleton } from "./page-skeleton";

/** The wallet code is the larger half of the page: browser only, and after the frame is on the screen. */
const importGate = () => import("./session-gate").then((module) => module.SessionGate);
const importMenu = () => import("./account-menu").then((module) => module.AccountMenu);
const WalletRoot = dynamic(() => import("@/app/_client/wallet-root"), { ssr: false, loading: PageSkeleton });
const SessionGate = dynamic(importGate, { ssr: false, loading: PageSkeleton });
const AccountMenu = dynamic(importMenu, { ssr: false });

const PAGES = [
  ["/dashboard", "Overview"],
  ["/dashboard/round-up", "Round up"],
  ["/dashboard/invest", "Invest"],
  ["/dashboard/withdraw", "Withdraw"],
  ["/dashboard/activity", "Activity"],
  ["/dashboard/keys", "Keys"],
] as const;

/** The frame is there at once and stays; what needs the wallet comes into it, the account menu through its slot in the head. */
export function DashboardShell({ children }: { children: ReactNode }) {
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  // They are wanted as soon as the wallet is ready: fetched beside it, not after it.
  useEffect(() => {
    void importGate();
    void importMenu();
  }, []);
  return (
    <>
      <SiteHeader nav={<Nav />}>
        <div ref={setSlot} className="flex items-center gap-1 sm:gap-2" />
      </SiteHeader>
      <main id="main" className="mx-auto max-w-6xl px-4 py-6 sm:px-6 sm:py-8">
        <OfflineNote />
        <WalletRoot fallback={<PageSkeleton />} heading="The dashboard cannot start right now">
          <SessionGate>{children}</SessionGate>
          {slot && createPortal(<AccountMenu />, slot)}
        </WalletRoot>
      </main>
    </>
  );
}

/** Nothing is read while offline, so nothing fails either: it has to be said. */
function OfflineNote() {
  const online = useSyncExternalStore(
    subscribeOnline,
    () => navigator.onLine,
    () => true,
  );
  return (
    <div role="status" className="not-empty:mb-4">
      {!online && (
        <Notice tone="warn" title="You are offline">
          <p>What you see is from before. It goes on by itself when the connection is back.</p>
        </Notice>
      )}
    </div>
  );
}

function subscribeOnline(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

function Nav() {
  const path = usePathname();
  const bar = useRef<HTMLElement>(null);
  // On small screens the bar scrolls: the page one is on must be in sight.
  useEffect(() => {
    const current = bar.current?.querySelector<HTMLElement>(`a[href="${path}"]`);
    if (bar.current && current) bar.current.scrollLeft = current.offsetLeft - bar.current.clientWidth / 3;
  }, [path]);
  return (
    <nav
      ref={bar}
      aria-label="Dashboard"
      className="order-last -mx-4 w-screen overflow-x-auto px-4 sm:mx-0 sm:w-auto sm:px-0 lg:order-none"
    >
      <ul className="flex gap-1">
        {PAGES.map(([href, label]) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={path === href ? "page" : undefined}
              className="inline-flex min-h-11 items-center whitespace-nowrap rounded-lg px-3 font-medium text-soft hover:bg-raised hover:text-ink aria-[current=page]:bg-accent-wash aria-[current=page]:text-accent"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
