import { Redis } from "ioredis";

export interface CommandRecorder {
  /** Returns the commands since the last call, such as "getex claim:…". */
  takeCommands(): Promise<string[]>;
  stop(): void;
}

/**
 * Records the commands that clients send to a Redis server. Leaves out the commands that a script runs inside the
 * server.
 */
export async function startCommandRecorder(port: number): Promise<CommandRecorder> {
  const client = new Redis({ port, protocol: 2 });
  const monitor = await client.monitor();
  let commands: string[] = [];
  let marker: { text: string; markSeen: () => void } | null = null;
  monitor.on("monitor", (_time: string, args: string[], source: string) => {
    if (args[0] === "echo" && args[1] === marker?.text) return marker?.markSeen();
    if (source !== "lua") commands.push(describeCommand(args));
  });
  return {
    async takeCommands() {
      // The server reports commands in their order, so everything before the marker has been recorded.
      const text = `marker-${performance.now()}`;
      const markerPromise = new Promise<void>((resolve) => {
        marker = { text, markSeen: resolve };
      });
      await client.echo(text);
      await markerPromise;
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
  const shortenedKeys = keys.map((key) => key.replace(/[{}]/g, "").replace(/[1-9A-HJ-NP-Za-km-z+/=]{30,}/g, "…"));
  return [command.toLowerCase(), ...shortenedKeys].join(" ");
}
