import type { Page } from "@playwright/test";

/**
 * Checks every review that a journey opens: the displayed parts must add up to the displayed total. A review that does
 * not add up is reported as a console error, which fails the journey. "At least" before a total says that a part is
 * unknown: the total is then the sum of the other parts. A review with an unknown amount and an exact total is not
 * checked.
 */
export async function watchSums(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const readText = (line: Element): string => line.querySelector("dd")?.textContent ?? "";
    /** Returns NaN when the line states no amount. */
    const readCents = (line: Element): number => {
      const text = readText(line);
      if (text.includes("<$0.01")) return 0;
      const [, minus, dollars, cents] = /(-?)\$([\d,]+)\.(\d\d)/.exec(text) ?? [];
      return dollars === undefined ? Number.NaN : Number(`${minus}${dollars.replaceAll(",", "")}${cents}`);
    };
    const checkSums = () => {
      for (const total of document.querySelectorAll('[data-sum="total"]')) {
        const parts = [...total.parentElement!.querySelectorAll('[data-sum="part"]')].map(readCents);
        if (parts.length === 0) continue;
        const knownParts = readText(total).includes("at least") ? parts.filter((cents) => !Number.isNaN(cents)) : parts;
        const difference = knownParts.reduce((sum, cents) => sum + cents, 0) - readCents(total);
        if (difference !== 0 && !Number.isNaN(difference)) {
          console.error(`a review is off by ${difference} cents: ${total.parentElement!.textContent}`);
        }
      }
    };
    new MutationObserver(checkSums).observe(document, { childList: true, characterData: true, subtree: true });
  });
}
