import { writeFileSync } from "node:fs";
import { createTempFolder, removeFolder } from "../support/app/app";
import { buildApp } from "./build";
import { checkCalls, measureCalls } from "./calls";
import { measureInstances } from "./instances";
import { startLoader } from "./loader";
import { checkMetrics } from "./metrics";
import { BENCH_PARTS, type BenchPart, readOptions } from "./options";
import { type Findings, formatReport } from "./report";
import { measureStorage } from "./storage";
import { checkTurns, measureTurns } from "./turns";

/* Compares the speed and memory of the built service with the targets. Exits with 1 when a target is missed. */

const options = readOptions(process.argv.slice(2));
const folder = createTempFolder();
const loader = startLoader();
try {
  if (options.parts.some((part) => part !== "kept")) buildApp(options.shouldBuild);
  await measureAll();
} finally {
  loader.stop();
  removeFolder(folder);
}

async function measureAll(): Promise<void> {
  const isSelected = (part: BenchPart) => options.parts.includes(part);
  const findings: Findings = { options, checks: [] };
  if (isSelected("metrics")) findings.checks.push(checkMetrics());
  if (isSelected("instances")) findings.instances = await measureInstances(options, loader, folder);
  if (isSelected("kept")) findings.storage = await measureStorage(folder);
  if (isSelected("turns")) findings.checks.push(...checkTurns(await measureTurns(folder)));
  if (isSelected("calls")) {
    const calls = await measureCalls(folder);
    if (calls) findings.checks.push(...checkCalls(calls));
  }

  const reportText = formatReport(findings);
  console.log(reportText);
  // Only a full run replaces the kept report.
  if (!options.isQuick && options.parts.length === BENCH_PARTS.length)
    writeFileSync("tests/bench/latest.md", reportText);
  if (findings.checks.some(({ isMet }) => !isMet)) process.exitCode = 1;
}
