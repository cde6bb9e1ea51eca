#!/usr/bin/env node
import { systemIo } from "./io";
import { runCli } from "./program";

process.exitCode = await runCli(process.argv.slice(2), systemIo());
