import type { Page } from "@playwright/test";

/**
 * Checks every review that a journey opens: the displayed parts must add up to the displayed total. A review that does
 * not add up is reported as a console error, which fails the journey. Reviews with an unknown amount are not checked.
 */
export async function watchSums(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const readCents = (line: Element): number => {
      const text = line.querySelector("dd")?.textContent ?? "";
      if (text.includes("<$0.01")) return 0;
      const [, minus, dollars, cents] = /(-?)\$([\d,]+)\.(\d\d)/.exec(text) ?? [];
      if (dollars === undefined || text.includes("at least")) return Number.NaN;
      return Number(`${minus}${dollars.replaceAll(",", "")}${cents}`);
    };
    const check = () => {
      for (const total of document.querySelectorAll('[data-sum="total"]')) {
        const parts = [...total.parentElement!.querySelectorAll('[data-sum="part"]')];
        if (parts.length === 0) continue;
        const difference = parts.reduce((sum, part) => sum + readCents(part), 0) - readCents(total);
        if (difference !== 0 && !Number.isNaN(difference)) {
          console.error(`a review is off by ${difference} cents: ${total.parentElement!.textContent}`);
        }
      }
    };
    new MutationObserver(check).observe(document, { childList: true, characterData: true, subtree: true });
  });
}
