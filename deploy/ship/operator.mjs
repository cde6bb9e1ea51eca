// The operator's command, as `npm run operator` in the source tree.
globalThis[Symbol.for("roundup.program-folder")] = import.meta.dirname;
await import("./operator-command.mjs");
