import { expect, test } from "vitest";
import { runNode } from "../support/app/process";
import { createFolderForFile } from "../support/store/temp-folder";

/** Path of npm's program, which npm passes to its children. A supervisor starts the service through npm. */
const NPM_PATH = process.env.npm_execpath;

const dataDir = createFolderForFile();

test.skipIf(!NPM_PATH)("SIGTERM to `npm start` ends npm, the service and its sandbox", async () => {
  const npm = runNode([NPM_PATH!, "start"], { env: { PORT: "0", SANDBOX_PORT: "0", DATA_DIR: dataDir } });
  await npm.waitForLine((line) => /"listening"/.test(line) || undefined);
  npm.child.kill("SIGTERM");
  // `exitCode` resolves when no process holds npm's output open any more.
  await npm.exitCode;
  expect(npm.lines.join("\n")).not.toMatch(/error/i);
});
