import { createServer } from "node:http";

/**
 * What node:http alone can do: it reads what is sent and answers each path with the very bytes and headers that the
 * service answered it with once (RECORDED, JSON by path). The ceiling for everything here that is written in JavaScript.
 */
const recorded: Record<string, { status: number; headers: string[]; body: string }> = JSON.parse(process.env.RECORDED!);

createServer((request, response) => {
  const { status, headers, body } = recorded[request.url!] ?? recorded["/api/portfolio"]!;
  const answer = () => response.writeHead(status, headers).end(body);
  if (request.method === "GET") answer();
  else request.resume().once("end", answer);
}).listen(Number(process.env.PORT), "127.0.0.1");
