import { connect } from "node:net";

/*
 * Posts many requests at once, each on its own connection, in a separate process. The flood's client then takes hardly
 * any CPU time from the server and from the measured client: sockets and bytes built beforehand cost a tenth of fetch.
 *
 * The process receives the flood by message. It sends the status of each answer, and "posted" when it has written all
 * requests.
 */

/** A message to the flood process: where to post, and the bytes of each request as text. */
export interface Flood {
  port: number;
  requests: string[];
}

process.on("message", ({ port, requests }: Flood) => {
  let unsentCount = requests.length;
  for (const request of requests) {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(request);
      if (--unsentCount === 0) process.send?.("posted");
    });
    socket.once("data", (answer) => process.send?.(Number(answer.toString("latin1", 9, 12))));
    // The server may end before it has answered.
    socket.on("error", () => {});
  }
});
