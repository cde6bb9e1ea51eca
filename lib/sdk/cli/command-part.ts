import type { Command } from "commander";
import type { Io } from "./io";

/** What each part is given to add itself with. */
export interface CommandPart {
  program: Command;
  io: Io;
  /** Registers what a command does. Its options, the global ones included, are `command.optsWithGlobals()`. */
  does(command: Command, act: (command: Command) => Promise<number>): void;
}
