import { createServer } from "node:http";

/** What node:http alone can do: the ceiling for everything here that is written in JavaScript. */
const body = JSON.stringify({ ok: true });

createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}).listen(Number(process.env.PORT), "127.0.0.1");
