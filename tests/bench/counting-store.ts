import { Redis } from "ioredis";

export interface CountingStore {
  /** Returns the commands since the last call, such as "getex claim:through:…". */
  takeCommands(): Promise<string[]>;
  stop(): void;
}

/**
 * Counts the commands that clients send to a Redis server. The count leaves out commands that a script runs inside the
 * server.
 */
export async function startCountingStore(port: number): Promise<CountingStore> {
  const client = new Redis({ port, protocol: 2 });
  const monitor = await client.monitor();
  let commands: string[] = [];
  let marker: { text: string; confirm: () => void } | null = null;
  monitor.on("monitor", (_time: string, args: string[], source: string) => {
    if (args[0] === "echo" && args[1] === marker?.text) return marker?.confirm();
    if (source !== "lua") commands.push(describeCommand(args));
  });
  return {
    async takeCommands() {
      // The server reports commands in their order, so everything before the marker has been counted.
      const text = `marker-${performance.now()}`;
      const markerSeen = new Promise<void>((resolve) => {
        marker = { text, confirm: resolve };
      });
      await client.echo(text);
      await markerSeen;
      const takenCommands = commands;
      commands = [];
      return takenCommands;
    },
    stop() {
      monitor.disconnect();
      client.disconnect();
    },
  };
}

/** Formats a command with shortened keys, so that equal commands of different wallets read the same. */
function describeCommand([command = "", ...args]: string[]): string {
  const keys = /^eval/i.test(command) ? args.slice(2, 2 + Number(args[1])) : args.slice(0, 1);
  const names = keys.map((key) => key.replace(/[{}]/g, "").replace(/[1-9A-HJ-NP-Za-km-z+/=]{30,}/g, "…"));
  return [command.toLowerCase(), ...names].join(" ");
}
