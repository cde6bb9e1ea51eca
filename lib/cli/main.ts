#!/usr/bin/env node
import { createSystemIo } from "./io";
import { runCli } from "./program";

process.exitCode = await runCli(process.argv.slice(2), createSystemIo());
