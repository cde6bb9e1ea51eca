import { Argument, type Command } from "commander";
import type { CommandContext } from "../io";
import { EXIT_CODES } from "../run-payment";

/** Adds `completion`, which prints a completion script for the user's shell from the registered commands. */
export function addCompletionCommand({ program, io, setAction }: CommandContext): void {
  const completion = program
    .command("completion")
    .description("print the completion script of your shell, e.g. source <(roundup completion bash)")
    .addArgument(new Argument("<shell>").choices(Object.keys(SCRIPT_FORMATTERS)));
  setAction(completion, async (command) => {
    io.print(SCRIPT_FORMATTERS[command.processedArgs[0] as keyof typeof SCRIPT_FORMATTERS](listCommands(program)));
    return EXIT_CODES.done;
  });
}

type CommandWords = ReturnType<typeof listCommands>;

/** Lists each command with its long options, the global ones included. */
function listCommands(program: Command) {
  const listLongNames = (command: Command) => command.options.flatMap(({ long }) => long ?? []);
  return program.commands.map((command) => ({
    command: command.name(),
    options: [...new Set([...listLongNames(command), ...listLongNames(program), "--help"])],
  }));
}

const joinCommandNames = (commands: CommandWords) => commands.map(({ command }) => command).join(" ");

const formatBashScript = (commands: CommandWords) => `_roundup() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options=""
  case "\${COMP_WORDS[COMP_CWORD-1]}" in --keypair|--signature) COMPREPLY=($(compgen -f -- "$word")); return;; esac
  case "\${COMP_WORDS[1]}" in
${commands.map(({ command, options }) => `    ${command}) options="${options.join(" ")}";;`).join("\n")}
  esac
  if [ "$COMP_CWORD" = 1 ]; then options="${joinCommandNames(commands)} --help"; fi
  COMPREPLY=($(compgen -W "$options" -- "$word"))
}
complete -F _roundup roundup`;

const SCRIPT_FORMATTERS = {
  bash: formatBashScript,
  zsh: (commands: CommandWords) => `autoload -U +X bashcompinit && bashcompinit\n${formatBashScript(commands)}`,
  fish: (commands: CommandWords) =>
    [
      "complete -c roundup -f",
      `complete -c roundup -n __fish_use_subcommand -a "${joinCommandNames(commands)}"`,
      ...commands.flatMap(({ command, options }) => {
        const condition = `"__fish_seen_subcommand_from ${command}"`;
        return options.map((option) => `complete -c roundup -n ${condition} -l ${option.slice(2)}`);
      }),
    ].join("\n"),
};
