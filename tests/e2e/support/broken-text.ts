import type { Page } from "@playwright/test";

declare global {
  interface Window {
    e2eSetText(this: Node, value: string): void;
  }
}

export const BROKEN_TEXT = /This browser cannot draw/;

/**
 * Makes the browser throw whenever an element with exactly this text is drawn, so that the part of the page that draws
 * it crashes. Holds after a page load too. Null ends it.
 * @param tag limits it to elements with this name
 */
export async function breakText(page: Page, text: string | null, tag?: string): Promise<void> {
  const install = ([brokenText, brokenTag]: (string | null | undefined)[]) => {
    const { get, set } = Object.getOwnPropertyDescriptor(Node.prototype, "textContent")!;
    window.e2eSetText ??= set!;
    Object.defineProperty(Node.prototype, "textContent", {
      configurable: true,
      get,
      set(this: Node, value: string) {
        if (value === brokenText && this.nodeName === (brokenTag?.toUpperCase() ?? this.nodeName))
          throw new Error(`This browser cannot draw ${value}`);
        window.e2eSetText.call(this, value);
      },
    });
  };
  await page.addInitScript(install, [text, tag]);
  await page.evaluate(install, [text, tag]);
}
