import { createServer } from "node:http";

/*
 * Measures what node:http alone can do. It reads each request and answers each path with the bytes and headers that the
 * service once sent (RECORDED, JSON by path). This is the ceiling for any JavaScript server here.
 */

const recorded: Record<string, { status: number; headers: string[]; body: string }> = JSON.parse(process.env.RECORDED!);

createServer((request, response) => {
  const { status, headers, body } = recorded[request.url!] ?? recorded["/api/portfolio"]!;
  const answer = () => response.writeHead(status, headers).end(body);
  if (request.method === "GET") answer();
  else request.resume().once("end", answer);
}).listen(Number(process.env.PORT), "127.0.0.1");
