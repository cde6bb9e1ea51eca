"use client";

import { useEffect, useState } from "react";

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const ONE_YEAR_SECONDS = 31_536_000;

/** A cookie stores the choice for the layout's inline script. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>("system");
  useEffect(() => {
    setTheme((document.documentElement.dataset.theme as Theme | undefined) ?? "system");
  }, []);
  const chooseNext = () => {
    const newTheme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
    setTheme(newTheme);
    if (newTheme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = newTheme;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
    document.cookie = `theme=${newTheme}; path=/; max-age=${newTheme === "system" ? 0 : ONE_YEAR_SECONDS}; samesite=lax`;
  };
  return (
    <button
      type="button"
      onClick={chooseNext}
      aria-label={`Colours: ${theme}. Change`}
      className="grid size-11 place-items-center rounded-full text-soft hover:bg-raised hover:text-ink"
    >
      <svg viewBox="0 0 24 24" aria-hidden="true" className="size-5 fill-none stroke-current stroke-2">
        {theme === "light" ? (
          <path
            d="M12 4V2m0 20v-2m8-8h2M2 12h2m13.7-5.7 1.4-1.4M4.9 19.1l1.4-1.4m0-11.4L4.9 4.9m14.2 14.2-1.4-1.4M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z"
            strokeLinecap="round"
          />
        ) : theme === "dark" ? (
          <path d="M20.5 14.5A8.5 8.5 0 0 1 9.5 3.5a8.5 8.5 0 1 0 11 11Z" strokeLinejoin="round" />
        ) : (
          <path d="M3.5 5h17v11h-17zM9 20h6m-3-4v4" strokeLinejoin="round" strokeLinecap="round" />
        )}
      </svg>
    </button>
  );
}
