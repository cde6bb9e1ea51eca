import { createServer } from "node:http";

/*
 * Serves with node:http alone, for comparison. The server reads each request and answers each path with the bytes and
 * headers that the service once sent (RECORDED, JSON by path). No JavaScript server can be faster on this machine.
 */

const recordedAnswers: Record<string, { status: number; headers: string[]; body: string }> = JSON.parse(
  process.env.RECORDED!,
);

createServer((request, response) => {
  const { status, headers, body } = recordedAnswers[request.url!] ?? recordedAnswers["/api/portfolio"]!;
  const sendAnswer = () => response.writeHead(status, headers).end(body);
  if (request.method === "GET") sendAnswer();
  else request.resume().once("end", sendAnswer);
}).listen(Number(process.env.PORT), "127.0.0.1");
