import { expect, test } from "vitest";
import { makeFolder, removeFolder } from "../support/app/app";
import { runNode } from "../support/app/process";

/** npm's own program, which tells its children where it is; a supervisor would start it the same way. */
const NPM = process.env.npm_execpath;

test.skipIf(!NPM)("SIGTERM to `npm start` ends the service and its sandbox too, not npm alone", async () => {
  const dataDir = await makeFolder();
  const npm = runNode([NPM!, "start"], { env: { PORT: "0", SANDBOX_PORT: "0", DATA_DIR: dataDir } });
  await npm.find((line) => /"listening"/.test(line) || undefined);
  npm.child.kill("SIGTERM");
  // Ended means that nobody holds its output any more.
  await npm.ended;
  await removeFolder(dataDir);
  expect(npm.lines.join("\n")).not.toMatch(/error/i);
});
