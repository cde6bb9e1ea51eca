import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Io } from "../../../../lib/cli/io";
import { runCommand } from "../../../support/client/cli-rig";
import { createKeyFile } from "../../../support/client/cli-user";
import { createFolderForTest } from "../../../support/store/temp-folder";
import { createSdkService } from "../../../support/worlds/sdk-service";

/** Creates a user whose key file is `~/id.json`. `run` saves change, as this user. */
function createUser() {
  const service = createSdkService();
  const { home } = createKeyFile();
  const run = (argv: string[], overrides: Partial<Io> = {}) =>
    runCommand(argv, { home, fetch: service.fetch!, clock: service.clock, ...overrides });
  const save = (env: Io["env"], overrides: Partial<Io> = {}) =>
    run(["save", "4.02", "--yes", "--keypair", "~/id.json"], { env, ...overrides });
  return { home, run, save };
}

test.each([
  ["an absolute path", "HOME/elsewhere", "elsewhere"],
  ["a path below the home folder", "~/elsewhere", "elsewhere"],
  ["a relative path, which the XDG standard tells programs to ignore", "elsewhere", ".local/state"],
  ["nothing", "", ".local/state"],
])("the state is stored where XDG_STATE_HOME says: %s", async (_caseName, value, expectedFolder) => {
  const { home, save } = createUser();
  expect(await save({ XDG_STATE_HOME: value.replace("HOME", home) })).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(home, expectedFolder, "roundup/sandbox%2C%20play%20money"))).toBe(true);
  expect(readdirSync(".").filter((name) => ["~", "elsewhere"].includes(name))).toEqual([]);
});

test("a profile is stored where XDG_CONFIG_HOME says, and its key file is found from any folder", async () => {
  const { home, run } = createUser();
  const env = { XDG_CONFIG_HOME: "~/settings" };
  expect(await run(["config", "set", "keypair", "~/id.json"], { env })).toMatchObject({ exitCode: 0 });
  expect(readdirSync(join(home, "settings/roundup"))).toEqual(["default.json"]);
  expect((await run(["config"], { env })).outputLines).toEqual([`keypair  ${join(home, "id.json")}`]);
  expect(await run(["save", "4.02", "--yes"], { env })).toMatchObject({ exitCode: 0 });
});

test("without a home folder the command says which variables to set", async () => {
  const keypair = join(createKeyFile().home, "id.json");
  const runWithoutHome = (argv: string[], env: Io["env"] = {}) => runCommand(argv, { home: "", env });
  const noHome = (variable: string) => [`There is no home folder. Set HOME, or ${variable} to a folder.`];
  expect((await runWithoutHome(["--help"])).exitCode).toBe(0);
  const status = ["status", "--keypair", keypair];
  expect((await runWithoutHome(status)).errorLines).toEqual(noHome("XDG_CONFIG_HOME"));
  const env = { XDG_CONFIG_HOME: createFolderForTest() };
  expect((await runWithoutHome(status, env)).errorLines).toEqual(noHome("XDG_STATE_HOME"));
  expect((await runWithoutHome(["status", "--keypair", "~/id.json"])).errorLines.join()).toContain("HOME is not set");
});
