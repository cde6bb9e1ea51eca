import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/* Reads the code blocks of documents, so that tests can run them. */

/**
 * Returns the text of the code block of a document that starts with these words, such as `js check-wrap.mjs`.
 * @param file path from the root
 * @throws {RangeError} unless there is exactly one
 */
export function readFence(file: string, words: string): string {
  const blocks = readFileSync(file, "utf8").matchAll(new RegExp(`^\`\`\`${words}.*\\n([\\s\\S]*?\\n)\`\`\`$`, "gm"));
  const [block, ...others] = [...blocks].map(([, text]) => text!);
  if (block === undefined || others.length > 0) throw new RangeError(`${file} has not one block of "${words}".`);
  return block;
}

/** Imports a JavaScript block as a module. The module is written into this tree, where Node finds the packages. */
export async function importFence<T>(file: string, words: string): Promise<T> {
  mkdirSync("tests/.tmp", { recursive: true });
  const folder = mkdtempSync(resolve("tests/.tmp/fence-"));
  try {
    writeFileSync(join(folder, "block.mjs"), readFence(file, words));
    return await import(join(folder, "block.mjs"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
