import type { Page } from "@playwright/test";

/**
 * What a newcomer reads and does on a way through the pages. Counted are the words in sight whenever something is pressed;
 * what has been read before is not read again. Under a dialog nothing is read.
 */
export function wayOf(page: Page) {
  const known = new Set<string>();
  const read: string[] = [];
  let clicks = 0;
  const look = async () => {
    for (const text of await textsInSight(page)) {
      if (known.has(text)) continue;
      known.add(text);
      read.push(text);
    }
  };
  return {
    look,
    async press(name: string | RegExp) {
      const target = page.getByRole("button", { name }).or(page.getByRole("link", { name }));
      await target.waitFor();
      await look();
      await target.click();
      clicks += 1;
    },
    clicks: () => clicks,
    words: () => read.flatMap((text) => text.split(/\s+/)).filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
    /** Whatever was read, in order. */
    text: () => read.join(" | "),
  };
}

/** Of each line of text that can be seen without scrolling. */
function textsInSight(page: Page): Promise<string[]> {
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
      // Of a pixel or two is what only a screen reader reads.
      const seen = [...range.getClientRects()].some(
        ({ width, height, top, bottom, left, right }) =>
          width > 2 && height > 2 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
      );
      if (seen && parent.closest(".sr-only, option, noscript, script") === null) texts.push(text);
    }
    return texts;
  });
}
