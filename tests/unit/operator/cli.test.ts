import { expect, test } from "vitest";
import { parseCommand } from "../../../lib/operator/cli";

const defaults = { operatorFile: "default.json", rpcUrl: "http://127.0.0.1:8899" };
const address = "34KJepQi8tdmY626EtwWUk6dsgsyHCFQPrnzNR6pXac4";

test("uses defaults unless an option overrides them", () => {
  expect(parseCommand(["sweep"], defaults)).toEqual({
    name: "sweep",
    file: "default.json",
    rpcUrl: "http://127.0.0.1:8899",
    shouldSend: false,
  });
  expect(parseCommand(["fund", "--execute", "--file", "a", "--rpc=https://b.test/k"], defaults)).toEqual({
    name: "fund",
    file: "a",
    rpcUrl: "https://b.test/k",
    shouldSend: true,
  });
  expect(parseCommand(["init", "--treasury", address], defaults)).toMatchObject({ name: "init", file: "default.json" });
  expect(parseCommand(["--help"], defaults)).toEqual({ name: "help" });
});

test("parses the parts to pause, or none, and a reason", () => {
  expect(parseCommand(["pause", "invest,save"], defaults)).toEqual({
    name: "pause",
    parts: ["save", "invest"],
    reason: null,
  });
  expect(parseCommand(["pause", "none", "--reason", "all well"], defaults)).toEqual({
    name: "pause",
    parts: [],
    reason: "all well",
  });
});

test("parses the days of usage, seven unless --days is given", () => {
  expect(parseCommand(["usage"], defaults)).toEqual({ name: "usage", days: 7, isJson: false });
  expect(parseCommand(["usage", "--days", "400", "--json"], defaults)).toEqual({
    name: "usage",
    days: 400,
    isJson: true,
  });
});

test("parses the folder of a backup", () => {
  expect(parseCommand(["backup", "/backups/today"], defaults)).toEqual({ name: "backup", folder: "/backups/today" });
  expect(parseCommand(["restore", "copy"], defaults)).toEqual({ name: "restore", folder: "copy" });
});

test.each(
  [
    [],
    ["launch"],
    ["usage", "--days", "0"],
    ["usage", "--days", "401"],
    ["usage", "shop"],
    ["__proto__"],
    ["toString"],
    ["status", "now"],
    ["status", "--execute"],
    ["status", "--treasury", address],
    ["fund", "--treasury", address],
    ["init"],
    ["init", "--treasury"],
    ["init", "--treasury", "nobody"],
    ["init", "--treasury", address, "--execute"],
    ["init", "--treasury", address, "--rpc", "http://a.test"],
    ["sweep", "--exeucte"],
    ["sweep", "--execute=yes"],
    ["sweep", "--file", ""],
    ["sweep", "--rpc", "localhost:8899"],
    ["sweep", "--rpc", "ftp://a.test"],
    ["sweep", "--json"],
    ["pause"],
    ["pause", ""],
    ["pause", "withdraw"],
    ["pause", "save", "invest"],
    ["pause", "save", "--execute"],
    ["pause", "save", "--reason", ""],
    ["pause", "save", "--reason", "two\nlines"],
    ["backup"],
    ["backup", ""],
    ["backup", "a", "b"],
    ["restore"],
    ["restore", "a", "--execute"],
  ].map((argv) => [argv]),
)("refuses %j as wrong usage, in one sentence", (argv) => {
  const failure = (() => {
    try {
      return parseCommand(argv, defaults);
    } catch (error) {
      return error as Error;
    }
  })();
  expect(failure).toMatchObject({ name: "OperatorFailure", exitCode: 2 });
  expect((failure as Error).message).toMatch(/^[^\n]+$/);
});
