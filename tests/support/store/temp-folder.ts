import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

const createFolder = () => mkdtempSync(join(tmpdir(), "roundup-"));
const removeFolder = (path: string) => rmSync(path, { recursive: true, force: true, maxRetries: 5 });

/** Creates a temporary folder that is removed after the test. */
export function createFolderForTest(): string {
  const path = createFolder();
  onTestFinished(() => removeFolder(path));
  return path;
}

/** Creates a temporary folder that is removed after all tests of the file. */
export function createFolderForFile(): string {
  const path = createFolder();
  afterAll(() => removeFolder(path));
  return path;
}
