import { generateKeyContract } from "@/lib/contracts/generate-key";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { generateKey } from "@/lib/services/generate-key";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(generateKey, generateKeyContract),
);
