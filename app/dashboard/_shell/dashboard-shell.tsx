"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { LimitLine } from "@/app/_client/queries/limit-line";
import { Notice } from "@/app/_components/card";
import { CrashBoundary } from "@/app/_components/crash-boundary";
import { loadOnRender } from "@/app/_components/load-on-render";
import { SiteHeader } from "@/app/_components/site-header";
import { SoftLink } from "@/app/_components/soft-link";
import { useIsOnline } from "@/app/_components/use-is-online";
import { DashboardNav } from "./dashboard-nav";
import { PageSkeleton } from "./page-skeleton";

/** The wallet code is the larger half of the page. Load it in the browser only, after the frame is visible. */
const WalletFrame = loadOnRender(() => import("./wallet-frame").then((module) => module.WalletFrame), PageSkeleton);

/** Renders the frame at once and keeps it between pages. The wallet's content follows inside it. */
export function DashboardShell({ children }: { children: ReactNode }) {
  const [menuSlot, setMenuSlot] = useState<HTMLElement | null>(null);
  const isOnline = useIsOnline();
  const [unopenedPage, setUnopenedPage] = useState<string | null>(null);
  if (isOnline && unopenedPage !== null) setUnopenedPage(null);
  useScrollToTopOfNewPage();
  return (
    <>
      <SiteHeader HomeLink={SoftLink} nav={<DashboardNav onOffline={setUnopenedPage} />}>
        <div ref={setMenuSlot} className="flex items-center gap-1 sm:gap-2" />
      </SiteHeader>
      <main id="main" className="mx-auto max-w-6xl px-4 py-6 sm:px-6 sm:py-8">
        {/* Requests pause while offline, so no error would appear. */}
        <div role="status" className="sticky top-2 z-20 not-empty:mb-4">
          {!isOnline && (
            <Notice tone="warn" title="You are offline">
              <p>This page shows earlier data. It updates when you are back online.</p>
              {unopenedPage !== null && <p>{unopenedPage} cannot open until then.</p>}
            </Notice>
          )}
        </div>
        <LimitLine />
        <CrashBoundary>
          <WalletFrame menuSlot={menuSlot}>{children}</WalletFrame>
        </CrashBoundary>
      </main>
    </>
  );
}

/**
 * Shows a page that a link opened from its top. Next keeps the scroll position while the new page's first element is in
 * view, which leaves a banner above it out of view. Back and Forward keep the position that the browser restores.
 */
function useScrollToTopOfNewPage(): void {
  const path = usePathname();
  const shownPathRef = useRef(path);
  const restoredPathRef = useRef<string | null>(null);
  useEffect(() => {
    const recordRestoredPath = () => {
      restoredPathRef.current = window.location.pathname;
    };
    window.addEventListener("popstate", recordRestoredPath);
    return () => window.removeEventListener("popstate", recordRestoredPath);
  }, []);
  useLayoutEffect(() => {
    if (path !== shownPathRef.current && path !== restoredPathRef.current)
      window.scrollTo({ top: 0, behavior: "instant" });
    shownPathRef.current = path;
    restoredPathRef.current = null;
  }, [path]);
}
