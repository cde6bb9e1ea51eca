#!/usr/bin/env bash
# lmdb 3.5.6, on Node 20.
# Guess: `cache: true` only saves decoding. When `transactionSync` throws or returns ABORT, its writes are gone. The next
# reader finds nothing of a debit that failed half-way.
# Seen: the file keeps the old balance, and a second process reads it. In this process `get` returns the balance that was
# rolled back. The next debit is computed from it and stored. `put` fills the cache at once, and on an abort only
# `childTransaction` takes its entries out again (caching.js). An asynchronous `put` with a wrong `ifVersion` shows too:
# `get` returns its value until its promise resolves to false.
# Meaning: open a store of balances or claims with `cache: false`, or make its changes in `childTransaction`. Never decide
# by `get` while a conditional `put` is in flight.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund lmdb@3.5.6 >/dev/null
cat >read.mjs <<'PROGRAM'
import { open } from "lmdb";
const db = open({ path: process.argv[2], useVersions: true });
console.log(db.get("balance"));
await db.close();
PROGRAM
cat >run.mjs <<'PROGRAM'
import { execFileSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import { ABORT, open } from "lmdb";

const readElsewhere = (path) =>
  Number(execFileSync(process.execPath, ["read.mjs", path], { encoding: "utf8" }));

async function tryEach(cache) {
  const path = `balances-${cache}`;
  const db = open({ path, cache, useVersions: true });
  const seen = {};
  const debit = () => db.put("balance", db.get("balance") - 30, 2);
  const reset = () => db.put("balance", 100, 1);

  await reset();
  try {
    db.transactionSync(() => {
      debit();
      throw new Error("the second account is missing");
    });
  } catch {}
  await db.flushed;
  seen.afterThrow = db.get("balance");
  seen.inAnotherProcess = readElsewhere(path);

  await reset();
  db.transactionSync(() => {
    debit();
    return ABORT;
  });
  seen.afterAbort = db.get("balance");
  await db.put("balance", db.get("balance") - 1, 3);
  seen.storedByNextDebit = readElsewhere(path);

  await reset();
  await db.childTransaction(() => {
    debit();
    return ABORT;
  });
  seen.afterChildAbort = db.get("balance");

  const isStored = db.put("balance", 0, 9, 8);
  seen.whileRefused = db.get("balance");
  seen.isStored = await isStored;
  seen.afterwards = db.get("balance");
  await db.close();
  return seen;
}

const seen = { plain: await tryEach(false), cached: await tryEach(true) };
console.table(seen);
const whenRefused = { afterChildAbort: 100, isStored: false, afterwards: 100 };
const expected = {
  plain: { afterThrow: 100, inAnotherProcess: 100, afterAbort: 100, storedByNextDebit: 99, whileRefused: 100, ...whenRefused },
  cached: { afterThrow: 70, inAnotherProcess: 100, afterAbort: 70, storedByNextDebit: 69, whileRefused: 0, ...whenRefused },
};
process.exit(isDeepStrictEqual(seen, expected) ? 0 : 1);
PROGRAM
node run.mjs
