import { expect, test } from "vitest";
import { runCommand } from "../../../../support/client/cli-rig";

const COMMANDS = [
  "status",
  "activity",
  "save",
  "topup",
  "invest",
  "sell",
  "withdraw",
  "watch",
  "recover",
  "mcp",
  "completion",
];

test("completes every command and option in each shell", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, printed } = await runCommand(["completion", shell]);
    expect(code).toBe(0);
    for (const word of [...COMMANDS, "max-per-day", "keypair"]) expect(printed.join("\n")).toContain(word);
  }
  expect((await runCommand(["completion", "cmd"])).code).toBe(2);
});

test("prints the recorded help text for the program and each command", async () => {
  const helps = await Promise.all(
    [[], ...COMMANDS.map((name) => [name])].map((argv) => runCommand([...argv, "--help"])),
  );
  expect(helps.map(({ code }) => code)).toEqual(helps.map(() => 0));
  const text = helps.map(({ printed }) => printed.join("\n").trim()).join(`\n\n${"-".repeat(80)}\n\n`);
  await expect(`${text}\n`).toMatchFileSnapshot("help.txt");
});
