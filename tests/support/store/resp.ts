import { connect, type Socket } from "node:net";

/** A reply of Redis. `simple` and `error` are the two kinds that are not data. */
export type Reply = number | null | Buffer | Reply[] | { simple: string } | { error: string };

export interface RespClient {
  /** Sends the commands back to back, without another caller's commands in between. @returns one reply per command */
  send(commands: string[][]): Promise<Reply[]>;
  close(): void;
}

/** Opens a pipelined Redis connection. Replies arrive in the order of the commands. */
export async function connectResp(port: number): Promise<RespClient> {
  const socket = connect(port, "127.0.0.1");
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const waiting: { resolve(reply: Reply): void; reject(cause: Error): void }[] = [];
  readReplies(socket, (reply) => waiting.shift()?.resolve(reply));
  socket.on("error", () => {});
  socket.on("close", () => {
    for (const { reject } of waiting.splice(0)) reject(new Error("the redis connection closed"));
  });
  return {
    send(commands) {
      if (socket.destroyed) return Promise.reject(new Error("the redis connection is closed"));
      const replies = commands.map(() => new Promise<Reply>((resolve, reject) => waiting.push({ resolve, reject })));
      socket.write(Buffer.concat(commands.map(encodeCommand)));
      return Promise.all(replies);
    },
    close: () => void socket.destroy(),
  };
}

function encodeCommand(words: string[]): Buffer {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return Buffer.from(`*${words.length}\r\n${parts.join("")}`);
}

function readReplies(socket: Socket, onReply: (reply: Reply) => void): void {
  let pending = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    let offset = 0;
    for (let parsed = parse(pending, offset); parsed; parsed = parse(pending, offset)) {
      offset = parsed.end;
      onReply(parsed.reply);
    }
    pending = pending.subarray(offset);
  });
}

/** Parses one reply. @returns null when the buffer does not contain a whole reply yet */
function parse(buffer: Buffer, start: number): { reply: Reply; end: number } | null {
  const lineEnd = buffer.indexOf("\r\n", start);
  if (lineEnd < 0) return null;
  const text = buffer.toString("utf8", start + 1, lineEnd);
  const body = lineEnd + 2;
  switch (String.fromCharCode(buffer[start]!)) {
    case "+":
      return { reply: { simple: text }, end: body };
    case "-":
      return { reply: { error: text }, end: body };
    case ":":
      return { reply: Number(text), end: body };
    case "$":
      return parseBulk(buffer, body, Number(text));
    case "*":
      return parseArray(buffer, body, Number(text));
    default:
      throw new Error("not a RESP2 reply");
  }
}

function parseBulk(buffer: Buffer, start: number, length: number): { reply: Reply; end: number } | null {
  if (length < 0) return { reply: null, end: start };
  const end = start + length;
  if (buffer.length < end + 2) return null;
  return { reply: Buffer.from(buffer.subarray(start, end)), end: end + 2 };
}

function parseArray(buffer: Buffer, start: number, length: number): { reply: Reply; end: number } | null {
  if (length < 0) return { reply: null, end: start };
  const items: Reply[] = [];
  let end = start;
  while (items.length < length) {
    const item = parse(buffer, end);
    if (!item) return null;
    items.push(item.reply);
    end = item.end;
  }
  return { reply: items, end };
}
