// Starts the service. Settings that name a path, such as DATA_DIR, are relative to the working folder.
// SIGHUP would end a process without a listener. server.mjs handles it as soon as it runs.
process.on("SIGHUP", () => {});
globalThis[Symbol.for("roundup.program-folder")] = import.meta.dirname;
await import("./server.mjs");
