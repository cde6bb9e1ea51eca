#!/usr/bin/env node
import { parseCommand, runRecover, UsageError } from "./recover-command";

try {
  const command = parseCommand(process.argv.slice(2));
  if (typeof command === "string") console.log(command);
  else process.exitCode = await runRecover(command, console.log);
} catch (error) {
  console.error((error as Error).message || (error as Error).name);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
