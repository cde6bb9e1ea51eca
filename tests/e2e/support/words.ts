import type { Page } from "@playwright/test";

/**
 * Counts the words that a newcomer reads and the clicks. At each click it counts the visible texts that are new. Text
 * under a dialog does not count.
 */
export function countEffort(page: Page) {
  const knownTexts = new Set<string>();
  const screenTexts: string[] = [];
  let clicks = 0;
  const readScreen = async () => {
    for (const text of await readVisibleTexts(page)) {
      if (knownTexts.has(text)) continue;
      knownTexts.add(text);
      screenTexts.push(text);
    }
  };
  return {
    async press(name: string | RegExp) {
      const target = page.getByRole("button", { name }).or(page.getByRole("link", { name }));
      await target.waitFor();
      await readScreen();
      await target.click();
      clicks += 1;
    },
    clicks: () => clicks,
    words: () => screenTexts.flatMap((text) => text.split(/\s+/)).filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
    /** Returns everything read, in order. */
    text: () => screenTexts.join(" | "),
  };
}

/** Returns each line of text visible without scrolling. */
function readVisibleTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const dialogs = document.querySelectorAll("[role=dialog], dialog[open]");
    const root = [...dialogs].at(-1) ?? document.body;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts: string[] = [];
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent!.trim();
      const parent = node.parentElement!;
      if (text === "" || !parent.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      range.selectNodeContents(node);
      // Text one or two pixels in size is for screen readers only.
      const isVisible = [...range.getClientRects()].some(
        ({ width, height, top, bottom, left, right }) =>
          width > 2 && height > 2 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
      );
      if (isVisible && parent.closest(".sr-only, option, noscript, script") === null) texts.push(text);
    }
    return texts;
  });
}
