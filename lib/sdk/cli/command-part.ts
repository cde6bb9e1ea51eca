import type { Command } from "commander";
import type { Io } from "./io";

/** The program and the registration function that each command module receives. */
export interface CommandPart {
  program: Command;
  io: Io;
  /** Registers the action of a command. `command.optsWithGlobals()` returns its options, including the global ones. */
  setAction(command: Command, act: (command: Command) => Promise<number>): void;
}
