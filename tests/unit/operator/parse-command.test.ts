import { PublicKey } from "@solana/web3.js";
import { expect, test } from "vitest";
import { parseCommand } from "../../../lib/operator/parse-command";

const defaults = { operatorFile: "default.json", rpcUrl: "http://127.0.0.1:8899", home: "/home/ada" };
const address = "34KJepQi8tdmY626EtwWUk6dsgsyHCFQPrnzNR6pXac4";

test.each([
  ["sweep", { name: "sweep", file: "default.json", rpcUrl: "http://127.0.0.1:8899", shouldSend: false }],
  ["fund --execute --file a --rpc=http://b/k", { name: "fund", file: "a", rpcUrl: "http://b/k", shouldSend: true }],
  [`init --treasury ${address}`, { name: "init", file: "default.json", treasury: new PublicKey(address) }],
  ["--help", { name: "help" }],
  ["pause invest,save", { name: "pause", actions: ["save", "invest"], reason: null }],
  ["pause none --reason repaired", { name: "pause", actions: [], reason: "repaired" }],
  ["usage", { name: "usage", days: 7, isJson: false }],
  ["usage --days 400 --json", { name: "usage", days: 400, isJson: true }],
  ["backup /backups/today", { name: "backup", folder: "/backups/today" }],
  ["restore copy", { name: "restore", folder: "copy" }],
  ["restore ~/copy", { name: "restore", folder: "/home/ada/copy" }],
  [
    "fund --file=~/operator.json",
    { name: "fund", file: "/home/ada/operator.json", rpcUrl: "http://127.0.0.1:8899", shouldSend: false },
  ],
])("the command parses %j, with a default for each absent option", (line, command) => {
  expect(parseCommand(line.split(" "), defaults)).toEqual(command);
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
)("the command refuses %j as wrong usage, in one sentence", (argv) => {
  const failure = { name: "OperatorFailure", exitCode: 2, message: expect.stringMatching(/^[^\n]+$/) };
  expect(() => parseCommand(argv, defaults)).toThrow(expect.objectContaining(failure));
});
