import { expect, test } from "vitest";
import { runCommand } from "../../../support/client/cli-rig";

const COMMANDS = (
  "status address activity spending prices save topup invest sell withdraw " +
  "watch listen recover keys airdrop mcp config"
).split(" ");

/** Extracts from a help text what scripts rely on: arguments, options with their settings, subcommands and exit codes. */
function parseInterface(help: string): string[] {
  const commandHelp = help.replace(/\n\nGlobal Options:\n.*?(\n\n|$)/s, "\n\n").replaceAll(/\n {3,}/g, "  ");
  const entries = commandHelp.split("\n").filter((line) => line.startsWith("  ") && !line.startsWith("  -h,"));
  return entries.map((entry) => {
    const [term = "", ...words] = entry.trim().split(/ {2,}/);
    if (/^\d$/.test(term)) return entry;
    const [settings = ""] = words.join(" ").match(/\((choices|default|env):[^)]*\)$/) ?? [];
    return `  ${term} ${settings}`.trimEnd();
  });
}

test("every command keeps its recorded interface", async () => {
  const lines: string[] = [];
  for (const name of ["", ...COMMANDS]) {
    const { exitCode, outputLines } = await runCommand([name, "--help"].filter(Boolean));
    expect(exitCode, name).toBe(0);
    lines.push(`roundup ${name}`.trim(), ...parseInterface(outputLines.join("\n")));
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("interface.txt");
});
