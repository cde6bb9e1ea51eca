import { Argument, type Command } from "commander";
import type { CommandPart } from "../io";
import { EXIT } from "../run-payment";

/** Adds `completion`, which prints a completion script for the user's shell from the registered commands. */
export function addCompletion({ program, io, setAction }: CommandPart): void {
  const completion = program
    .command("completion")
    .description("print the completion script of your shell, e.g. source <(roundup completion bash)")
    .addArgument(new Argument("<shell>").choices(Object.keys(SCRIPTS)));
  setAction(completion, async (command) => {
    io.print(SCRIPTS[command.processedArgs[0] as keyof typeof SCRIPTS](listWords(program)));
    return EXIT.done;
  });
}

interface Words {
  command: string;
  options: string[];
}

/** Returns each command with its options, including the global ones. */
function listWords(program: Command): Words[] {
  const listLongNames = (command: Command) => command.options.flatMap(({ long }) => long ?? []);
  return program.commands.map((command) => ({
    command: command.name(),
    options: [...new Set([...listLongNames(command), ...listLongNames(program), "--help"])],
  }));
}

const listNames = (words: Words[]) => words.map(({ command }) => command).join(" ");

const formatBash = (words: Words[]) => `_roundup() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options=""
  case "\${COMP_WORDS[COMP_CWORD-1]}" in --keypair|--signature) COMPREPLY=($(compgen -f -- "$word")); return;; esac
  case "\${COMP_WORDS[1]}" in
${words.map(({ command, options }) => `    ${command}) options="${options.join(" ")}";;`).join("\n")}
  esac
  if [ "$COMP_CWORD" = 1 ]; then options="${listNames(words)} --help"; fi
  COMPREPLY=($(compgen -W "$options" -- "$word"))
}
complete -F _roundup roundup`;

const SCRIPTS = {
  bash: formatBash,
  zsh: (words: Words[]) => `autoload -U +X bashcompinit && bashcompinit\n${formatBash(words)}`,
  fish: (words: Words[]) =>
    [
      "complete -c roundup -f",
      `complete -c roundup -n __fish_use_subcommand -a "${listNames(words)}"`,
      ...words.flatMap(({ command, options }) => {
        const condition = `"__fish_seen_subcommand_from ${command}"`;
        return options.map((option) => `complete -c roundup -n ${condition} -l ${option.slice(2)}`);
      }),
    ].join("\n"),
};
