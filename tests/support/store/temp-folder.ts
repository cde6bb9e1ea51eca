import { afterAll, onTestFinished } from "vitest";
import { createTempFolder, removeFolder } from "../app/app";

/** Creates a temporary folder that is removed after the test. */
export function createFolderForTest(): string {
  const path = createTempFolder();
  onTestFinished(() => removeFolder(path));
  return path;
}

/** Creates a temporary folder that is removed after all tests of the file. Call it outside of tests and hooks. */
export function createFolderForFile(): string {
  const path = createTempFolder();
  afterAll(() => removeFolder(path));
  return path;
}
