import type { Page } from "@playwright/test";

/**
 * Reports changes of texts that a translated page would not survive, as console errors, which fail the journey. A
 * translation replaces each text node by an element. React then throws when it removes the node or inserts something
 * before it, and it changes the node's text out of sight. Only a text without siblings is safe: React replaces the whole
 * content of its element.
 */
export async function watchTexts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const isText = (node: Node | null) => node instanceof Text && node.data.trim() !== "";
    const describeFault = ({
      type,
      target,
      addedNodes,
      removedNodes,
      previousSibling,
      nextSibling,
    }: MutationRecord) => {
      if (type === "characterData") return target.parentNode?.childNodes.length !== 1 && "a text with siblings changed";
      const changedNodes = [...addedNodes, ...removedNodes];
      if (isText(nextSibling) && changedNodes.length > 0) return "something changed before a text";
      return (previousSibling || nextSibling) && changedNodes.some(isText) && "a text appeared or vanished";
    };
    const report = (records: MutationRecord[]) => {
      // The parser adds the nodes of a page one by one.
      if (document.readyState === "loading" || document.documentElement.hasAttribute("data-translated")) return;
      for (const record of records) {
        const element = record.target instanceof Element ? record.target : record.target.parentElement;
        if (!element || element.closest("[translate=no], head, svg title")) continue;
        const fault = describeFault(record);
        if (fault) console.error(`${fault}: ${element.outerHTML.slice(0, 300)}`);
      }
    };
    new MutationObserver(report).observe(document, { childList: true, characterData: true, subtree: true });
  });
}

/**
 * Does to the page's texts what the translation of Chrome does, and to all texts that appear later: two nested elements
 * replace each text node. Keeps the words, so that a test can still find them.
 */
export async function translatePage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const translateText = (text: Text) => {
      const parent = text.parentElement;
      if (
        !parent ||
        text.data.trim() === "" ||
        parent.closest("[translate=no], [data-translation], script, style, svg")
      )
        return;
      const [outer, inner] = [document.createElement("font"), document.createElement("font")];
      outer.dataset.translation = "";
      inner.textContent = text.data;
      outer.append(inner);
      text.replaceWith(outer);
    };
    const translateAll = (root: Node) => {
      if (root instanceof Text) return translateText(root);
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode()) texts.push(walker.currentNode as Text);
      texts.forEach(translateText);
    };
    window.addEventListener("load", () => {
      document.documentElement.dataset.translated = "";
      translateAll(document.body);
      new MutationObserver((records) => {
        for (const { addedNodes } of records) addedNodes.forEach(translateAll);
      }).observe(document.body, { childList: true, subtree: true });
    });
  });
}
