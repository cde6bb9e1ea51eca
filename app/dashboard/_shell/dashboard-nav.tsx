"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useState } from "react";

/** Each page's address, name, and icon (SVG path of 24 by 24) for the phone's tab bar. A null icon leaves it out. */
const PAGES = [
  ["/dashboard", "Home", "M4 11.5 12 4l8 7.5V20h-5.5v-6h-5v6H4z"],
  ["/dashboard/round-up", "Save", "M12 8v8m-4-4h8m5 0a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z"],
  ["/dashboard/invest", "Invest", "m3 17 6-6 4 4 8-8m-6 0h6v6"],
  ["/dashboard/withdraw", "Withdraw", null],
  ["/dashboard/activity", "Activity", "M12 7v5l3 2m6-2a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z"],
  ["/dashboard/settings", "Settings", "M4 7h9m5 0h2M4 17h3m5 0h8M13 4.5h5v5h-5zM7 14.5h5v5H7z"],
] as const;

/** Path prefixes of pages without their own item, and the item that is highlighted for them. */
const PARENT_PAGES = [
  ["/dashboard/keys", "/dashboard/settings"],
  ["/tx", "/dashboard/activity"],
] as const;

/**
 * Links the pages of the dashboard: in the header on wide screens, in a bottom bar on phones.
 * @param onOffline receives the name of a page that cannot open, because the browser is offline
 */
export function DashboardNav({ onOffline }: { onOffline: (pageName: string) => void }) {
  const path = usePathname();
  const parentPage = PARENT_PAGES.find(([pathPrefix]) => path.startsWith(pathPrefix))?.[1];
  // A first visit needs one page only, so the first touch of the navigation loads the code of the other pages.
  const [isTouched, setIsTouched] = useState(false);
  const markTouched = () => setIsTouched(true);
  return (
    <nav
      aria-label="Dashboard"
      onPointerEnter={markTouched}
      onFocus={markTouched}
      className="tab-bar order-last w-full bg-page sm:w-auto lg:order-none"
    >
      <ul className="grid grid-cols-5 sm:flex sm:gap-1">
        {PAGES.map(([href, label, iconPath]) => (
          <li key={href} className={iconPath === null ? "max-sm:hidden" : ""}>
            <Link
              href={href}
              prefetch={isTouched ? null : false}
              onNavigate={(event) => {
                if (navigator.onLine) return;
                // The browser would show its own error page and lose what was typed.
                event.preventDefault();
                if (path !== href) onOffline(label);
              }}
              aria-current={path === href ? "page" : parentPage === href || undefined}
              className="flex min-h-14 flex-col items-center justify-center gap-0.5 whitespace-nowrap rounded-lg text-xs font-medium text-soft hover:bg-raised hover:text-ink sm:min-h-11 sm:px-3 sm:text-base [&[aria-current]]:bg-accent-wash [&[aria-current]]:text-accent max-sm:[&[aria-current]]:font-bold"
            >
              <svg
                viewBox="0 0 24 24"
                aria-hidden="true"
                className="size-5 fill-none stroke-current stroke-2 sm:hidden"
                strokeLinecap="round"
                strokeLinejoin="round"
              >
                <path d={iconPath ?? ""} />
              </svg>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
